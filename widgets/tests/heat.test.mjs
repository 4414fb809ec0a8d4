import assert from "node:assert/strict";
import { test } from "node:test";
import { HEAT_MOST, heatBlocks, heatLevel, heatPlane, heatPoints } from "../heat.js";
import { heatReal, heatScale, heatSquare, heatStrengths } from "../heat.js";

test("strengths are entries by the largest finite one, and what is infinite is as strong as can be", () => {
  assert.deepEqual(heatStrengths([1, -4, 0, "inf", "-inf"]), [0.25, -1, 0, 1, -1]);
  assert.ok(Number.isNaN(heatStrengths(["nan"])[0]));
  assert.deepEqual(heatStrengths([0, 0]), [0, 0]);
});

test("one scale makes several pictures comparable", () => {
  const scale = heatScale([1, -2], [8, "nan"]);
  assert.equal(scale, 8);
  assert.deepEqual(heatStrengths([4], scale), [0.5]);
  assert.equal(heatScale([], ["inf"]), 1);
});

test("levels go both ways from zero, and no number has none", () => {
  assert.deepEqual([1, 0.5, 0.01, -0.01, -1].map(heatLevel), [8, 4, 0, 0, -8]);
  assert.equal(heatLevel(NaN), null);
  assert.ok(Object.is(heatLevel(-0.01), 0));
});

test("a small matrix stays as it is, a large one is averaged down", () => {
  assert.deepEqual(heatBlocks([1, 2, 3, 4, 5, 6], 2, 3), { rows: 2, columns: 3, cells: [1, 2, 3, 4, 5, 6] });
  assert.deepEqual(heatBlocks([1, 3, 5, 7], 2, 2, 1), { rows: 1, columns: 1, cells: [4] });
  const large = heatBlocks(Array.from({ length: 100 * 70 }, (_, i) => i), 100, 70);
  assert.deepEqual([large.rows, large.columns, large.cells.length], [HEAT_MOST, HEAT_MOST, HEAT_MOST ** 2]);
  assert.ok(Number.isNaN(heatBlocks([1, NaN, 1, 1], 2, 2, 1).cells[0]));
});

test("an array lies in the plane along its last axis", () => {
  assert.deepEqual(heatPlane([3, 2]), { rows: 3, columns: 2 });
  assert.deepEqual(heatPlane([2, 3, 4]), { rows: 6, columns: 4 });
  assert.deepEqual(heatPlane([5]), { rows: 1, columns: 5 });
  assert.deepEqual(heatPlane([]), { rows: 1, columns: 1 });
});

test("long vectors of a square length may be images", () => {
  assert.deepEqual([[784], [25], [16], [26], [28, 28]].map(heatSquare), [28, 5, 0, 0, 0]);
});

test("a curve stays in its field, with gaps where there are no numbers", () => {
  const { stretches, zero } = heatPoints([0, 2, "nan", -2, 0], 100, 40);
  assert.deepEqual(stretches, [[[0, 20], [25, 0]], [[75, 40], [100, 20]]]);
  assert.equal(zero, 20);
  for (const values of [[], [7], Array.from({ length: 1000 }, (_, i) => Math.sin(i)), ["nan", "nan"]]) {
    for (const [x, y] of heatPoints(values, 100, 40).stretches.flat()) assert.ok(x >= 0 && x <= 100 && y >= 0 && y <= 40);
  }
});

test("of a very long vector the extremes are kept", () => {
  const values = Array.from({ length: 5000 }, (_, i) => (i === 2500 ? 9 : 0));
  const heights = heatPoints(values, 100, 40).stretches.flat().map(([, y]) => y);
  assert.ok(heights.includes(0) && heights.includes(40));
});

test("texts for what is no finite number are read", () => {
  assert.deepEqual(["inf", "-inf", 3].map(heatReal), [Infinity, -Infinity, 3]);
  assert.ok(Number.isNaN(heatReal("nan")));
});
