// The rounds of loops in the list of steps: each is one row until it is opened.
import { ListRows } from "./stepper_rows.js";

const ROUNDS_SIGN = "⟳";

/** The rounds of a trace, `{loops, found}` as the kernel tells them, and which of them are open. */
export class StepperRounds {
  constructor({ loops, found } = { loops: [], found: [] }) {
    this.loops = loops;
    this.found = found;
    this.open = new Set();
  }

  /** Open or close a round. */
  toggle(round) {
    if (!this.open.delete(round)) this.open.add(round);
  }

  /** The words for a round: `round 17 of 100`. */
  name(round) {
    const [, , , , number, count, isBackward] = this.found[round];
    const words = `round ${number.toLocaleString("en")} of ${count.toLocaleString("en")}`;
    return isBackward ? `backward through ${words}` : words;
  }

  /** The loop of a round: `repeat i`. */
  loop(round) {
    return this.loops[this.found[round][3]];
  }

  /** The innermost round that a step is in, or null. */
  at(step) {
    let innermost = null;
    for (let i = roundsFrom(this.found, step + 1) - 1; i >= 0; i -= 1) {
      const [first, last, level] = this.found[i];
      if (first <= step && step <= last) {
        innermost = i;
        break;
      }
      if (level === 0) break;
    }
    return innermost;
  }

  /** The first step of the next round (or of this one, or the one before), or null. */
  next(step, direction) {
    const place = roundsFrom(this.found, direction > 0 ? step + 1 : step);
    return (direction > 0 ? this.found[place] : this.found[place - 1])?.[0] ?? null;
  }

  /** The words for the rounds that a step is in, the innermost first. */
  words(step) {
    const round = this.at(step);
    return round === null ? "" : `${ROUNDS_SIGN} ${this.name(round)} (${this.loop(round)})`;
  }
}

/** The rows of the list: those of `ListRows`, but for closed rounds one row each, and a row above those of an open one. */
export class RoundRows {
  constructor(shown, legs, rounds) {
    this.segments = [];
    this.length = 0;
    const { found, open } = rounds;
    const within = (from, to) => shown.slice(roundsPlace(shown, from), roundsPlace(shown, to + 1));
    let at = 0;
    const ends = [];
    const add = (to) => {
      const steps = within(at, to);
      if (steps.length > 0) this.#add({ first: steps[0], rows: new ListRows(steps, legsWithin(legs, at, to, ends.length)) });
      at = Math.max(at, to + 1);
    };
    const until = (first) => {
      while (ends.length > 0 && ends[ends.length - 1] < first) {
        add(ends[ends.length - 1]);
        ends.pop();
      }
    };
    for (let i = 0; i < found.length; ) {
      const [first, last] = found[i];
      until(first);
      add(first - 1);
      const isShown = roundsPlace(shown, first) < roundsPlace(shown, last + 1);
      const isOpen = isShown && open.has(i);
      if (isShown) this.#add({ first: shown[roundsPlace(shown, first)], round: i, isOpen, level: ends.length });
      i += 1;
      if (isOpen) ends.push(last);
      else {
        at = last + 1;
        while (i < found.length && found[i][0] <= last) i += 1;
      }
    }
    until(Infinity);
    add(Infinity);
  }

  /** The content of a row: `{leg}` or `{step, leg}`, or `{round, isOpen, level}` with no step. */
  at(row) {
    const segment = this.segments[this.#segment((each) => each.row <= row)];
    return segment.rows === undefined ? { ...segment, leg: null, step: null } : segment.rows.at(row - segment.row);
  }

  /** The row of a step, of the closed round that it is in, or of the first visible step after it. */
  rowOf(step) {
    if (this.segments.length === 0) return 0;
    let place = this.#segment((each) => each.first <= step);
    // Rows of open rounds begin with their first steps, as do the rows of the steps.
    while (this.segments[place].rows === undefined && this.segments[place].isOpen && place + 1 < this.segments.length) place += 1;
    const { row, rows } = this.segments[place];
    return rows === undefined ? row : row + Math.min(rows.rowOf(step), rows.length - 1);
  }

  #add(segment) {
    this.segments.push({ row: this.length, ...segment });
    this.length += segment.rows?.length ?? 1;
  }

  /** The index of the last segment with this property, which the first ones have; 0 if none has. */
  #segment(isBefore) {
    let low = 0;
    let high = this.segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (isBefore(this.segments[middle])) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }
}

/** The parts of legs from one step to another; the outermost is as deep as the rounds around. */
export function legsWithin(legs, from, to, level) {
  const parts = [];
  for (let i = Math.max(roundsFrom(legs, from + 1) - 1, 0); i < legs.length && legs[i][0] <= to; i += 1) {
    const [first, last, ...rest] = legs[i];
    if (last >= from) parts.push([Math.max(first, from), Math.min(last, to), ...rest]);
  }
  if (level === 0 || parts.length === 0) return parts;
  const least = Math.min(...parts.map((leg) => leg[3]));
  return parts.map((leg) => [...leg.slice(0, 3), leg[3] - least + level, ...leg.slice(4)]);
}

/** The index of the first record that begins at this step or later. */
function roundsFrom(records, step) {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (records[middle][0] < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

function roundsPlace(sorted, least) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
