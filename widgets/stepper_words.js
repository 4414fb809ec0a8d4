// Texts around a step: the outcome of the trace, the step's number, the meaning of marks.
import { h } from "./dom.js";
import { counted } from "./stepper_pane.js";
import { stepWords } from "./stepper_store.js";

const WORDS_GONE = "The kernel no longer knows this trace. What was looked at can still be shown; for the rest run the cell again.";
/** Texts of folds. */
export const FOLD_WORDS = {
  folded: "Nets, functions and handlers are folded, where they fill more than a line and the step looks at others.",
  unfolded: "Nets, functions and handlers are unfolded.",
  lookedAt: "These lines fold at the next step that does not look at them.",
};
const MARK_WORDS = {
  redex: "redex",
  focus: "what the rule looks at",
  untaken: "the branch not taken",
  contractum: "contractum",
  changed: "changed",
  forward: "forward part",
  backward: "backward part",
};

/** Subject and outcome on a line, and why the trace stopped if it is stuck; no outcome if it `isHidden`. */
export function stepperOutcome({ written, type, steps, stuck }, notation, isHidden = false) {
  const { subject, value } = written[notation];
  const end = isHidden
    ? [h("b", { class: "rh-code-word" }, "?"), h("span", { class: "rh-note" }, ` in ${counted(steps, "step")}`)]
    : value === null
      ? [h("span", { class: "rh-role-error" }, "stuck"), h("span", { class: "rh-note" }, ` after ${counted(steps, "step")}`)]
      : [
          h("b", { class: "rh-code-word" }, value),
          h("span", { class: "rh-role-type rh-code-word" }, ` : ${type}`),
          h("span", { class: "rh-note" }, ` in ${counted(steps, "step")}`),
        ];
  return [
    h(
      "p",
      { class: "rh-outcome" },
      h("span", { class: "rh-code-word rh-outcome-subject", title: subject }, subject),
      h("span", { "aria-label": "evaluates to", role: "img" }, " ⟶ "),
      h("span", { class: "rh-outcome-end" }, end),
    ),
    (isHidden ? [] : stuck).map((words) => h("p", { class: "rh-role-error rh-stuck", title: words }, words)),
  ];
}

/**
 * The number of the step, its caption, the hidden steps before it and the round that it is in; read out by screen readers.
 */
export function stepperStatus({ steps, written }, at, rule, isHidden, detail, round = "", hiddenBefore = 0) {
  if (steps === 0) return [h("b", {}, "No step was taken"), written.source.value === null ? ": no rule fits." : ": this is a value already."];
  const words = stepWords(detail);
  if (rule.isHidden) return [h("b", {}, `Step ${(at + 1).toLocaleString("en")} of ${steps.toLocaleString("en")}`), ": which rule?"];
  return [
    h("b", {}, `Step ${(at + 1).toLocaleString("en")} of ${steps.toLocaleString("en")}: `),
    h("span", { class: "rh-role-rule" }, rule.name),
    isHidden ? " (hidden by the filter)" : null,
    words === "" ? null : [", ", h("span", { class: "rh-status-about" }, words)],
    hiddenBefore === 0 ? null : h("span", { class: "rh-note" }, `  after ${counted(hiddenBefore, "hidden step")}`),
    round === "" ? null : h("span", { class: "rh-note rh-status-round" }, `  ${round}`),
  ];
}

/** A notice that the kernel is gone, or that it refused this step (`refused`, its words). */
export function stepperNotice(isAlive, isKnown, at, refused, again) {
  if (!isAlive) return h("p", { class: "rh-gone", role: "alert" }, WORDS_GONE, isKnown ? null : ` Step ${at + 1} was not looked at.`);
  if (refused === null) return [];
  const button = h("button", { type: "button", class: "rh-small", on: { click: again } }, "Ask again");
  return h("p", { class: "rh-gone", role: "alert" }, refused, " ", button);
}

/** The heading of a pane: a word, a legend of its marks, and a remark. */
export function stepperHeading(words, marks, remark = "") {
  const keys = Object.keys(MARK_WORDS).filter((kind) => (marks[kind] ?? []).length > 0);
  return [words, keys.map((kind) => h("span", { class: "rh-key" }, h("span", { class: `rh-mark-${kind}` }, "ab"), ` ${MARK_WORDS[kind]}`)), remark === "" ? null : h("span", { class: "rh-key" }, remark)];
}
