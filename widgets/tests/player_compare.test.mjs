import assert from "node:assert/strict";
import { test } from "node:test";
import { playerAlign, playerDrawn, playerMoments, playerRows, playerSeek, playerTimeline } from "../player_compare.js";
import { PlayerPass } from "../player_pass.js";
import { PlayerStore, playerPairs } from "../player_store.js";
import { playerDifferences } from "../player_table.js";
import { smallPass } from "./player_passes.mjs";

const passOf = (options) => new PlayerPass(smallPass(options));

// All strings over these letters up to a length.
function* words(letters, most) {
  yield "";
  if (most === 0) return;
  for (const rest of words(letters, most - 1)) for (const letter of letters) yield rest + letter;
}

function longest(left, right) {
  if (left === "" || right === "") return 0;
  if (left[0] === right[0]) return 1 + longest(left.slice(1), right.slice(1));
  return Math.max(longest(left.slice(1), right), longest(left, right.slice(1)));
}

test("an alignment is increasing, of equal keys, and as long as can be", () => {
  const all = [...new Set(words("ab", 4))];
  for (const left of all) {
    for (const right of all) {
      const pairs = playerAlign([...left], [...right]);
      assert.equal(pairs.length, longest(left, right), `${left} ${right}`);
      pairs.forEach(([i, j], k) => {
        assert.equal(left[i], right[j]);
        if (k > 0) assert.ok(i > pairs[k - 1][0] && j > pairs[k - 1][1]);
      });
    }
  }
});

test("two equal passes go in step, frame by frame", () => {
  assert.deepEqual(playerMoments(passOf(), passOf()), Array.from({ length: 8 }, (_, i) => [i, i]));
});

test("moments begin at the start, end at the end, never go back, and leave no frame of either pass out", () => {
  const all = [
    passOf(),
    passOf({ before: ["relu(x)"] }),
    passOf({ before: ["relu(x)", "sin(x)", "cos(x)"] }),
    passOf({ before: ["sin(x)"], returns: "sign(x)" }),
  ];
  for (const left of all) {
    for (const right of all) {
      const moments = playerMoments(left, right);
      assert.deepEqual(moments[0], [0, 0]);
      assert.deepEqual(moments[moments.length - 1], [left.frames, right.frames]);
      [left, right].forEach((pass, p) => assert.equal(new Set(moments.map((moment) => moment[p])).size, pass.frames + 1));
      const steps = moments.slice(1).flatMap((moment, i) => moment.map((frame, p) => frame - moments[i][p]));
      assert.ok(steps.every((step) => step === 0 || step === 1));
      assert.ok(moments.some(([a, b]) => a === left.turn && b === right.turn), "both turn at the same moment");
    }
  }
});

test("one pass has a moment for each frame and one before the first", () => {
  assert.deepEqual(playerTimeline([passOf()]), [[0], [1], [2], [3], [4], [5], [6], [7]]);
});

test("seeking finds the moment at which a frame is reached, not where it is only kept", () => {
  const moments = [[0, 0], [1, 1], [1, 2], [2, 3]];
  const frames = [new Set([1]), new Set([3])];
  assert.equal(playerSeek(moments, frames, -1, 1), 1);
  assert.equal(playerSeek(moments, frames, 1, 1), 3);
  assert.equal(playerSeek(moments, frames, 3, 1), null);
  assert.equal(playerSeek(moments, frames, 3, -1), 1);
  assert.equal(playerSeek(moments, frames, 1, -1), null);
});

test("rows of boxes that agree stand beside each other, and none is lost", () => {
  const [left, right] = [passOf(), passOf({ before: ["relu(x)"] })];
  const rows = playerRows(left.record.rows, right.record.rows);
  assert.deepEqual(
    rows.map((pair) => pair.map((row) => row?.label ?? null)),
    [["x", "x"], [null, "relu(x)"], ["FC[w]", "FC[w]"]],
  );
  assert.deepEqual(playerPairs([left, right]), [[0, 0], [5, 5], [2, 2], [3, 3]]);
});

test("differences are told of what both have computed, and of nothing else", () => {
  const passes = [passOf(), passOf({ rate: 2 })];
  const words = (frames) => Object.fromEntries(playerDifferences(passes, frames).map((d) => [d.what, d.words]));
  assert.deepEqual(
    words([3, 3]),
    { "cotangent of x": "not computed yet", "cotangent of FC[w]": "not computed yet", "update of w": "not computed yet" },
  );
  assert.deepEqual(words([5, 3]), words([3, 3]));
  const found = Object.fromEntries(playerDifferences(passes, [7, 7]).map((d) => [d.what, d]));
  assert.deepEqual(Object.values(found).map((d) => d.words), [null, null, null]);
  assert.equal(found["update of w"].size, 1);
  assert.equal(found["update of w"].cosine, 1);
  assert.deepEqual(found["update of w"].norms, ["‖1‖", "‖2‖"]);
  assert.ok(Math.abs(found["cotangent of FC[w]"].size - Math.hypot(0.5, 1)) < 1e-12);
});

test("what one pass has alone, or in another shape, or too large, is not compared", () => {
  const frozen = smallPass();
  frozen.accesses.pop();
  const alone = playerDifferences([passOf(), new PlayerPass(frozen)], [7, 7]).find((d) => d.what === "update of w");
  assert.deepEqual([alone.words, alone.norms[1]], ["only one has it", "none"]);
  const wide = smallPass();
  wide.wires.find((wire) => wire.id === 3).content = { values: [1], shape: [], norm: 1 };
  const other = playerDifferences([passOf(), new PlayerPass(wide)], [7, 7]).find((d) => d.what === "cotangent of FC[w]");
  assert.equal(other.words, "of different shapes");
  const large = smallPass();
  large.wires.find((wire) => wire.id === 3).content.values = null;
  const unknown = playerDifferences([passOf(), new PlayerPass(large)], [7, 7]).find((d) => d.what === "cotangent of FC[w]");
  assert.deepEqual([unknown.words, unknown.refs], ["too large to be compared here", [{ pass: 1, wire: 3 }]]);
});

test("a larger array is asked for once, and then stands where the smaller ones do", async () => {
  const large = smallPass();
  large.wires.find((wire) => wire.id === 3).content.values = null;
  large.accesses[1].after.values = null;
  const asked = [];
  const full = { values: [9, 9], shape: [2], norm: 12.7 };
  const ask = async (question) => {
    asked.push(question);
    return question.ask === "wire" ? { content: full, rows: [["9", "9"]] } : { before: null, after: full };
  };
  let arrivals = 0;
  const pass = new PlayerPass(large);
  const store = new PlayerStore({ ask, alive: () => true }, [pass], () => (arrivals += 1));
  store.want({ pass: 0, wire: 3 });
  store.want({ pass: 0, wire: 3 });
  await store.demand({ pass: 0, wire: 3 });
  await store.demand({ pass: 0, access: 1 });
  assert.deepEqual(asked, [{ ask: "wire", pass: 0, wire: 3 }, { ask: "access", pass: 0, access: 1 }]);
  assert.deepEqual(pass.wires.get(3).content.values, [9, 9]);
  assert.equal(pass.uses[1].after, full);
  assert.equal(arrivals, 2);
  assert.deepEqual(store.known({ pass: 0, wire: 3 }).rows, [["9", "9"]]);
});

test("what was refused can be asked for again, and nothing is asked of a dead kernel in passing", async () => {
  let refusals = 0;
  const ask = () => Promise.reject(new Error(`no ${(refusals += 1)}`));
  const store = new PlayerStore({ ask, alive: () => refusals < 2 }, [passOf()], () => assert.fail("nothing arrives"));
  await assert.rejects(store.demand({ pass: 0, wire: 3 }), /no 1/);
  await assert.rejects(store.demand({ pass: 0, wire: 3 }), /no 2/);
  store.want({ pass: 0, wire: 3 });
  assert.equal(refusals, 2);
});

test("the drawing that is there is not asked for, and one that there is not is none", async () => {
  const store = new PlayerStore({ ask: () => assert.fail("asked"), alive: () => true }, [passOf()], () => undefined);
  assert.equal((await store.layout(0, false)).title, "rev handle");
  assert.equal(await store.layout(0, true), null);
});

test("a record gives the drawing that the reader has chosen, if it is known", () => {
  const open = { folded: false, boxes: [{ id: "1" }, { id: "2" }] };
  const record = { title: "P", folded: true, boxes: [{ id: "1" }], foldings: [true, false], others: [open] };
  assert.equal(playerDrawn(record, true), record);
  assert.deepEqual(playerDrawn(record, false).boxes, open.boxes);
  assert.equal(playerDrawn(record, false).title, "P");
  const other = { ...record, others: [] };
  assert.equal(playerDrawn(other, false), other);
});

test("a drawing that comes with a record is not asked for", async () => {
  const open = { folded: false, boxes: [] };
  const record = { ...smallPass(), folded: true, foldings: [true, false], others: [open] };
  const store = new PlayerStore({ alive: () => true, ask: () => assert.fail("asked") }, [new PlayerPass(record)], () => undefined);
  assert.equal(await store.layout(0, false), open);
  assert.equal(await store.layout(0, true), record);
});
