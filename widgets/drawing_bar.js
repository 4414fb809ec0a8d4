// The controls of a drawing: its size, its folds and the list of keys, the same wherever there is a drawing.
import { barIcon } from "./bar_icons.js";
import { h } from "./dom.js";

/** Keyboard shortcuts: `[keys, words, command]`; the words of the first pan stand for all four. */
export const DRAWING_KEYS = [
  [["+", "="], "+ larger", "larger"],
  [["-"], "- smaller", "smaller"],
  [["0"], "0 all of it", "fit"],
  [["1"], "1 in full size", "full"],
  [["Shift+ArrowLeft"], "Shift and an arrow move the drawing", "panLeft"],
  [["Shift+ArrowRight"], null, "panRight"],
  [["Shift+ArrowUp"], null, "panUp"],
  [["Shift+ArrowDown"], null, "panDown"],
  [["?"], "? these keys", "help"],
];

/** The shortcuts of a drawing with folds. */
export const DRAWING_FOLD_KEYS = [
  [["o"], "o opens everything", "open"],
  [["c"], "c folds the clauses", "clauses"],
];

/** How far the drawing moves by each pan, in pixels. */
export const DRAWING_PANS = { panLeft: [60, 0], panRight: [-60, 0], panUp: [0, 60], panDown: [0, -60] };

/** The factor of one step of size. */
export const DRAWING_FACTOR = 1.25;

const DRAWING_SIZES = [["smaller", "smaller (-)"], ["larger", "larger (+)"], ["fit", "all of it (0)"], ["full", "full size (1)"]];
const DRAWING_FOLDS = {
  open: ["open all", "open everything (o)"],
  clauses: ["fold clauses", "fold every clause (c)"],
  all: ["fold all", "fold everything"],
};
const DRAWING_MOUSE = "pull the drawing with the mouse; Ctrl and the wheel make it larger";

/** The name of a key in a table of shortcuts: an arrow with Shift is one of its own. */
export function drawingKey(event) {
  return event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key;
}

/** The command of a key in a table of shortcuts, or null. */
export function drawingCommand(event, keys) {
  return keys.find(([names]) => names.includes(drawingKey(event)))?.[2] ?? null;
}

/**
 * The bar above a drawing: sizes, folds, the keys, and what else a view has. Calls `act(command)`. `folds` names buttons, and
 * `isDrawn` is false if there is no drawing whose size could be chosen. `show(fold)` marks the button of the folds that are shown.
 */
export function drawingBar(act, { label = "the drawing", folds = [], more = [], isDrawn = true } = {}) {
  const one = (name, content, title) =>
    h("button", { type: "button", title, "aria-label": title, on: { click: () => act(name) } }, content);
  const sizes = DRAWING_SIZES.map(([name, title]) => one(name, name === "full" ? "1:1" : barIcon(name), title));
  const buttons = new Map(folds.map((name) => [name, one(name, ...DRAWING_FOLDS[name])]));
  const group = (children) => (children.length === 0 ? null : h("span", { class: "rh-bar" }, children));
  const help = one("help", "? keys", "the keys (?)");
  const element = h(
    "div",
    { class: "rh-bar rh-drawing-bar", role: "toolbar", "aria-label": label },
    isDrawn ? group(sizes) : null,
    group([...buttons.values()]),
    help,
    more,
  );
  return {
    element,
    show: (fold) => buttons.forEach((button, name) => button.setAttribute("aria-pressed", String(name === fold))),
    disableFolds: () => buttons.forEach((button) => (button.disabled = true)),
  };
}

/** The list of keys: those of the view, then those of every drawing. */
export function drawingHelp(words, isDrawn = true) {
  const all = [...words, ...(isDrawn ? [DRAWING_MOUSE] : [])];
  return h("ul", { class: "rh-keys", hidden: true }, all.map((text) => h("li", {}, text)));
}

/** The words of a table of shortcuts. */
export function drawingWords(keys) {
  return keys.map(([, words]) => words).filter((words) => words !== null);
}
