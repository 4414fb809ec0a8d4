// Loops of a pass: which round runs at a frame, and what the wires inside hold in it.

/** The loops of a pass, and the contents written in each round. Wires inside a loop are written again in each round. */
export class PlayerRounds {
  constructor(pass) {
    this.pass = pass;
    this.loops = (pass.record.loops ?? []).map((loop) => ({ ...loop, outer: loop.outer ?? [] }));
    this.top = this.loops.filter((loop) => loop.outer.length === 0 && loop.begins.length > 0);
    this.contents = new Map();
    this.reads = pass.readers;
    this.wires = pass.record.wires.filter((wire) => wire.writes !== undefined);
    this.plain = new Map(this.wires.map((wire) => [wire.id, wire.content]));
    this.take(pass.record.written ?? []);
  }

  /** Take contents `[wire, frame, content]`. */
  take(written) {
    for (const [wire, frame, content] of written) this.contents.set(`${wire}|${frame}`, content);
  }

  /** The loop that runs at a frame and is not inside another one, or null. */
  loopAt(frame) {
    return this.top.find((loop) => loop.begins[0] <= frame && frame < loop.end) ?? null;
  }

  /** `{loop, round, index}` at a frame, or null outside of loops; rounds count from 1, and run backwards on the way back. */
  roundAt(frame) {
    const loop = this.loopAt(frame);
    if (loop === null) return null;
    const index = playerLatest(loop.begins, frame);
    return { loop, index, round: loop.back ? loop.begins.length - index : index + 1 };
  }

  /** The frame at which a round of a loop begins. */
  begin(loop, round) {
    const n = loop.begins.length;
    const at = Math.min(n, Math.max(1, round)) - 1;
    return loop.begins[loop.back ? n - 1 - at : at];
  }

  /** The first and the last frame of the round, at this frame, of the loop that begins before `first`; null outside of loops. */
  window(first, frame) {
    const loop = this.loopAt(first);
    if (loop === null) return null;
    const index = Math.max(0, playerLatest(loop.begins, frame));
    return [loop.begins[index], (loop.begins[index + 1] ?? loop.end) - 1];
  }

  /** The frames `[from, to]` whose contents are shown at a frame and have not arrived. */
  missing(frame) {
    const found = new Map();
    for (const wire of this.wires) {
      const at = this.written(wire, frame);
      if (at === null || this.contents.has(`${wire.id}|${at}`)) continue;
      const around = this.window(at, frame) ?? [at, at];
      found.set(around.join("-"), around);
    }
    return [...found.values()];
  }

  /** The frame at which a wire was written in the current round, or null. */
  written(wire, frame) {
    const last = playerLatest(wire.writes, frame);
    if (last < 0) return null;
    const around = this.window(wire.writes[0], frame);
    return around !== null && wire.writes[last] < around[0] ? null : wire.writes[last];
  }

  /** Let the wires inside loops be as they are at a frame. */
  settle(frame) {
    for (const wire of this.wires) {
      const at = this.written(wire, frame);
      const next = at === null ? undefined : wire.writes[wire.writes.indexOf(at) + 1];
      const readers = at === null ? [] : (this.all(wire.id)).filter((f) => f > at && (next === undefined || f <= next));
      wire.born = at ?? Infinity;
      wire.last_read = readers[readers.length - 1] ?? wire.born;
      this.pass.readers.set(wire.id, readers);
      wire.content = this.contents.get(`${wire.id}|${at}`) ?? { ...this.plain.get(wire.id), ...PLAYER_AWAY };
    }
  }

  /** All frames at which a wire is read. */
  all(id) {
    this.every ??= new Map([...this.pass.readers].map(([wire, frames]) => [wire, [...frames]]));
    return this.every.get(id) ?? [];
  }

  /** `round 37 of 100, going back: `, or nothing. */
  words(step, frame) {
    const here = this.roundAt(frame);
    if (here === null || !(step?.rounds?.length > 0)) return "";
    const inner = step.rounds.length > 1 ? `, inside it round ${step.rounds.slice(1).join(".")}` : "";
    return `round ${here.round} of ${here.loop.begins.length}${here.loop.back ? ", going back" : ""}${inner}: `;
  }
}

/** The steps of a record: `again` are `[frame, frame of the step that is repeated, rounds]`. */
export function playerSteps(record) {
  const first = new Map(record.steps.map((step) => [step.frame, step]));
  const others = (record.again ?? []).map(([frame, of, rounds]) => ({ ...first.get(of), frame, rounds }));
  return [...record.steps, ...others].sort((one, other) => one.frame - other.frame);
}

/** The index of the last of some ascending frames that is not after this one; -1 if there is none. */
export function playerLatest(frames, frame) {
  let [low, high] = [0, frames.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frames[middle] <= frame) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const PLAYER_AWAY = { values: null, text: "…", norm: null, min: null, max: null };
