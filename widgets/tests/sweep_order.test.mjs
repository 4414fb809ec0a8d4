import assert from "node:assert/strict";
import { test } from "node:test";
import { sweepOrder, sweepTurned } from "../sweep_order.js";

const rows = [[0.1, 3], [0.2, null], [0.1, 1], [0.3, -2]].map((keys) => ({ keys }));

test("rows are sorted upwards and downwards, those without a number last", () => {
  assert.deepEqual(sweepOrder(rows, 1, 1), [3, 2, 0, 1]);
  assert.deepEqual(sweepOrder(rows, 1, -1), [0, 2, 3, 1]);
});

test("equal rows keep the order of the sweep", () => {
  assert.deepEqual(sweepOrder(rows, 0, 1), [0, 2, 1, 3]);
  assert.deepEqual(sweepOrder(rows, 0, -1), [3, 1, 0, 2]);
});

test("without a column, or with one that is not there, the order is that of the sweep", () => {
  assert.deepEqual(sweepOrder(rows, null, 1), [0, 1, 2, 3]);
  assert.deepEqual(sweepOrder(rows, 7, 1), [0, 1, 2, 3]);
  assert.deepEqual(sweepOrder([], 0, 1), []);
});

test("a heading turns: upwards, downwards, and as it was", () => {
  const first = sweepTurned([null, 1], 2);
  assert.deepEqual(first, [2, 1]);
  assert.deepEqual(sweepTurned(first, 2), [2, -1]);
  assert.deepEqual(sweepTurned([2, -1], 2), [null, 1]);
  assert.deepEqual(sweepTurned([2, -1], 0), [0, 1]);
});
