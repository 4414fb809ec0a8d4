// A confusion matrix: a click on a cell, or the arrow keys, show the samples behind it, the most wrong first.
import { h, refill } from "./dom.js";
import { ALL_CELLS, ANY_CLASS, confusionKept, confusionMoved, confusionShade, confusionWords } from "./confusion_cells.js";

/** Fill `el` with the matrix of `host.opening`; returns a function that disposes of it. */
export function confusion(host, el) {
  const { head, columns, counts, pairs } = host.opening;
  const nameOf = (predicted) => (predicted < 0 ? "none" : String(predicted));
  let chosen = confusionKept(host.recall("cell", null), host.opening.size === 0 ? 0 : Math.max(counts.length, ...pairs.map((p) => p.target + 1)), counts.length ? columns : pairs);
  let asked = 0;
  const buttons = new Map();
  const words = h("div", { class: "rh-confusion-words", role: "status", "aria-live": "polite" });
  const shown = h("div", { class: "rh-confusion-samples", role: "list", tabindex: 0, "aria-label": "the samples of the cell" });
  const more = h("button", { type: "button", hidden: true, on: { click: () => load(shown.children.length) } }, "show more");
  const note = h("div", {});

  const keyOf = ({ target, predicted }) => `${target} ${predicted}`;

  function choose(cell) {
    chosen = cell;
    host.keep("cell", cell);
    mark();
    load(0);
  }

  function mark() {
    for (const [key, button] of buttons) button.setAttribute("aria-pressed", String(key === keyOf(chosen)));
    const inside = buttons.get(keyOf(chosen)) ?? buttons.get("0 0");
    for (const button of buttons.values()) if (button.dataset.row !== undefined) button.tabIndex = -1;
    const roving = inside?.dataset.row === undefined ? buttons.get("0 0") : inside;
    if (roving) roving.tabIndex = 0;
  }

  async function load(from) {
    asked += 1;
    const number = asked;
    try {
      const { samples, count, missing = 0 } = await host.ask({ ask: "samples", ...chosen, from });
      if (number !== asked) return;
      refill(note);
      words.textContent = confusionWords(chosen, count, nameOf);
      if (from === 0) refill(shown);
      shown.append(...samples.map(confusionSample));
      more.hidden = missing > 0 || from + samples.length >= count;
      if (missing > 0) refill(note, `${missing.toLocaleString("en")} more are not in the saved page.`);
      more.textContent = `show more of ${(count - from - samples.length).toLocaleString("en")}`;
    } catch (error) {
      if (number === asked) refill(note, h("div", { class: "rh-gone" }, error.message));
    }
  }

  function button(cell, text, attributes = {}) {
    const made = h("button", { type: "button", "aria-pressed": "false", ...attributes, on: { click: () => choose(cell) } }, text);
    buttons.set(keyOf(cell), made);
    return made;
  }

  function heading(cell, text, label) {
    return h("th", { scope: cell.target === ANY_CLASS ? "col" : "row" }, button(cell, text, { "aria-label": label, title: label }));
  }

  function row(numbers, target) {
    const total = numbers.reduce((sum, count) => sum + count, 0);
    const cells = numbers.map((count, n) => {
      const { predicted, name } = columns[n];
      const isRight = predicted === target;
      const kind = isRight ? "function" : "operation";
      const label = `${count} of class ${target} ${isRight ? "classified as such" : `taken for ${name}`}`;
      const style = `background-color: rgba(var(--rh-${kind}), ${confusionShade(count, total).toFixed(2)})`;
      return h("td", {}, button({ target, predicted }, count === 0 ? "·" : String(count), { "aria-label": label, title: label, style, "data-row": target, "data-column": n, class: count === 0 ? "rh-confusion-none" : "" }));
    });
    const right = numbers[columns.findIndex(({ predicted }) => predicted === target)];
    return h("tr", {}, heading({ target, predicted: ANY_CLASS }, String(target), `all of class ${target}`), cells, h("td", { class: "rh-confusion-share" }, total ? `${Math.round((100 * right) / total)} %` : ""));
  }

  function pressed(event) {
    const { row, column } = event.target.dataset;
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = confusionMoved(event.key, Number(row), Number(column), counts.length, columns.length);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    const [target, n] = to;
    const cell = { target, predicted: columns[n].predicted };
    choose(cell);
    buttons.get(keyOf(cell)).focus();
  }

  const all = button(ALL_CELLS, "all samples", {});
  const matrix = counts.length
    ? h(
        "table",
        { "aria-label": "confusion matrix: a row for each class, a column for each predicted class", on: { keydown: pressed } },
        h("thead", {}, h("tr", {}, h("th", { class: "rh-confusion-corner" }, "target ↓ taken for →"), columns.map(({ predicted, name }) => heading({ target: ANY_CLASS, predicted }, name, `all taken for ${name}`)), h("th", {}, "right"))),
        h("tbody", {}, counts.map(row)),
      )
    : h("div", { class: "rh-bar" }, pairs.map((pair) => button(pair, `${pair.target} → ${nameOf(pair.predicted)}: ${pair.count}`)));
  el.append(h("div", { class: "rh-confusion-head" }, head), h("div", { class: "rh-confusion-both" }, h("div", { class: "rh-confusion-scroll" }, matrix), h("div", { class: "rh-confusion-side" }, h("div", { class: "rh-bar" }, all, words), shown, more, note)));
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  mark();
  load(0);
  return () => el.replaceChildren();
}

function confusionSample({ number, target, predicted, right, label, picture, numbers }) {
  const inside = picture === null ? h("code", {}, numbers) : h("img", { src: picture.source, width: picture.width, height: picture.height, alt: label });
  const caption = h("figcaption", {}, right ? `${target} ✓` : `${target} → ${predicted}`, h("span", { class: "rh-confusion-number" }, ` #${number}`));
  return h("figure", { role: "listitem", title: label, class: right ? "" : "rh-confusion-wrong" }, inside, caption);
}
