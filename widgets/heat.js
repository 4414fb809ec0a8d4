// Thumbnails of arrays: a heat map for a matrix, a curve for a vector. Negative is blue with a dash, positive orange.
import { s } from "./dom.js";

export const HEAT_MOST = 32;
const HEAT_LEVELS = 8;
const HEAT_BELOW = "rgb(var(--rh-below))";
const HEAT_ABOVE = "rgb(var(--rh-above))";
const HEAT_NONE = "rgb(var(--rh-faded))";

/** An entry as a number; the kernel sends `nan`, `inf` and `-inf` as text. */
export function heatReal(x) {
  if (typeof x === "number") return x;
  return x === "inf" ? Infinity : x === "-inf" ? -Infinity : NaN;
}

/** The largest finite magnitude in these lists; 1 if all entries are zero. */
export function heatScale(...lists) {
  let most = 0;
  for (const list of lists) for (const x of list) if (Number.isFinite(heatReal(x))) most = Math.max(
    most,
    Math.abs(heatReal(x)),
  );
  return most || 1;
}

/** Entries scaled to [-1, 1]; non-finite ones become `NaN`. */
export function heatStrengths(values, scale = heatScale(values)) {
  return values.map((x) => Math.max(-1, Math.min(1, heatReal(x) / scale)));
}

/** The quantised level, -8 … 8; `null` for NaN. */
export function heatLevel(strength) {
  return Number.isNaN(strength) ? null : Math.round(strength * HEAT_LEVELS) + 0;
}

/** A matrix averaged down to at most `most` × `most` blocks. */
export function heatBlocks(values, rows, columns, most = HEAT_MOST) {
  const down = heatEdges(rows, most);
  const across = heatEdges(columns, most);
  const cells = [];
  for (let i = 0; i + 1 < down.length; i += 1) {
    for (let j = 0; j + 1 < across.length; j += 1) {
      let sum = 0;
      for (let r = down[i]; r < down[i + 1]; r += 1) {
        for (let c = across[j]; c < across[j + 1]; c += 1) sum += values[r * columns + c];
      }
      cells.push(sum / ((down[i + 1] - down[i]) * (across[j + 1] - across[j])));
    }
  }
  return { rows: down.length - 1, columns: across.length - 1, cells };
}

/** The 2D layout of an array: the last axis across, all others down. */
export function heatPlane(shape) {
  const columns = shape.length === 0 ? 1 : shape[shape.length - 1];
  const rows = shape.slice(0, -1).reduce((n, m) => n * m, 1);
  return { rows, columns };
}

/** The side of a vector that may be a square image; 0 if its length is no square. */
export function heatSquare(shape) {
  if (shape.length !== 1) return 0;
  const side = Math.round(Math.sqrt(shape[0]));
  return side >= 5 && side * side === shape[0] ? side : 0;
}

/** The polylines of a curve in a field of `width` × `height`, broken at NaN; long vectors are reduced to their extremes. */
export function heatPoints(values, width, height, most = 120) {
  const numbers = values.map(heatReal);
  const edges = heatEdges(numbers.length, most);
  const few = numbers.length <= most;
  const ends = few
    ? numbers.map((y, i) => [i, y])
    : edges.slice(1).flatMap((end, i) => heatEnds(numbers.slice(edges[i], end), i));
  const finite = numbers.filter(Number.isFinite);
  const [low, high] = [finite.reduce((a, b) => Math.min(a, b), 0), finite.reduce((a, b) => Math.max(a, b), 0)];
  const tall = high - low || 1;
  const last = Math.max(ends.length > 0 ? ends[ends.length - 1][0] : 1, 1);
  const stretches = [[]];
  for (const [i, y] of ends) {
    if (Number.isFinite(y)) stretches[stretches.length - 1].push([(width * i) / last, (height * (high - y)) / tall]);
    else if (stretches[stretches.length - 1].length > 0) stretches.push([]);
  }
  return { stretches: stretches.filter((stretch) => stretch.length > 0), zero: (height * high) / tall };
}

/** A heat map of a matrix as SVG. `scale` makes several comparable; `side` is the maximal length of a side. */
export function heatMap(values, rows, columns, label, scale = heatScale(values), side = 160) {
  const blocks = heatBlocks(heatStrengths(values, scale), rows, columns);
  const cell = Math.min(16, Math.max(3, Math.floor(side / Math.max(blocks.rows, blocks.columns, 1))));
  const isWhole = blocks.rows === rows && blocks.columns === columns;
  const cells = [];
  blocks.cells.forEach((strength, at) => {
    const [i, j] = [Math.floor(at / blocks.columns), at % blocks.columns];
    const level = heatLevel(strength);
    const place = { x: j * cell, y: i * cell, width: cell, height: cell };
    const title = isWhole && values.length <= 256 ? s("title", {}, `[${i + 1}, ${j + 1}] ${heatShort(values[at])}`) : null;
    const colour = level === null ? HEAT_NONE : level < 0 ? HEAT_BELOW : HEAT_ABOVE;
    const opacity = level === null ? 1 : Math.abs(level) / HEAT_LEVELS;
    if (title !== null || opacity > 0) cells.push(s("rect", { ...place, fill: colour, "fill-opacity": opacity }, title));
    // A dash marks negative entries independently of colour.
    const d = `M${place.x + cell * 0.3} ${place.y + cell / 2}h${cell * 0.4}`;
    if (cell >= 9 && level !== null && level < 0) cells.push(s(
      "path",
      { d, stroke: "currentColor", "stroke-width": 1.2, "pointer-events": "none" },
    ));
  });
  const [w, hh] = [blocks.columns * cell, blocks.rows * cell];
  const frame = s(
    "rect",
    {
      x: 0.5,
      y: 0.5,
      width: Math.max(w - 1, 1),
      height: Math.max(hh - 1, 1),
      fill: "none",
      stroke: HEAT_NONE,
      "stroke-opacity": 0.7,
    },
  );
  return s(
    "svg",
    { class: "rh-heat", width: w, height: hh, viewBox: `0 0 ${w} ${hh}`, role: "img", "aria-label": label },
    s("title", {}, label),
    cells,
    frame,
  );
}

/** A vector as a curve with a zero line. */
export function heatCurve(values, label, width = 180, height = 40) {
  const { stretches, zero } = heatPoints(values, width, height);
  const d = stretches.map((points) => `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`).join("");
  const dots = values.length <= 16
    ? stretches.flat().map(([x, y]) => s("circle", { cx: x, cy: y, r: 2.2, fill: HEAT_BELOW }))
    : [];
  return s(
    "svg",
    {
      class: "rh-heat",
      width: width + 6,
      height: height + 6,
      viewBox: `-3 -3 ${width + 6} ${height + 6}`,
      role: "img",
      "aria-label": label,
    },
    s("title", {}, label),
    s("path", { d: `M0 ${zero.toFixed(1)}H${width}`, stroke: HEAT_NONE, "stroke-width": 0.8, fill: "none" }),
    s("path", { d, stroke: HEAT_BELOW, "stroke-width": 1.5, fill: "none" }),
    dots,
  );
}

/**
 * The thumbnails of an array: none for a scalar, a curve for a vector (and an image if its length is a square), else a heat
 * map.
 */
export function heatPictures(content, label, scale, side = 160) {
  const { values, shape } = content;
  if (values === null || values.length < 2) return [];
  if (shape.length > 1) {
    const { rows, columns } = heatPlane(shape);
    return [heatMap(values, rows, columns, label, scale, side)];
  }
  const square = heatSquare(shape);
  const image = square > 0
    ? [heatMap(values, square, square, `${label}, as an image of ${square} × ${square}`, scale, side)]
    : [];
  return [heatCurve(values, label), ...image];
}

function heatShort(x) {
  return typeof x === "number" ? String(Number(x.toPrecision(4))) : x;
}

function heatEdges(n, parts) {
  if (n <= parts) return Array.from({ length: n + 1 }, (_, i) => i);
  return Array.from({ length: parts + 1 }, (_, i) => Math.floor((n * i) / parts));
}

function heatEnds(stretch, i) {
  const finite = stretch.filter(Number.isFinite);
  if (finite.length < stretch.length) return [[i, NaN]];
  return [
    [i, Math.min(...finite)],
    [i, Math.max(...finite)],
  ];
}
