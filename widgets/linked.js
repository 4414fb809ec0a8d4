// Plots whose lines belong to runs, and the mark on everything that belongs to one run: its lines, its row.
import { h, s } from "./dom.js";

const LINKED_REACH = 9;
/** A plot does not shrink below this share of its size, so that its text stays legible; what is wider scrolls. */
const LINKED_LEAST = 0.85;

/** A plot: an image of its axes below its lines. `look(run)` is called with a run, or null, `pick(run)` when a line is clicked on. */
export function linkedPlot({ title, full, source, width, height, label, lines, key, note }, look, pick) {
  const on = (run) => ({ pointerenter: () => look(run), pointerleave: () => look(null), click: () => pick(run) });
  const shapes = lines.map(({ run, d, colour, width: stroke, opacity, dash, filled, text, at, ink }) =>
    s("g", { "data-run": run, class: "rh-linked-line", on: on(run) },
      filled ? null : s("path", { d, fill: "none", stroke: "transparent", "stroke-width": LINKED_REACH, "pointer-events": "stroke" }),
      filled
        ? s("path", { d, fill: colour, "fill-opacity": opacity })
        : s("path", { d, fill: "none", stroke: colour, "stroke-width": stroke, "stroke-opacity": opacity, "stroke-dasharray": dash || null, "stroke-linejoin": "round" }),
      text ? s("text", { x: at[0], y: at[1], fill: ink }, text) : null,
    ),
  );
  // It scrolls on a narrow page, so the keyboard has to reach it.
  return h("figure", { style: `width:${width}px`, tabindex: "0" },
    h("figcaption", { title: full }, h("code", {}, title)),
    h("div", { class: "rh-linked", style: `min-width:${Math.round(LINKED_LEAST * width)}px` },
      h("img", { src: source, width, height, alt: label }),
      s("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", preserveAspectRatio: "none" }, shapes),
    ),
    h("div", { class: "rh-linked-key" }, key.map(([words, colour]) => h("span", { style: `color:${colour}` }, `━ ${words}`)), h("span", { class: "rh-linked-note" }, note)),
  );
}

/** Mark everything in `root` that belongs to a run; `null` marks nothing. */
export function linkedMark(root, run) {
  root.classList.toggle("rh-linked-some", run !== null);
  for (const part of root.querySelectorAll("[data-run]")) part.classList.toggle("rh-linked-on", run !== null && part.dataset.run === String(run));
}

/** Rows of runs as one stop of the Tab key: the arrow keys go through them. `look(run)` is called with the run of the row in focus. */
export function linkedRows(body, look, pick) {
  const rows = () => [...body.querySelectorAll("tr[data-run]")];
  const runOf = (target) => {
    const row = target.closest("tr[data-run]");
    return row === null ? null : Number(row.dataset.run);
  };
  body.addEventListener("pointerover", (event) => look(runOf(event.target)));
  body.addEventListener("pointerleave", () => look(null));
  body.addEventListener("click", (event) => {
    const run = runOf(event.target);
    if (run !== null) pick(run);
  });
  body.addEventListener("focusin", (event) => look(runOf(event.target)));
  body.addEventListener("focusout", () => look(null));
  body.addEventListener("keydown", (event) => {
    const all = rows();
    const next = linkedStep(all.length, all.indexOf(event.target.closest("tr[data-run]")), event.key);
    if (next === null) {
      if (event.key === "Enter" || event.key === " ") pick(runOf(event.target));
      else if (event.key === "Escape") pick(null);
      else return;
    } else {
      for (const row of all) row.tabIndex = -1;
      all[next].tabIndex = 0;
      all[next].focus();
    }
    event.preventDefault();
    event.stopPropagation();
  });
}

/** Let exactly one row be reached by the Tab key: that of the run, or else the first. */
export function linkedStop(body, run) {
  const rows = [...body.querySelectorAll("tr[data-run]")];
  const stop = rows.find((row) => row.dataset.run === String(run)) ?? rows.find((row) => row.tabIndex === 0) ?? rows[0];
  for (const row of rows) row.tabIndex = row === stop ? 0 : -1;
}

/** The row that a key leads to from row `at` of `count`; null if it is no such key. */
export function linkedStep(count, at, key) {
  if (count === 0) return null;
  if (key === "ArrowDown") return Math.min(at + 1, count - 1);
  if (key === "ArrowUp") return Math.max(at - 1, 0);
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}
