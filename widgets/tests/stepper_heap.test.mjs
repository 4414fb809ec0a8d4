import assert from "node:assert/strict";
import { test } from "node:test";
import { cellGrid, shortNumber } from "../stepper_heap.js";

test("every value has a cell", () => {
  for (const shape of [[], [1], [5], [24], [25], [256], [3, 2], [1, 3], [2, 3, 4], [256, 1], [1, 256], [0], [0, 3]]) {
    const size = shape.reduce((product, n) => product * n, 1);
    const { rows, columns } = cellGrid(shape, size);
    assert.ok(rows * columns >= size && rows >= 1 && columns >= 1, String(shape));
    if (shape.length > 1 && size > 0) assert.equal(columns, shape[shape.length - 1]);
  }
});

test("numbers are short, and those that are none are named", () => {
  assert.deepEqual([0, -0, 1, 0.123456, -1234.5678, 1e-9, 2.5e8, "nan", "-inf"].map(shortNumber), [
    "0", "0", "1", "0.1235", "-1235", "1.00e-9", "2.50e+8", "nan", "-inf",
  ]);
});
