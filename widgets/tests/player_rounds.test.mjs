import assert from "node:assert/strict";
import { test } from "node:test";
import { PlayerPass } from "../player_pass.js";
import { playerPath } from "../player_geometry.js";
import { playerLatest } from "../player_rounds.js";

const content = (x) => ({ type: "Real", text: String(x), shape: [1], norm: Math.abs(x), min: x, max: x, values: [x] });
const wire = (id, name, born, last_read, more = {}) => ({
  id, name, role: "value", born, last_read, type: "Real", of: null, waits: false, content: content(id), ...more,
});
const step = (frame, box, label, leg, reads, makes, more = {}) => ({ frame, box, label, leg, reads, makes, title: label, ...more });

// x; a loop of three rounds with one box in it, and on the way back another one.
const loopPass = () => ({
  frames: 15,
  turn: 8,
  rows: [],
  accesses: [],
  wires: [
    wire(0, "x", 0, 1),
    wire(1, "s", 1, 6, { writes: [1, 3, 5] }),
    wire(2, "y", 2, 7, { writes: [2, 4, 6] }),
    wire(3, "z", 7, 8),
    wire(4, "w", 8, 9),
    wire(5, "w'", 9, 14, { writes: [9, 11, 13], role: "cotangent", of: 2 }),
    wire(6, "w''", 10, 15, { writes: [10, 12, 14], role: "cotangent", of: 1 }),
  ],
  steps: [
    step(1, "0", "repeat i < 3", "forward", [0], [1], { rounds: [1], begins: 0 }),
    step(2, "1", "f(s)", "forward", [1], [2], { rounds: [1] }),
    step(3, "0", "repeat i < 3", "forward", [2], [1], { rounds: [2], begins: 0 }),
    step(7, "0", "repeat i < 3", "forward", [2], [3]),
    step(8, "2", "return", "return", [3], [4]),
    step(9, "3", "repeat i < 3, back", "backward", [4], [5], { rounds: [3], begins: 3 }),
    step(10, "4", "R'[f(s)]", "backward", [5], [6], { rounds: [3], skips: ["9"] }),
    step(11, "3", "repeat i < 3, back", "backward", [6], [5], { rounds: [2], begins: 3 }),
    step(15, "3", "repeat i < 3, back", "backward", [6], []),
  ],
  again: [[4, 2, [2]], [5, 3, [3]], [6, 2, [3]], [12, 10, [2]], [13, 11, [1]], [14, 10, [1]]],
  loops: [
    { id: 0, title: "repeat i < 3", count: 3, back: false, outer: [], begins: [1, 3, 5], end: 7 },
    { id: 3, title: "repeat i < 3, back", count: 3, back: true, outer: [], begins: [9, 11, 13], end: 15 },
  ],
  written: [[1, 1, content(10)], [2, 2, content(20)], [1, 3, content(11)], [2, 4, content(21)]],
});

test("a frame knows its round, which counts backwards on the way back", () => {
  const { rounds } = new PlayerPass(loopPass());
  const found = Array.from({ length: 16 }, (_, frame) => rounds.roundAt(frame)?.round ?? null);
  assert.deepEqual(found, [null, 1, 1, 2, 2, 3, 3, null, null, 3, 3, 2, 2, 1, 1, null]);
});

test("one jumps to the beginning of a round, forward and back", () => {
  const { rounds } = new PlayerPass(loopPass());
  const [forward, back] = rounds.top;
  for (const round of [1, 2, 3]) {
    assert.equal(rounds.roundAt(rounds.begin(forward, round)).round, round);
    assert.equal(rounds.roundAt(rounds.begin(back, round)).round, round);
  }
  assert.equal(rounds.begin(forward, 99), 5);
  assert.equal(rounds.begin(back, 0), 13);
});

test("a wire in a loop is empty at the beginning of each round, and holds what that round wrote", () => {
  const pass = new PlayerPass(loopPass());
  const states = [1, 2, 3, 4, 7].map((frame) => {
    pass.settle(frame);
    return [pass.wireState(1, frame), pass.wireState(2, frame), pass.wires.get(1).content.text, pass.wires.get(2).content.text];
  });
  assert.deepEqual(states.slice(0, 4), [
    ["fresh", "empty", "10", "…"],
    ["read", "fresh", "10", "20"],
    ["fresh", "empty", "11", "…"],
    ["read", "fresh", "11", "21"],
  ]);
  assert.equal(states[4][3], "…");
});

test("what has not arrived is asked for, round by round", () => {
  const pass = new PlayerPass(loopPass());
  assert.deepEqual(pass.rounds.missing(4), []);
  assert.deepEqual(pass.rounds.missing(6), [[5, 6]]);
  assert.deepEqual(pass.rounds.missing(10), [[5, 6], [9, 10]]);
  pass.rounds.take([[1, 5, content(12)], [2, 6, content(22)]]);
  assert.deepEqual(pass.rounds.missing(6), []);
});

test("a box in a loop runs again in each round", () => {
  const pass = new PlayerPass(loopPass());
  const states = [0, 1, 2, 3, 4, 5, 7].map((frame) => pass.boxState({ id: "1", frame: 2, last_frame: 6 }, frame));
  assert.deepEqual(states, ["later", "later", "now", "later", "now", "later", "ran"]);
});

test("a box of the branch that does not run is skipped from the decision on", () => {
  const pass = new PlayerPass(loopPass());
  assert.deepEqual([9, 10, 12].map((frame) => pass.boxState({ id: "9", frame: 0, last_frame: 0 }, frame)), ["later", "skipped", "skipped"]);
});

test("captions name the round and the way", () => {
  const pass = new PlayerPass(loopPass());
  assert.equal(pass.caption(3), "round 2 of 3: it begins with s");
  assert.equal(pass.caption(4), "round 2 of 3: f(s): reads s, makes y");
  assert.match(pass.caption(12), /^round 2 of 3, going back: R'\[f\(s\)\]: reads/);
  assert.equal(pass.caption(8), "return, the turn: reads z, makes w");
});

test("a strand turns between points one above the other", () => {
  assert.equal(playerPath([[50, 40], [50, 20], [10, 20], [10, 40]]), "M50 40C66 40 66 20 50 20H10C-6 20 -6 40 10 40");
});

test("the latest of some frames", () => {
  assert.deepEqual([0, 1, 2, 3, 9].map((frame) => playerLatest([1, 3, 5], frame)), [-1, 0, 0, 1, 2]);
});
