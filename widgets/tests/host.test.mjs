import assert from "node:assert/strict";
import { test } from "node:test";
import { hostOf } from "../host.js";

/** A stub of a widget model; `send` handles its messages. */
function modelThat(send) {
  const state = { opening: { steps: 3 }, kept: {} };
  const listeners = new Map();
  return {
    state,
    get: (name) => state[name],
    set: (name, value) => (state[name] = value),
    save_changes() {},
    on: (name, listener) => listeners.set(name, listener),
    off: (name) => listeners.delete(name),
    fire: (name, ...values) => listeners.get(name)?.(...values),
    count: () => listeners.size,
    send,
  };
}

test("an answer reaches the question that it is for, whatever comes first", async () => {
  const sent = [];
  const model = modelThat((message) => sent.push(message));
  const host = hostOf(model);
  const first = host.ask({ ask: "a" });
  const second = host.ask({ ask: "b" });
  model.fire("msg:custom", { id: sent[1].id, answer: { of: "b" } });
  model.fire("msg:custom", { id: sent[0].id, answer: { of: "a" } });
  model.fire("msg:custom", { id: "nobody's", answer: {} });
  assert.deepEqual(await first, { of: "a" });
  assert.deepEqual(await second, { of: "b" });
  assert.deepEqual(host.opening, { steps: 3 });
});

test("a refusal is an error with its words", async () => {
  const model = modelThat((message) => model.fire("msg:custom", { id: message.id, refused: "`step` is a whole number" }));
  await assert.rejects(hostOf(model).ask({ ask: "a" }), /`step` is a whole number/);
});

test("when the kernel goes, every question ends, and later ones at once", async () => {
  const model = modelThat(() => {});
  const host = hostOf(model);
  const asked = host.ask({ ask: "a" });
  let deaths = 0;
  host.onDeath(() => (deaths += 1));
  model.fire("comm_live_update");
  model.fire("comm_live_update");
  await assert.rejects(asked, /Run the cell again/);
  await assert.rejects(host.ask({ ask: "b" }), /Run the cell again/);
  assert.equal(deaths, 1);
  assert.equal(host.alive(), false);
  host.onDeath(() => (deaths += 1));
  assert.equal(deaths, 2);
});

test("a widget of a saved page, whose layout has no comm, has no kernel", async () => {
  const model = modelThat(() => assert.fail("nobody is there"));
  model.state.layout = { comm_live: false };
  const host = hostOf(model);
  assert.equal(host.alive(), false);
  await assert.rejects(host.ask({ ask: "a" }), /Run the cell again/);
  assert.deepEqual(host.opening, { steps: 3 });
  model.state.layout = { comm_live: true };
  assert.equal(hostOf(model).alive(), true);
});

test("a channel that breaks while a question is sent is a kernel that is gone", async () => {
  const model = modelThat(() => {
    throw new Error("closed");
  });
  const host = hostOf(model);
  await assert.rejects(host.ask({ ask: "a" }), /Run the cell again/);
  assert.equal(host.alive(), false);
});

test("a kernel that is shut down is gone, one that is busy is not", () => {
  const signal = () => {
    const heard = new Set();
    return { heard, connect: (f) => heard.add(f), disconnect: (f) => heard.delete(f), emit: () => heard.forEach((f) => f()) };
  };
  const kernel = { status: "idle", isDisposed: false, statusChanged: signal(), disposed: signal() };
  const model = { ...modelThat(() => {}), widget_manager: { kernel } };
  const host = hostOf(model);
  const other = hostOf(model);
  other.release();
  kernel.status = "busy";
  kernel.statusChanged.emit();
  assert.equal(host.alive(), true);
  kernel.status = "terminating";
  kernel.statusChanged.emit();
  assert.equal(host.alive(), false);
  assert.equal(other.alive(), true);
  assert.equal(kernel.statusChanged.heard.size + kernel.disposed.heard.size, 2);
});

test("no answer is an error after a while", async () => {
  await assert.rejects(hostOf(modelThat(() => {}), 10).ask({ ask: "a" }), /no answer/);
});

test("what is kept is found again, beside what else is kept", () => {
  const model = modelThat(() => {});
  const host = hostOf(model);
  assert.equal(host.recall("step", 0), 0);
  host.keep("step", 17);
  host.keep("speed", 2);
  assert.equal(hostOf(model).recall("step", 0), 17);
  assert.deepEqual(model.state.kept, { step: 17, speed: 2 });
});

test("a host that is released hears nothing more", () => {
  const model = modelThat(() => {});
  hostOf(model).release();
  assert.equal(model.count(), 0);
});

test("a view is told when the kernel replaces its opening record", () => {
  const model = modelThat(() => {});
  const host = hostOf(model);
  const seen = [];
  host.onOpening((opening) => seen.push(opening));
  model.set("opening", { steps: 4 });
  model.fire("change:opening");
  assert.deepEqual(seen, [{ steps: 4 }]);
  host.release();
  assert.equal(model.count(), 0);
});
