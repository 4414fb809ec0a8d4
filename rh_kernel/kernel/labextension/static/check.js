/**
 * Diagnostics underlined while a cell is edited: the kernel is asked when a cell has not changed for a while and the kernel is
 * idle. Diagnostics at the cursor are not shown, since that text is still being written.
 */

import { isPython } from "./tokens.js";

export const TARGET = "rh.check";
const WAIT = 400;
const LONGEST = 20_000;
const MOST_WAITING = 50;

/** Whether to ask the kernel about a text. */
export function isAsked(text) {
  return text.trim() !== "" && text.length <= LONGEST && !isPython(text.split("\n")[0]);
}

/**
 * The range of a diagnostic in a text, `[from, to]`, at least one character if the line has one; `null` if it is not in the
 * text.
 */
export function placeOf(diagnostic, text) {
  const exact = rangeOf(diagnostic, text);
  if (exact === null) return null;
  const [from, to] = exact;
  if (from < to) return exact;
  if (from < text.length && text[from] !== "\n") return [from, from + 1];
  return from > 0 && text[from - 1] !== "\n" ? [from - 1, from] : null;
}

/** The quick fix of a diagnostic as a change of a text, `{ from, to, insert }`; `null` without one for this text. */
export function changeOf({ fix }, text) {
  const range = fix && fix.source === undefined ? rangeOf(fix, text) : null;
  return range && { from: range[0], to: range[1], insert: fix.text };
}

/** The range between two places in a text, `[from, to]`; `null` if it is not in the text. */
function rangeOf(place, text) {
  const lines = text.split("\n");
  const at = (line, column) => {
    if (!(line >= 1 && line <= lines.length)) return null;
    const before = lines.slice(0, line - 1).reduce((sum, other) => sum + other.length + 1, 0);
    return before + [...lines[line - 1]].slice(0, column - 1).join("").length;
  };
  const from = at(place.line, place.column);
  const to = at(place.end_line, place.end_column);
  return from === null || to === null || to < from ? null : [from, to];
}

/** The lines of a diagnostic's tooltip. */
export function wordsOf({ kind, code, title, message, hint }) {
  return [`${kind === "warning" ? "Warning " : ""}${code} ${title}`, message, ...(hint ? [hint] : [])];
}

/** Whether the cursor is in a range. */
export function isTouched([from, to], head) {
  return from <= head && head <= to;
}

/** Questions to kernels, over one comm per kernel. */
export class Questions {
  constructor() {
    this.channels = new WeakMap();
    this.waiting = new Map();
    this.number = 0;
  }

  /** Ask about a text; `hear` receives the diagnostics. */
  ask(kernel, question, hear) {
    const channel = this.channelTo(kernel);
    if (!channel) return;
    if (this.waiting.size >= MOST_WAITING) this.waiting.clear();
    this.number += 1;
    this.waiting.set(this.number, hear);
    channel.send({ ...question, number: this.number });
  }

  answer({ number, diagnostics }) {
    this.waiting.get(number)?.(diagnostics);
    this.waiting.delete(number);
  }

  channelTo(kernel) {
    const known = this.channels.get(kernel);
    if (known && !known.isDisposed) return known.isClosed ? null : known;
    const channel = kernel.createComm(TARGET);
    channel.isClosed = false;
    channel.onMsg = ({ content: { data } }) => this.answer(data);
    channel.onClose = () => this.channels.set(kernel, { isClosed: true, isDisposed: false });
    this.channels.set(kernel, channel);
    channel.open();
    return channel;
  }
}

/**
 * Check the cells that become active. `tracker` tracks the notebooks, `executed` signals each executed cell, after which the
 * diagnostics of others may be out of date; `cm` holds the modules `state` and `view` of CodeMirror.
 */
export function watch(tracker, executed, cm) {
  const marks = marksOf(cm);
  const questions = new Questions();
  const watched = new WeakSet();
  const asking = new Set();
  const goTo = async cell => {
    const panel = tracker.currentWidget;
    if (!cell || !panel || cell.model.type !== "code") return;
    await cell.ready;
    const editor = cell.editor;
    if (!editor?.injectExtension || watched.has(editor)) return;
    watched.add(editor);
    editor.injectExtension([marks.extension, askingOf(cm, { marks, questions, panel, cell, asking })]);
  };
  tracker.activeCellChanged.connect((_, cell) => goTo(cell));
  executed.connect((_, { notebook }) => {
    for (const { panel, hasMarks, wait } of asking) if (panel.content === notebook && hasMarks()) wait();
  });
  goTo(tracker.activeCell);
}

/** The editor state field with the diagnostics, and the effect that replaces them. */
function marksOf({ state: { StateEffect, StateField }, view: { Decoration, EditorView, hoverTooltip } }) {
  const replaced = StateEffect.define();
  const underline = kind => Decoration.mark({ class: kind === "warning" ? "rh-diagnostic rh-warning" : "rh-diagnostic" });
  const field = StateField.define({
    create: () => [],
    update: (found, transaction) => {
      for (const effect of transaction.effects) if (effect.is(replaced)) return effect.value;
      return transaction.docChanged ? [] : found;
    },
    provide: field => EditorView.decorations.compute([field, "selection"], state => {
      const { head } = state.selection.main;
      const shown = state.field(field).filter(({ place }) => !isTouched(place, head));
      return Decoration.set(shown.map(({ diagnostic: { kind }, place: [from, to] }) => underline(kind).range(from, to)), true);
    }),
  });
  const tooltip = hoverTooltip((view, at) => {
    const found = view.state.field(field).filter(({ place }) => isTouched(place, at));
    if (found.length === 0) return null;
    const [pos, end] = found[0].place;
    return { pos, end, above: true, create: () => ({ dom: tooltipOf(found, view) }) };
  });
  const theme = EditorView.baseTheme({
    ".rh-diagnostic": { textDecoration: "underline wavy var(--jp-error-color1, #d32f2f) 1px", textUnderlineOffset: "3px" },
    ".rh-diagnostic.rh-warning": { textDecorationColor: "var(--jp-warn-color1, #977000)" },
    ".rh-diagnostic-words": { maxWidth: "48em", padding: "4px 8px", whiteSpace: "pre-wrap", color: "var(--jp-ui-font-color1)" },
    ".rh-diagnostic-fix": {
      display: "block", margin: "6px 0 2px", padding: "2px 8px", font: "inherit", fontFamily: "var(--jp-code-font-family)",
      textAlign: "left", whiteSpace: "pre", cursor: "pointer", color: "inherit", background: "var(--jp-layout-color2, #eee)",
      border: "1px solid var(--jp-border-color1, #bbb)", borderRadius: "3px", maxWidth: "100%", overflowX: "auto",
    },
  });
  return { replaced, field, extension: [field, tooltip, theme] };
}

/** The words of some diagnostics, each followed by a button that applies its quick fix. */
function tooltipOf(found, view) {
  const element = document.createElement("div");
  element.className = "rh-diagnostic-words";
  for (const { diagnostic } of found) {
    const words = document.createElement("div");
    words.textContent = wordsOf(diagnostic).join("\n");
    element.append(words);
    const change = changeOf(diagnostic, view.state.doc.toString());
    if (change) element.append(fixButton(change, view));
  }
  return element;
}

function fixButton(change, view) {
  const button = document.createElement("button");
  button.className = "rh-diagnostic-fix";
  button.type = "button";
  button.title = "Apply this fix";
  button.textContent = fixWords(change, view.state.doc.toString());
  button.onclick = () => {
    view.dispatch({ changes: change, userEvent: "input.fix" });
    view.focus();
  };
  return button;
}

/** A change in words: the lines that it gives, or what it removes. */
export function fixWords({ from, to, insert }, text) {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const next = text.indexOf("\n", to);
  const lines = text.slice(start, from) + insert + text.slice(to, next < 0 ? text.length : next);
  return `Fix: ${lines.split("\n").map(line => line.trim()).join("\n     ")}`;
}

/** Asks when a cell has not changed for a while, and retries while the kernel is busy. */
function askingOf({ view: { ViewPlugin } }, { marks, questions, panel, cell, asking }) {
  return ViewPlugin.define(view => {
    let timer = null;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(ask, WAIT);
    };
    const ask = () => {
      timer = null;
      const kernel = panel.sessionContext?.session?.kernel;
      const text = view.state.doc.toString();
      if (panel.isDisposed || cell.isDisposed || !kernel || !isAsked(text)) return;
      if (kernel.status === "busy") wait();
      if (kernel.status !== "idle" || kernel.connectionStatus !== "connected") return;
      kernel.info.then(({ language_info: language }) => {
        if (language.name !== "rh" || view.state.doc.toString() !== text) return;
        questions.ask(kernel, { text, cell: cell.model.id, above: above(panel, cell) }, diagnostics => {
          if (cell.isDisposed || view.state.doc.toString() !== text) return;
          const placed = diagnostics.map(diagnostic => ({ diagnostic, place: placeOf(diagnostic, text) }));
          view.dispatch({ effects: marks.replaced.of(placed.filter(({ place }) => place)) });
        });
      });
    };
    const entry = { panel, wait, hasMarks: () => view.state.field(marks.field).length > 0 };
    asking.add(entry);
    return {
      update: ({ docChanged }) => {
        if (docChanged) wait();
      },
      destroy: () => {
        clearTimeout(timer);
        asking.delete(entry);
      },
    };
  });
}

/** The texts of the cells above a cell. */
function above(panel, cell) {
  const cells = panel.content.widgets;
  const before = cells.slice(0, Math.max(0, cells.indexOf(cell)));
  const texts = before.filter(({ model }) => model.type === "code").map(({ model }) => model.sharedModel.getSource());
  return texts.filter(isAsked).join("\n").slice(0, LONGEST);
}
