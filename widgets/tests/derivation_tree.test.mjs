import assert from "node:assert/strict";
import { test } from "node:test";
import { derivationIsKnown, derivationAdd, derivationLevels, derivationOrder, derivationPath, derivationPathToOpen, derivationVisible, derivationStep, derivationText, derivationTree } from "../derivation_tree.js";

const node = (id, premises, above = premises.length) => ({ id, rule: "T-OP", left: "◇ ⊢ ", subject: [["let", "keyword", ""], [" x\n  y", null, ""]], right: " : Real(2)", premises, above });
// 0 over 1 and 2, 1 over 3, 3 over 4 and 5, which have not arrived.
const tree = () => derivationTree([node(0, [1, 2], 5), node(1, [3], 3), node(2, []), node(3, [4, 5])]);

test("what is above a node is known when all of its premises have been told", () => {
  const t = tree();
  assert.ok(derivationIsKnown(t, 0));
  assert.ok(derivationIsKnown(t, 2));
  assert.ok(!derivationIsKnown(t, 3));
  derivationAdd(t, [node(4, [])]);
  assert.ok(!derivationIsKnown(t, 3));
  derivationAdd(t, [node(5, [])]);
  assert.ok(derivationIsKnown(t, 3));
});

test("only what is open and known is shown, each conclusion before its premises", () => {
  const t = tree();
  assert.deepEqual(derivationOrder(t, new Set()), [0]);
  assert.deepEqual(derivationOrder(t, new Set([0, 1, 3])), [0, 1, 3, 2]);
  assert.deepEqual(derivationVisible(t, new Set([3]), 3), []);
});

test("folding a node and opening it again shows the same", () => {
  const t = tree();
  const open = new Set([0, 1]);
  const before = derivationOrder(t, open);
  open.delete(1);
  assert.deepEqual(derivationOrder(t, open), [0, 1, 2]);
  open.add(1);
  assert.deepEqual(derivationOrder(t, open), before);
});

test("the path from the root, and what must be open to see its end", () => {
  const t = tree();
  assert.deepEqual(derivationPath(t, 3), [0, 1, 3]);
  assert.deepEqual(derivationPath(t, 0), [0]);
  const open = derivationPathToOpen(t, new Set(), 3);
  assert.ok(derivationOrder(t, open).includes(3));
});

test("so many levels are open", () => {
  const t = tree();
  assert.deepEqual(derivationOrder(t, derivationLevels(t, 1)), [0]);
  assert.deepEqual(derivationOrder(t, derivationLevels(t, 2)), [0, 1, 2]);
  assert.deepEqual(derivationOrder(t, derivationLevels(t, 99)), [0, 1, 3, 2]);
});

test("the keys of a list are those of a tree view", () => {
  const t = tree();
  const open = new Set([0]);
  const step = (id, key) => derivationStep(t, open, id, key, true);
  assert.deepEqual(step(0, "ArrowDown"), { go: 1 });
  assert.deepEqual(step(1, "ArrowDown"), { go: 2 });
  assert.equal(step(2, "ArrowDown"), null);
  assert.deepEqual(step(2, "ArrowUp"), { go: 1 });
  assert.deepEqual(step(1, "ArrowRight"), { open: 1 });
  assert.deepEqual(step(0, "ArrowRight"), { go: 1 });
  assert.deepEqual(step(0, "ArrowLeft"), { fold: 0 });
  assert.deepEqual(step(1, "ArrowLeft"), { go: 0 });
  assert.equal(step(2, "ArrowRight"), null);
  assert.deepEqual(step(0, "End"), { go: 2 });
  assert.deepEqual(step(2, "Home"), { go: 0 });
});

test("in the drawing up is to the premises, down to the conclusion, left and right beside", () => {
  const t = tree();
  const open = new Set([0]);
  const step = (id, key) => derivationStep(t, open, id, key, false);
  assert.deepEqual(step(0, "ArrowUp"), { go: 1 });
  assert.deepEqual(step(1, "ArrowUp"), { open: 1 });
  assert.deepEqual(step(1, "ArrowDown"), { go: 0 });
  assert.deepEqual(step(1, "ArrowRight"), { go: 2 });
  assert.deepEqual(step(2, "ArrowLeft"), { go: 1 });
  assert.equal(step(2, "ArrowRight"), null);
  assert.equal(step(0, "ArrowDown"), null);
  assert.equal(step(0, "x"), null);
});

test("a judgment on one line", () => {
  assert.equal(derivationText(node(0, [])), "◇ ⊢ let x y : Real(2)");
});
