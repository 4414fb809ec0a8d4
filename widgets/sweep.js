// The runs of a sweep: plots, and a table that is sorted by the column whose heading is clicked on.
import { h, refill } from "./dom.js";
import { sweepOrder, sweepTurned } from "./sweep_order.js";

const SWEEP_WIDEST = 30;

/** Fill `el` with the sweep of `host.opening`; returns a function that disposes of it. */
export function sweep(host, el) {
  const { head, seconds, best, columns, rows, plots } = host.opening;
  const kept = host.recall("order", null);
  let order = Array.isArray(kept) && kept.length === 2 ? kept : [null, 1];
  const body = h("tbody", {});
  const status = h("div", { class: "rh-hidden", role: "status", "aria-live": "polite" });
  const lines = rows.map((row, n) => sweepRow(row, n, best, columns));
  const headings = columns.map((column, n) => sweepHeading(column, () => turn(n)));

  function turn(column) {
    order = sweepTurned(order, column);
    host.keep("order", order);
    draw();
    const [by, way] = order;
    status.textContent = by === null ? "in the order of the sweep" : `sorted by ${columns[by].text}, ${way > 0 ? "lowest" : "highest"} first`;
  }

  function draw() {
    const [by, way] = order;
    headings.forEach((heading, n) => heading.show(n === by ? way : 0));
    refill(body, sweepOrder(rows, by, way).map((n) => lines[n]));
  }

  const summary = best === null ? null : h("div", {}, "★ best: ", h("code", { class: "rh-sweep-best-values" }, best.values), " with ", h("code", {}, best.score));
  el.append(
    h("div", { class: "rh-sweep-head" }, `${head} · ${seconds}`),
    summary ?? "",
    h("div", { class: "rh-sweep-plots" }, plots.map(sweepPlot)),
    h(
      "div",
      { class: "rh-sweep-scroll", tabindex: "0", role: "region", "aria-label": "the runs of the sweep" },
      h("table", {}, h("thead", {}, h("tr", {}, h("th", { class: "rh-sweep-mark" }, h("span", { class: "rh-hidden" }, "mark")), headings.map((heading) => heading.el))), body),
    ),
    status,
  );
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  draw();
  return () => el.replaceChildren();
}

function sweepHeading({ text, kind }, turn) {
  const arrow = h("span", { class: "rh-sweep-arrow", "aria-hidden": "true" });
  const shown = text.length > SWEEP_WIDEST ? `${text.slice(0, SWEEP_WIDEST / 2 - 1)}…${text.slice(-SWEEP_WIDEST / 2)}` : text;
  const button = h("button", { type: "button", title: `${text}: sort by it`, on: { click: turn } }, h("code", {}, shown), arrow);
  const el = h("th", { scope: "col", class: `rh-sweep-${kind}`, "aria-sort": "none" }, button);
  const show = (way) => {
    el.setAttribute("aria-sort", way === 0 ? "none" : way > 0 ? "ascending" : "descending");
    arrow.textContent = way === 0 ? "" : way > 0 ? " ▲" : " ▼";
  };
  return { el, show };
}

function sweepRow({ texts, curves, error }, n, best, columns) {
  const isBest = best !== null && best.row === n;
  const mark = error !== "" ? h("span", { class: "rh-sweep-wrong", title: "failed" }, "✗") : isBest ? h("span", { title: "the best run" }, "★") : null;
  const numbers = columns.filter(({ kind }) => kind === "number").length;
  const cell = (text, i) =>
    h("td", { class: `rh-sweep-${columns[i].kind}` }, h("span", { class: "rh-sweep-value" }, text), columns[i].kind === "measure" ? h("span", { class: "rh-sweep-curve", "aria-hidden": "true" }, curves[i - numbers] ?? "") : null);
  const cells = texts.slice(0, error === "" ? undefined : numbers).map(cell);
  const why = error === "" ? null : h("td", { class: "rh-sweep-wrong", colspan: Math.max(columns.length - numbers, 1) }, error);
  return h("tr", { class: isBest ? "rh-sweep-best" : error === "" ? "" : "rh-sweep-failed" }, h("td", { class: "rh-sweep-mark" }, mark), cells, why);
}

function sweepPlot({ title, full, source, width, height, label, key, note }) {
  return h(
    "figure",
    { style: `width:${width + 10}px` },
    h("figcaption", { title: full }, h("code", {}, title)),
    h("img", { src: source, width, height, alt: label }),
    h("div", { class: "rh-sweep-key" }, key.map(([words, colour]) => h("span", { style: `color:${colour}` }, `━ ${words}`)), h("span", { class: "rh-sweep-note" }, note)),
  );
}
