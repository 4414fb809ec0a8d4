// Visible steps, and the next step of a kind by binary search, so that long traces are as fast as short ones.

const STEPPER_BOOKKEEPING = new Set(["Let", "Let⇐", "Proj", "RH-Let"]);
const STEPPER_PASS = /^(RH-.*|RevHandle|H-.*|Get|Put|Draw)$/;
const STEPPER_REVERSE = /^(RH-.*|RevHandle)$/;
const STEPPER_FEW = 24;
const STEPPER_STRIDES = { previous: -1, up: -1, next: 1, down: 1, "back-ten": -10, "on-ten": 10 };

/** The steps of a trace by rule. `work` counts the numbers visited, for tests. */
export class StepIndex {
  constructor(fired, rules, puts) {
    this.rules = rules;
    this.count = fired.length;
    this.puts = puts;
    this.work = 0;
    this.rule = Uint16Array.from({ length: fired.length }, (_, i) => fired.charCodeAt(i) - 65);
    this.byRule = rules.map(() => []);
    this.rule.forEach((rule, i) => this.byRule[rule]?.push(i));
    this.hide(new Set());
  }

  /** Hide the steps of these rules (by name). */
  hide(names) {
    this.hidden = new Set([...names].filter((name) => this.rules.some((rule) => rule.name === name)));
    const isHidden = this.rules.map((rule) => this.hidden.has(rule.name));
    this.shown = [];
    for (let i = 0; i < this.count; i += 1) {
      this.work += 1;
      if (!isHidden[this.rule[i]]) this.shown.push(i);
    }
  }

  /** The number of hidden steps. */
  hiddenCount() {
    return this.count - this.shown.length;
  }

  /** The visible step `by` places after (or before) `step`, clamped to the ends; null if there is none. */
  move(step, by, all = false) {
    if (all) {
      const to = Math.max(0, Math.min(this.count - 1, step + by));
      return to === step ? null : to;
    }
    const place = this.#from(this.shown, step);
    const isShown = this.shown[place] === step;
    const wanted = by > 0 ? place + by - (isShown ? 0 : 1) : place + by;
    const to = this.shown[Math.max(0, Math.min(this.shown.length - 1, wanted))];
    return to === undefined || (by > 0 ? to <= step : to >= step) ? null : to;
  }

  /** The first or the last visible step. */
  end(isLast) {
    if (this.shown.length === 0) return this.count === 0 ? null : isLast ? this.count - 1 : 0;
    return this.shown[isLast ? this.shown.length - 1 : 0];
  }

  /** The next (or previous) step by this rule, or null. */
  nextOfRule(rule, step, direction) {
    return this.#next(this.byRule[rule] ?? [], step, direction);
  }

  /** The next (or previous) step that changes the heap, or null. */
  nextPut(step, direction) {
    return this.#next(this.puts, step, direction);
  }

  /**
   * The step that a command leads to, as `{step, words}`; without a step the words say why. Undefined if the command is no
   * navigation; `rule` is the number of the rule that is followed, `all` includes hidden steps.
   */
  target(name, step, rule, all) {
    const by = STEPPER_STRIDES[name];
    if (by !== undefined) return { step: this.move(step, by, all) ?? step };
    const named = this.rules[rule]?.name;
    switch (name) {
      case "first":
        return { step: all ? 0 : this.end(false) };
      case "last":
        return { step: all ? this.count - 1 : this.end(true) };
      case "next-rule":
        return { step: this.nextOfRule(rule, step, 1), words: `No step behind this one is of ${named}.` };
      case "previous-rule":
        return { step: this.nextOfRule(rule, step, -1), words: `No step before this one is of ${named}.` };
      case "next-heap":
        return { step: this.nextPut(step, 1), words: "No step behind this one changes the heap." };
      case "previous-heap":
        return { step: this.nextPut(step, -1), words: "No step before this one changes the heap." };
      default:
        return undefined;
    }
  }

  /** The number of steps before `state` that change the heap. */
  putsBefore(state) {
    return this.#from(this.puts, state);
  }

  /** The number of hidden steps right before a visible one. */
  hiddenBefore(step) {
    const place = this.placeOf(step);
    return this.shown[place] === step ? step - (this.shown[place - 1] ?? -1) - 1 : 0;
  }

  /** The index of a step among the visible ones, or of the first one after it. */
  placeOf(step) {
    return this.#from(this.shown, step);
  }

  /** The next `count` steps to visit, for prefetching. */
  coming(step, count, direction, all = false) {
    const found = [];
    let at = step;
    while (found.length < count) {
      at = this.move(at, direction, all);
      if (at === null) break;
      found.push(at);
    }
    return found;
  }

  #next(sorted, step, direction) {
    const place = this.#from(sorted, direction > 0 ? step + 1 : step);
    return (direction > 0 ? sorted[place] : sorted[place - 1]) ?? null;
  }

  /** The index of the first number that is at least `least`. */
  #from(sorted, least) {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      this.work += 1;
      const middle = (low + high) >> 1;
      if (sorted[middle] < least) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The names of the rules that are not the main ones: those of calculation, in the trace of a reverse handler. */
export function besideMain(rules) {
  return rules.some((rule) => STEPPER_REVERSE.test(rule.name)) ? hiddenBy("pass", rules) : [];
}

/** The names of the rules hidden at first: in a trace of few steps, none. */
export function hiddenAtFirst(rules, count) {
  return count > STEPPER_FEW ? besideMain(rules) : [];
}

/** The names of the rules hidden by a preset. */
export function hiddenBy(choice, rules) {
  const names = rules.map((rule) => rule.name);
  if (choice === "pass") return names.filter((name) => !STEPPER_PASS.test(name));
  if (choice === "bookkeeping") return names.filter((name) => STEPPER_BOOKKEEPING.has(name));
  return [];
}
