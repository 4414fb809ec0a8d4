import assert from "node:assert/strict";
import { test } from "node:test";
import { StepIndex } from "../stepper_index.js";
import {
  isInPlace, isPlaceAsked, nearbyRules, offeredRules, PREDICTED, predictPlace, scoreWords, StepperPredictions, revealedLegs, whyNot,
} from "../stepper_predictions.js";

const RULES = ["Let⇐", "Ev", "RH-Op", "Get", "Put"].map((name) => ({ name }));

/** A trace in which these rules fire, by their indices in `rules`. */
function trace(fired, rules = RULES) {
  return new StepIndex([...fired].map((digit) => String.fromCharCode(65 + Number(digit))).join(""), rules, []);
}

/** Deterministic pseudo-random numbers. */
function dice(seed) {
  let state = seed;
  return (most) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * most);
  };
}

test("four different rules are offered, the right one among them, always the same ones, in the order of the paper", () => {
  const roll = dice(7);
  for (let round = 0; round < 200; round += 1) {
    const names = PREDICTED.filter(() => roll(4) === 0).slice(0, 10);
    const rules = (names.length === 0 ? ["Plus"] : names).map((name) => ({ name }));
    const index = trace(Array.from({ length: 1 + roll(40) }, () => roll(rules.length)), rules);
    index.hide(new Set(names.filter(() => roll(5) === 0)));
    for (let step = 0; step < index.count; step += 1) {
      const offered = offeredRules(index, step);
      assert.equal(offered.length, 4);
      assert.equal(new Set(offered).size, 4);
      assert.ok(offered.includes(rules[index.rule[step]].name));
      assert.deepEqual(offered, [...offered].sort((one, other) => PREDICTED.indexOf(one) - PREDICTED.indexOf(other)));
      assert.deepEqual(offered, offeredRules(index, step));
    }
  }
});

test("what is offered are rules that it is taken for, as far as the trace has them, and those near by", () => {
  assert.deepEqual(offeredRules(trace("20310140"), 2), ["Ev", "RH-Op", "Get", "Put"]);
  // Nothing that Ev is confused with fires in this trace, so the nearest rules are offered.
  assert.deepEqual(offeredRules(trace("2031114"), 4), ["Ev", "Let⇐", "Get", "Put"]);
  // A trace with one rule has no others to offer.
  assert.deepEqual(offeredRules(trace("0", [{ name: "Plus" }]), 0), ["Ev", "Plus", "Let", "R-Plus"]);
});

test("rules that the filter hides are offered last", () => {
  const index = trace("20310140");
  index.hide(new Set(["Put"]));
  assert.deepEqual(offeredRules(index, 2), ["Ev", "Let⇐", "RH-Op", "Get"]);
});

test("the right answer has no place of its own: each place is right now and then", () => {
  const rules = PREDICTED.map((name) => ({ name }));
  const index = new StepIndex(rules.map((_, i) => String.fromCharCode(65 + i)).join(""), rules, []);
  const places = rules.map((rule, step) => offeredRules(index, step).indexOf(rule.name));
  assert.deepEqual(new Set(places), new Set([0, 1, 2, 3]));
});

test("the nearest rules come first, of two equally near the one behind the step", () => {
  const index = trace("0123401234");
  assert.deepEqual(nearbyRules(index, 4), [4, 0, 3, 1, 2]);
  assert.deepEqual(nearbyRules(index, 0), [0, 1, 2, 3, 4]);
});

test("each rule says why it does not fire in place of each other one, in a sentence that names no other rule", () => {
  for (const wrong of PREDICTED) {
    for (const right of PREDICTED.filter((name) => name !== wrong)) {
      const words = whyNot(wrong, right);
      assert.match(words, /^\S+ needs (an?|the) .+; here stands (an?|the) .+\w\.$/);
      const [needs, stands] = words.slice(wrong.length).split("; here stands ");
      assert.notEqual(needs.replace(" needs ", ""), stands.replace(/\.$/, ""));
      for (const named of words.match(/\b(RH?-\w+|H-\w+|RevHandle|Ev|Plus|Proj|Rd)\b/g) ?? []) assert.equal(named, wrong);
    }
  }
  assert.equal(whyNot("RH-Op", "RH-Let"), "RH-Op needs an RH whose head is an operation applied to a variable; here stands an RH whose head is a let ⇐ that binds a returned variable.");
});

test("a step is where its redex is, up to the end of what the rule looks at", () => {
  assert.deepEqual(predictPlace({ redex: [3, 4, 9] }), [3, 4, 9]);
  const redex = [1, 2, 20, 2, 4, 30, 3, 4, 12];
  assert.deepEqual(predictPlace({ redex, focus: [1, 10, 14] }), [1, 2, 14]);
  assert.deepEqual(predictPlace({ redex, focus: [1, 10, 20, 2, 4, 8] }), [1, 2, 20, 2, 4, 8]);
  assert.deepEqual(predictPlace({ redex, focus: [2, 10, 14] }), [1, 2, 20, 2, 4, 14]);
  assert.deepEqual(predictPlace({}), []);
});

test("a place is hit from its first character to its last one", () => {
  const ranges = [1, 2, 5, 2, 0, 3];
  const hit = [[1, 1], [1, 2], [1, 4], [1, 5], [2, 0], [2, 3], [0, 2]].map(([line, column]) => isInPlace(ranges, line, column));
  assert.deepEqual(hit, [false, true, true, false, true, false, false]);
});

test("it is not asked where a step happens if that is nearly everywhere, or nowhere in sight", () => {
  const lines = [["let x ← 3.0 in", [], 0], ["  x + x", [], 0]];
  assert.equal(isPlaceAsked(lines, [0, 8, 11]), true);
  assert.equal(isPlaceAsked(lines, [0, 0, 14]), false);
  assert.equal(isPlaceAsked(lines, [0, 0, 14, 1, 0, 7]), false);
  assert.equal(isPlaceAsked(lines, []), false);
  assert.equal(isPlaceAsked([], [4, 0, 3]), false);
});

test("a step is hidden until it is answered or revealed; what was seen before that began is not", () => {
  const predictions = new StepperPredictions(5);
  assert.deepEqual([0, 4, 5, 6, 90].map((step) => predictions.isHidden(step)), [false, false, true, true, true]);
  assert.equal(predictions.answer(5, "Get", "Put"), false);
  assert.ok(predictions.isHidden(5));
  assert.equal(predictions.answer(5, "Put", "Put"), true);
  assert.deepEqual([5, 6].map((step) => predictions.isHidden(step)), [false, true]);
  predictions.reveal(6);
  assert.deepEqual([6, 7].map((step) => predictions.isHidden(step)), [false, true]);
  predictions.comeTo(3);
  assert.deepEqual([2, 3, 4, 5].map((step) => predictions.isHidden(step)), [false, true, true, false]);
  predictions.comeTo(50);
  assert.deepEqual([2, 3, 50].map((step) => predictions.isHidden(step)), [false, true, true]);
});

test("only what is right at once counts as that, and nothing can be answered twice", () => {
  const predictions = new StepperPredictions(0);
  assert.equal(scoreWords(predictions.score()), "");
  predictions.answer(0, "Get", "Get");
  predictions.answer(1, "Put", "Get");
  assert.equal(scoreWords(predictions.score()), "1 of 1 at the first try");
  predictions.answer(1, "Put", "Get");
  assert.deepEqual(predictions.at(1).tried, ["Put"]);
  predictions.answer(1, "Get", "Get");
  predictions.reveal(2);
  assert.equal(scoreWords(predictions.score()), "1 of 3 at the first try");
  assert.equal(predictions.answer(0, "Put", "Get"), false);
  predictions.reveal(0);
  assert.deepEqual(predictions.score(), { count: 3, good: 1 });
});

test("a place that was found is no answer, and stays found", () => {
  const predictions = new StepperPredictions(0);
  predictions.place(0);
  assert.ok(predictions.isHidden(0));
  assert.deepEqual(predictions.score(), { count: 0, good: 0 });
  predictions.answer(0, "Put", "Get");
  assert.deepEqual(predictions.at(0), { tried: ["Put"], isOver: false, isTold: false, isPlaced: true });
});

test("nothing is told of what reaches the first hidden step that is shown", () => {
  const index = trace("01234");
  const predictions = new StepperPredictions(1);
  assert.equal(predictions.horizon(index), 1);
  predictions.reveal(1);
  predictions.reveal(3);
  assert.equal(predictions.horizon(index), 2);
  index.hide(new Set(["RH-Op"]));
  assert.equal(predictions.horizon(index), 4);
  predictions.reveal(4);
  assert.equal(predictions.horizon(index), Infinity);
});

test("of legs it is told where they begin, and where they end only once the step behind them is known", () => {
  const legs = [[0, 2, "plain", 0, "reduction", "x = 1"], [3, 3, "forward", 1, "FC[w0](x)", ""], [4, 9, "turn", 0, "return", "y = 2"]];
  assert.deepEqual(revealedLegs(legs, Infinity), legs);
  assert.deepEqual(revealedLegs(legs, 0), []);
  const open = [0, 2, "plain", 0, "reduction", "", true];
  assert.deepEqual(revealedLegs(legs, 2), [[0, 1, "plain", 0, "reduction", "", true]]);
  assert.deepEqual(revealedLegs(legs, 3), [open]);
  assert.deepEqual(revealedLegs(legs, 4), [legs[0], [3, 3, "forward", 1, "FC[w0](x)", "", true]]);
  assert.deepEqual(revealedLegs(legs, 5).slice(0, 2), legs.slice(0, 2));
});
