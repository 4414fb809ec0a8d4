// The heap at a step: each location with its content, and the change made by the step.
import { h, refill, s } from "./dom.js";
import { heatReal, heatScale, heatStrengths } from "./heat.js";

const CELL_SIDE = 12;
const CELL_SMALL = 5;
const CELLS_ACROSS = 24;

/** The grid of a flat list of values: rows and columns, the last axis across; a long vector is broken into rows. */
export function cellGrid(shape, size) {
  const across = shape.length === 0 ? 1 : shape[shape.length - 1];
  const columns = Math.max(1, shape.length > 1 ? across : Math.min(across, CELLS_ACROSS));
  return { columns, rows: Math.max(1, Math.ceil(size / columns)) };
}

/** A number with four digits. */
export function shortNumber(value) {
  if (typeof value !== "number") return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

/** A thumbnail of the values, with those that differ from `before` framed; null if the values were not sent. */
export function cellMap(content, before = null) {
  const values = content.values;
  if (!Array.isArray(values) || values.length < 2) return null;
  const { columns, rows } = cellGrid(content.shape, values.length);
  const cell = columns > 40 || rows > 16 ? CELL_SMALL : CELL_SIDE;
  const old = Array.isArray(before?.values) && before.values.length === values.length ? before.values : null;
  // Both thumbnails of a change have one scale, so that they are comparable.
  const strengths = heatStrengths(values, heatScale(values, old ?? []));
  const size = { width: columns * cell + 2, height: rows * cell + 2 };
  const numbers = values.map(heatReal).filter(Number.isFinite);
  const range = numbers.length === 0 ? "" : `, from ${shortNumber(Math.min(...numbers))} to ${shortNumber(Math.max(...numbers))}`;
  const cells = values.map((value, i) => {
    const changed = old !== null && old[i] !== value;
    const strength = strengths[i];
    const [x, y] = [(i % columns) * cell + 1.5, Math.floor(i / columns) * cell + 1.5];
    const place = { x, y, width: cell - 1, height: cell - 1 };
    const isNumber = !Number.isNaN(strength);
    const look = isNumber ? `rh-cell-${strength < 0 ? "below" : "above"}` : "rh-cell-none";
    const words = changed ? `${shortNumber(old[i])} → ${shortNumber(value)}` : shortNumber(value);
    // A dash marks negative values independently of colour.
    const d = `M${x + 3} ${y + (cell - 1) / 2}h${cell - 7}`;
    const dash = cell === CELL_SIDE && strength < 0 ? s("path", { class: "rh-cell-dash", d }) : null;
    return [
      s("rect", { ...place, class: look, "fill-opacity": isNumber ? Math.abs(strength).toFixed(3) : 1 }, s("title", {}, words)),
      dash,
      changed ? s("rect", { ...place, class: "rh-cell-changed" }) : null,
    ];
  });
  const label = `${content.shape.join(" by ")} values${range}`;
  return s("svg", { class: "rh-cells", role: "img", "aria-label": label, viewBox: `0 0 ${size.width} ${size.height}`, ...size }, cells);
}

/**
 * The panel; `show` takes the contents after the step (`isBefore`: before it) and the change by the step, or null. For a step
 * that `isHidden(step)`, the panel does not reveal that it changed something.
 */
export function stepperHeap() {
  const list = h("div", { class: "rh-heap-list" });
  const head = h("h4", {}, "Heap after this step");
  const el = h("section", { class: "rh-side-part", "aria-label": "heap" }, head, list);
  return {
    el,
    show(contents, change, isCurrent, isBefore = false, isHidden = () => false) {
      head.textContent = `Heap ${isBefore ? "before" : "after"} this step`;
      el.classList.toggle("rh-waiting", !isCurrent);
      const known = new Set(contents.map((entry) => entry.location));
      const entries = change !== null && !known.has(change.location) ? [{ location: change.location, content: change.after }] : [];
      const all = [...entries, ...contents];
      // The changed location comes first, so that it is in view.
      if (change !== null) all.sort((one, other) => (other.location === change.location) - (one.location === change.location));
      const none = h("p", { class: "rh-note" }, "No step reads or changes the heap.");
      refill(list, all.length === 0 ? none : all.map((entry) => heapEntry(entry, change, isHidden)));
    },
  };
}

function heapEntry({ location, content, changed_by: changedBy }, change, isHidden) {
  const isChanged = change !== null && change.location === location;
  const now = isChanged ? change.after : content;
  const before = isChanged ? change.before : null;
  const earlier = !Number.isInteger(changedBy) ? "as at the start" : `changed by ${isHidden(changedBy) ? "a step" : `step ${changedBy + 1}`}`;
  const note = isChanged ? "Put: changed by this step" : earlier;
  return h(
    "div",
    { class: `rh-heap-entry${isChanged ? " rh-heap-changed" : ""}` },
    h(
      "div",
      { class: "rh-heap-head" },
      h("span", { class: "rh-role-location" }, location),
      h("span", { class: "rh-role-type" }, `: ${now.type}`),
      h("span", { class: "rh-note" }, note),
    ),
    h(
      "div",
      { class: "rh-heap-body" },
      before === null ? null : heapFigure(before, null),
      heapFigure(now, before),
    ),
  );
}

function heapFigure(content, before) {
  const norm = content.norm === null || content.norm === undefined ? "" : `norm ${shortNumber(content.norm)}`;
  return h(
    "div",
    { class: "rh-heap-figure" },
    before === null ? null : h("span", { role: "img", "aria-label": "becomes" }, "→"),
    cellMap(content, before),
    h("span", { class: "rh-heap-text", title: content.text }, content.text),
    h("span", { class: "rh-note" }, norm),
  );
}
