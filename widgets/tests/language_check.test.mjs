import assert from "node:assert/strict";
import { test } from "node:test";
import { Questions, changeOf, fixWords, isAsked, isTouched, placeOf, wordsOf } from "../../rh_kernel/kernel/labextension/static/check.js";

const diagnostic = (line, column, end_line, end_column) => ({ line, column, end_line, end_column });

test("a diagnostic is where its lines and columns are, counted in characters", () => {
  const text = "𝒙 + y\nlet ℓ";
  assert.deepEqual(placeOf(diagnostic(1, 5, 1, 6), text), [5, 6]);
  assert.equal(text.slice(5, 6), "y");
  assert.deepEqual(placeOf(diagnostic(1, 1, 2, 4), text), [0, 10]);
  assert.deepEqual(placeOf(diagnostic(2, 5, 2, 6), text), [11, 12]);
});

test("what has no width is shown at a character beside it, and what is elsewhere not at all", () => {
  assert.deepEqual(placeOf(diagnostic(1, 3, 1, 3), "ab"), [1, 2]);
  assert.deepEqual(placeOf(diagnostic(1, 1, 1, 1), "ab"), [0, 1]);
  assert.equal(placeOf(diagnostic(2, 1, 2, 1), "ab\n"), null);
  assert.equal(placeOf(diagnostic(1, 1, 1, 1), ""), null);
  assert.equal(placeOf(diagnostic(7, 1, 7, 2), "ab"), null);
  assert.equal(placeOf(diagnostic(null, null, null, null), "ab"), null);
});

test("nothing is asked about what is empty, long or Python", () => {
  assert.ok(isAsked("loc w = 1"));
  assert.ok(!isAsked(" \n"));
  assert.ok(!isAsked("x".repeat(20_001)));
  assert.ok(!isAsked("%%python\nx"));
});

test("what stands at the cursor is being written", () => {
  assert.ok(isTouched([2, 5], 2));
  assert.ok(isTouched([2, 5], 5));
  assert.ok(!isTouched([2, 5], 6));
});

test("a diagnostic is told with its hint, if it has one", () => {
  assert.deepEqual(wordsOf({ code: "RH101", title: "T", message: "m", hint: "h" }), ["RH101 T", "m", "h"]);
  assert.deepEqual(wordsOf({ code: "RH101", title: "T", message: "m" }), ["RH101 T", "m"]);
});

test("a warning says that it is one", () => {
  assert.deepEqual(wordsOf({ kind: "warning", code: "RH143", title: "T", message: "m" }), ["Warning RH143 T", "m"]);
});

test("a quick fix is a change of the text, if it is about this text", () => {
  const text = "let x = 1 in\nx";
  const fix = { line: 1, column: 7, end_line: 1, end_column: 8, text: "<-" };
  assert.deepEqual(changeOf({ fix }, text), { from: 6, to: 7, insert: "<-" });
  assert.deepEqual(changeOf({ fix: { ...fix, end_column: 7 } }, text), { from: 6, to: 6, insert: "<-" });
  assert.equal(changeOf({ fix: { ...fix, source: "cell 3" } }, text), null);
  assert.equal(changeOf({ fix: { ...fix, line: 5, end_line: 5 } }, text), null);
  assert.equal(changeOf({}, text), null);
});

test("a quick fix is shown as the lines that it gives", () => {
  assert.equal(fixWords({ from: 6, to: 7, insert: "<-" }, "let x = 1 in\nx"), "Fix: let x <- 1 in");
  assert.equal(fixWords({ from: 2, to: 3, insert: "a in\n  b" }, "| w - y"), "Fix: | a in\n     b - y");
  assert.equal(fixWords({ from: 1, to: 3, insert: "" }, "x 1"), "Fix: x");
});

test("questions are answered on one channel, each once, and a closed one is not opened again", () => {
  const opened = [];
  const kernel = {
    createComm: target => {
      const channel = { target, sent: [], open: () => opened.push(channel), send: data => channel.sent.push(data) };
      return channel;
    },
  };
  const questions = new Questions();
  const heard = [];
  questions.ask(kernel, { text: "a" }, found => heard.push(["a", found]));
  questions.ask(kernel, { text: "b" }, found => heard.push(["b", found]));
  assert.equal(opened.length, 1);
  const [channel] = opened;
  assert.equal(channel.target, "rh.check");
  const answer = (number, diagnostics) => channel.onMsg({ content: { data: { number, diagnostics } } });
  answer(channel.sent[1].number, [2]);
  answer(channel.sent[1].number, [3]);
  answer(channel.sent[0].number, [1]);
  answer(17, [4]);
  assert.deepEqual(heard, [["b", [2]], ["a", [1]]]);
  channel.onClose();
  questions.ask(kernel, { text: "c" }, () => assert.fail());
  assert.equal(opened.length, 1);
  assert.equal(channel.sent.length, 2);
});

test("after a restart, which disposes of the channel, another one is opened", () => {
  const opened = [];
  const kernel = {
    createComm: () => {
      const channel = { isDisposed: false, open: () => opened.push(channel), send: () => {} };
      return channel;
    },
  };
  const questions = new Questions();
  questions.ask(kernel, {}, () => {});
  opened[0].isDisposed = true;
  questions.ask(kernel, {}, () => {});
  assert.equal(opened.length, 2);
});
