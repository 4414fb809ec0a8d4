// The data of a trace on the page, and its questions to the kernel: the current step first, then prefetching.
import { StepperWindows } from "./stepper_states.js";

const STORE_REST_MS = 120;
const STORE_HEAP_MS = 60;
const STORE_HEAPS = 200;
const STORE_AT_ONCE = 2;
const STORE_MOST_WORDS = 100;

/**
 * Stores windows, heaps and captions. Calls `changed(what)` with `"step"` when a window arrives or is refused, with `"heap"`
 * when a heap arrives, and with `"words"` when captions arrive.
 */
export class StepperStore {
  constructor(host, index, options, changed) {
    this.host = host;
    this.index = index;
    this.options = options;
    this.changed = changed;
    this.steps = host.opening.steps;
    this.windows = new StepperWindows(this.steps);
    this.abouts = new Map();
    this.contents = host.opening.heap.map(({ location, content }) => ({ location, content, changed_by: null }));
    this.heaps = new Map([[0, this.contents]]);
    this.heapsAsked = new Set();
    this.isTelling = false;
    this.view = { at: 0, direction: 1, coming: 0, isOverAll: false };
    this.refused = null;
    this.missed = null;
    this.isClean = false;
    this.timers = { rest: null, heap: null };
  }

  /** The rendering options as a key. */
  key() {
    return JSON.stringify([this.options.entries, this.options.whole, this.options.width, this.options.notation]);
  }

  /** The step with the lines before and after it, null while it is not known; without steps, the only state as one. */
  step(number) {
    if (this.steps > 0) return this.windows.step(this.key(), number);
    const before = this.windows.only(this.key());
    return before === null ? null : { before, after: [], detail: STORE_NO_STEP };
  }

  /** Whether the step is known. */
  has(number) {
    return this.steps > 0 ? this.windows.has(this.key(), number) : this.windows.only(this.key()) !== null;
  }

  /** The caption of a step, or null while it is not known. */
  about(number) {
    return this.abouts.get(number) ?? null;
  }

  /** The notation has changed, in which captions are written too. */
  rewrite() {
    this.abouts.clear();
  }

  /** The current step; `coming` further steps in this direction are prefetched. */
  look(view, isResting = false) {
    this.view = view;
    clearTimeout(this.timers.rest);
    if (isResting) this.timers.rest = setTimeout(() => this.pump(), STORE_REST_MS);
    else this.pump();
  }

  /** Forget refused answers, so that they are asked for again. */
  retry() {
    this.refused = null;
  }

  /** Ask for what is missing, unless too many questions are pending. */
  pump() {
    if (this.isClean || !this.host.alive()) return;
    const { at, direction, coming, isOverAll } = this.view;
    const [key, count] = [this.key(), this.windows.inFlight.size];
    if (!this.has(at)) {
      const isTwice = this.refused !== null && this.refused.at === at && this.refused.key === key;
      const plan = count < STORE_AT_ONCE && !isTwice ? this.windows.plan(key, at, direction, this.missed === at) : null;
      if (plan !== null) this.#fetch(plan, at);
      return;
    }
    if (count > 0 || this.steps === 0 || this.refused !== null) return;
    const next = this.index.coming(at, coming, direction, isOverAll);
    const step = this.windows.ahead(key, [...next, ...this.index.coming(at, 1, -direction)]);
    const plan = step === null ? null : this.windows.plan(key, step, step < at ? -1 : 1);
    if (plan !== null) this.#fetch(plan, null);
  }

  /** These steps are visible in the list: fetch the captions that are neither known nor pending. */
  tell(steps) {
    if (this.isClean || !this.host.alive() || this.isTelling) return;
    const unknown = steps.filter((step) => !this.abouts.has(step)).slice(0, STORE_MOST_WORDS);
    if (unknown.length === 0) return;
    this.isTelling = true;
    const { notation } = this.options;
    this.host.ask({ ask: "words", steps: unknown, notation }).then(
      ({ words }) => {
        this.isTelling = false;
        if (notation === this.options.notation) words.forEach(([about, became], i) => this.abouts.set(unknown[i], stepWords({ about, became })));
        if (!this.isClean) this.changed("words");
      },
      () => (this.isTelling = false),
    );
  }

  /** The heap at a state, or the last known one until it arrives. */
  heap(state) {
    const puts = this.index.putsBefore(state);
    const known = this.heaps.get(puts);
    clearTimeout(this.timers.heap);
    if (known === undefined) this.timers.heap = setTimeout(() => this.#fetchHeap(state, puts), STORE_HEAP_MS);
    else this.contents = known;
    return { contents: this.contents, isCurrent: known !== undefined };
  }

  /** The next step whose caption contains the text, or null; `reached(step)` reports progress. */
  async find(text, from, way, reached) {
    let at = from;
    while (at >= 0 && at < this.steps) {
      const answer = await this.host.ask({ ask: "find", text, from: at, backwards: way < 0, notation: this.options.notation });
      if (answer.step !== null) return answer.step;
      if (answer.reached === undefined || !reached(answer.reached)) return null;
      at = answer.reached;
    }
    return null;
  }

  /** Like `find`, from the step next to `at`; `say` reports progress in words while the search is current. */
  async search(text, at, way, say, isWanted) {
    if (text === "" || this.steps === 0) return null;
    say(`Searching for “${text}” …`);
    try {
      const step = await this.find(text, at + way, way, (reached) => {
        say(`Searching for “${text}” … at step ${(reached + 1).toLocaleString("en")}`);
        return isWanted();
      });
      say(step === null ? `No step ${way > 0 ? "behind" : "before"} this one is about “${text}”.` : "");
      return step;
    } catch (error) {
      say(error.message);
      return null;
    }
  }

  /** Ignore all further answers. */
  clean() {
    this.isClean = true;
    for (const timer of Object.values(this.timers)) clearTimeout(timer);
  }

  #fetch(plan, wanted) {
    const key = this.key();
    const ticket = this.windows.begin(key, plan);
    const { entries, whole, width, notation } = this.options;
    this.host.ask({ ask: "window", from: plan.from, count: plan.count, entries, whole, width, notation }).then(
      (answer) => {
        this.windows.end(ticket, answer);
        if (notation === this.options.notation) answer.details.forEach((detail, i) => this.abouts.set(answer.from + i, stepWords(detail)));
        this.missed = wanted !== null && !this.windows.has(key, wanted) ? wanted : null;
        if (this.isClean) return;
        this.changed("step");
        this.pump();
      },
      (error) => {
        this.windows.end(ticket, null);
        if (this.isClean) return;
        // Failed prefetches are retried when the step becomes current; the message is about the current step.
        if (key === this.key() && !this.has(this.view.at)) this.refused = { at: this.view.at, key, words: error.message };
        this.changed("step");
      },
    );
  }

  #fetchHeap(state, puts) {
    if (this.isClean || !this.host.alive() || this.heapsAsked.has(puts)) return;
    this.heapsAsked.add(puts);
    this.host.ask({ ask: "heap", state }).then(
      ({ contents }) => {
        this.heapsAsked.delete(puts);
        this.heaps.set(puts, contents);
        if (this.heaps.size > STORE_HEAPS) this.heaps.delete([...this.heaps.keys()].find((each) => each !== 0 && each !== puts));
        if (!this.isClean) this.changed("heap");
      },
      () => this.heapsAsked.delete(puts),
    );
  }
}

const STORE_NO_STEP = { marks_before: {}, marks_after: {}, span: null, change: null, about: "", became: "" };

/** The caption of a step. */
export function stepWords({ about, became }) {
  if (about === "") return became;
  return became === "" ? about : `${about} → ${became}`;
}
