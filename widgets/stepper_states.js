// States on the page: every list of lines results from the first one of its window by edits; a few are cached.

const STEPPER_FIRST = 12;
const STEPPER_MOST_STEPS = 100;
const STEPPER_MOST_LINES = 2_000_000;

/** The line lists of the states in a window: one more than it has steps. */
export function statesOf(answer) {
  const states = [answer.first];
  for (const [at, removed, lines] of answer.edits) {
    const before = states[states.length - 1];
    states.push([...before.slice(0, at), ...lines, ...before.slice(at + removed)]);
  }
  return states;
}

/** Questions and answers by rendering options (`key`), as an LRU cache. */
export class StepperWindows {
  constructor(steps, most = 48) {
    this.steps = steps;
    this.most = most;
    this.windows = [];
    this.inFlight = new Map();
    this.size = STEPPER_FIRST;
    this.back = STEPPER_FIRST;
    this.folds = 0;
  }

  /** The step with the lines before and after it, or null while it is not known. */
  step(key, number) {
    const found = this.#windowOf(key, number);
    if (found === null) return null;
    const at = number - found.from;
    return { before: found.states[at], after: found.states[at + 1], detail: found.details[at] };
  }

  /** Whether a step is known; does not count as a use. */
  has(key, number) {
    return this.windows.some((window) => window.key === key && window.from <= number && number < window.to);
  }

  /** The only state of a trace without steps. */
  only(key) {
    return this.windows.find((window) => window.key === key && window.from === 0)?.states[0] ?? null;
  }

  /**
   * The question that fetches step `number`: `{from, count}`, or null if it is known or pending. Backwards (`direction` -1) it
   * is the last step of the window; `exactly` starts at it, since answers may be cut short.
   */
  plan(key, number, direction = 1, exactly = false) {
    if (number < 0 || number >= Math.max(this.steps, 1) || this.has(key, number)) return null;
    if (this.steps === 0) return this.windows.some((w) => w.key === key) || this.asked(key, 0) ? null : { from: 0, count: 0 };
    if (this.asked(key, number)) return null;
    let from = number;
    let to = number + 1;
    // A jump is answered sooner with few steps; the others are fetched ahead.
    const most = this.has(key, number - direction) ? STEPPER_MOST_STEPS : STEPPER_FIRST;
    if (direction < 0 && !exactly) {
      while (from > 0 && to - from < Math.min(this.back, most) && !this.has(key, from - 1)) from -= 1;
    } else {
      while (to < this.steps && to - from < Math.min(this.size, most) && !this.has(key, to)) to += 1;
    }
    return { from, count: to - from };
  }

  /** The first unknown step of `numbers`, for prefetching. */
  ahead(key, numbers) {
    return numbers.find((number) => !this.has(key, number) && !this.asked(key, number)) ?? null;
  }

  /** Whether a pending question should answer the step. */
  asked(key, number) {
    for (const { key: other, plan } of this.inFlight.values()) {
      if (other === key && (plan.count === 0 || (plan.from <= number && number < plan.from + plan.count))) return true;
    }
    return false;
  }

  /** Register a question; the returned ticket ends it. */
  begin(key, plan) {
    const ticket = Symbol(key);
    this.inFlight.set(ticket, { key, plan });
    return ticket;
  }

  /** Its answer has arrived (null: refused). */
  end(ticket, answer) {
    const { key, plan } = this.inFlight.get(ticket);
    this.inFlight.delete(ticket);
    if (answer === null) return;
    const states = statesOf(answer);
    this.folds += answer.edits.length;
    const got = answer.details.length;
    this.windows.push({ key, from: answer.from, to: answer.from + got, states, details: answer.details });
    while (this.windows.length > this.most || (this.windows.length > 2 && this.#weight() > STEPPER_MOST_LINES)) this.windows.shift();
    // A truncated answer means that terms are large here. Forwards that is harmless, but backwards, an answer that starts too
    // early does not reach the wanted step.
    this.size = Math.min(STEPPER_MOST_STEPS, this.size * 2);
    this.back = got < plan.count ? Math.max(1, got) : Math.min(this.size, Math.max(this.back, 2 * plan.count));
  }

  #weight() {
    return this.windows.reduce((sum, { states }) => sum + states.length * states[0].length, 0);
  }

  #windowOf(key, number) {
    const at = this.windows.findIndex((window) => window.key === key && window.from <= number && number < window.to);
    if (at < 0) return null;
    const [found] = this.windows.splice(at, 1);
    this.windows.push(found);
    return found;
  }
}
