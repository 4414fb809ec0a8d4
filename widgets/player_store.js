// Data of passes fetched after the opening: large arrays and the other drawing.
import { playerRows } from "./player_compare.js";
import { playerSize } from "./player_words.js";

const PLAYER_MOST_ENTRIES = 65536;

/** Fetches each item once and stores it; calls `arrived` then. */
export class PlayerStore {
  constructor(host, passes, arrived) {
    this.host = host;
    this.passes = passes;
    this.arrived = arrived;
    this.asked = new Map();
    this.answers = new Map();
    const drawings = passes.flatMap(({ record }, p) => [record, ...(record.others ?? [])].map((drawing) => [p, drawing]));
    this.layouts = new Map(drawings.map(([p, drawing]) => [`${p}|${Boolean(drawing.folded)}`, drawing]));
    this.pairs = passes.length > 1 ? playerPairs(passes) : [];
  }

  /** The answer about a wire `{pass, wire}`, if it has arrived. */
  known(ref) {
    return this.answers.get(JSON.stringify(ref));
  }

  /** Prefetch an array, ignoring failure. */
  want(ref) {
    if (this.asked.has(JSON.stringify(ref)) || !this.host.alive() || this.sizeOf(ref) > PLAYER_MOST_ENTRIES) return;
    this.demand(ref).catch(() => undefined);
  }

  /** Fetch an array; rejects with the reason if that fails. */
  demand(ref) {
    const key = JSON.stringify(ref);
    if (!this.asked.has(key)) this.asked.set(key, this.fetched(ref, key));
    return this.asked.get(key);
  }

  /** Fetch what is written in the frames of a round, ignoring failure. */
  wantRound(p, from, to) {
    const key = `${p}|${from}|${to}`;
    if (this.asked.has(key) || !this.host.alive()) return;
    const answer = this.host.ask({ ask: "written", pass: p, from: Math.max(0, from - 1), to });
    this.asked.set(
      key,
      answer.then(({ written }) => {
        this.passes[p].rounds.take(written);
        this.arrived();
      }).catch(() => this.asked.delete(key)),
    );
  }

  async fetched(ref, key) {
    const kind = ref.wire === undefined ? "access" : "wire";
    const answer = await this.host.ask({ ask: kind, ...ref }).catch((error) => {
      this.asked.delete(key);
      throw error;
    });
    this.answers.set(key, answer);
    const pass = this.passes[ref.pass];
    if (ref.frame !== undefined) pass.rounds.take([[ref.wire, ref.frame, answer.content]]);
    else if (kind === "wire") pass.wires.get(ref.wire).content = answer.content;
    else Object.assign(pass.uses[ref.access], { before: answer.before, after: answer.after });
    this.arrived();
    return answer;
  }

  /** The other drawing of pass `p`; null if there is none. */
  async layout(p, folded) {
    const key = `${p}|${folded}`;
    if (!this.layouts.has(key)) {
      if (!(this.passes[p].record.foldings ?? []).includes(folded)) return null;
      this.layouts.set(key, await this.host.ask({ ask: "layout", pass: p, folded }));
    }
    return this.layouts.get(key);
  }

  /** The corresponding wire of the other pass. */
  agreeing(p, wire) {
    return this.pairs.find((pair) => pair[p] === wire)?.[1 - p];
  }

  sizeOf(ref) {
    const pass = this.passes[ref.pass];
    const content = ref.wire === undefined ? pass.uses[ref.access].after : pass.wires.get(ref.wire).content;
    return playerSize(content.shape);
  }
}

/** Corresponding wires of two passes: the values of boxes that agree, and their cotangents. */
export function playerPairs(passes) {
  const pairs = [];
  for (const [one, other] of playerRows(passes[0].record.rows, passes[1].record.rows)) {
    if (one === null || other === null) continue;
    pairs.push([one.forward, other.forward]);
    one.cotangents.forEach((wire, i) => i < other.cotangents.length && pairs.push([wire, other.cotangents[i]]));
  }
  return pairs;
}
