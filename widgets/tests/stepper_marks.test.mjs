import assert from "node:assert/strict";
import { test } from "node:test";
import { anchoredTop, marksByLine, markStarts, nearLines, neededLines, rangesByLine, runsOf, sharedLefts } from "../stepper_marks.js";

test("runs put together are the line, whatever lies on it", () => {
  const line = ["let 𝑥 ← W.rd(x. N)(V)", [3, 1, 4, 0, 2, 2], 0];
  const marks = [[4, 9, "redex"], [6, 40, "focus"], [0, 0, "changed"]];
  for (const some of [[], marks.slice(0, 1), marks]) {
    const runs = runsOf(line, some);
    assert.equal(runs.map((run) => run.text).join(""), line[0]);
    assert.ok(runs.every((run) => run.text !== ""));
  }
});

test("looks and marks count UTF-16 units, and what has no look is plain", () => {
  const runs = runsOf(["𝑥⟩ab", [2, 5, 1, 0, 1, 6], 0], [[2, 4, "redex"]]);
  assert.deepEqual(
    runs.map(({ text, role, kinds }) => [text, role, kinds.map((each) => each.kind)]),
    [["𝑥", 5, []], ["⟩", 0, ["redex"]], ["a", 6, ["redex"]], ["b", 0, []]],
  );
});

test("a run knows where a mark begins and where it ends", () => {
  const runs = runsOf(["abc", [1, 1, 1, 2, 1, 3], 0], [[0, 3, "picked"], [1, 2, "caret"]]);
  const ends = runs.map(({ kinds }) => kinds.map(({ kind, first, last }) => `${first ? "<" : ""}${kind}${last ? ">" : ""}`).join(" "));
  assert.deepEqual(ends, ["<picked", "picked <caret>", "picked>"]);
});

test("an empty line has no runs", () => {
  assert.deepEqual(runsOf(["", [], 0], [[0, 0, "redex"]]), []);
});

test("ranges are told line by line, the wider marks first", () => {
  assert.deepEqual([...rangesByLine([0, 1, 5, 2, 0, 3, 0, 7, 9])], [[0, [[1, 5], [7, 9]]], [2, [[0, 3]]]]);
  const byLine = marksByLine({ focus: [3, 2, 4], redex: [3, 0, 9, 4, 0, 2] });
  assert.deepEqual(byLine.get(3), [[0, 9, "redex"], [2, 4, "focus"]]);
  assert.deepEqual(markStarts({ redex: [3, 1, 9, 4, 0, 2], focus: [] }), { redex: { line: 3, column: 1, end: 9 } });
});

test("a fold may hide the inside of a redex, but not its first line, and nothing of what the rule looks at", () => {
  const needed = neededLines({ redex: [1, 0, 9, 2, 0, 9, 3, 0, 9], focus: [2, 3, 5, 3, 0, 4] });
  assert.deepEqual([...needed].sort(), [1, 2, 3]);
  assert.deepEqual([...neededLines({ contractum: [4, 0, 9, 5, 0, 9] })], [4]);
});

test("lines near a mark are not dimmed, and without a mark none is", () => {
  assert.equal(nearLines({}, 2), null);
  assert.deepEqual([...nearLines({ redex: [5, 0, 1, 6, 0, 1] }, 1)].sort(), [4, 5, 6, 7]);
});

test("the mark stands at the same height whatever line it is on, unless what is in focus would be out of sight", () => {
  for (const line of [0, 3, 80, 1000]) assert.equal(line - anchoredTop(line, line + 2, 2, 12), 2);
  const top = anchoredTop(50, 75, 2, 12);
  assert.ok(75 - top < 12 && 75 - top > 2);
});

test("both panes are scrolled to the right alike, and no mark begins out of sight", () => {
  const places = [0, 20, 100, 180, 300, 450, 800, 2000];
  for (const one of places) {
    for (const other of places) {
      for (const long of [10, 200, 900]) {
        const panes = [one, other].map((start) => ({ indent: Math.min(start, 250), start, end: start + long, width: 460 }));
        const lefts = sharedLefts(panes);
        panes.forEach(({ start }, i) => assert.ok(lefts[i] >= 0 && lefts[i] <= start && start < lefts[i] + 460, `${one} ${other} ${long}`));
        if (Math.abs(one - other) < 200 && long === 10) assert.equal(lefts[0], lefts[1]);
      }
    }
  }
});

test("without need nothing is scrolled to the right; indentation that takes much room is", () => {
  const pane = (indent, start, end) => ({ indent, start, end, width: 460 });
  assert.deepEqual(sharedLefts([pane(0, 0, 100), pane(40, 200, 400)]), [0, 0]);
  const [left, right] = sharedLefts([pane(300, 300, 350), pane(300, 320, 360)]);
  assert.ok(left === right && left > 200 && left < 300);
  assert.deepEqual(sharedLefts([pane(0, 500, 600), pane(0, 500, 510)]), [164, 164]);
});
