import assert from "node:assert/strict";
import { test } from "node:test";
import { zoomAt, zoomClamp, zoomFit, zoomPan, zoomReveal } from "../zoom.js";

const CONTENT = { w: 1000, h: 400 };
const VIEW = { w: 500, h: 300 };
const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
const isSeen = (state, rect, view) =>
  state.x <= rect.x + 1e-9 && state.y <= rect.y + 1e-9 && rect.x + rect.w <= state.x + view.w / state.scale + 1e-9 && rect.y + rect.h <= state.y + view.h / state.scale + 1e-9;

test("all of it is seen when it is fitted, and it is in the middle", () => {
  for (const view of [VIEW, { w: 2000, h: 100 }, { w: 90, h: 900 }]) {
    const state = zoomFit(CONTENT, view, 10);
    assert.ok(isSeen(state, { x: 0, y: 0, ...CONTENT }, view));
    near(state.x + view.w / state.scale / 2, CONTENT.w / 2);
    near(state.y + view.h / state.scale / 2, CONTENT.h / 2);
  }
});

test("it is not made larger or smaller than asked when it is fitted", () => {
  assert.equal(zoomFit({ w: 10, h: 10 }, VIEW, 1.25).scale, 1.25);
  const state = zoomFit(CONTENT, VIEW, 1.25, 0.8);
  assert.equal(state.scale, 0.8);
  assert.equal(state.x, 0);
});

test("the point under the mouse stays there, and a change of size can be taken back", () => {
  const state = { x: 120, y: -30, scale: 0.7 };
  for (const factor of [0.5, 1.25, 3]) {
    const next = zoomAt(state, factor, 210, 90);
    near(next.x + 210 / next.scale, state.x + 210 / state.scale);
    near(next.y + 90 / next.scale, state.y + 90 / state.scale);
    const back = zoomAt(next, 1 / factor, 210, 90);
    near(back.x, state.x);
    near(back.scale, state.scale);
  }
});

test("the size has bounds", () => {
  assert.ok(zoomAt({ x: 0, y: 0, scale: 1 }, 1e9, 0, 0).scale <= 10);
  assert.ok(zoomAt({ x: 0, y: 0, scale: 1 }, 1e-9, 0, 0).scale > 0);
});

test("a pull moves by as many pixels, and back", () => {
  const state = { x: 5, y: 6, scale: 2 };
  assert.deepEqual(zoomPan(state, 10, -4), { x: 0, y: 8, scale: 2 });
  assert.deepEqual(zoomPan(zoomPan(state, 10, -4), -10, 4), state);
});

test("there is no empty margin beside what does not fit", () => {
  const state = zoomClamp({ x: 900, y: -50, scale: 1 }, CONTENT, VIEW);
  assert.deepEqual(state, { x: 500, y: 0, scale: 1 });
  assert.deepEqual(zoomClamp(state, CONTENT, VIEW), state);
});

test("what is revealed is seen, and what is seen already moves nothing", () => {
  const state = { x: 0, y: 0, scale: 1 };
  const far = { x: 700, y: 300, w: 60, h: 30 };
  assert.ok(isSeen(zoomReveal(state, far, VIEW), far, VIEW));
  assert.deepEqual(zoomReveal(state, { x: 100, y: 100, w: 60, h: 30 }, VIEW), state);
  const back = zoomReveal({ x: 600, y: 200, scale: 1 }, { x: 100, y: 100, w: 60, h: 30 }, VIEW);
  assert.ok(isSeen(back, { x: 100, y: 100, w: 60, h: 30 }, VIEW));
});
