import assert from "node:assert/strict";
import { test } from "node:test";
import { ListRows, columnsOf, rowsInSight, topFor } from "../stepper_rows.js";

const LEGS = [
  [0, 4, "forward", 0, "rev handle", ""],
  [5, 9, "forward", 1, "FC[w0](x)", ""],
  [10, 10, "turn", 2, "return", ""],
  [11, 14, "backward", 1, "FC[w0](x)", ""],
];

test("every row has what stands there, and every step is found in its row", () => {
  for (const shown of [[...Array(15).keys()], [1, 2, 7, 12, 14], [10], [0, 14], []]) {
    for (const legs of [LEGS, [], LEGS.slice(0, 2)]) {
      const rows = new ListRows(shown, legs);
      const plain = [];
      for (const step of shown) {
        const leg = legs.find(([first, last]) => first <= step && step <= last) ?? null;
        if (leg !== null && !plain.some((row) => row.leg === leg)) plain.push({ leg, step: null });
        plain.push({ leg, step });
      }
      assert.equal(rows.length, plain.length);
      plain.forEach((row, i) => assert.deepEqual(rows.at(i), row));
      for (const step of shown) assert.equal(rows.at(rows.rowOf(step)).step, step);
    }
  }
});

test("a step that is hidden has the place of the next one that is not", () => {
  const rows = new ListRows([1, 7, 12], LEGS);
  assert.equal(rows.at(rows.rowOf(3)).step, 7);
  assert.equal(rows.at(rows.rowOf(14)).step, 12);
  assert.equal(new ListRows([], []).rowOf(3), 0);
});

test("only a few of 100,000 rows are in sight, and they are those at the place that is scrolled to", () => {
  for (const top of [0, 1, 1000, 22 * 99_990, 1e9, -5]) {
    const { first, last, shift, height } = rowsInSight(top, 200, 100_000, 22);
    assert.equal(height, 2_200_000);
    assert.ok(last - first <= 23 && first >= 0 && last <= 100_000);
    const at = Math.max(0, Math.min(top, height - 200));
    assert.ok(first * 22 + Math.min(shift, 0) <= at && (last * 22 >= at + 200 || last === 100_000));
  }
});

test("the rows of a list that is too tall for a page are all reached", () => {
  const count = 3_000_000;
  const { height } = rowsInSight(0, 200, count, 22);
  assert.ok(height < 10_000_000);
  const end = rowsInSight(height - 200, 200, count, 22);
  assert.equal(end.last, count);
  assert.ok(Math.abs((count - 1) * 22 + end.shift - (height - 22)) < 1);
  for (const row of [0, 12_345, 1_500_000, count - 1]) {
    const sight = rowsInSight(topFor(row, 0, 200, count, 22), 200, count, 22);
    assert.ok(sight.first <= row && row < sight.last, String(row));
  }
});

test("a row that is in sight already is not scrolled to", () => {
  assert.equal(topFor(5, 44, 220, 1000, 22), 44);
  assert.ok(topFor(500, 44, 220, 1000, 22) <= 500 * 22);
  assert.ok(topFor(500, 44, 220, 1000, 22) + 220 >= 501 * 22);
  assert.ok(topFor(1, 440, 220, 1000, 22) <= 22);
  assert.equal(topFor(0, 440, 220, 1000, 22), 0);
});

test("lines are as wide as the pane, in steps of four", () => {
  assert.equal(columnsOf(0, 7), 90);
  assert.equal(columnsOf(100, 7), 32);
  assert.equal(columnsOf(500, 7.5), 64);
  assert.equal(columnsOf(505, 7.5), 64);
  assert.equal(columnsOf(5000, 7), 120);
  for (let width = 300; width < 900; width += 1) assert.ok(columnsOf(width, 7.5) * 7.5 <= width);
});
