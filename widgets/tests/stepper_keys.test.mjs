import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, stepNamed, stepperCommand, STEPPER_HELP } from "../stepper_keys.js";

/** A keyboard event. */
function key(name, more = {}) {
  return stepperCommand({ key: name, code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
}

test("keys are commands", () => {
  const wanted = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", PageUp: "back-ten", PageDown: "on-ten", " ": "play" };
  for (const [name, command] of Object.entries(wanted)) assert.equal(key(name), command);
  assert.deepEqual([..."rRhHgftc/?"].map((name) => key(name)), [
    "next-rule", "previous-rule", "next-heap", "previous-heap", "jump", "fold", "caret", "copy", "search", "help",
  ]);
  assert.equal(key("x"), null);
  assert.equal(key("Tab"), null);
});

test("letters of other alphabets are the keys that they lie on; those of the same one are what is written on them", () => {
  assert.equal(key("к", { code: "KeyR" }), "next-rule");
  assert.equal(key("К", { code: "KeyR", shiftKey: true }), "previous-rule");
  assert.equal(key("ρ", { code: "KeyR" }), "next-rule");
  assert.equal(key("r", { code: "KeyO" }), "next-rule");
  assert.equal(key("o", { code: "KeyR" }), null);
  assert.equal(key("א", { code: "KeyQ" }), null);
});

test("digits answer, on keyboards too that have them with Shift only", () => {
  assert.deepEqual([..."01234"].map((name) => key(name)), ["answer-0", "answer-1", "answer-2", "answer-3", "answer-4"]);
  assert.equal(key("5"), null);
  assert.equal(key("&", { code: "Digit1" }), "answer-1");
  assert.equal(key("à", { code: "Digit0" }), "answer-0");
  assert.equal(key("!", { code: "Digit1", shiftKey: true }), null);
  assert.equal(key("1", { code: "Digit1", shiftKey: true }), "answer-1");
  assert.equal(key("1", { code: "Digit1", ctrlKey: true }), null);
  assert.equal(key("p"), "predict");
});

test("what the browser and the notebook use is left to them", () => {
  for (const modifier of ["ctrlKey", "metaKey"]) for (const name of ["r", "c", "ArrowLeft", "/"]) assert.equal(key(name, { [modifier]: true }), null);
  assert.equal(key("r", { altKey: true }), null);
  assert.equal(key("ArrowRight", { altKey: true }), "next");
});

test("an address that was copied leads back to the step", () => {
  for (const step of [1, 17, 1234, 99_999]) assert.equal(stepNamed(addressOf(step, 100_000, "RH-Op"), 5, 100_000), step);
});

test("an address is read in each of its forms", () => {
  const forms = { 17: 17, "#17": 17, " # 17 ": 17, "1,7": 17, "step 17": 17, "cell output · step 17 of 90 · RH-Op": 17, "+10": 15, "-3": 2, "−3": 2, "-10": 1, first: 1, Last: 90, 900: 90, 0: 1 };
  for (const [text, step] of Object.entries(forms)) assert.equal(stepNamed(text, 5, 90), step, text);
  for (const text of ["", "x", "#", "seventeen", "1.5", "9".repeat(400), "#-1"]) assert.equal(stepNamed(text, 5, 90), null, text);
  assert.equal(stepNamed("1", 0, 0), null);
});

test("the list of keys names each key that is a letter", () => {
  const told = STEPPER_HELP.map(([keys]) => keys).join(" ");
  for (const letter of "rRhHg/eftcp?01234") assert.ok(told.includes(letter), letter);
});
