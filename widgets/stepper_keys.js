// Keyboard input: shortcuts on all layouts, and the address of a step.

const STEPPER_NAMED = {
  ArrowLeft: "previous", ArrowRight: "next", ArrowUp: "up", ArrowDown: "down", Home: "first", End: "last",
  PageUp: "back-ten", PageDown: "on-ten", " ": "play", Escape: "leave", Enter: "enter", "/": "search", "?": "help",
};
const STEPPER_LETTERS = {
  r: "next-rule", R: "previous-rule", h: "next-heap", H: "previous-heap", g: "jump", f: "fold", t: "caret", c: "copy", e: "equation",
  p: "predict", n: "next-round", N: "previous-round", l: "round", a: "all", w: "notation",
};

/** The shortcuts for the help panel. */
export const STEPPER_HELP = [
  ["← →", "step back, step on (with Alt also over hidden steps)"],
  ["Page Up, Page Down", "ten steps back, ten steps on"],
  ["Home, End", "first step, last step"],
  ["Space", "play, pause"],
  ["r, R", "next step of the same rule, or the one before"],
  ["h, H", "next change of the heap, or the one before"],
  ["n, N", "next round of a loop, or the one before"],
  ["l", "open or fold the round of a loop that this step is in"],
  ["a", "show all steps, or only the main ones"],
  ["w", "write terms as in the paper, or as you type them"],
  ["g", "jump to a step: 17, #17, +10, first, last"],
  ["/", "search for a step"],
  ["e", "show or hide the equation of the rule"],
  ["f", "fold or unfold what the caret is in, without a caret all nets and functions"],
  ["t", "a caret in the term, for types: arrows move it, t goes to the other side, Esc ends"],
  ["c", "copy the address of this step"],
  ["p", "predict: you are asked for each rule before it is shown; p again ends that"],
  ["1 2 3 4, 0", "while you predict: answer, or reveal the rule; then → steps on"],
  ["?", "show or hide this list"],
];

/** The command of a key, or null. A non-Latin letter counts as the one at the same place of an English keyboard. */
export function stepperCommand(event) {
  if (event.ctrlKey || event.metaKey) return null;
  if (event.altKey && event.key !== "ArrowLeft" && event.key !== "ArrowRight") return null;
  // Some layouts need Shift for digits; the character that such a key gives without Shift has no meaning here.
  const digit = /^[0-4]$/.exec(event.key)?.[0] ?? (event.shiftKey ? undefined : /^Digit([0-4])$/.exec(event.code ?? "")?.[1]);
  if (digit !== undefined) return `answer-${digit}`;
  const named = STEPPER_NAMED[event.key];
  if (named !== undefined) return named;
  if (event.key.length !== 1) return null;
  if (event.key in STEPPER_LETTERS) return STEPPER_LETTERS[event.key];
  if (event.key.charCodeAt(0) < 128) return null;
  if (event.code === "Slash") return event.shiftKey ? "help" : "search";
  const letter = /^Key([A-Z])$/.exec(event.code ?? "")?.[1];
  return letter === undefined ? null : STEPPER_LETTERS[event.shiftKey ? letter : letter.toLowerCase()] ?? null;
}

/**
 * The step (from 1 to `steps`) that an address names, or null: `17`, `#17`, `1,700`, `+10`, `-10`, `first`, `last`, a copied
 * one.
 */
export function stepNamed(text, now, steps) {
  const words = text.trim().toLowerCase();
  if (steps === 0) return null;
  if (words === "first" || words === "start") return 1;
  if (words === "last" || words === "end") return steps;
  const by = /^([+\-−])\s*([\d,]+)$/.exec(words);
  const found = by ?? /#\s*([\d,]+)\s*$/.exec(words) ?? /\bstep\s+([\d,]+)/.exec(words) ?? /^([\d,]+)$/.exec(words);
  if (found === null) return null;
  const number = Number(found[found.length - 1].replaceAll(",", ""));
  if (!Number.isSafeInteger(number)) return null;
  const wanted = by === null ? number : now + (by[1] === "+" ? number : -number);
  return Math.max(1, Math.min(steps, wanted));
}

/** The address of a step for copying; `stepNamed` parses it. */
export function addressOf(step, steps, rule) {
  return `cell output · step ${step.toLocaleString("en")} of ${steps.toLocaleString("en")} · ${rule} · #${step}`;
}
