import assert from "node:assert/strict";
import test from "node:test";
import { ALL_CELLS, ANY_CLASS, confusionKept, confusionMoved, confusionShade, confusionWords } from "../confusion_cells.js";

test("arrow keys move to the next cell and stop at the edges", () => {
  const after = (keys, at) => keys.reduce(([row, column], key) => confusionMoved(key, row, column, 3, 4), at);
  assert.deepEqual(after(["ArrowRight", "ArrowDown"], [0, 0]), [1, 1]);
  assert.deepEqual(after(["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"], [0, 1]), [0, 3]);
  assert.deepEqual(after(["ArrowUp", "ArrowLeft"], [0, 0]), [0, 0]);
  assert.deepEqual(after(["End", "ArrowDown", "ArrowDown", "ArrowDown"], [0, 0]), [2, 3]);
  assert.deepEqual(after(["Home"], [2, 3]), [2, 0]);
  assert.equal(confusionMoved("a", 0, 0, 3, 4), null);
});

test("a cell of an earlier page is chosen again if the matrix has it", () => {
  const columns = [{ predicted: 0 }, { predicted: 1 }, { predicted: -1 }];
  for (const cell of [{ target: 1, predicted: -1 }, { target: ANY_CLASS, predicted: 1 }, ALL_CELLS]) {
    assert.deepEqual(confusionKept(cell, 2, columns), cell);
  }
  for (const other of [null, "x", {}, { target: 2, predicted: 0 }, { target: 0, predicted: 2 }, { target: "0", predicted: 0 }]) {
    assert.deepEqual(confusionKept(other, 2, columns), ALL_CELLS);
  }
});

test("the words say what the cell is, and the order of its samples", () => {
  const words = (target, predicted, count) => confusionWords({ target, predicted }, count, String);
  assert.equal(words(9, 3, 4), "4 samples of class 9 taken for 3, the most wrong first");
  assert.equal(words(9, 9, 2), "2 samples of class 9 classified as such, the least certain first");
  assert.equal(words(9, 3, 1), "1 sample of class 9 taken for 3");
  assert.equal(words(ANY_CLASS, ANY_CLASS, 0), "no samples");
  assert.equal(words(ANY_CLASS, 3, 1200), "1,200 samples taken for 3, the most wrong first");
});

test("a cell is darker the more samples it has, and one sample is seen", () => {
  const shades = [0, 1, 10, 100].map((count) => confusionShade(count, 100));
  assert.equal(shades[0], 0);
  assert.ok(shades[1] > 0.1);
  assert.deepEqual([...shades].sort((a, b) => a - b), shades);
});
