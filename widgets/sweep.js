// The runs of a sweep: plots, and a table that is sorted by the column whose heading is clicked on. Both fill while it runs.
// Pointing at a line, or going to a row, marks the run in all plots and in the table; a click keeps the mark.
import { h, refill } from "./dom.js";
import { linkedMark, linkedPlot, linkedRows, linkedStop } from "./linked.js";
import { sweepOrder, sweepTurned } from "./sweep_order.js";

const SWEEP_WIDEST = 30;

/** Fill `el` with the sweep of `host.opening`; returns a function that disposes of it. */
export function sweep(host, el) {
  const kept = host.recall("order", null);
  let order = Array.isArray(kept) && kept.length === 2 ? kept : [null, 1];
  let { columns, rows } = host.opening;
  let headings = [];
  // Elements are kept as long as what they show, so that an update does not take the focus or swallow a click.
  const lines = sweepCache();
  const pictures = sweepCache();
  const head = h("tr", {}, h("th", { class: "rh-sweep-mark" }, h("span", { class: "rh-hidden" }, "mark")));
  const body = h("tbody", {});
  const bar = h("div", {});
  const track = h("div", { class: "rh-progress", role: "progressbar", "aria-label": "finished runs", "aria-valuemin": 0, "aria-valuemax": 100 }, bar);
  const title = h("div", { class: "rh-sweep-head" });
  const summary = h("div", {});
  const plots = h("div", { class: "rh-sweep-plots" });
  const status = h("div", { class: "rh-hidden", role: "status", "aria-live": "polite" });

  // The run that is marked for good, or null; another one may be marked for as long as it is pointed at.
  let picked = host.recall("picked", null);
  const look = (run) => linkedMark(el, run ?? picked);

  function pick(run) {
    picked = run === picked ? null : run;
    host.keep("picked", picked);
    linkedStop(body, picked);
    look(null);
    const row = picked === null ? null : body.querySelector(`tr[data-run="${picked}"]`);
    row?.scrollIntoView({ block: "nearest" });
    status.textContent = row === null ? "no run is marked" : `marked: ${row.innerText.replace(/\s+/g, " ")}`;
  }

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
    const wanted = sweepOrder(rows, by, way).map((n) => lines.at(n));
    wanted.forEach((line, n) => {
      if (body.children[n] !== line) body.insertBefore(line, body.children[n] ?? null);
    });
    while (body.children.length > wanted.length) body.lastChild.remove();
    linkedStop(body, picked);
    look(null);
  }

  function show(record) {
    const { head: words, seconds, share, best } = record;
    ({ columns, rows } = record);
    headings = columns.map((column, n) => {
      const before = headings[n];
      if (before?.text === column.text && before.kind === column.kind) return before;
      before?.el.remove();
      const heading = sweepHeading(column, () => turn(n));
      head.insertBefore(heading.el, head.children[n + 1] ?? null);
      return heading;
    });
    track.hidden = share === null;
    if (share !== null) {
      bar.style.width = `${100 * share}%`;
      track.setAttribute("aria-valuenow", Math.round(100 * share));
    }
    title.textContent = `${words} · ${seconds}`;
    summary.hidden = best === null && share === null;
    refill(summary, best === null ? "\u00a0" : ["★ best: ", h("code", { class: "rh-sweep-best-values" }, best.values), " with ", h("code", {}, best.score)]);
    lines.update(rows, (row, n) => [row, best?.row === n, columns, n], sweepRow);
    const shown = record.plots.map((plot, n) => pictures.one(n, plot, (one) => linkedPlot(one, look, pick)));
    if (shown.length !== plots.children.length || shown.some((plot, n) => plots.children[n] !== plot)) refill(plots, shown);
    draw();
  }

  el.append(
    track,
    title,
    summary,
    plots,
    h("div", { class: "rh-sweep-scroll", tabindex: "0", role: "region", "aria-label": "the runs of the sweep" }, h("table", {}, h("thead", {}, head), body)),
    status,
  );
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  linkedRows(body, look, pick);
  show(host.opening);
  host.onOpening(show);
  return () => el.replaceChildren();
}

/** Elements by number, each rebuilt only when what it shows has changed. */
function sweepCache() {
  const made = [];
  function one(n, shown, make) {
    const key = JSON.stringify(shown);
    if (made[n]?.key !== key) made[n] = { key, el: make(shown) };
    return made[n].el;
  }
  return {
    one,
    update(items, shownOf, make) {
      items.forEach((item, n) => one(n, shownOf(item, n), make));
    },
    at: (n) => made[n].el,
  };
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
  return { text, kind, el, show };
}

function sweepRow([{ texts, curves, instead: words, state }, isBest, columns, run]) {
  const marks = { failed: ["✗", "failed", "rh-sweep-wrong"], running: ["▸", "running", "rh-sweep-note"] };
  const [sign, name, kind] = isBest ? ["★", "the best run", ""] : (marks[state] ?? ["", "", ""]);
  const mark = sign === "" ? null : h("span", { class: kind, title: name }, sign);
  const numbers = columns.filter(({ kind }) => kind === "number").length;
  const isDone = state === "done";
  const cell = (text, i) =>
    h("td", { class: `rh-sweep-${columns[i].kind}` }, h("span", { class: "rh-sweep-value" }, text), columns[i].kind === "measure" ? h("span", { class: "rh-sweep-curve", "aria-hidden": "true" }, curves[i - numbers] ?? "") : null);
  const cells = texts.slice(0, isDone ? undefined : numbers).map(cell);
  const instead = isDone ? null : h("td", { class: state === "failed" ? "rh-sweep-wrong" : "rh-sweep-pending", colspan: Math.max(columns.length - numbers, 1) }, words);
  return h("tr", { "data-run": run, tabindex: -1, class: isBest ? "rh-sweep-best" : state === "failed" ? "rh-sweep-failed" : "" }, h("td", { class: "rh-sweep-mark" }, mark), cells, instead);
}
