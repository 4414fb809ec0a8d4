import assert from "node:assert/strict";
import { test } from "node:test";
import { seesCells, seesMoved } from "../sees_cells.js";

test("a sample has a row of values, and one of cotangents if there are any", () => {
  const samples = [
    { number: 4, cells: [{ value: "x", cotangents: ["w"] }, { value: "y", cotangents: [] }] },
    { number: 9, cells: [{ value: "u", cotangents: [] }] },
  ];
  const rows = seesCells(samples);
  assert.deepEqual(rows.map(({ sample, what }) => [sample, what]), [[4, "value"], [4, "cotangent"], [9, "value"]]);
  assert.deepEqual(rows[1].cells, [["w"], []]);
});

test("keys move within the rows that are shown", () => {
  const shown = [true, false, false, true];
  assert.deepEqual(seesMoved("ArrowDown", 0, 1, shown, 3), [3, 1]);
  assert.deepEqual(seesMoved("ArrowDown", 3, 1, shown, 3), [3, 1]);
  assert.deepEqual(seesMoved("ArrowUp", 3, 1, shown, 3), [0, 1]);
  assert.deepEqual(seesMoved("ArrowRight", 0, 2, shown, 3), [0, 2]);
  assert.deepEqual(seesMoved("End", 0, 0, shown, 3), [0, 2]);
  assert.equal(seesMoved("Enter", 0, 0, shown, 3), null);
});
