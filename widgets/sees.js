// What a net sees: a table of pictures, values above cotangents, for each sample; one of them is shown enlarged, with its numbers.
import { h, refill } from "./dom.js";
import { seesCells, seesMoved } from "./sees_cells.js";

const SEES_LARGE = 240;

/** Fill `el` with the samples of `host.opening`; returns a function that disposes of it. */
export function sees(host, el) {
  const { head, subject, boxes, more, samples, filters } = host.opening;
  const rows = seesCells(samples);
  const hidden = new Set(host.recall("hidden", []));
  let chosen = host.recall("cell", null);
  if (rows[chosen?.[0]]?.cells[chosen?.[1]] === undefined) chosen = rows.length > 0 && boxes.length > 0 ? [0, 0] : null;
  const detail = h("div", { class: "rh-sees-detail", role: "region", "aria-label": "the picture that is chosen", tabindex: 0 });
  const status = h("div", { class: "rh-hidden", role: "status", "aria-live": "polite" });
  const buttons = rows.map(({ sample, what, cells }, r) =>
    cells.map((arrays, c) => h("button", { type: "button", class: "rh-sees-cell", tabindex: -1, "data-row": r, "data-column": c, "aria-label": `sample ${sample}, ${what} of ${boxes[c]}: ${seesWords(arrays)}`, on: { click: () => choose([r, c]) } }, arrays.length === 0 ? "–" : arrays.map(seesPicture))),
  );
  const lines = rows.map(({ sample, what, isFirst }, r) =>
    h("tr", { class: isFirst ? "rh-sees-first" : "" }, h("th", { scope: "row" }, isFirst ? h("strong", {}, sample) : null, h("span", { class: "rh-sees-what" }, what)), buttons[r].map((button) => h("td", {}, button))),
  );
  const toggles = samples.map(({ number }) => h("button", { type: "button", "aria-pressed": String(!hidden.has(number)), on: { click: (event) => toggle(number, event.currentTarget) } }, number));

  function choose(cell) {
    chosen = cell;
    host.keep("cell", cell);
    mark();
  }

  function toggle(number, button) {
    if (hidden.has(number)) hidden.delete(number);
    else hidden.add(number);
    button.setAttribute("aria-pressed", String(!hidden.has(number)));
    host.keep("hidden", [...hidden]);
    hide();
  }

  function hide() {
    rows.forEach(({ sample }, r) => (lines[r].hidden = hidden.has(sample)));
    const stop = chosen !== null && !lines[chosen[0]].hidden ? chosen : [lines.findIndex((line) => !line.hidden), 0];
    for (const button of buttons.flat()) button.tabIndex = -1;
    const reached = buttons[stop[0]]?.[stop[1]];
    if (reached) reached.tabIndex = 0;
  }

  function mark() {
    buttons.flat().forEach((button) => button.setAttribute("aria-pressed", "false"));
    hide();
    if (chosen === null) return;
    const [r, c] = chosen;
    buttons[r][c].setAttribute("aria-pressed", "true");
    const { sample, what, cells } = rows[r];
    const title = `${what} of ${boxes[c]} in sample ${sample}`;
    status.textContent = `${title}: ${seesWords(cells[c])}`;
    refill(detail, h("div", {}, h("strong", {}, title)), cells[c].length === 0 ? h("div", { class: "rh-sees-note" }, "There is none.") : cells[c].map(seesLarge));
  }

  function pressed(event) {
    const { row, column } = event.target.dataset;
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = seesMoved(event.key, Number(row), Number(column), rows.map((_, r) => !lines[r].hidden), boxes.length);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    choose(to);
    buttons[to[0]][to[1]].focus();
  }

  const table = h(
    "table",
    { "aria-label": "values and cotangents: two rows for each sample, a column for each box", on: { keydown: pressed } },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "sample"), boxes.map((text) => h("th", { scope: "col" }, h("code", {}, text))))),
    h("tbody", {}, lines),
  );
  el.append(
    h("div", {}, head),
    h("div", { class: "rh-sees-note" }, h("code", {}, subject)),
    h("div", { class: "rh-bar", role: "group", "aria-label": "samples that are shown" }, h("span", {}, "samples:"), toggles),
    h("div", { class: "rh-sees-both" }, h("div", { class: "rh-sees-scroll" }, table), detail),
    ...(more > 0 ? [h("div", { class: "rh-sees-note" }, `⋮ ${more} more boxes: %gradient shows all of one sample`)] : []),
    h("div", { class: "rh-sees-note" }, h("span", { class: "rh-sees-below", "aria-hidden": "true" }, "■"), " blue is below zero, ", h("span", { class: "rh-sees-above", "aria-hidden": "true" }, "■"), " orange above; each picture is scaled to its largest number, ±"),
    h("div", { class: "rh-sees-filters" }, filters.map(({ name, note, picture }) => h("div", {}, h("code", { class: "rh-role-location" }, name), h("span", { class: "rh-sees-note" }, ` ${note}`), h("div", {}, seesImage(picture))))),
    status,
  );
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  mark();
  return () => el.replaceChildren();
}

function seesImage({ source, width, height, label }, wide = width) {
  return h("img", { src: source, width: wide, height: Math.round((height * wide) / width), alt: label, draggable: "false" });
}

/** What is in a cell: a picture with its scale, or a number. The button around it says what it is. */
function seesPicture({ picture, width, note }) {
  if (picture === null) return h("code", {}, note);
  return [seesImage({ ...picture, label: "" }, Math.min(width, picture.width)), note ? h("span", { class: "rh-sees-scale" }, note) : null];
}

function seesLarge({ picture, note, words, numbers }) {
  const shown = picture === null ? null : seesImage(picture, Math.max(picture.width, SEES_LARGE));
  const table = numbers === null || picture === null ? null : h("details", {}, h("summary", {}, "the numbers"), h("div", { class: "rh-sees-numbers", tabindex: 0, role: "region", "aria-label": "the numbers" }, h("table", {}, h("tbody", {}, numbers.map((row) => h("tr", {}, row.map((x) => h("td", {}, x))))))));
  return h("div", {}, shown, h("div", { class: "rh-sees-note" }, picture === null ? h("code", {}, note) : words), table);
}

function seesWords(arrays) {
  return arrays.length === 0 ? "none" : arrays.map(({ words }) => words).join("; ");
}
