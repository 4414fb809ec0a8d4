// Geometry of a pass: space for values on wires, curves, and matching frames. Pure.

/** The font size of what is written on wires: pixels at a scale of 1, the least scale at which a drawing is shown at first. */
export const PLAYER_SMALL = 11;
export const PLAYER_CHIP_HEIGHT = 16;
const PLAYER_CHIP_LETTER = 6.7;
const PLAYER_CHIP_ABOVE = 19;
const PLAYER_TURN = 16;
/** How far a wire that turns round goes beyond where it does. */
export const PLAYER_CORNER = 10;

/** The width of the chip with this text. */
export function playerChipWidth(text) {
  return [...text].length * PLAYER_CHIP_LETTER + 9;
}

/** The start of each wire's chip: behind the box that makes it, just above the wire. `texts` is by wire. */
export function playerChipPlaces(geometry, texts) {
  const places = [];
  const seen = new Set();
  const starts = [...geometry.labels.map((t) => ({ wire: t.wire, x: t.x, y: t.y + 3.5 })), ...playerStarts(geometry)];
  for (const { wire, x, y } of starts) {
    if (seen.has(wire) || !texts.has(wire)) continue;
    seen.add(wire);
    const text = texts.get(wire);
    places.push({ wire, text, x, y: y - PLAYER_CHIP_ABOVE, w: playerChipWidth(text), h: PLAYER_CHIP_HEIGHT });
  }
  return places;
}

/** The drawing stretched so that chips overlap neither boxes nor each other, and the chips. */
export function playerStretch(geometry, texts) {
  const chips = playerChipPlaces(geometry, texts);
  const titles = geometry.frames_of_parts.map((f) => ({ x: f.x + 7, y: f.y + 2, h: PLAYER_CHIP_HEIGHT }));
  const obstacles = [...geometry.boxes, ...titles, ...chips];
  const added = [];
  for (const chip of [...chips].sort((one, other) => other.x - one.x)) {
    const ahead = obstacles.filter((o) => o.x > chip.x && o.y < chip.y + chip.h && chip.y < o.y + o.h);
    const edge = Math.min(...ahead.map((o) => o.x));
    if (edge === Infinity) continue;
    const room = edge - chip.x + added.filter((a) => a.x >= chip.x && a.x < edge).reduce((sum, a) => sum + a.extra, 0);
    const extra = chip.w + 4 - room;
    if (extra > 0) added.push({ x: chip.x, extra });
  }
  const last = Math.max(0, ...chips.map((c) => playerMoved(c.x, added) + c.w + 2));
  const width = Math.max(playerMoved(geometry.width, added), last);
  // Outputs at the right end are extended to the new end.
  const to = (x) => (x > geometry.width - 0.5 ? width : playerMoved(x, added));
  return { ...playerMapped(geometry, to), chips: chips.map((c) => ({ ...c, x: playerMoved(c.x, added) })) };
}

/** The path of a strand as `d`: lines on one level, turns between points one above the other (far ones with a line), else curves. */
export function playerPath(points) {
  const n = (x) => String(Math.round(x * 10) / 10);
  let d = `M${n(points[0][0])} ${n(points[0][1])}`;
  let way = 1;
  for (let i = 1; i < points.length; i += 1) {
    const [x, y] = points[i - 1];
    const [u, v] = points[i];
    const isTurn = n(x) === n(u) && n(y) !== n(v);
    if (isTurn && Math.abs(v - y) > 4 * PLAYER_TURN) {
      const [side, down] = [way * PLAYER_CORNER, Math.sign(v - y) * PLAYER_CORNER];
      d += `q${side} 0 ${side} ${down}V${n(v - down)}q0 ${down} ${-side} ${down}`;
      way = -way;
      continue;
    }
    const middle = isTurn ? x + way * PLAYER_TURN : (x + u) / 2;
    if (isTurn) way = -way;
    else if (n(y) === n(v)) way = u >= x ? 1 : -1;
    d += n(y) === n(v) ? `H${n(u)}` : `C${n(middle)} ${n(y)} ${n(middle)} ${n(v)} ${n(u)} ${n(v)}`;
  }
  return d;
}

/** The approximate length of a strand. */
export function playerLength(points) {
  return points.slice(1).reduce((sum, [x, y], i) => sum + Math.hypot(x - points[i][0], y - points[i][1]), 0) * 1.1;
}

/** The points at which a wire enters a box: `{wire, x, y, way}`, where `way` is 1 to the right and -1 to the left. */
export function playerEntries(geometry) {
  const found = [];
  for (const { wire, points } of geometry.strands) {
    const [x, y] = points[points.length - 1];
    const side = (b) => (b.back ? b.x + b.w : b.x);
    const into = geometry.boxes.find((b) => Math.abs(side(b) - x) < 0.6 && y >= b.y && y <= b.y + b.h);
    if (into !== undefined) found.push({ wire, x, y, way: into.back ? -1 : 1 });
  }
  return found;
}

/** The wires that cross this x horizontally and began well to the left of it: `{wire, y}`, one per wire. */
export function playerCrossings(geometry, x) {
  const began = new Map();
  for (const { wire, points } of geometry.strands) began.set(wire, Math.min(points[0][0], began.get(wire) ?? Infinity));
  const found = new Map();
  for (const { wire, points } of geometry.strands) {
    if (began.get(wire) > x - 60 || found.has(wire)) continue;
    const at = points.findIndex(([u, y], i) => {
      if (i === 0) return false;
      const [from, before] = points[i - 1];
      return from <= x && x + 20 <= u && Math.abs(before - y) < 0.05;
    });
    if (at > 0) found.set(wire, { wire, y: points[at][1] });
  }
  const near = geometry.boxes.filter((b) => b.x < x + 40 && b.x + b.w > x - 6);
  return [...found.values()].filter(({ y }) => !near.some((b) => b.y < y && b.y + b.h > y - 16));
}

/** The halves of clauses in a drawing: their frames, or the boxes `⟦Qᶠ FC[w0]⟧` that folded ones are. */
export function playerClauses(geometry) {
  const folded = geometry.boxes.flatMap((box) => {
    const half = /^⟦(Q[ᶠᵇ].*?)⟧?$/u.exec(box.label ?? "");
    return half === null
      ? []
      : [{
        x: box.x,
        y: box.y,
        w: box.w,
        h: box.h,
        title: half[1],
        leg: half[1][1] === "ᶠ" ? "forward" : "backward",
        box: box.id,
        back: box.back,
      }];
  });
  return [...geometry.frames_of_parts, ...folded];
}

/** For each frame of a clause, the frame of its other half, matched like brackets; null if there is none. */
export function playerHalves(frames) {
  const partner = frames.map(() => null);
  const open = [];
  const inOrder = frames.map((frame, i) => i).sort((i, j) => frames[i].x - frames[j].x);
  for (const i of inOrder) {
    if (frames[i].leg === "forward") open.push(i);
    if (frames[i].leg !== "backward") continue;
    const at = open.findLastIndex((j) => playerSubject(frames[j]) === playerSubject(frames[i]));
    if (at < 0) continue;
    const [j] = open.splice(at, 1);
    [partner[i], partner[j]] = [j, i];
  }
  return partner;
}

/** The index of the smallest frame around a box that has another half, or null. */
export function playerAround(frames, halves, box) {
  const [right, bottom] = [box.x + box.w - 1, box.y + box.h - 1];
  const inside = (f) => box.x >= f.x - 1 && box.y >= f.y - 1 && right <= f.x + f.w && bottom <= f.y + f.h;
  const around = frames.map((f, i) => i).filter((i) => halves[i] !== null && inside(frames[i]));
  return around.sort((i, j) => frames[i].w * frames[i].h - frames[j].w * frames[j].h)[0] ?? null;
}

function playerSubject(frame) {
  return frame.title.replace(/^Q[ᶠᵇ]?\s*/u, "");
}

// The starts of strands that have no label.
function playerStarts(geometry) {
  return geometry.strands
    .map(({ wire, points }) => ({ wire, x: points[0][0] + 4, y: points[0][1] }))
    .sort((one, other) => one.x - other.x);
}

function playerMoved(x, added) {
  return added.reduce((sum, a) => (a.x < x ? sum + a.extra : sum), x);
}

function playerMapped(geometry, to) {
  const wide = (r) => ({ ...r, x: to(r.x), w: to(r.x + r.w) - to(r.x) });
  return {
    ...geometry,
    width: to(geometry.width),
    boxes: geometry.boxes.map(wide),
    frames_of_parts: geometry.frames_of_parts.map(wide),
    strands: geometry.strands.map((strand) => ({ ...strand, points: strand.points.map(([x, y]) => [to(x), y]) })),
    dots: geometry.dots.map((dot) => ({ ...dot, x: to(dot.x) })),
    labels: geometry.labels.map((label) => ({ ...label, x: to(label.x) })),
  };
}
