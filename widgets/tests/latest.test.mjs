import assert from "node:assert/strict";
import { test } from "node:test";
import { followWords } from "../follow.js";
import { latestOnly } from "../latest.js";
import { changesMade, changesRange } from "../player_changes.js";

/** A stub of the kernel: requests wait until they are answered. */
function slow() {
  const sent = [];
  return { sent, send: (value) => new Promise((resolve, reject) => sent.push({ value, resolve, reject })) };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

test("while a request is under way, only the last value after it is kept", async () => {
  const { sent, send } = slow();
  const push = latestOnly(send);
  for (let i = 0; i <= 50; i += 1) push(i);
  assert.deepEqual(sent.map(({ value }) => value), [0]);
  sent[0].resolve();
  await turn();
  assert.deepEqual(sent.map(({ value }) => value), [0, 50]);
  sent[1].resolve();
  await turn();
  assert.equal(sent.length, 2);
});

test("after a failure the next value is sent", async () => {
  const { sent, send } = slow();
  const push = latestOnly(send);
  push(1);
  push(2);
  sent[0].reject(new Error("no"));
  await turn();
  assert.deepEqual(sent.map(({ value }) => value), [1, 2]);
  sent[1].resolve();
  await turn();
  push(3);
  assert.equal(sent.length, 3);
});

test("it has settled when the last request is answered, and not before", async () => {
  const { sent, send } = slow();
  let settled = 0;
  const push = latestOnly(send, () => (settled += 1));
  push(1);
  push(2);
  sent[0].resolve();
  await turn();
  assert.equal(settled, 0);
  sent[1].resolve();
  await turn();
  assert.equal(settled, 1);
});

test("each state of an output has a sign and a word of its own", () => {
  const found = ["follows", "behind", "pinned"].map(followWords);
  assert.equal(new Set(found.map(([sign]) => sign)).size, 3);
  assert.equal(new Set(found.map(([, word]) => word)).size, 3);
});

test("a slider for a number has the number and 0 inside", () => {
  for (const x of [0, 0.1, -3, 1e-9, 12345]) {
    const [low, high] = changesRange(x);
    assert.ok(low < x && x < high && low < 0 && high > 0);
  }
});

test("only arrays with another number are sent", () => {
  const arrays = [{ name: "", numbers: [1, 2] }, { name: "w", numbers: [3] }];
  assert.deepEqual(changesMade(arrays, { "": [1, 2], w: [4] }), { w: [4] });
  assert.deepEqual(changesMade(arrays, { "": [1, 2], w: [3] }), {});
});
