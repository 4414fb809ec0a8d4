import assert from "node:assert/strict";
import { test } from "node:test";
import { timeNearest } from "../time_bar.js";

test("a value of the slider leads to the nearest state", () => {
  assert.deepEqual([0, 4, 6, 19, 21, 99].map((value) => timeNearest([0, 10, 30], value)), [0, 0, 1, 1, 2, 2]);
});
