import assert from "node:assert/strict";
import { test } from "node:test";
import { savedAnswer, savedModel } from "../saved.js";
import { savedStart } from "../saved_views.js";

const line = (text) => [text, []];
const window = (from, count, width) => [
  { ask: "window", from, count: 100, whole: false, width },
  { from, first: [], edits: [], details: Array.from({ length: count }, (_, i) => ({ about: `a${from + i}`, became: `w${width}` })) },
];

test("a window of steps is the one that contains the step, in the widest lines that fit", () => {
  const answers = [window(0, 3, 90), window(3, 2, 90), window(0, 5, 40)];
  const ask = (from, width) => savedAnswer(answers, { ask: "window", from, count: 12, entries: 12, whole: false, width }, {});
  assert.equal(ask(4, 100), answers[1][1]);
  assert.equal(ask(4, 60), answers[2][1]);
  assert.equal(ask(4, 20), answers[2][1]);
  assert.equal(ask(5, 100), null);
});

test("a heap is that after the last change before", () => {
  const answers = [0, 3, 7].map((state) => [{ ask: "heap", state }, { contents: [state] }]);
  for (const [state, last] of [[0, 0], [2, 0], [3, 3], [6, 3], [90, 7]]) {
    assert.deepEqual(savedAnswer(answers, { ask: "heap", state }, {}), { contents: [last] });
  }
});

test("captions and finds come from the saved steps", () => {
  const opening = { steps: 5, fired: "ABABA", rules: [{ name: "Let" }, { name: "Put" }] };
  const answers = [window(0, 5, 90)];
  assert.deepEqual(savedAnswer(answers, { ask: "words", steps: [4, 0] }, opening), { words: [["a4", "w90"], ["a0", "w90"]] });
  assert.deepEqual(savedAnswer(answers, { ask: "find", text: "put", from: 2, backwards: false }, opening), { step: 3 });
  assert.deepEqual(savedAnswer(answers, { ask: "find", text: "A1", from: 4, backwards: true }, opening), { step: 1 });
  assert.deepEqual(savedAnswer(answers, { ask: "find", text: "none", from: 0, backwards: false }, opening), { step: null });
});

test("a text is found in the terms of a rewriting", () => {
  const opening = { steps: 2, fired: [0, 0], rules: [{ name: "β" }] };
  const answers = [0, 1].map((step) => [{ ask: "step", step, width: 90 }, { after: { lines: [line(`sin ${step}`)] } }]);
  assert.deepEqual(savedAnswer(answers, { ask: "find", text: "sin 1", from: 0, backwards: false }, opening), { step: 1 });
});

test("all saved judgments of a tree are given at once, and none of another", () => {
  const open = (tree, node) => [{ ask: "open", tree, node, levels: 12 }, { nodes: [{ id: node }], names: [node] }];
  const answers = [open(0, 0), open(1, 5), open(0, 9)];
  assert.deepEqual(savedAnswer(answers, { ask: "open", tree: 0, node: 9, levels: 2 }, {}), { nodes: [{ id: 0 }, { id: 9 }], names: [9] });
});

test("what is written in a round is taken from what is written at all", () => {
  const answers = [[{ ask: "written", pass: 0, from: 0, to: 9 }, { written: [[1, 2, "a"], [1, 5, "b"], [1, 8, "c"]] }]];
  assert.deepEqual(savedAnswer(answers, { ask: "written", pass: 0, from: 3, to: 6 }, {}), { written: [[1, 5, "b"]] });
});

test("a sample is saved once, and the page says how many are missing", () => {
  const cell = (target, from, numbers, count) => [{ ask: "samples", target, predicted: -2, from }, { numbers, count }];
  const pool = (...numbers) => [{ ask: "pool" }, { samples: numbers.map((number) => ({ number })) }];
  const answers = [pool(4, 2), cell(-2, 0, [4, 2], 5), pool(7), cell(-2, 2, [7], 5), cell(1, 0, [2, 7], 2)];
  const ask = (target, from) => savedAnswer(answers, { ask: "samples", target, predicted: -2, from }, {});
  assert.deepEqual(ask(-2, 0), { samples: [{ number: 4 }, { number: 2 }], count: 5, missing: 0 });
  assert.deepEqual(ask(-2, 2), { samples: [{ number: 7 }], count: 5, missing: 2 });
  assert.deepEqual(ask(1, 0), { samples: [{ number: 2 }, { number: 7 }], count: 2, missing: 0 });
  assert.equal(ask(3, 0), null);
});

test("a page can be opened at a step", () => {
  assert.deepEqual(savedStart("stepper", "#step=12"), { step: 11 });
  assert.deepEqual(savedStart("player", "#step=12"), { frame: 12 });
  for (const hash of ["", "#step=", "#step=-1", "#step=1&x", "#section"]) assert.deepEqual(savedStart("stepper", hash), {});
  assert.deepEqual(savedStart("diagram", "#step=12"), {});
});

test("the model answers, or says that the page does not have it", async () => {
  const answers = [[{ ask: "layout", folded: [1] }, { boxes: [] }]];
  const model = savedModel({ opening: { subject: "P" }, answers });
  const heard = [];
  model.on("msg:custom", (message) => heard.push(message));
  model.send({ id: "1", question: { folded: [1], ask: "layout" } });
  model.send({ id: "2", question: { ask: "layout", folded: [2] } });
  assert.equal(heard.length, 0);
  await Promise.resolve();
  assert.deepEqual(heard[0], { id: "1", answer: { boxes: [] } });
  assert.match(heard[1].refused, /not in the saved page/);
  model.set("kept", { step: 3 });
  assert.deepEqual(model.get("kept"), { step: 3 });
});
