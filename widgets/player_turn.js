// The backward pass below the forward pass, from right to left, so that a whole pass fits into a cell. Pure.
import { PLAYER_CORNER } from "./player_geometry.js";

const TURN_MARGIN = 2;
const TURN_STEP = 7;
const TURN_FIRST = 2;
const TURN_ROWS = 10;
const TURN_CAP = 8;

/**
 * The drawing with all that stands to the right of the turn rotated by 180 degrees and put below the rest: no crossing is added,
 * and wires that wait for the backward pass go round in nested bends. What is rotated has `back: true`. `bend` has the x where
 * the bends begin, and the lowest y above. Without a place to cut the drawing, it is returned as it is.
 */
export function playerTurned(geometry) {
  const at = playerCut(geometry);
  if (at === null) return geometry;
  const { width, height } = geometry;
  const over = Math.max(at, ...geometry.chips.filter((chip) => chip.x < at).map((chip) => chip.x + chip.w + TURN_MARGIN)) - at;
  const [end, low] = [Math.max(at + over, width - at), 2 * height + TURN_ROWS];
  const shift = end - over - at;
  const ahead = (x) => x + shift;
  const back = (x) => end - (x - at);
  const place = (r) => (r.x < at
    ? { ...r, x: ahead(r.x) }
    : { ...r, x: back(r.x + r.w), y: low - r.y - r.h, back: true });
  const strands = geometry.strands.map((strand) => playerCutStrand(strand.points, at));
  const levels = strands.filter((parts) => parts.length === 2).map(([before]) => before[before.length - 1][1]);
  const heights = [...new Set(levels)].sort((one, other) => other - one);
  const bend = (y) => end + TURN_FIRST + TURN_STEP * heights.indexOf(y);
  const joined = strands.map(([before, after]) => {
    if (after === undefined) return before.map(([x, y]) => (x > at ? [back(x), low - y] : [ahead(x), y]));
    const [x, y] = [before[before.length - 1][1], low - after[0][1]];
    const under = after.map(([u, v]) => [back(u), low - v]);
    return [...before.slice(0, -1).map(([u, v]) => [ahead(u), v]), [bend(x), x], [bend(x), y], ...under.slice(1)];
  });
  const text = (t) => (t.x < at ? { ...t, x: ahead(t.x) } : { ...t, x: back(t.x), y: low - t.y + TURN_CAP, back: true });
  return {
    ...geometry,
    width: heights.length === 0 ? end : bend(heights[heights.length - 1]) + PLAYER_CORNER + 3,
    height: low,
    bend: { x: end, y: height + TURN_ROWS / 2 },
    boxes: geometry.boxes.map(place),
    frames_of_parts: geometry.frames_of_parts.map(place),
    chips: geometry.chips.map(place),
    strands: geometry.strands.map((strand, i) => ({ ...strand, points: joined[i] })),
    dots: geometry.dots.map((dot) => (dot.x > at ? { ...dot, x: back(dot.x), y: low - dot.y } : { ...dot, x: ahead(dot.x) })),
    labels: geometry.labels.map(text),
  };
}

/**
 * What lies between the two halves of a clause: the outline `d` of the field, and where its `text` stands if there is room;
 * null if there is nothing between them.
 */
export function playerRest({ width, height, bend }, halves) {
  const [one, other] = [...halves].sort((f, g) => (f.back ? g.x - f.x : f.x - g.x));
  const isBelow = Boolean(one.back);
  const [top, bottom] = [-6, height + 12];
  if (bend === undefined || isBelow === Boolean(other.back)) {
    const [from, to] = isBelow ? [other.x + other.w, one.x] : [one.x + one.w, other.x];
    if (to - from < 12) return null;
    const [high, low] = bend === undefined ? [top, bottom] : isBelow ? [bend.y, bottom] : [top, bend.y];
    return { d: `M${from} ${high}H${to}V${low}H${from}Z`, text: to - from > 60 ? { x: (from + to) / 2, y: low - 6 } : null };
  }
  const [above, below] = isBelow ? [other, one] : [one, other];
  const [from, under, to] = [above.x + above.w, below.x + below.w, width - 2];
  if (to - Math.max(from, under) < 12) return null;
  const text = from < under ? { x: (from + to) / 2, y: bend.y - 6 } : { x: (under + to) / 2, y: bottom - 6 };
  return { d: `M${from} ${top}H${to}V${bottom}H${under}V${bend.y}H${from}Z`, text };
}

/**
 * Where to cut: behind the return clause, or if that has no box behind the forward pass; through no box and no frame, if possible
 * through no chip, and as near the middle as possible.
 */
function playerCut({ width, boxes, frames_of_parts: frames, chips }) {
  const of = (leg) => boxes.filter((box) => box.leg === leg);
  const turn = of("return").length > 0 ? of("return") : of("forward");
  if (turn.length === 0 || of("backward").length === 0) return null;
  const from = Math.max(...turn.map((box) => box.x + box.w));
  const to = Math.min(...of("backward").map((box) => box.x).filter((x) => x > from - 1), width);
  const all = [...boxes, ...frames, ...chips];
  const ends = all.flatMap((r) => [r.x - TURN_MARGIN, r.x + r.w + TURN_MARGIN]).filter((x) => x > from && x < to);
  const free = (things) => ends.filter((x) => !things.some((r) => r.x < x && x < r.x + r.w));
  const long = (x) => Math.max(x, width - x);
  const found = [all, [...boxes, ...frames]].map(free).find((places) => places.length > 0) ?? [];
  return found.sort((one, other) => long(one) - long(other))[0] ?? null;
}

/** The points of a strand before the cut and behind it, or all of them if it is on one side. */
function playerCutStrand(points, at) {
  const i = points.findIndex(([x]) => x > at);
  if (i <= 0 || points[i - 1][0] > at) return [points];
  const before = [...points.slice(0, i), [at, points[i - 1][1]]];
  return points.slice(i).every(([x]) => x > at) ? [before, [[at, points[i][1]], ...points.slice(i)]] : [points];
}
