import assert from "node:assert/strict";
import { test } from "node:test";
import { linkedMark, linkedStep } from "../linked.js";

test("the arrow keys go through the rows and stop at the ends", () => {
  assert.equal(linkedStep(3, 0, "ArrowDown"), 1);
  assert.equal(linkedStep(3, 2, "ArrowDown"), 2);
  assert.equal(linkedStep(3, 2, "ArrowUp"), 1);
  assert.equal(linkedStep(3, 0, "ArrowUp"), 0);
  assert.equal(linkedStep(3, 1, "Home"), 0);
  assert.equal(linkedStep(3, 1, "End"), 2);
});

test("other keys lead nowhere, and there may be no rows", () => {
  assert.equal(linkedStep(3, 1, "a"), null);
  assert.equal(linkedStep(0, -1, "ArrowDown"), null);
});

function part(run) {
  const classes = new Set();
  return { dataset: { run: String(run) }, classes, classList: { toggle: (name, is) => (is ? classes.add(name) : classes.delete(name)) } };
}

test("a mark is on all parts of one run, and on no others", () => {
  const parts = [part(1), part(2), part(1)];
  const root = { ...part(0), querySelectorAll: () => parts };
  linkedMark(root, 1);
  assert.deepEqual(parts.map(({ classes }) => classes.has("rh-linked-on")), [true, false, true]);
  assert.equal(root.classes.has("rh-linked-some"), true);
  linkedMark(root, null);
  assert.deepEqual(parts.map(({ classes }) => classes.size), [0, 0, 0]);
  assert.equal(root.classes.size, 0);
});
