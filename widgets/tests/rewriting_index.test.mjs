// Navigation in a trace: by steps, by rules, by changes of cells.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RewritingIndex, rewritingCommand } from "../rewriting_index.js";

const index = new RewritingIndex({ steps: 6, fired: [0, 1, 0, 2, 1, 0], changes: [1, 4] });
const pressed = (key, more = {}) => rewritingCommand({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });

test("steps stay within the trace", () => {
  assert.equal(index.target("next", 2), 3);
  assert.equal(index.target("next", 5), 5);
  assert.equal(index.target("previous", 0), 0);
  assert.equal(index.target("first", 4), 0);
  assert.equal(index.target("last", 1), 5);
  assert.equal(index.target("on-ten", 1), 5);
  assert.equal(index.target("back-ten", 3), 0);
});

test("the next and the previous step of the same rule", () => {
  assert.equal(index.target("next-rule", 0), 2);
  assert.equal(index.target("next-rule", 2), 5);
  assert.equal(index.target("next-rule", 5), null);
  assert.equal(index.target("previous-rule", 4), 1);
  assert.equal(index.target("previous-rule", 3), null);
  assert.equal(index.ofRule(2, -1, 1), 3);
});

test("the next and the previous change of a cell", () => {
  assert.equal(index.target("next-change", 1), 4);
  assert.equal(index.target("next-change", 4), null);
  assert.equal(index.target("previous-change", 4), 1);
  assert.equal(index.target("previous-change", 1), null);
  assert.match(index.missing("next-change"), /No step behind this one changes a cell/);
  assert.match(index.missing("previous-rule"), /No step before this one is by the same rule/);
});

test("a trace without steps leads nowhere", () => {
  const none = new RewritingIndex({ steps: 0, fired: [], changes: [] });
  for (const name of ["first", "last", "next", "previous", "next-rule", "next-change"]) assert.equal(none.target(name, 0), null);
});

test("keys are commands, but not with a modifier, and no property of an object is one", () => {
  assert.equal(pressed("ArrowRight"), "next");
  assert.equal(pressed("r"), "next-rule");
  assert.equal(pressed("R"), "previous-rule");
  assert.equal(pressed("ArrowRight", { ctrlKey: true }), null);
  assert.equal(pressed("toString"), null);
  assert.equal(pressed("x"), null);
});
