import assert from "node:assert/strict";
import { test } from "node:test";
import { surfaceAt, surfaceMoved, surfacePoint, surfaceWords } from "../surface_points.js";

test("a place in the picture is the nearest point of the grid", () => {
  assert.deepEqual(surfacePoint(0, 1, 5), [0, 4]);
  assert.deepEqual(surfacePoint(0.49, 0.3, 5), [2, 1]);
  assert.deepEqual(surfacePoint(-2, 7, 5), [0, 4]);
});

test("the arrow keys move the point, which stays in the picture", () => {
  assert.deepEqual(surfaceMoved("ArrowRight", [1, 1], 5, 1), [2, 1]);
  assert.deepEqual(surfaceMoved("ArrowUp", [1, 1], 5, 5), [1, 0]);
  assert.deepEqual(surfaceMoved("ArrowDown", null, 5, 1), [2, 3]);
  assert.equal(surfaceMoved("Tab", [1, 1], 5, 1), null);
});

test("a point has the coordinates of the plane, the second from below", () => {
  assert.equal(surfaceAt([0, 0], ["x[0]", "x[1]"], [[-1, -2], [1, 2]], 5), "x[0] = -1, x[1] = 2");
  assert.equal(surfaceAt([4, 3], ["a", "b"], [[-1, -2], [1, 2]], 5), "a = 1, b = -1");
});

test("of several results the largest is named, unless one is not finite", () => {
  assert.equal(surfaceWords([0.25]), "0.25");
  assert.equal(surfaceWords([0.1, 0.7, 0.2]), "class 1, from (0.1, 0.7, 0.2)");
  assert.equal(surfaceWords([0.1, "nan"]), "(0.1, nan)");
  assert.match(surfaceWords(null), /last epoch/);
});
