import assert from "node:assert/strict";
import { test } from "node:test";
import { PlayerPass, playerChange, playerCosine, playerDistance, playerNorm } from "../player_pass.js";
import { playerChip, playerFacts, playerList, playerNumber } from "../player_words.js";
import { smallPass } from "./player_passes.mjs";

const pass = new PlayerPass(smallPass());
const states = (id) => Array.from({ length: pass.frames + 1 }, (_, frame) => pass.wireState(id, frame));

test("a wire is empty until its box has run, and never before its readers done", () => {
  for (const wire of pass.wires.values()) {
    const found = states(wire.id);
    found.forEach((state, frame) => assert.equal(state === "empty", frame < wire.born, `${wire.name} at ${frame}`));
    found.forEach((state, frame) => state === "done" && assert.ok(frame >= wire.last_read));
  }
});

test("what the way back will read waits on its wire, and then is read", () => {
  assert.deepEqual(states(0), ["empty", "fresh", "live", "read", "waiting", "read", "done", "done"]);
  assert.deepEqual(states(1), ["empty", "empty", "fresh", "read", "waiting", "read", "waiting", "read"]);
  assert.deepEqual(states(2), ["empty", "empty", "empty", "fresh", "read", "done", "done", "done"]);
});

test("a cotangent does not wait, and what leaves the diagram stays to the end", () => {
  assert.deepEqual(states(3).slice(4), ["fresh", "read", "live", "read"]);
  assert.equal(pass.wireState(5, 7), "fresh");
  const longer = smallPass();
  longer.frames = 8;
  longer.steps.push({ ...longer.steps[6], frame: 8, label: "other", reads: [], makes: [] });
  longer.wires.find((wire) => wire.id === 5).last_read = 8;
  assert.equal(new PlayerPass(longer).wireState(5, 8), "live");
});

test("a wire that nothing knows, or that is read by nothing, is told as it is", () => {
  assert.equal(pass.wireState(99, 3), "empty");
  const idle = smallPass();
  idle.wires.push({ ...idle.wires[2], id: 9, born: 2, last_read: 2 });
  assert.equal(new PlayerPass(idle).wireState(9, 2), "fresh");
  assert.equal(new PlayerPass(idle).wireState(9, 3), "done");
});

test("a box is to come, runs, has run; a folded one runs as long as one of its boxes does", () => {
  const box = { frame: 2, last_frame: 3 };
  assert.deepEqual([1, 2, 3, 4].map((frame) => pass.boxState(box, frame)), ["later", "now", "now", "ran"]);
  assert.equal(pass.boxState({ frame: 2 }, 3), "ran");
});

test("the legs of the pass", () => {
  assert.deepEqual(
    [0, 1, 3, 4, 5, 7].map((frame) => pass.legAt(frame)),
    ["start", "forward", "forward", "return", "backward", "backward"],
  );
  const straight = new PlayerPass({ ...smallPass(), turn: null });
  assert.equal(straight.legAt(7), "forward");
});

test("a value and its cotangent are partners both ways", () => {
  assert.deepEqual(pass.partners(2), [3]);
  assert.deepEqual(pass.partners(3), [2]);
  assert.deepEqual(pass.partners(0), [5]);
  assert.deepEqual(pass.partners(1), []);
});

test("captions say what is read, made, looked up and written", () => {
  assert.match(pass.caption(0), /nothing has been computed/);
  assert.equal(pass.caption(2), "Get[w] looks up w: makes w");
  assert.equal(pass.caption(3), "w @ x, way forward: reads x and w, makes y");
  assert.equal(pass.caption(4), "x - t, the turn: reads y, makes y_2 (cotangent of y)");
  assert.equal(pass.caption(6), "Put[w] writes v4: w changes by ‖Δ‖ = 1");
});

test("the tag of a wire is the program's name, and a cotangent's that of its value", () => {
  assert.deepEqual([0, 3, 4, 5].map((id) => pass.tag(id)), ["x", "◂y", "new", "◂x"]);
});

test("a location has no content after it before its Put has run", () => {
  assert.equal(pass.weights(5)[0].after, null);
  assert.deepEqual(pass.weights(6)[0].after.values, [1, -1, 0, 1]);
  assert.deepEqual(pass.weights(6)[0].before.values, [1, 0, 0, 1]);
  assert.deepEqual(pass.puts(), [6]);
});

test("distance and cosine, also where numbers are missing or no numbers", () => {
  assert.equal(playerDistance([1, 2], [1, 0]), 2);
  assert.equal(playerDistance([1], null), null);
  assert.ok(Number.isNaN(playerDistance(["nan"], [0])));
  assert.equal(playerDistance(["inf"], [0]), Infinity);
  assert.equal(playerCosine([3, 0], [1, 0]), 1);
  assert.equal(playerCosine([1, 0], [0, 5]), 0);
  assert.equal(playerCosine([1e-200, 0], [-1e200, 0]), -1);
  assert.equal(playerCosine([0, 0], [1, 1]), null);
  assert.equal(playerCosine(["inf"], [1]), null);
  assert.equal(playerNorm(Array.from({ length: 300000 }, () => 1)), Math.sqrt(300000));
});

test("a first content has nothing to differ from, and a large one is not guessed at", () => {
  const put = pass.uses[1];
  assert.match(playerChange({ ...put, before: null }), /first content/);
  assert.equal(playerChange({ ...put, after: { ...put.after, values: null } }), "w has a new content");
});

test("numbers to four digits, as the kernel writes them", () => {
  const shown = [0, -0, 1, 0.1 + 0.2, 123456, 1.5e-7, 1e21, "nan", "-inf", NaN, Infinity, null].map((x) => playerNumber(x));
  assert.deepEqual(shown, ["0", "0", "1", "0.3", "123500", "1.5e-7", "1e21", "nan", "-inf", "nan", "inf", ""]);
});

test("what stands on a wire: numbers as long as they are few", () => {
  const content = (values, shape, norm) => ({ values, shape, norm });
  assert.equal(playerChip(content([0.12345], [], 0.1)), "0.123");
  assert.equal(playerChip(content([1, "nan"], [2], "nan"), "ℝ²", "x"), "x = [1, nan]");
  assert.equal(playerChip(content([1], [], 1), "ℝ", "new"), "new 1");
  assert.equal(playerChip(content([1, 2, 2], [3], 3), "ℝ³", "◂z"), "◂z ℝ³ ‖3‖");
  assert.equal(playerChip(content([1, 2, 2], [3], 3), "ℝ³"), "ℝ³ ‖3‖");
  assert.equal(playerChip(content(null, [100], 3)), "‖3‖");
  assert.equal(playerChip(content([], [0], 0), "ℝ⁰"), "empty");
});

test("facts and lists in words", () => {
  assert.equal(playerFacts({ type: "Real(2)", shape: [2], norm: 5, min: 3, max: 4 }), "Real(2), norm 5, from 3 to 4");
  assert.match(playerFacts({ type: "Real(2)", shape: [2], norm: "nan", min: null, max: null }), /no finite entry/);
  assert.deepEqual([playerList([]), playerList(["a"]), playerList(["a", "b", "c"])], ["", "a", "a, b and c"]);
});
