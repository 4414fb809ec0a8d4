// One side of a step: a term or command as lines, of which only the visible ones are DOM elements.
import { h, refill } from "./dom.js";
import { anchoredTop, marksByLine, markStarts, nearLines, neededLines, runsOf } from "./stepper_marks.js";
import { foldedRows, rowOfLine } from "./stepper_folds.js";
import { columnsOf } from "./stepper_rows.js";

const PANE_LINE = 18;
const PANE_EDGE = 18;
const PANE_ANCHOR = 2;
const PANE_OVER = 12;
const PANE_NEAR = 2;
const PANE_MARK = /^[a-z]+$/;

/**
 * A pane. Callbacks: `act.place(line, column)` on clicks in the term, `act.fold(fold)` on clicks in the gutter. `prepare` sets
 * the content, `settle` scrolls it so that the mark is where that of the previous step was.
 */
export function stepperPane(label, roles, origins, act) {
  const body = h("div", { class: "rh-pane-body" });
  const probe = h("span", { class: "rh-pane-probe", "aria-hidden": "true" }, "m".repeat(20));
  const el = h("div", { class: "rh-pane", role: "group", tabindex: 0, "aria-label": label }, body, probe);
  let shown = { lines: [], marks: {}, rows: [], starts: {}, byLine: new Map(), near: null };
  let extra = [];
  let pad = 0;
  let drawn = "";

  const visible = () => Math.max(3, Math.floor(el.clientHeight / PANE_LINE));
  const columns = () => columnsOf(el.clientWidth - PANE_EDGE, advance());
  const advance = () => probe.getBoundingClientRect().width / 20 || 7;

  function prepare(lines, marks, folds) {
    const needed = neededLines(marks);
    for (const { line } of extra) needed.add(line);
    const rows = foldedRows(lines, folds.origins, folds.blocks, needed);
    shown = { lines, marks, rows, starts: markStarts(marks), byLine: marksByLine(marks), near: nearLines(marks, PANE_NEAR) };
    return rows.length;
  }

  /** The position of the mark on its line in pixels, and the visible width. */
  function across(wide, sharp) {
    const kind = [...sharp, ...wide].find((name) => name in shown.starts);
    const { line, column, end } = shown.starts[kind] ?? { line: 0, column: 0, end: 0 };
    const text = shown.lines[line]?.[0] ?? "";
    const [one, width] = [advance(), el.clientWidth - PANE_EDGE];
    return { indent: (text.length - text.trimStart().length) * one, start: column * one, end: end * one, width };
  }

  /** Show the prepared content; `left` is the horizontal scroll offset, null to leave it. */
  function settle(fits, wide, sharp, left) {
    const count = shown.rows.length;
    pad = fits ? 0 : PANE_ANCHOR * PANE_LINE;
    const below = fits ? 0 : Math.max(0, visible() - 1 - PANE_ANCHOR) * PANE_LINE;
    const longest = shown.lines.reduce((most, [text]) => Math.max(most, text.length), 0);
    body.style.height = `${count * PANE_LINE + pad + below}px`;
    body.style.width = `${Math.ceil((longest + 2) * advance()) + PANE_EDGE}px`;
    drawn = "";
    if (left !== null) {
      const rowOf = (kinds) => {
        const kind = kinds.find((name) => name in shown.starts);
        return kind === undefined ? null : rowOfLine(shown.rows, shown.starts[kind].line);
      };
      const row = rowOf([...wide, ...sharp]) ?? 0;
      const top = fits ? 0 : anchoredTop(row, rowOf([...sharp, ...wide]) ?? row, PANE_ANCHOR, visible()) * PANE_LINE + pad;
      el.scrollTop = top;
      el.scrollLeft = left;
    }
    draw();
  }

  function draw() {
    const first = Math.max(0, Math.floor((el.scrollTop - pad) / PANE_LINE) - PANE_OVER);
    const last = Math.min(shown.rows.length, first + visible() + 2 * PANE_OVER + 1);
    const now = `${first} ${last}`;
    if (now === drawn) return;
    drawn = now;
    refill(body, shown.rows.slice(first, last).map((row, i) => rowElement(row, first + i)));
  }

  function rowElement(row, place) {
    const { line, fold } = row;
    const isFolded = fold !== null && !fold.isOpen;
    const far = shown.near !== null && !isFolded && !shown.near.has(line);
    const text = shown.lines[line];
    const name = fold === null ? "" : foldName(fold);
    const edge =
      fold === null
        ? h("span", { class: "rh-pane-edge" })
        : h(
            "button",
            {
              class: `rh-pane-edge rh-pane-fold rh-fold-${fold.kind}`,
              type: "button",
              tabindex: "-1",
              title: `${isFolded ? "unfold" : "fold"} ${name}`,
              "aria-label": `${isFolded ? "unfold" : "fold"} ${name}`,
              "aria-expanded": String(!isFolded),
              on: { click: () => act.fold(fold) },
            },
            isFolded ? "▸" : "▾",
          );
    const content = isFolded && fold.kind === "origin" ? foldedOrigin(row, name) : lineContent(line, text);
    if (isFolded && fold.kind === "block") content.append(h("span", { class: "rh-role-faded" }, ` ⋯ ${counted(fold.count)}`));
    return h(
      "div",
      { class: `rh-line${far ? " rh-far" : ""}`, style: `top:${place * PANE_LINE + pad}px`, "data-line": line },
      edge,
      content,
    );
  }

  function foldedOrigin(row, name) {
    const kinds = new Set();
    for (let line = row.from; line < row.to; line += 1) for (const [, , kind] of shown.byLine.get(line) ?? []) kinds.add(kind);
    const indent = shown.lines[row.line][0].match(/^ */)[0];
    const classes = [...kinds].filter((kind) => PANE_MARK.test(kind)).map((kind) => ` rh-mark-${kind}`);
    return h("span", { class: "rh-code" }, indent, h("span", { class: `rh-folded${classes.join("")}` }, name));
  }

  function lineContent(number, line) {
    const marks = [...(shown.byLine.get(number) ?? []), ...extra.filter((mark) => mark.line === number).map((m) => m.mark)];
    return h("span", { class: "rh-code" }, runsOf(line, marks).map(runElement));
  }

  function runElement({ text, role, kinds }) {
    const classes = [];
    if (role > 0 && PANE_MARK.test(roles[role] ?? "")) classes.push(`rh-role-${roles[role]}`);
    for (const { kind, first, last } of kinds) {
      if (!PANE_MARK.test(kind)) continue;
      classes.push(`rh-mark-${kind}`);
      if (first) classes.push(`rh-first-${kind}`);
      if (last) classes.push(`rh-last-${kind}`);
    }
    return classes.length === 0 ? document.createTextNode(text) : h("span", { class: classes.join(" ") }, text);
  }

  function foldName(fold) {
    return fold.kind === "origin" ? `${origins[fold.key]} · ${counted(fold.count)}` : counted(fold.count);
  }

  /** Additional marks: `{kind: ranges}`, such as the selection and the caret. */
  function outline(marks) {
    extra = [];
    for (const [line, places] of marksByLine(marks)) for (const mark of places) extra.push({ line, mark });
    drawn = "";
    draw();
  }

  function reveal(line, column) {
    const top = rowOfLine(shown.rows, line) * PANE_LINE + pad;
    if (top < el.scrollTop) el.scrollTop = top;
    if (top + 2 * PANE_LINE > el.scrollTop + el.clientHeight) el.scrollTop = top + 2 * PANE_LINE - el.clientHeight;
    const left = column * advance();
    if (left < el.scrollLeft || left > el.scrollLeft + el.clientWidth - 60) el.scrollLeft = left - el.clientWidth / 2;
    draw();
  }

  el.addEventListener("scroll", draw, { passive: true });
  body.addEventListener("click", (event) => {
    if (String(document.getSelection() ?? "") !== "") return;
    const place = panePlaceAt(event, body);
    if (place !== null) act.place(place.line, place.column);
  });

  const [rows, lines, starts] = [() => shown.rows, () => shown.lines, () => shown.starts];
  return { el, prepare, across, settle, outline, reveal, visible, columns, rows, lines, starts };
}

/** `1 line`, `12 lines`. */
export function counted(count, what = "line") {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

/** The line and column under the pointer; offsets in text nodes are UTF-16 code units, like those of the kernel. */
function panePlaceAt(event, body) {
  const row = event.target.closest?.(".rh-line");
  const code = row?.querySelector(".rh-code");
  if (!code || !body.contains(row) || !code.contains(event.target) || code.querySelector(".rh-folded")) return null;
  const found = document.caretPositionFromPoint?.(event.clientX, event.clientY);
  const range = found ? null : document.caretRangeFromPoint?.(event.clientX, event.clientY);
  const node = found?.offsetNode ?? range?.startContainer;
  const offset = found?.offset ?? range?.startOffset ?? 0;
  if (!node || !code.contains(node)) return null;
  let column = offset;
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && walker.currentNode !== node) column += walker.currentNode.length;
  // The caret position is before or after the character under the pointer; correct it.
  const box = document.createRange();
  if (offset > 0) {
    box.setStart(node, offset - 1);
    box.setEnd(node, offset);
    if (event.clientX < box.getBoundingClientRect().right) column -= 1;
  }
  return { line: Number(row.dataset.line), column: Math.max(0, column) };
}
