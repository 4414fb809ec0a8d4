import assert from "node:assert/strict";
import { test } from "node:test";
import { flowCurve, flowLargest, flowOpacity, flowSize, flowStrength } from "../flow_scale.js";

test("a strength is the position of a size on a logarithmic scale", () => {
  const scale = [0.001, 10];
  assert.ok(Math.abs(flowStrength(0.1, scale) - 0.5) < 1e-9);
  assert.equal(flowStrength(0.0001, scale), 0);
  assert.equal(flowStrength(100, scale), 1);
  for (const none of [0, -1, null]) assert.equal(flowStrength(none, scale), null);
  assert.equal(flowStrength(1, null), null);
});

test("the least size has a tint, and no size has none", () => {
  assert.equal(flowOpacity(null), 0);
  assert.ok(flowOpacity(0) > 0);
  assert.ok(flowOpacity(1) > flowOpacity(0.5));
});

test("sizes have two digits", () => {
  assert.deepEqual([0.12345, 12.3, 0, 0.0000123, 1234567, null, -1].map(flowSize), ["0.12", "12", "0", "1.2e-5", "1.2e6", "–", "not finite"]);
});

test("a drawn box has the largest size of the boxes in it", () => {
  assert.equal(flowLargest([1, 3, null, -1], [0, 1]), 3);
  assert.equal(flowLargest([1, 3, null, -1], [0, 3]), -1);
  assert.equal(flowLargest([1, 3, null, -1], [2]), null);
});

test("a curve has gaps where there is no size", () => {
  const frames = [[0], [5], [10], [20]];
  assert.equal(flowCurve([1, 10, null, 10], frames, [1, 10], 100, 50), "M0.0 50.0L25.0 0.0M100.0 0.0");
});
