// The question before each step while predicting: which rule fires next, and where; and feedback.
import { h, refill } from "./dom.js";
import { isInPlace, isPlaceAsked, offeredRules, predictPlace, scoreWords, StepperPredictions, whyNot } from "./stepper_predictions.js";
import { stepperRule } from "./stepper_side.js";

const QUESTION_HIDDEN = { marks_before: {}, marks_after: {}, span: null, change: null, about: "", became: "" };
const QUESTION_RULE = { name: "?", figure: "", gloss: "which rule fires next?", equation: "", condition: "", isHidden: true };
const QUESTION_PLACE = "And where? Click the place in the term before (or press t, go there with the arrows, and press Enter).";
const QUESTION_FOUND = "Yes, there. And by which rule?";
const QUESTION_ELSEWHERE = "Not there: what a let binds comes before its body, an argument before the call, the left before the right.";
const QUESTION_FIRST = "First predict: 1 to 4, or 0 to reveal. To another step: g, the slider or the list.";
const QUESTION_ANSWER = /^answer-(\d)$/;
const QUESTION_WAITS = {
  play: "Play waits",
  search: "The search waits",
  filter: "The filter waits",
  all: "The choice of steps waits",
  "next-rule": "The way to other steps of a rule waits",
  "previous-rule": "The way to other steps of a rule waits",
  "next-heap": "The way to changes of the heap waits",
  "previous-heap": "The way to changes of the heap waits",
};

/**
 * The question. `act` has `changed(words)` for changes of what is hidden, `on()` to advance and `focus()` to focus the
 * shortcuts. Nothing is hidden while predicting is off.
 */
export function stepperQuestion(opening, index, act) {
  const ask = h("span", { class: "rh-predict-ask", role: "status", "aria-live": "polite" });
  const score = h("span", { class: "rh-predict-score" });
  const choices = h("span", { class: "rh-predict-choices", role: "group", "aria-label": "answers" });
  const told = h("p", { class: "rh-predict-told", role: "status", "aria-live": "polite" });
  const rule = stepperRule();
  const head = h("div", { class: "rh-bar" }, ask, choices, score);
  const el = h("section", { class: "rh-side-part rh-predict", "aria-label": "predict", hidden: true }, head, told, rule.el);
  let predictions = null;
  let step = 0;
  let drawn = "";
  let offered = [];
  let buttons = [];
  let words = "";
  let place = [];

  const ruleOf = (number) => opening.rules[index.rule[number]];
  const isHidden = (number) => predictions !== null && predictions.isHidden(number);

  /** Turn predicting on at a step, or off. */
  function toggle(at) {
    const result = predictions === null ? "" : scoreWords(predictions.score());
    predictions = predictions === null ? new StepperPredictions(at) : null;
    drawn = "";
    el.hidden = predictions === null;
    if (predictions !== null) return act.changed();
    [ask, score, choices, told].forEach((part) => refill(part));
    rule.show(undefined, false);
    return act.changed(result === "" ? "" : `You no longer predict: ${result}.`);
  }

  /** The visible part of a step's record: for a hidden step, only its term before. */
  function veil(number, data) {
    if (data === null || !isHidden(number)) return data;
    const told = predictions.at(number).isPlaced ? data.detail.marks_before : {};
    // Marks of branches tell whether the condition holds.
    const marks = told.untaken === undefined ? told : { redex: told.redex };
    return { before: data.before, after: [], detail: { ...QUESTION_HIDDEN, marks_before: marks } };
  }

  /** The user is at a step with this record, or null while it is not known. */
  function show(at, data) {
    if (predictions === null) return;
    step = at;
    predictions.comeTo(step);
    const ranges = data === null ? [] : predictPlace(data.detail.marks_before);
    place = data !== null && isPlaceAsked(data.before, ranges) ? ranges : [];
    const isAsked = isHidden(step);
    const now = `${isAsked} ${step}`;
    if (now !== drawn) {
      drawn = now;
      words = "";
      ask.textContent = isAsked ? "Which rule fires next?" : verdict();
      score.textContent = scoreWords(predictions.score());
      rule.show(ruleOf(step), !isAsked);
      told.hidden = !isAsked;
      if (isAsked) showChoices();
      else showOn();
    }
    told.textContent = isAsked && words === "" && place.length > 0 ? QUESTION_PLACE : words;
  }

  function verdict() {
    const { tried, isTold, isOver } = predictions.at(step);
    const { name } = ruleOf(step);
    if (!isOver || isTold) return `It is ${name}.`;
    return tried.length === 0 ? `Right: ${name}.` : `Right: ${name}, at try ${tried.length + 1}.`;
  }

  function showChoices() {
    offered = offeredRules(index, step);
    buttons = offered.map((name, i) => questionButton(String(i + 1), name, () => answer(i + 1)));
    refill(choices, buttons, questionButton("0", "Reveal", reveal));
    predictions.at(step).tried.forEach(strike);
  }

  function showOn() {
    offered = [];
    const isLast = index.move(step, 1) === null;
    refill(choices, isLast ? h("span", { class: "rh-note" }, "That was the last step.") : questionButton("→", "Step on", act.on));
  }

  /** Mark a wrong rule independently of colour, and keep its focus. */
  function strike(name) {
    const button = buttons[offered.indexOf(name)];
    button?.setAttribute("aria-disabled", "true");
    button?.setAttribute("aria-label", `${name}, wrong`);
  }

  /** Give the answer with this number, from 1. */
  function answer(number) {
    const name = offered[number - 1];
    if (name === undefined || !isHidden(step)) return;
    const right = ruleOf(step).name;
    if (predictions.answer(step, name, right)) return settled();
    strike(name);
    words = whyNot(name, right);
    told.textContent = words;
  }

  function reveal() {
    if (!isHidden(step)) return;
    predictions.reveal(step);
    settled();
  }

  function settled() {
    act.focus();
    act.changed();
  }

  /** The user points at a position of the term before the step. */
  function point(line, column) {
    if (!isHidden(step) || place.length === 0 || predictions.at(step).isPlaced) return;
    const isRight = isInPlace(place, line, column);
    words = isRight ? QUESTION_FOUND : QUESTION_ELSEWHERE;
    told.textContent = words;
    if (!isRight) return;
    predictions.place(step);
    act.changed();
  }

  /** Handle a key, with or without a caret in a term; return whether it belongs to the question. */
  function typed(name, caret) {
    if (predictions === null) return false;
    const number = QUESTION_ANSWER.exec(name)?.[1];
    if (number === "0") reveal();
    else if (number !== undefined) answer(Number(number));
    else if (name === "enter" && isHidden(step)) {
      if (caret !== null && caret.side === 0 && caret.line !== null) point(caret.line, caret.column);
    } else if ((name === "enter" || name === "play") && !isHidden(step)) act.on();
    else return false;
    return true;
  }

  /** Why a command is blocked now, or null: navigation to a hidden step by its rule, and a step forward from one. */
  function refuses(name) {
    if (predictions === null) return null;
    if (name in QUESTION_WAITS) return `${QUESTION_WAITS[name]} while you predict; p ends that.`;
    if (name === "equation") return "The equation is shown with each answer.";
    return isHidden(step) && (name === "next" || name === "down") ? QUESTION_FIRST : null;
  }

  return {
    el,
    toggle,
    veil,
    show,
    point,
    typed,
    refuses,
    isHidden,
    isOn: () => predictions !== null,
    rule: (number) => (isHidden(number) ? QUESTION_RULE : ruleOf(number)),
    horizon: () => (predictions === null ? Infinity : predictions.horizon(index)),
  };
}

function questionButton(key, text, click) {
  const shortcut = key === "→" ? "ArrowRight" : key;
  const look = { type: "button", "aria-label": text, "aria-keyshortcuts": shortcut, on: { click } };
  return h("button", look, h("kbd", {}, key), h("span", {}, text));
}
