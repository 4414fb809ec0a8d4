import assert from "node:assert/strict";
import { test } from "node:test";
import { blockEnds, foldedRows, originEnd, rowOfLine, staysOpen } from "../stepper_folds.js";

const LINES = [
  ["RH^V(⟨x⟩.", [], 0],
  ["  let z ⇐ FC[w0](x) in", [], 1],
  ["  let h ⇐", [], 1],
  ["    ⌊swish(z)⌋", [], 1],
  ["  in FC[w1](h)", [], 1],
  ["in", [], 0],
  ["  let w ⇐ Get[w0]()", [], 2],
  ["in ⌊w⌋", [], 0],
];
const NONE = new Set();

/** The lines of rows, in order. */
function covered(rows) {
  return rows.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
}

test("a block is what is indented deeper than the line above it", () => {
  assert.deepEqual(blockEnds(LINES), [5, 2, 4, 4, 5, 7, 7, 8]);
  assert.deepEqual(blockEnds([]), []);
});

test("lines of one origin in a row belong together", () => {
  assert.equal(originEnd(LINES, 1), 5);
  assert.equal(originEnd(LINES, 2), 5);
  assert.equal(originEnd(LINES, 6), 7);
});

test("nothing folded: a row for each line", () => {
  const rows = foldedRows(LINES, NONE, NONE, NONE);
  assert.deepEqual(rows.map((row) => row.line), LINES.map((_, i) => i));
  assert.deepEqual(rows.filter((row) => row.fold !== null).map((row) => [row.line, row.fold.kind, row.fold.count, row.fold.isOpen]), [
    [0, "block", 4, true],
    [1, "origin", 4, true],
    [2, "block", 1, true],
    [5, "block", 1, true],
  ]);
});

test("an origin folds to one row that says how many lines it stands for", () => {
  const rows = foldedRows(LINES, new Set([1]), NONE, NONE);
  const folded = rows.find((row) => row.fold?.kind === "origin");
  assert.deepEqual([folded.from, folded.to, folded.fold.count, folded.fold.isOpen], [1, 5, 4, false]);
  assert.deepEqual(covered(rows), LINES.map((_, i) => i));
});

test("a folded block keeps the line that it stands under", () => {
  const rows = foldedRows(LINES, NONE, new Set(["in"]), NONE);
  assert.deepEqual(rows.map((row) => [row.from, row.to]).slice(-2), [[5, 7], [7, 8]]);
  assert.deepEqual(covered(rows), LINES.map((_, i) => i));
});

test("no choice of folds hides a needed line, and every line is in one row", () => {
  for (let choice = 0; choice < 64; choice += 1) {
    const origins = new Set([1, 2].filter((_, i) => choice & (1 << i)));
    const blocks = new Set(["RH^V(⟨x⟩.", "  let h ⇐", "in"].filter((_, i) => choice & (4 << i)));
    for (let line = 0; line < LINES.length; line += 1) {
      const needed = new Set(choice & 32 ? [line, 3] : [line]);
      const rows = foldedRows(LINES, origins, blocks, needed);
      assert.deepEqual(covered(rows), LINES.map((_, i) => i));
      for (const one of needed) {
        const row = rows[rowOfLine(rows, one)];
        assert.ok(row.line === one && (row.fold === null || row.fold.kind === "block" || row.fold.isOpen), `${choice} ${line}`);
      }
    }
  }
});

test("the row of a line is the one that stands for it", () => {
  const rows = foldedRows(LINES, new Set([1]), NONE, NONE);
  for (let line = 0; line < LINES.length; line += 1) {
    const { from, to } = rows[rowOfLine(rows, line)];
    assert.ok(from <= line && line < to);
  }
  assert.equal(rowOfLine([], 3), 0);
});

test("a fold that hides what is needed stays open, and that can be told", () => {
  const fold = { kind: "origin", key: 1 };
  assert.equal(staysOpen(foldedRows(LINES, new Set([1]), NONE, NONE), fold), false);
  assert.equal(staysOpen(foldedRows(LINES, new Set([1]), NONE, new Set([3])), fold), true);
  assert.equal(staysOpen(foldedRows(LINES, new Set([1]), NONE, new Set([3])), { kind: "block", key: LINES[3][0] }), false);
});
