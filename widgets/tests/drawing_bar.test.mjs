import assert from "node:assert/strict";
import { test } from "node:test";
import { DRAWING_FOLD_KEYS, DRAWING_KEYS, DRAWING_PANS, drawingCommand, drawingKey, drawingWords } from "../drawing_bar.js";
import { PLAYER_KEYS, playerCommand } from "../player_bar.js";

const key = (name, shiftKey = false) => ({ key: name, shiftKey });

test("an arrow moves the drawing with Shift only", () => {
  assert.equal(drawingCommand(key("ArrowLeft"), DRAWING_KEYS), null);
  assert.equal(drawingCommand(key("ArrowLeft", true), DRAWING_KEYS), "panLeft");
  assert.equal(drawingKey(key("ArrowUp", true)), "Shift+ArrowUp");
  assert.equal(drawingKey(key("?", true)), "?");
  for (const [, , command] of DRAWING_KEYS) if (command.startsWith("pan")) assert.ok(command in DRAWING_PANS);
  assert.deepEqual(Object.values(DRAWING_PANS).reduce(([x, y], [dx, dy]) => [x + dx, y + dy]), [0, 0]);
});

test("the player has every key of a drawing, with the same meaning", () => {
  for (const entry of [...DRAWING_KEYS, ...DRAWING_FOLD_KEYS]) {
    assert.ok(PLAYER_KEYS.includes(entry));
    for (const name of entry[0]) assert.equal(playerCommand(name, "SECTION"), entry[2]);
  }
});

test("keys that share their words are listed once", () => {
  const words = drawingWords(DRAWING_KEYS);
  assert.equal(words.length, new Set(words).size);
  assert.ok(words.every((text) => text.length > 0));
});
