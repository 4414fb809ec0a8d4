// A recorded pass by frames: at frame f, f boxes have run, the last of them just now.
import { heatReal } from "./heat.js";
import { PlayerRounds, playerSteps } from "./player_rounds.js";
import { playerList, playerNumber } from "./player_words.js";

/** A pass with lookup tables for every frame. */
export class PlayerPass {
  constructor(record) {
    this.record = record;
    this.frames = record.frames;
    this.turn = record.turn;
    this.wires = new Map(record.wires.map((wire) => [wire.id, wire]));
    this.steps = new Map(playerSteps(record).map((step) => [step.frame, step]));
    this.uses = record.accesses.map((use, number) => ({ ...use, number }));
    this.readers = new Map();
    this.cotangents = new Map();
    this.maker = new Map();
    this.runs = new Map();
    this.skips = new Map();
    for (const step of this.steps.values()) {
      for (const wire of new Set(step.reads)) playerPush(this.readers, wire, step.frame);
      for (const wire of step.makes) this.maker.set(wire, step);
      for (const box of step.skips ?? []) playerPush(this.skips, box, step.frame);
      playerPush(this.runs, step.box, step.frame);
    }
    this.rounds = new PlayerRounds(this);
    for (const wire of record.wires) if (wire.of !== null) playerPush(this.cotangents, wire.of, wire.id);
    for (const row of record.rows) {
      if (row.cotangents.length > 0) this.cotangents.set(row.forward, row.cotangents);
    }
  }

  /** The state of a wire: empty, fresh, read, waiting, live or done. */
  wireState(id, frame) {
    const wire = this.wires.get(id);
    if (wire === undefined || wire.born > frame) return "empty";
    if (wire.born === frame && frame > 0) return "fresh";
    const readers = this.readers.get(id) ?? [];
    if (readers.includes(frame)) return "read";
    const next = readers.find((reader) => reader > frame);
    if (next === undefined) return wire.last_read > frame || this.goesOut(id) ? "live" : "done";
    return this.waitsFor(wire, next) ? "waiting" : "live";
  }

  /** Whether the wire is an output of the diagram: no box reads it, and it is kept to the end. */
  goesOut(id) {
    const wire = this.wires.get(id);
    const readers = this.readers.get(id) ?? [];
    return wire.last_read === this.frames && readers[readers.length - 1] !== this.frames;
  }

  /** Whether the next box to read the wire is in the backward pass, and the wire itself is not. */
  waitsFor(wire, next) {
    if (wire.role === "cotangent" || wire.role === "update" || wire.role === "backward") return false;
    if (this.turn !== null && wire.born < this.turn) return this.steps.get(next).leg === "backward";
    return wire.waits && this.steps.get(next).leg === "backward";
  }

  /** Whether a box, or one that stands for several, has run, is running or is still to run. */
  boxState(box, frame) {
    const runs = this.runsOf(box);
    const around = this.rounds.window(runs[0] ?? 0, frame);
    const inside = around === null ? runs : runs.filter((run) => run >= around[0] && run <= around[1]);
    if (inside.length === 0) {
      const skipped = (this.skips.get(box.id) ?? []).filter((skip) => around === null || skip >= around[0]);
      return skipped.some((skip) => skip <= frame) ? "skipped" : "later";
    }
    if (frame < inside[0]) return "later";
    return frame > inside[inside.length - 1] ? "ran" : "now";
  }

  /** The frames at which a box, or what it stands for, runs. */
  runsOf(box) {
    this.known ??= new WeakMap();
    if (!this.known.has(box)) {
      const runs = (box.members ?? [box.id]).flatMap((member) => this.runs.get(member) ?? []);
      const given = box.frame === undefined ? [] : [box.frame, box.last_frame ?? box.frame];
      this.known.set(box, (runs.length > 0 ? runs : given.filter((run) => run > 0)).sort((one, other) => one - other));
    }
    return this.known.get(box);
  }

  /** Let everything be as at this frame. */
  settle(frame) {
    if (this.rounds.wires.length > 0) this.rounds.settle(frame);
  }

  /** Where the pass is at a frame: before the start, forward, at the turn, or backward. */
  legAt(frame) {
    if (frame === 0) return "start";
    if (this.turn === null || frame < this.turn) return "forward";
    return (this.steps.get(frame)?.leg ?? "backward") === "return" ? "return" : "backward";
  }

  /** The wires related to this one: the value and its cotangents. */
  partners(id) {
    const of = this.wires.get(id)?.of ?? null;
    const found = new Set([...(of === null ? [] : [of]), ...(this.cotangents.get(id) ?? [])]);
    for (const [value, cotangents] of this.cotangents) if (cotangents.includes(id)) found.add(value);
    found.delete(id);
    return [...found].filter((wire) => this.wires.has(wire));
  }

  /** The frames at which a location is written. */
  puts() {
    return this.uses.filter((use) => use.kind === "Put").map((use) => use.frame);
  }

  /** A caption for a frame. */
  caption(frame) {
    if (frame === 0) return "Before the first box: nothing has been computed.";
    const step = this.steps.get(frame);
    const use = this.uses.find((candidate) => candidate.frame === frame);
    if (step === undefined) return `box ${frame}${use?.kind === "Put" ? `: ${playerChange(use)}` : ""}`;
    const names = step.makes.map((wire) => this.name(wire));
    const rest = names.length > PLAYER_NAMED ? [`${names.length - PLAYER_NAMED + 1} more`] : [];
    const made = playerList([...names.slice(0, rest.length > 0 ? PLAYER_NAMED - 1 : PLAYER_NAMED), ...rest]);
    const read = playerList([...new Set(step.reads)].map((wire) => this.name(wire)));
    const round = this.rounds.words(step, frame);
    if (use?.kind === "Put") return `${round}${step.label} writes ${read}: ${playerChange(use)}`;
    if (use?.kind === "Get") return `${round}${step.label} looks up ${use.location}: makes ${made}`;
    if (step.begins !== undefined) return `${this.rounds.words(step, frame)}it begins with ${made || "nothing new"}`;
    if (step.takes !== undefined) return `${this.rounds.words(step, frame)}${step.label}: the branch ${step.takes} runs`;
    const where = step.rounds === undefined ? PLAYER_WHERE[step.leg] ?? "" : "";
    const what = [read && `reads ${read}`, made && `makes ${made}`].filter(Boolean).join(", ");
    return `${round}${step.label}${where}: ${what}`;
  }

  /** The name of a wire with what it is a cotangent of. */
  name(id) {
    const wire = this.wires.get(id);
    if (wire === undefined) return `v${id}`;
    const of = wire.of === null ? undefined : this.wires.get(wire.of);
    return of === undefined ? wire.name : `${wire.name} (cotangent of ${of.name})`;
  }

  /** The short label on a wire: `z`, or `◂z` for a cotangent of z; none if the program does not name it. */
  tag(id) {
    const wire = this.wires.get(id);
    const of = wire.of === null ? undefined : this.wires.get(wire.of);
    if (wire.role === "update") return "new";
    if (wire.role === "cotangent") return `◂${of === undefined ? "" : playerProgramName(of.name)}`;
    return playerProgramName(wire.name);
  }

  /** Each location used: its content before the pass, its current content, and the norm of the change. */
  weights(frame) {
    const found = new Map();
    for (const use of this.uses) {
      if (use.kind !== "Get" && use.kind !== "Put") continue; // a draw changes the number of draws made, no location
      const so = found.get(use.location) ?? {
        location: use.location,
        before: use.before ?? use.after,
        first: use,
        after: null,
        puts: 0,
        last: null,
      };
      if (use.kind === "Put") {
        so.puts += 1;
        if (use.frame <= frame) {
          so.after = use.after;
          so.last = use;
        }
      }
      found.set(use.location, so);
    }
    return [...found.values()];
  }
}

/** `‖Δ‖ = 0.03` if the entries are known; the first content has no predecessor. */
export function playerChange(use) {
  if (use.before === null) return `${use.location} gets its first content`;
  const size = playerDistance(use.before.values, use.after.values);
  return size === null ? `${use.location} has a new content` : `${use.location} changes by ‖Δ‖ = ${playerNumber(size)}`;
}

/** The norm of the difference of two lists of numbers; null if one is missing. */
export function playerDistance(left, right) {
  if (left === null || right === null || left.length !== right.length) return null;
  return playerNorm(left.map((x, i) => heatReal(x) - heatReal(right[i])));
}

/** The Euclidean norm of a list of numbers. */
export function playerNorm(numbers) {
  return Math.hypot(...playerPieces(numbers.map(heatReal)));
}

/** The cosine of the angle between two lists of numbers; null if undefined. */
export function playerCosine(left, right) {
  if (left === null || right === null || left.length !== right.length) return null;
  const [x, y] = [left.map(heatReal), right.map(heatReal)];
  const [m, n] = [playerNorm(x), playerNorm(y)];
  if (!(m > 0 && n > 0 && Number.isFinite(m) && Number.isFinite(n))) return null;
  return Math.max(-1, Math.min(1, x.reduce((sum, a, i) => sum + (a / m) * (y[i] / n), 0)));
}

const PLAYER_NAMED = 5;

const PLAYER_WHERE = {
  forward: ", forward pass",
  return: ", the turn",
  backward: ", backward pass",
  clause: ", in a clause",
};

// Norms of chunks: a function takes only so many arguments.
function playerPieces(numbers) {
  if (numbers.length <= 1000) return numbers;
  const norms = [];
  for (let i = 0; i < numbers.length; i += 1000) norms.push(Math.hypot(...numbers.slice(i, i + 1000)));
  return playerPieces(norms);
}

// The kernel names unnamed wires `v7`.
function playerProgramName(name) {
  return /^v\d+$/.test(name) ? "" : name;
}

function playerPush(map, key, value) {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
