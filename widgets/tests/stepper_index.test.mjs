import assert from "node:assert/strict";
import { test } from "node:test";
import { besideMain, hiddenAtFirst, hiddenBy, StepIndex } from "../stepper_index.js";

const RULES = ["Let", "RH-Op", "Put", "Ev"].map((name) => ({ name }));
const FIRED = "AABACADABBCA";
const PUTS = [4, 10];

function shownPlainly(index) {
  return [...FIRED].map((letter, i) => [RULES[letter.charCodeAt(0) - 65].name, i]).filter(([name]) => !index.hidden.has(name)).map(([, i]) => i);
}

test("every choice of rules shows the steps that it says, and says how many it hides", () => {
  for (let choice = 0; choice < 16; choice += 1) {
    const index = new StepIndex(FIRED, RULES, PUTS);
    index.hide(new Set(RULES.filter((_, i) => choice & (1 << i)).map((rule) => rule.name)));
    const shown = shownPlainly(index);
    assert.deepEqual([...index.shown], shown);
    assert.equal(index.hiddenCount(), FIRED.length - shown.length);
    for (let step = 0; step < FIRED.length; step += 1) {
      for (const by of [1, 2, 10, -1, -2, -10]) {
        const beyond = by > 0 ? shown.filter((i) => i > step) : shown.filter((i) => i < step).reverse();
        const wanted = beyond.length === 0 ? null : beyond[Math.min(Math.abs(by), beyond.length) - 1];
        assert.equal(index.move(step, by), wanted, `${choice} ${step} ${by}`);
      }
    }
  }
});

test("with everything, hidden steps are walked through too", () => {
  const index = new StepIndex(FIRED, RULES, PUTS);
  index.hide(new Set(["Let"]));
  assert.equal(index.move(2, 1, true), 3);
  assert.equal(index.move(2, -10, true), 0);
  assert.equal(index.move(0, -1, true), null);
  assert.equal(index.move(11, 1, true), null);
});

test("the ends are those of what is shown, or of all where nothing is", () => {
  const index = new StepIndex(FIRED, RULES, PUTS);
  index.hide(new Set(["Let"]));
  assert.deepEqual([index.end(false), index.end(true)], [2, 10]);
  index.hide(new Set(RULES.map((rule) => rule.name)));
  assert.deepEqual([index.end(false), index.end(true)], [0, 11]);
  assert.equal(index.move(3, 1), null);
  assert.equal(new StepIndex("", [], []).end(true), null);
});

test("the next step of a rule, and the next change of the heap", () => {
  const index = new StepIndex(FIRED, RULES, PUTS);
  assert.equal(index.nextOfRule(1, 2, 1), 8);
  assert.equal(index.nextOfRule(1, 2, -1), null);
  assert.equal(index.nextOfRule(1, 5, -1), 2);
  assert.equal(index.nextOfRule(1, 9, 1), null);
  assert.equal(index.nextOfRule(7, 0, 1), null);
  assert.deepEqual([index.nextPut(0, 1), index.nextPut(4, 1), index.nextPut(10, 1), index.nextPut(4, -1), index.nextPut(5, -1)], [4, 10, null, null, 4]);
  assert.deepEqual([0, 4, 5, 10, 11, 12].map((state) => index.putsBefore(state)), [0, 0, 1, 1, 2, 2]);
});

test("what comes next is told in order, up to the end", () => {
  const index = new StepIndex(FIRED, RULES, PUTS);
  index.hide(new Set(["Let"]));
  assert.deepEqual(index.coming(2, 3, 1), [4, 6, 8]);
  assert.deepEqual(index.coming(9, 3, 1), [10]);
  assert.deepEqual(index.coming(9, 2, -1), [8, 6]);
  assert.deepEqual(index.coming(2, 2, 1, true), [3, 4]);
});

test("ready-made choices hide rules that fired, and no others", () => {
  const rules = ["Let", "Proj", "RH-Let", "RH-Op", "Put", "Get", "Ev", "RevHandle", "H-Op", "Let⇐"].map((name) => ({ name }));
  assert.deepEqual(hiddenBy("pass", rules), ["Let", "Proj", "Ev", "Let⇐"]);
  assert.deepEqual(hiddenBy("bookkeeping", rules), ["Let", "Proj", "RH-Let", "Let⇐"]);
  assert.deepEqual(hiddenBy("none", rules), []);
  const index = new StepIndex("AB", rules.slice(0, 2), []);
  index.hide(new Set(["Let", "no such rule"]));
  assert.deepEqual([...index.hidden], ["Let"]);
});

test("calculations are hidden at first in a longer trace of a reverse handler, and in no other", () => {
  const rules = (...names) => names.map((name) => ({ name }));
  const pass = rules("RevHandle", "Ev", "Let⇐", "Put");
  assert.deepEqual(hiddenAtFirst(pass, 90), ["Ev", "Let⇐"]);
  assert.deepEqual(hiddenAtFirst(pass, 10), []);
  assert.deepEqual(besideMain(pass), ["Ev", "Let⇐"]);
  assert.deepEqual(hiddenAtFirst(rules("H-Op", "Ev", "Get"), 90), []);
  assert.deepEqual(hiddenAtFirst(rules("Ev", "Let"), 90), []);
});

test("a step tells how many hidden ones come right before it", () => {
  const index = new StepIndex("ABBABA", [{ name: "Put" }, { name: "Ev" }], []);
  assert.deepEqual([0, 3, 5].map((step) => index.hiddenBefore(step)), [0, 0, 0]);
  index.hide(new Set(["Ev"]));
  assert.deepEqual([0, 1, 3, 5].map((step) => index.hiddenBefore(step)), [0, 0, 2, 1]);
});

test("in 100,000 steps the next one is found in a few looks", () => {
  const count = 100_000;
  const fired = Array.from({ length: count }, (_, i) => (i % 1000 === 0 ? "B" : i % 97 === 0 ? "C" : "A")).join("");
  const index = new StepIndex(fired, RULES, Array.from({ length: 100 }, (_, i) => i * 970));
  index.hide(new Set(["Let"]));
  index.work = 0;
  for (let step = 0; step < count; step += 100) {
    index.move(step, 1);
    index.move(step, -10);
    index.nextOfRule(1, step, 1);
    index.nextPut(step, -1);
    index.putsBefore(step);
  }
  assert.ok(index.work < 1000 * 5 * 18, String(index.work));
});

test("commands lead to steps, or say why they do not", () => {
  const index = new StepIndex(FIRED, RULES, PUTS);
  index.hide(new Set(["Let"]));
  const to = (name, step, all = false) => index.target(name, step, 1, all);
  assert.deepEqual([to("next", 2), to("down", 2), to("previous", 2), to("up", 4), to("on-ten", 2)].map((way) => way.step), [4, 4, 2, 2, 10]);
  assert.deepEqual([to("first", 5), to("last", 5), to("first", 5, true), to("last", 5, true), to("next", 2, true)].map((way) => way.step), [2, 10, 0, 11, 3]);
  assert.deepEqual([to("next-rule", 2), to("previous-rule", 8), to("next-heap", 0), to("previous-heap", 11)].map((way) => way.step), [8, 2, 4, 10]);
  assert.equal(to("next-rule", 9).step, null);
  assert.match(to("next-rule", 9).words, /RH-Op/);
  assert.match(to("previous-heap", 4).words, /heap/);
  assert.equal(to("play", 2), undefined);
});
