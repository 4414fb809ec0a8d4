import assert from "node:assert/strict";
import { test } from "node:test";
import { StepIndex } from "../stepper_index.js";
import { StepperPersistence } from "../stepper_persistence.js";
import { StepperPointer, caretMoved } from "../stepper_pointer.js";
import { StepperStore, stepWords } from "../stepper_store.js";

const CONTENT = { type: "Real", text: "1.0", norm: 1, shape: [], values: [1] };

/** A host whose questions are answered on demand, and a store over it. */
function storeOf(steps, { most = 100, puts = [] } = {}) {
  const asked = [];
  let isAlive = true;
  const host = {
    opening: { steps, heap: [{ location: "w", content: CONTENT }] },
    ask: (question) => new Promise((resolve, reject) => asked.push({ question, resolve, reject })),
    alive: () => isAlive,
  };
  const options = { entries: 12, whole: false, notation: "source" };
  const heard = [];
  const store = new StepperStore(host, new StepIndex("A".repeat(steps), [{ name: "Let" }], puts), options, (what) => heard.push(what));
  const tell = async () => {
    const { question, resolve } = asked.shift();
    const count = Math.min(question.count, most, steps - question.from);
    const details = Array.from({ length: count }, (_, i) => ({ about: `a${question.from + i}`, became: "" }));
    resolve({ from: question.from, first: [[`${question.entries}`, [], 0]], edits: details.map(() => [0, 0, []]), details });
    await new Promise((done) => setImmediate(done));
  };
  return { store, asked, tell, options, heard, die: () => (isAlive = false) };
}

const HERE = { at: 0, direction: 1, coming: 4, isOverAll: false };

test("the step that is looked at comes first, what follows is asked for after it, and nothing twice", async () => {
  const { store, asked, tell } = storeOf(100);
  store.look(HERE);
  store.look(HERE);
  store.pump();
  assert.deepEqual(asked.map(({ question }) => [question.from, question.count]), [[0, 12]]);
  await tell();
  assert.equal(asked.length, 0);
  assert.equal(store.about(3), "a3");
  store.look({ ...HERE, at: 9 });
  assert.deepEqual(asked.map(({ question }) => question.from), [12]);
  store.look({ ...HERE, at: 10 });
  assert.equal(asked.length, 1);
});

test("a whole walk asks for every step once", async () => {
  const { store, asked, tell } = storeOf(300);
  const from = [];
  for (let at = 0; at < 300; at += 1) {
    store.look({ ...HERE, at });
    while (asked.length > 0) {
      const { question } = asked[0];
      for (let i = 0; i < question.count; i += 1) from.push(question.from + i);
      await tell();
    }
    assert.ok(store.has(at));
  }
  assert.deepEqual(from, [...Array(300).keys()]);
});

test("an answer that is cut short is followed by a question for the step itself", async () => {
  const { store, asked, tell } = storeOf(100, { most: 2 });
  store.look({ ...HERE, at: 50, direction: -1 });
  assert.equal(asked[0].question.from, 39);
  await tell();
  assert.equal(asked[0].question.from, 50);
  await tell();
  assert.ok(store.has(50));
});

test("an answer about another way of writing does not count for this one", async () => {
  const { store, asked, tell, options } = storeOf(100);
  store.look(HERE);
  options.entries = 100;
  store.look(HERE);
  assert.deepEqual(asked.map(({ question }) => question.entries), [12, 100]);
  await tell();
  assert.equal(store.step(0), null);
  await tell();
  assert.equal(store.step(0).before[0][0], "100");
});

test("no more than two questions wait for the step that is looked at, however quickly it changes", () => {
  const { store, asked } = storeOf(1000);
  for (let at = 0; at < 1000; at += 50) store.look({ ...HERE, at });
  assert.equal(asked.length, 2);
});

test("while a slider moves nothing is asked", async () => {
  const { store, asked } = storeOf(1000);
  for (let at = 0; at < 1000; at += 50) store.look({ ...HERE, at }, true);
  assert.equal(asked.length, 0);
  await new Promise((done) => setTimeout(done, 160));
  assert.deepEqual(asked.map(({ question }) => question.from), [950]);
  store.clean();
});

test("what is refused is said and not asked for again until the reader wants it", async () => {
  const { store, asked, heard } = storeOf(100);
  store.look(HERE);
  asked.shift().reject(new Error("too much"));
  await new Promise((done) => setImmediate(done));
  assert.equal(store.refused.words, "too much");
  assert.deepEqual(heard, ["step"]);
  store.pump();
  assert.equal(asked.length, 0);
  store.retry();
  store.pump();
  assert.equal(asked.length, 1);
});

test("nothing is asked of a kernel that is gone, and what was known still is", async () => {
  const { store, asked, tell, die } = storeOf(100);
  store.look(HERE);
  await tell();
  die();
  store.look({ ...HERE, at: 50 });
  store.tell([60, 61]);
  assert.equal(asked.length, 0);
  assert.ok(store.has(3));
  assert.equal(store.step(50), null);
});

/** Answers of kind `words`, and the questions. */
async function tellWords(asked) {
  const { question, resolve } = asked.shift();
  resolve({ words: question.steps.map((step) => [`a${step}`, "b"]) });
  await new Promise((done) => setImmediate(done));
  return question;
}

test("the list asks in one question for all steps in sight that are not known, one question at a time", async () => {
  const { store, asked, tell, heard } = storeOf(100);
  store.look({ ...HERE, coming: 0 });
  await tell();
  store.tell([3, 40, 41]);
  store.tell([50]);
  assert.equal(asked.length, 1);
  assert.deepEqual(await tellWords(asked), { ask: "words", steps: [40, 41], notation: "source" });
  assert.equal(store.about(41), "a41 → b");
  assert.deepEqual(heard, ["step", "words"]);
  store.tell([3, 40, 41]);
  assert.equal(asked.length, 0);
  store.tell([...Array(300).keys()]);
  assert.equal((await tellWords(asked)).steps.length, 100);
});

test("captions are told again in another notation, and late ones in the old notation are dropped", async () => {
  const { store, asked, tell, options } = storeOf(100);
  store.look({ ...HERE, coming: 0 });
  await tell();
  store.tell([40]);
  options.notation = "paper";
  store.rewrite();
  assert.equal(store.about(0), null);
  assert.equal(store.has(0), false);
  await tellWords(asked);
  assert.equal(store.about(40), null);
  store.tell([40]);
  assert.equal((await tellWords(asked)).notation, "paper");
  assert.equal(store.about(40), "a40 → b");
});

test("the list is told also while a window waits or was refused", async () => {
  const { store, asked } = storeOf(100);
  store.look(HERE);
  store.tell([40]);
  assert.deepEqual(asked.map(({ question }) => question.ask), ["window", "words"]);
  asked.shift().reject(new Error("too much"));
  await tellWords(asked);
  assert.equal(store.about(40), "a40 → b");
  store.tell([41]);
  assert.equal(asked.length, 1);
  asked.shift().reject(new Error("The kernel gave no answer."));
  await new Promise((done) => setImmediate(done));
  assert.equal(store.about(41), null);
  store.tell([41]);
  assert.equal(asked.length, 1);
});

test("the heap between two changes is asked for once", async () => {
  const { store, asked, heard } = storeOf(100, { puts: [10, 20] });
  assert.deepEqual(store.heap(5), { contents: [{ location: "w", content: CONTENT, changed_by: null }], isCurrent: true });
  assert.equal(store.heap(11).isCurrent, false);
  await new Promise((done) => setTimeout(done, 90));
  store.heap(12);
  await new Promise((done) => setTimeout(done, 90));
  assert.deepEqual(asked.map(({ question }) => question.state), [11]);
  asked.shift().resolve({ contents: ["after the first"] });
  await new Promise((done) => setImmediate(done));
  assert.deepEqual(heard, ["heap"]);
  assert.deepEqual(store.heap(20), { contents: ["after the first"], isCurrent: true });
  store.clean();
});

test("a search goes on where the kernel gave up, until it is not wanted any more", async () => {
  const { store, asked } = storeOf(100);
  const answer = async (what) => {
    asked.shift().resolve(what);
    await new Promise((done) => setImmediate(done));
  };
  const found = store.find("w", 5, 1, () => true);
  assert.deepEqual(asked[0].question, { ask: "find", text: "w", from: 5, backwards: false, notation: "source" });
  await answer({ step: null, reached: 40 });
  assert.equal(asked[0].question.from, 40);
  await answer({ step: 77 });
  assert.equal(await found, 77);
  const given = store.find("w", 5, -1, () => false);
  await answer({ step: null, reached: 2 });
  assert.equal(await given, null);
  const nothing = store.find("w", 5, -1, () => true);
  await answer({ step: null, reached: -1 });
  assert.equal(await nothing, null);
});

test("a search says how it goes, and what the kernel says against it", async () => {
  const { store, asked } = storeOf(100);
  const said = [];
  const search = (text, at, way) => store.search(text, at, way, (words) => said.push(words), () => true);
  const found = search("w", 5, 1);
  assert.equal(asked[0].question.from, 6);
  asked.shift().resolve({ step: 9 });
  assert.equal(await found, 9);
  assert.equal(said.at(-1), "");
  const none = search("w", 5, -1);
  asked.shift().resolve({ step: null });
  assert.equal(await none, null);
  assert.match(said.at(-1), /^No step before this one/);
  const refused = search("w", 5, 1);
  asked.shift().reject(new Error("too long"));
  assert.equal(await refused, null);
  assert.equal(said.at(-1), "too long");
  assert.equal(await search("", 5, 1), null);
  assert.equal(await search("w", 99, 1), null);
  assert.equal(asked.length, 0);
});

test("what a step is about, in a line", () => {
  assert.deepEqual([["a", "b"], ["a", ""], ["", "b"], ["", ""]].map(([about, became]) => stepWords({ about, became })), ["a → b", "a", "b", ""]);
});

test("of values that follow each other quickly the last is kept", async () => {
  const kept = [];
  const persistence = new StepperPersistence({ keep: (name, value) => kept.push([name, value]) }, 5);
  for (let step = 0; step < 100; step += 1) persistence.keep("step", step);
  persistence.keep("view", { whole: true });
  assert.deepEqual(kept, []);
  await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual(kept, [["step", 99], ["view", { whole: true }]]);
  persistence.keep("step", 5);
  persistence.now();
  assert.deepEqual(kept.slice(2), [["step", 5]]);
});

const LINES = [["let x ⇐", [], 0], ["  f(y)", [], 1], ["  g(y)", [], 1], ["", [], 0], ["in x", [], 0]];
const ROWS = [{ from: 0, to: 1, line: 0 }, { from: 1, to: 3, line: 1 }, { from: 3, to: 4, line: 3 }, { from: 4, to: 5, line: 4 }];

test("a caret stays on what can be read", () => {
  const at = (line, column) => ({ line, column });
  assert.deepEqual(caretMoved(ROWS, LINES, at(0, 3), [0, 1]), at(0, 4));
  assert.deepEqual(caretMoved(ROWS, LINES, at(0, 6), [0, 1]), at(0, 6));
  assert.deepEqual(caretMoved(ROWS, LINES, at(0, 0), [1, 0]), at(1, 2));
  assert.deepEqual(caretMoved(ROWS, LINES, at(1, 3), [1, 0]), at(3, 0));
  assert.deepEqual(caretMoved(ROWS, LINES, at(2, 3), [1, 0]), at(3, 0));
  assert.deepEqual(caretMoved(ROWS, LINES, at(4, 3), [1, 0]), at(4, 3));
  assert.deepEqual(caretMoved(ROWS, LINES, at(1, 4), [0, -Infinity]), at(1, 2));
  assert.deepEqual(caretMoved(ROWS, LINES, at(1, 4), [0, Infinity]), at(1, 5));
});

/** A stub pane that records its outline. */
function paneWith(starts) {
  return { rows: () => ROWS, lines: () => LINES, starts: () => starts, reveal() {}, outline(marks) { this.marks = marks; } };
}

test("only the answer about what is pointed at now is shown", async () => {
  const waiting = [];
  const shown = [];
  const panes = [paneWith({ redex: { line: 1, column: 2 } }), paneWith({})];
  const pointer = new StepperPointer(panes, (...place) => new Promise((resolve, reject) => waiting.push({ place, resolve, reject })), (found) => shown.push(found));
  pointer.point(0, 0, 1);
  pointer.point(1, 4, 3);
  waiting[1].resolve({ text: "x", type: "Real", range: [4, 3, 4] });
  waiting[0].resolve({ text: "old", type: "Real", range: [0, 0, 1] });
  await new Promise((done) => setImmediate(done));
  assert.deepEqual(shown, [{ text: "x", type: "Real", range: [4, 3, 4], side: "after" }]);
  assert.deepEqual([panes[0].marks, panes[1].marks], [{}, { picked: [4, 3, 4] }]);
  pointer.point(0, 0, 0);
  waiting[2].reject(new Error("nothing there"));
  await new Promise((done) => setImmediate(done));
  assert.deepEqual(shown[1], { words: "nothing there" });
  pointer.leave();
  assert.equal(shown[2], null);
  assert.equal(pointer.isActive, false);
});

test("a caret begins at the mark, moves, goes to the other side, and to the new mark after a step", () => {
  const places = [];
  const panes = [paneWith({ redex: { line: 1, column: 2 }, focus: { line: 4, column: 3 } }), paneWith({})];
  const pointer = new StepperPointer(panes, (...place) => (places.push(place), new Promise(() => {})), () => {});
  assert.equal(pointer.moves("next"), false);
  pointer.next(true);
  assert.ok(pointer.moves("previous"));
  assert.ok(pointer.moves("up"));
  assert.equal(pointer.moves("play"), false);
  pointer.next(true);
  pointer.next(true);
  pointer.forget();
  pointer.settle();
  assert.deepEqual(places, [[0, 4, 3], [0, 4, 2], [0, 3, 0], [1, 0, 0], [0, 4, 3], [0, 4, 3]]);
  assert.deepEqual(panes[0].marks, { picked: [], caret: [4, 3, 4] });
  pointer.next(false);
  assert.equal(pointer.caret.side, 0);
});
