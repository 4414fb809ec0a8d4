import assert from "node:assert/strict";
import { test } from "node:test";
import { PLAYER_CHIP_HEIGHT, playerAround, playerChipWidth, playerClauses, playerCrossings } from "../player_geometry.js";
import { playerEntries, playerHalves, playerPath, playerStretch } from "../player_geometry.js";
import { PLAYER_KEYS, playerCommand, playerLegs } from "../player_bar.js";
import { playerTimeline } from "../player_compare.js";
import { PlayerPass } from "../player_pass.js";
import { smallPass } from "./player_passes.mjs";

// Boxes in rows, each with a wire to the next one of its row.
function rows(...widths) {
  const geometry = { width: 0, height: 40 * widths.length, boxes: [], frames_of_parts: [], strands: [], dots: [], labels: [] };
  widths.forEach((gaps, r) => {
    let x = 10;
    gaps.forEach((gap, i) => {
      const wire = 10 * r + i;
      const y = 40 * r + 23;
      geometry.boxes.push({ id: String(wire), x, y: y - 13, w: 40, h: 26 });
      geometry.strands.push({ wire, points: [[x + 40, y], [x + 40 + gap, y]] });
      geometry.labels.push({ wire, x: x + 44, y: y - 3.5, text: "ℝ" });
      x += 40 + gap;
    });
    geometry.width = Math.max(geometry.width, x);
  });
  return geometry;
}

const overlaps = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

test("in a stretched drawing no chip lies on a box or on another chip", () => {
  for (const gaps of [[[20, 30, 200]], [[5, 5, 5], [80, 5, 9]], [[12, 40], [33, 12], [12, 12]]]) {
    const geometry = rows(...gaps);
    const texts = new Map(geometry.strands.map(({ wire }, i) => [wire, "x".repeat(3 + 4 * (i % 4))]));
    const { boxes, chips, width } = playerStretch(geometry, texts);
    assert.equal(chips.length, texts.size);
    for (const chip of chips) {
      assert.equal(chip.w, playerChipWidth(chip.text));
      assert.equal(chip.h, PLAYER_CHIP_HEIGHT);
      for (const box of boxes) assert.ok(!overlaps(chip, box), "on a box");
      for (const other of chips) assert.ok(other === chip || !overlaps(chip, other), "on a chip");
      assert.ok(chip.x + chip.w <= width);
    }
  }
});

test("stretching keeps every wire at its box, and the order along the line", () => {
  const geometry = rows([5, 70, 5], [30, 30, 30]);
  const stretched = playerStretch(geometry, new Map(geometry.strands.map(({ wire }) => [wire, "0.123456"])));
  const ends = (drawing) => drawing.strands.map(({ wire, points }) => [
    wire,
    drawing.boxes.findIndex((b) => Math.abs(b.x + b.w - points[0][0]) < 1e-9 && Math.abs(b.y + 13 - points[0][1]) < 1e-9),
  ]);
  assert.deepEqual(ends(stretched), ends(geometry));
  const order = (drawing) => drawing.boxes.map((b, i) => i).sort((i, j) => drawing.boxes[i].x - drawing.boxes[j].x || i - j);
  assert.deepEqual(order(stretched), order(geometry));
  geometry.boxes.forEach((box, i) => assert.ok(stretched.boxes[i].w >= box.w - 1e-9));
});

test("with nothing to write nothing moves", () => {
  const geometry = rows([20, 20]);
  const { chips, ...rest } = playerStretch(geometry, new Map());
  assert.deepEqual(chips, []);
  assert.deepEqual(rest, geometry);
});

test("a path is straight at one height and else leaves horizontally", () => {
  assert.equal(playerPath([[0, 5], [10, 5]]), "M0 5H10");
  assert.equal(playerPath([[0, 5], [10, 9]]), "M0 5C5 5 5 9 10 9");
});

test("a wire enters the boxes whose left side it ends at", () => {
  const geometry = rows([20, 20]);
  assert.deepEqual(playerEntries(geometry), [{ wire: 0, x: 70, y: 23, way: 1 }]);
});

test("at the edge of the window are the wires that began far to the left of it", () => {
  const geometry = rows([300, 20], [20, 300]);
  assert.deepEqual(playerCrossings(geometry, 200), [{ wire: 0, y: 23 }, { wire: 11, y: 63 }]);
  assert.deepEqual(playerCrossings(geometry, 60), []);
  assert.deepEqual(playerCrossings(geometry, 340), [{ wire: 11, y: 63 }], "not where a box stands");
});

test("the halves of clauses match as brackets do", () => {
  const frame = (title, leg, x) => ({ title, leg, x, y: 0, w: 10, h: 10 });
  const frames = [
    frame("Qᶠ FC[w0]", "forward", 0),
    frame("Qᶠ FC[w0]", "forward", 20),
    frame("return", "return", 40),
    frame("Qᵇ FC[w0]", "backward", 60),
    frame("Qᵇ FC[w0]", "backward", 80),
    frame("Qᵇ FC[w9]", "backward", 99),
  ];
  const halves = playerHalves(frames);
  assert.deepEqual(halves, [4, 3, null, 1, 0, null]);
  assert.equal(playerAround(frames, halves, { x: 62, y: 2, w: 4, h: 4 }), 3);
  assert.equal(playerAround(frames, halves, { x: 42, y: 2, w: 4, h: 4 }), null);
});

test("a folded clause is a half as a frame is", () => {
  const box = (label, x) => ({ id: label, label, x, y: 0, w: 10, h: 10 });
  const clauses = playerClauses({
    frames_of_parts: [],
    boxes: [box("⟦Qᶠ FC[w0]⟧", 0), box("⟦return⟧", 20), box("⟦Qᵇ FC[w0]⟧", 40), box("R'[swish(z)]", 60)],
  });
  assert.deepEqual(clauses.map(({ title, leg }) => [title, leg]), [["Qᶠ FC[w0]", "forward"], ["Qᵇ FC[w0]", "backward"]]);
  assert.deepEqual(playerHalves(clauses), [1, 0]);
});

test("no key stands for two things, and fields keep the keys that they need", () => {
  const keys = PLAYER_KEYS.flatMap(([names]) => names);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(playerCommand("ArrowRight", "SECTION"), "forward");
  assert.equal(playerCommand("ArrowRight", "INPUT", "range"), "forward");
  assert.equal(playerCommand("ArrowRight", "SELECT"), null);
  assert.equal(playerCommand(" ", "BUTTON"), null);
  assert.equal(playerCommand("Enter", "SUMMARY"), null);
  assert.equal(playerCommand(" ", "g"), "play");
  assert.equal(playerCommand("d", "SECTION"), null);
});

test("the strip has the legs in their order, and their lengths are all moments", () => {
  const pass = new PlayerPass(smallPass());
  const legs = playerLegs(pass, playerTimeline([pass]));
  assert.deepEqual(legs.map(({ leg, long }) => [leg, long]), [["forward", 3], ["return", 1], ["backward", 3]]);
  assert.deepEqual(playerLegs(new PlayerPass({ ...smallPass(), turn: null }), [[0], [1]]), []);
});
