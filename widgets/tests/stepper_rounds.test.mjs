import assert from "node:assert/strict";
import { test } from "node:test";
import { RoundRows, StepperRounds, legsWithin } from "../stepper_rounds.js";

// Two rounds with two inner ones each from step 1 to 12, and two backward ones from 14 to 19.
const ROUNDS = {
  loops: ["repeat i", "scan"],
  found: [
    [1, 6, 0, 0, 1, 2, 0],
    [2, 3, 1, 1, 1, 2, 0],
    [4, 5, 1, 1, 2, 2, 0],
    [7, 12, 0, 0, 2, 2, 0],
    [8, 9, 1, 1, 1, 2, 0],
    [10, 12, 1, 1, 2, 2, 0],
    [14, 16, 0, 0, 2, 2, 1],
    [17, 19, 0, 0, 1, 2, 1],
  ],
};
const ALL = [...Array(21).keys()];
const LEGS = [
  [0, 0, "forward", 0, "rev handle", ""],
  [3, 8, "forward", 4, "FC[w](x)", ""],
  [9, 12, "forward", 5, "tanh(y)", ""],
];

function opened(...open) {
  const rounds = new StepperRounds(ROUNDS);
  open.forEach((round) => rounds.toggle(round));
  return rounds;
}

function plain(rows) {
  return [...Array(rows.length).keys()].map((row) => {
    const { step, round, leg } = rows.at(row);
    return round !== undefined ? `round ${round}` : step ?? `leg ${leg[4]}`;
  });
}

test("closed rounds are one row each", () => {
  const rows = new RoundRows(ALL, [], opened());
  assert.deepEqual(plain(rows), [0, "round 0", "round 3", 13, "round 6", "round 7", 20]);
  for (const [step, row] of [[0, 0], [1, 1], [6, 1], [9, 2], [13, 3], [16, 4], [20, 6]]) assert.equal(rows.rowOf(step), row);
});

test("open rounds nest, and every visible step is found in its row", () => {
  for (const open of [[0], [0, 1], [3, 5], [0, 1, 2, 3, 4, 5, 6, 7], [1]]) {
    for (const shown of [ALL, ALL.filter((step) => step % 3 > 0), [8], [0, 20]]) {
      const rounds = opened(...open);
      const rows = new RoundRows(shown, LEGS, rounds);
      const isOpen = (step) => ROUNDS.found.every(([first, last], i) => step < first || last < step || rounds.open.has(i));
      assert.deepEqual(plain(rows).filter((each) => typeof each === "number"), shown.filter(isOpen));
      for (const step of shown) {
        const at = rows.at(rows.rowOf(step));
        if (isOpen(step)) assert.equal(at.step, step);
        else assert.ok(ROUNDS.found[at.round][0] <= step && step <= ROUNDS.found[at.round][1] && !at.isOpen);
      }
    }
  }
});

test("a round without a visible step has no row", () => {
  assert.deepEqual(plain(new RoundRows([0, 8, 20], [], opened())), [0, "round 3", 20]);
  assert.deepEqual(plain(new RoundRows([], [], opened())), []);
});

test("a trace without rounds has the rows of its steps and legs", () => {
  const rows = new RoundRows([0, 3, 9], LEGS, new StepperRounds());
  assert.deepEqual(plain(rows), ["leg rev handle", 0, "leg FC[w](x)", 3, "leg tanh(y)", 9]);
});

test("the round of a step is the innermost one, and is named", () => {
  const rounds = opened();
  assert.deepEqual([0, 1, 2, 6, 7, 12, 13, 14].map((step) => rounds.at(step)), [null, 0, 1, 0, 3, 5, null, 6]);
  assert.equal(rounds.words(4), "⟳ round 2 of 2 (scan)");
  assert.equal(rounds.words(15), "⟳ backward through round 2 of 2 (repeat i)");
  assert.equal(rounds.words(13), "");
});

test("the next round begins behind the step, the one before in front of it", () => {
  const rounds = opened();
  assert.deepEqual([0, 1, 12, 17].map((step) => rounds.next(step, 1)), [1, 2, 14, null]);
  assert.deepEqual([0, 1, 2, 20].map((step) => rounds.next(step, -1)), [null, null, 1, 17]);
});

test("legs are cut at the ends of a round, and are as deep as it is", () => {
  assert.deepEqual(legsWithin(LEGS, 7, 12, 1), [[7, 8, "forward", 1, "FC[w](x)", ""], [9, 12, "forward", 2, "tanh(y)", ""]]);
  assert.deepEqual(legsWithin(LEGS, 1, 2, 1), []);
});

test("the rows of 20,000 rounds are made at once", () => {
  const found = [...Array(20_000).keys()].map((n) => [1 + 5 * n, 5 + 5 * n, 0, 0, n + 1, 20_000, 0]);
  const rounds = new StepperRounds({ loops: ["repeat i"], found });
  const begun = performance.now();
  const rows = new RoundRows([...Array(100_001).keys()], [], rounds);
  assert.ok(performance.now() - begun < 500);
  assert.equal(rows.length, 20_001);
  assert.equal(rows.rowOf(50_000), 10_000);
});
