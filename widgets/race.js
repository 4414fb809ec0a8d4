// A race of handlers: their curves and paths, a table whose rows are linked to the lines, and the clauses that differ.
import { h, refill } from "./dom.js";
import { linkedMark, linkedPlot, linkedRows, linkedStop } from "./linked.js";

/** Fill `el` with the race of `host.opening`; returns a function that disposes of it. */
export function race(host, el) {
  const bar = h("div", {});
  const track = h("div", { class: "rh-progress", role: "progressbar", "aria-label": "the race", "aria-valuemin": 0, "aria-valuemax": 100 }, bar);
  const title = h("div", {});
  const summary = h("div", {});
  const plots = h("div", { class: "rh-race-plots" });
  const note = h("div", { class: "rh-race-note" });
  const head = h("tr", {});
  const body = h("tbody", {});
  const sources = h("div", {});
  const status = h("div", { class: "rh-hidden", role: "status", "aria-live": "polite" });
  let picked = host.recall("picked", null);
  let before = "";
  const look = (run) => linkedMark(el, run ?? picked);

  function pick(run) {
    picked = run === picked ? null : run;
    host.keep("picked", picked);
    linkedStop(body, picked);
    look(null);
    const row = picked === null ? null : body.querySelector(`tr[data-run="${picked}"]`);
    status.textContent = row === null ? "no handler is marked" : `marked: ${row.innerText.replace(/\s+/g, " ")}`;
  }

  function show(record) {
    const { head: words, share, best, measures, rows, clauses } = record;
    track.hidden = share === null;
    if (share !== null) {
      bar.style.width = `${100 * share}%`;
      track.setAttribute("aria-valuenow", Math.round(100 * share));
    }
    title.textContent = words;
    refill(summary, best === null ? "\u00a0" : [share === null ? "★ lowest at the end: " : "★ lowest now: ", h("code", { class: "rh-race-best" }, rows[best].handler), " with ", h("code", {}, rows[best].last)]);
    refill(plots, record.plots.map((plot) => linkedPlot(plot, look, pick)));
    note.textContent = record.note;
    refill(head, ["", "handler", ...measures, "moved"].map((text) => h("th", { scope: "col" }, h("code", {}, text))));
    // Rows stay while what they show stays, so that an update does not take the focus.
    const shown = JSON.stringify([rows, best]);
    if (shown !== before) {
      const focused = body.contains(document.activeElement) ? document.activeElement.dataset.run : undefined;
      refill(body, rows.map((row, n) => raceRow(row, n, n === best)));
      before = shown;
      linkedStop(body, focused ?? picked);
      if (focused !== undefined) body.querySelector(`tr[data-run="${focused}"]`)?.focus();
    }
    refill(sources, clauses === null ? null : raceClauses(clauses));
    look(null);
  }

  el.append(track, title, summary, plots, note, h("div", { class: "rh-race-scroll" }, h("table", { class: "rh-race-table" }, h("thead", {}, head), body)), sources, status);
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  linkedRows(body, look, pick);
  show(host.opening);
  host.onOpening(show);
  return () => el.replaceChildren();
}

function raceRow({ handler, colour, sign, cells, moved }, run, isBest) {
  return h("tr", { "data-run": run, tabindex: -1, class: isBest ? "rh-race-lowest" : "" },
    h("td", {}, isBest ? h("span", { title: "the lowest at the end" }, "★") : null),
    h("td", {}, h("span", { style: `color:${colour}`, "aria-hidden": "true" }, `${sign} `), h("code", {}, handler)),
    cells.map(([text, curve]) => h("td", {}, h("code", {}, text), h("span", { class: "rh-race-curve", "aria-hidden": "true" }, ` ${curve}`))),
    h("td", { class: "rh-race-number" }, h("code", {}, moved)),
  );
}

function raceClauses({ columns, rows, missing, legend }) {
  if (columns.length === 0) return null;
  const differ = rows.filter((row) => row.differs);
  const same = rows.filter((row) => !row.differs);
  if (differ.length === 0) return h("div", { class: "rh-race-note" }, "the clauses of all handlers are the same; their parameters differ");
  const heads = columns.map((column) => h("th", { scope: "col" }, column.map(({ run, handler, parameters }) =>
    h("div", { "data-run": run }, h("code", { class: "rh-race-best" }, handler), h("code", { class: "rh-race-parameters" }, parameters)))));
  const table = h("table", { class: "rh-race-clauses" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "clause"), heads)),
    h("tbody", {}, differ.map((row) => h("tr", {}, h("th", { scope: "row" }, h("code", {}, row.name)), row.cells.map((cell) => h("td", {}, raceSource(cell, missing)))))),
  );
  const others = same.length === 0 ? null : h("details", {}, h("summary", { class: "rh-race-note" }, `the same in all of them: ${same.map((row) => row.name).join(", ")}`), same.map((row) => raceSource(row.cells[0], missing)));
  return [h("div", { class: "rh-race-scroll", tabindex: "0", role: "region", "aria-label": "the clauses that differ" }, table), h("div", { class: "rh-race-note" }, legend), others];
}

function raceSource(cell, missing) {
  if (cell === null) return h("span", { class: "rh-race-note" }, missing);
  return h("pre", {}, cell.map(([text, isMarked]) => (isMarked ? h("mark", {}, text) : text)));
}
