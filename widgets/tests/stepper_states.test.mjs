import assert from "node:assert/strict";
import { test } from "node:test";
import { statesOf, StepperWindows } from "../stepper_states.js";

/** State k of an artificial trace: k lines, a line with the number of the state, and two more lines. */
function linesAt(k) {
  return [...Array.from({ length: k % 5 }, (_, i) => [`above ${i}`, [], 0]), [`state ${k}`, [], 0], ["below", [], 0], ["end", [], 0]];
}

/** A kernel's answer with at most `most` steps. */
function kernel(steps, most = 100) {
  return ({ from, count }) => {
    const got = Math.min(count, most, steps - from);
    const edits = [];
    for (let k = from; k < from + got; k += 1) {
      const [before, after] = [linesAt(k), linesAt(k + 1)];
      edits.push([0, before.length - 2, after.slice(0, -2)]);
    }
    return { from, first: linesAt(from), edits, details: Array.from({ length: got }, (_, i) => ({ about: `${from + i}` })) };
  };
}

test("folding the edits over a window gives every state of it", () => {
  for (const [from, count] of [[0, 0], [0, 1], [3, 9], [17, 3]]) {
    const states = statesOf(kernel(20)({ from, count }));
    assert.deepEqual(states, Array.from({ length: count + 1 }, (_, i) => linesAt(from + i)));
  }
});

test("lines that no edit touches are the same objects, so that they need not be compared", () => {
  const states = statesOf(kernel(3)({ from: 0, count: 3 }));
  assert.equal(states[3].at(-1), states[0].at(-1));
});

test("a step is what was told of it, and null before", () => {
  const windows = new StepperWindows(20);
  assert.equal(windows.step("k", 4), null);
  windows.end(windows.begin("k", { from: 3, count: 5 }), kernel(20)({ from: 3, count: 5 }));
  const { before, after, detail } = windows.step("k", 4);
  assert.deepEqual([before, after, detail], [linesAt(4), linesAt(5), { about: "4" }]);
  assert.equal(windows.step("k", 8), null);
  assert.equal(windows.step("another way of writing", 4), null);
});

test("whatever a reader walks through is found, with no step asked for twice", () => {
  for (const most of [100, 3, 1]) {
    const asked = new Map();
    const windows = new StepperWindows(200);
    const answer = kernel(200, most);
    const walk = [...Array(60).keys(), 150, 149, 148, ...Array.from({ length: 60 }, (_, i) => 147 - i), 199, 0];
    let at = 0;
    for (const step of walk) {
      for (let tries = 0; !windows.has("k", step); tries += 1) {
        assert.ok(tries < 2, `step ${step} takes too many questions`);
        const plan = windows.plan("k", step, step < at ? -1 : 1, tries > 0);
        assert.ok(plan.from <= step && step < plan.from + plan.count);
        const given = answer(plan);
        given.details.forEach((_, i) => asked.set(plan.from + i, (asked.get(plan.from + i) ?? 0) + 1));
        windows.end(windows.begin("k", plan), given);
      }
      at = step;
      assert.equal(windows.step("k", step).detail.about, String(step));
    }
    if (most === 100) assert.deepEqual([...asked.values()].filter((times) => times > 1), []);
  }
});

test("what is on its way is not asked for again", () => {
  const windows = new StepperWindows(100);
  const plan = windows.plan("k", 10);
  const ticket = windows.begin("k", plan);
  assert.equal(windows.plan("k", 10), null);
  assert.equal(windows.plan("k", plan.from + plan.count - 1), null);
  assert.notEqual(windows.plan("other", 10), null);
  windows.end(ticket, null);
  assert.deepEqual(windows.plan("k", 10), plan);
});

test("a plan stops at what is known and at both ends", () => {
  const windows = new StepperWindows(30);
  windows.end(windows.begin("k", { from: 10, count: 5 }), kernel(30)({ from: 10, count: 5 }));
  assert.deepEqual(windows.plan("k", 8, 1), { from: 8, count: 2 });
  assert.deepEqual(windows.plan("k", 16, -1), { from: 15, count: 2 });
  assert.deepEqual(windows.plan("k", 3, -1), { from: 0, count: 4 });
  assert.deepEqual(windows.plan("k", 28, 1), { from: 28, count: 2 });
  for (const step of [-1, 30, 12]) assert.equal(windows.plan("k", step), null);
});

test("what comes next is asked for before it is needed, and only what is not known", () => {
  const windows = new StepperWindows(40);
  windows.end(windows.begin("k", { from: 0, count: 4 }), kernel(40)({ from: 0, count: 4 }));
  assert.equal(windows.ahead("k", [1, 2, 3]), null);
  assert.equal(windows.ahead("k", [2, 3, 7, 8]), 7);
  windows.begin("k", { from: 7, count: 1 });
  assert.equal(windows.ahead("k", [2, 3, 7, 8]), 8);
});

test("windows used long ago are forgotten, those used lately are not", () => {
  const windows = new StepperWindows(1000, 3);
  const tell = (from) => windows.end(windows.begin("k", { from, count: 2 }), kernel(1000)({ from, count: 2 }));
  [0, 10, 20].forEach(tell);
  assert.notEqual(windows.step("k", 0), null);
  tell(30);
  assert.equal(windows.step("k", 10), null);
  for (const step of [0, 20, 30]) assert.notEqual(windows.step("k", step), null);
});

test("a trace without steps has one state", () => {
  const windows = new StepperWindows(0);
  assert.equal(windows.only("k"), null);
  const plan = windows.plan("k", 0);
  assert.deepEqual(plan, { from: 0, count: 0 });
  const ticket = windows.begin("k", plan);
  assert.equal(windows.plan("k", 0), null);
  windows.end(ticket, kernel(0)(plan));
  assert.deepEqual(windows.only("k"), linesAt(0));
  assert.equal(windows.plan("k", 0), null);
});

test("a long walk folds each edit once", () => {
  const windows = new StepperWindows(100_000);
  const answer = kernel(100_000);
  for (let step = 0; step < 5000; step += 1) {
    if (!windows.has("k", step)) {
      const plan = windows.plan("k", step);
      windows.end(windows.begin("k", plan), answer(plan));
    }
  }
  assert.ok(windows.folds <= 5100, String(windows.folds));
});
