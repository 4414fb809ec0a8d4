import assert from "node:assert/strict";
import { test } from "node:test";
import { diagramEnds, diagramFoldsOf, diagramFrames, diagramIndex, diagramMatches, diagramName, diagramOrder, diagramPartners, diagramCounterpart, diagramStep, diagramToggled } from "../diagram_navigation.js";

const box = (id, x, y, label = `b${id}`) => ({ id, x, y, w: 40, h: 20, label, text: label, fold: null });
const wire = (id, maker, readers, name = "") => ({ id, maker, readers, name, type: "Real(2)" });
const FOLDS = [
  { id: 0, kind: "handler", label: "rev handle" },
  { id: 1, kind: "net", label: "mlp" },
  { id: 2, kind: "clause", label: "Qᶠ FC" },
];
// 1 leads to 2 and 3, one above the other, and both lead to 5.
const DRAWING = {
  boxes: [box(1, 0, 50, "Get[w]"), box(2, 100, 0), box(3, 100, 100, "swish(z)"), box(5, 200, 50)],
  wires: [wire(0, null, [1], "x"), wire(1, 1, [2, 3], "z"), wire(2, 2, [5]), wire(3, 3, [5]), wire(4, 5, [null])],
  frames: [
    { fold: 0, x: -10, y: -10, w: 300, h: 200 },
    { fold: 2, x: 90, y: 90, w: 60, h: 40 },
  ],
  folded: [],
};
const INDEX = diagramIndex(DRAWING, FOLDS);

test("a wire connects what makes it with all that reads it; the ends of the diagram are no boxes", () => {
  assert.deepEqual(diagramEnds(INDEX, 1), [1, 2, 3]);
  assert.deepEqual(diagramEnds(INDEX, 0), [1]);
  assert.deepEqual(diagramEnds(INDEX, 4), [5]);
  assert.deepEqual(INDEX.ins.get(5), [2, 3]);
  assert.deepEqual(INDEX.outs.get(1), [1]);
});

test("arrows lead along wires, and up and down between boxes", () => {
  assert.equal(diagramStep(INDEX, 2, "ArrowRight"), 5);
  assert.equal(diagramStep(INDEX, 2, "ArrowLeft"), 1);
  assert.equal(diagramStep(INDEX, 1, "ArrowLeft"), null);
  assert.equal(diagramStep(INDEX, 5, "ArrowRight"), null);
  assert.equal(diagramStep(INDEX, 2, "ArrowDown"), 3);
  assert.equal(diagramStep(INDEX, 3, "ArrowUp"), 2);
  assert.equal(diagramStep(INDEX, 3, "ArrowDown"), null);
});

test("a step right and a step left along one wire lead back", () => {
  for (const id of [2, 3]) {
    const there = diagramStep(INDEX, id, "ArrowRight");
    assert.ok([2, 3].includes(diagramStep(INDEX, there, "ArrowLeft")));
  }
});

test("boxes are in order from left to right", () => {
  assert.deepEqual(diagramOrder(DRAWING), [1, 2, 3, 5]);
});

test("the frames around a box, the innermost first", () => {
  assert.deepEqual(diagramFrames(DRAWING, INDEX.boxes.get(3)).map((f) => f.fold), [2, 0]);
  assert.deepEqual(diagramFrames(DRAWING, INDEX.boxes.get(2)).map((f) => f.fold), [0]);
});

test("the search finds boxes by their text and wires by their names, whatever the case", () => {
  assert.deepEqual(diagramMatches(INDEX, "SWISH"), [{ kind: "box", id: 3 }]);
  assert.deepEqual(diagramMatches(INDEX, "z"), [{ kind: "box", id: 3 }, { kind: "wire", id: 1 }]);
  assert.deepEqual(diagramMatches(INDEX, "  "), []);
  assert.deepEqual(diagramMatches(INDEX, "nowhere"), []);
});

test("toggling a fold twice changes nothing", () => {
  for (const folded of [[], [1], [0, 2]]) {
    for (const fold of [0, 1, 2]) assert.deepEqual(diagramToggled(diagramToggled(folded, fold), fold), folded);
  }
  assert.deepEqual(diagramToggled([2], 0), [0, 2]);
});

test("folds of some kinds", () => {
  assert.deepEqual(diagramFoldsOf(FOLDS, ["clause"]), [2]);
  assert.deepEqual(diagramFoldsOf(FOLDS, ["net", "handler"]), [0, 1]);
});

test("a box that is hidden in a fold is found again as the box of the fold", () => {
  assert.equal(diagramCounterpart(INDEX, 3), 3);
  assert.equal(diagramCounterpart(INDEX, 4), 3);
  assert.equal(diagramCounterpart(INDEX, 0), null);
});

test("a cotangent and its value know each other, as far as they are shown", () => {
  const index = diagramIndex(DRAWING, FOLDS, [[3, 1], [4, 1], [2, 99], [0, 0]]);
  assert.deepEqual(diagramPartners(index, 3), { value: 1, cotangents: [] });
  assert.deepEqual(diagramPartners(index, 1), { value: null, cotangents: [3, 4] });
  assert.deepEqual(diagramPartners(index, 2), { value: null, cotangents: [] });
  assert.deepEqual(diagramPartners(index, 0), { value: null, cotangents: [] });
  assert.equal(diagramName(index, 1), "z : Real(2)");
  assert.equal(diagramName(index, 3), "cotangent of z : Real(2)");
  assert.equal(diagramName(index, 2), "Real(2)");
});
