import assert from "node:assert/strict";
import { test } from "node:test";
import { playerEntries, playerPath } from "../player_geometry.js";
import { playerRest, playerTurned } from "../player_turn.js";

const box = (id, leg, x, y, w = 40) => ({ id, leg, x, y, w, h: 20 });

// Two clauses, one in the other, with a wire of each that waits; the return clause; a chip behind every box.
function pass(gap = 60) {
  const at = (i) => 10 + i * (40 + gap);
  const boxes = [
    box("a", "forward", at(0), 10),
    box("b", "forward", at(1), 50),
    box("r", "return", at(2), 70),
    box("B", "backward", at(3), 50),
    box("A", "backward", at(4), 10),
  ];
  const wire = (n, from, to, y) => ({ wire: n, points: [[boxes[from].x + 40, y], [boxes[to].x, y]] });
  const strands = [
    wire(0, 0, 4, 15),
    { wire: 1, points: [[boxes[0].x + 40, 25], [boxes[1].x - 20, 25], [boxes[1].x, 60]] },
    wire(2, 1, 3, 55),
    { wire: 3, points: [[boxes[1].x + 40, 65], [boxes[2].x, 80]] },
    { wire: 4, points: [[boxes[2].x + 40, 80], [boxes[3].x - 10, 80], [boxes[3].x, 65]] },
    { wire: 5, points: [[boxes[3].x + 40, 60], [boxes[4].x, 25]] },
    { wire: 6, points: [[boxes[4].x + 40, 20], [boxes[4].x + 80, 20]] },
  ];
  const chips = boxes.map((b, i) => ({ wire: i + 1, x: b.x + 44, y: b.y + 2, w: gap - 8, h: 12 }));
  const labels = [{ wire: 1, x: boxes[0].x + 44, y: 21, text: "ℝ" }, { wire: 6, x: boxes[4].x + 44, y: 16, text: "ℝ²" }];
  return { width: boxes[4].x + 80 + gap, height: 100, boxes, strands, chips, labels, frames_of_parts: [], dots: [] };
}

const overlaps = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
const named = (drawing, id) => drawing.boxes.find((b) => b.id === id);

test("what was behind the turn is below what was before it, from right to left, in little more than half of the width", () => {
  for (const gap of [30, 60, 200]) {
    const straight = pass(gap);
    const turned = playerTurned(straight);
    assert.deepEqual(turned.boxes.filter((b) => b.back).map((b) => b.id), ["B", "A"]);
    assert.ok(named(turned, "A").x < named(turned, "B").x);
    for (const b of turned.boxes) assert.equal(b.y > turned.bend.y, Boolean(b.back));
    assert.ok(turned.width < 0.75 * straight.width);
    for (const r of [...turned.boxes, ...turned.chips]) assert.ok(0 <= r.x && r.x + r.w <= turned.width && r.y + r.h <= turned.height);
    for (const { points } of turned.strands) for (const [x, y] of points) assert.ok(0 <= x && x <= turned.width && 0 <= y && y <= turned.height);
  }
});

test("boxes and chips keep their sizes and lie on nothing", () => {
  const straight = pass();
  const turned = playerTurned(straight);
  const all = (drawing) => [...drawing.boxes, ...drawing.chips];
  assert.deepEqual(all(turned).map(({ w, h }) => [w, h]), all(straight).map(({ w, h }) => [w, h]));
  all(turned).forEach((one, i) => all(turned).slice(i + 1).forEach((other) => assert.ok(!overlaps(one, other))));
});

test("every wire still goes from the box that makes it to the one that reads it", () => {
  const ends = (drawing) => {
    const side = (b, isOut) => (Boolean(b.back) === isOut ? b.x : b.x + b.w);
    const at = ([x, y], isOut) => drawing.boxes.find((b) => Math.abs(side(b, isOut) - x) < 1e-9 && b.y <= y && y <= b.y + b.h)?.id;
    return drawing.strands.map(({ wire, points }) => [wire, at(points[0], true), at(points[points.length - 1], false)]);
  };
  assert.deepEqual(ends(playerTurned(pass())), ends(pass()));
  assert.deepEqual(playerEntries(playerTurned(pass())).map(({ wire, way }) => [wire, way]), [[0, -1], [1, 1], [2, -1], [3, 1], [4, -1], [5, -1]]);
});

test("wires that wait go round each other", () => {
  const { strands } = playerTurned(pass());
  const bends = strands.flatMap(({ points }) => points.slice(1).flatMap(([x, y], i) => (x === points[i][0] ? [[x, points[i][1], y]] : [])));
  assert.deepEqual(bends.length, 3);
  const [outer, middle, inner] = bends.sort(([x], [u]) => u - x);
  assert.ok(outer[1] < middle[1] && middle[1] < inner[1] && inner[2] < middle[2] && middle[2] < outer[2]);
  assert.match(playerPath(strands[0].points), /^M[\d.]+ 15H[\d.]+q10 0 10 10V[\d.]+q0 10 -10 10H[\d.]+$/);
});

test("labels in the lower row end where they began", () => {
  const { labels } = playerTurned(pass());
  assert.deepEqual(labels.map((t) => Boolean(t.back)), [false, true]);
});

test("a return clause without a box is no reason not to turn, and a chip that is too long for the turn stands above it", () => {
  const [without, long] = [pass(), pass()];
  without.boxes = without.boxes.map((b) => (b.leg === "return" ? { ...b, leg: "forward" } : b));
  assert.deepEqual(playerTurned(without).boxes.map((b) => Boolean(b.back)), playerTurned(pass()).boxes.map((b) => Boolean(b.back)));
  long.chips[2] = { ...long.chips[2], w: 140 };
  const turned = playerTurned(long);
  assert.ok(turned.chips[2].x + 140 < turned.bend.x);
});

test("a forward pass alone, and one without a place to cut, stay as they are", () => {
  const [forward, crossed] = [pass(), pass()];
  forward.boxes = forward.boxes.map((b) => ({ ...b, leg: b.leg === "backward" ? "" : b.leg }));
  crossed.frames_of_parts = [{ x: 5, y: 5, w: crossed.width - 10, h: 90, title: "choice", leg: "" }];
  for (const geometry of [forward, crossed]) assert.equal(playerTurned(geometry), geometry);
});

test("the rest of the program lies between the two halves of a clause", () => {
  const [straight, turned] = [pass(), playerTurned(pass())];
  const of = (drawing, ...ids) => playerRest(drawing, ids.map((id) => named(drawing, id)));
  assert.equal(of(straight, "b", "B").d, of(straight, "B", "b").d);
  assert.equal(of(turned, "b", "B").d, of(turned, "B", "b").d);
  const [b, B] = [named(turned, "b"), named(turned, "B")];
  assert.ok(of(turned, "b", "B").d.startsWith(`M${b.x + b.w} `));
  assert.ok(of(turned, "b", "B").d.includes(`H${B.x + B.w}V`));
  assert.ok(of(turned, "a", "b").d.includes(`V${turned.bend.y}`), "in the upper row only");
  assert.equal(playerRest(straight, [named(straight, "a"), { ...named(straight, "b"), x: 55 }]), null);
});
