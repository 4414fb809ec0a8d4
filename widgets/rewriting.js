// A trace of whole terms, step by step: the term before and after each step, the rule, and the contents of cells.
import { h, refill } from "./dom.js";
import { rewritingBar } from "./rewriting_bar.js";
import { rewritingCommand, RewritingIndex } from "./rewriting_index.js";
import { rewritingCells, rewritingPane, rewritingPrinted, rewritingWords } from "./rewriting_parts.js";
import { stepNamed } from "./stepper_keys.js";

const REWRITING_KEPT = 60;
const REWRITING_PLAY_MS = 900;
const REWRITING_NARROW = 760;
const REWRITING_GONE = "The kernel no longer knows this trace. Steps that were seen can still be seen; run the cell again for the rest.";

/** Fill `el` with the trace of `host.opening`; returns a function that disposes of it. */
export function rewriting(host, el) {
  const view = new RewritingView(host, el);
  return () => view.release();
}

class RewritingView {
  constructor(host, el) {
    this.host = host;
    this.el = el;
    this.index = new RewritingIndex(host.opening);
    this.steps = host.opening.steps;
    this.known = new Map();
    this.wanted = null;
    this.timer = null;
    this.isReleased = false;
    const kept = Math.trunc(Number(host.recall("step", 0))) || 0;
    this.at = Math.max(0, Math.min(this.steps - 1, kept));
    this.build();
    host.onDeath(() => this.say(REWRITING_GONE, true));
    this.show();
  }

  build() {
    const { title, source, subject, end, type, why, roles } = this.host.opening;
    this.panes = [rewritingPane("the term before the step", "before", roles), rewritingPane("the term after the step", "after", roles)];
    this.bar = rewritingBar(this.host.opening, {
      command: (name) => this.command(name),
      go: (step) => this.go(step),
      jump: (text) => this.jump(text),
      follow: (rule) => this.follow(rule),
      search: (text, way) => this.search(text, way),
    });
    this.status = h("div", { class: "rh-rewriting-status", role: "status", "aria-live": "polite" });
    this.notice = h("div", { class: "rh-rewriting-notice", role: "alert", hidden: true });
    this.rule = h("div", { class: "rh-rewriting-rule" });
    this.cells = rewritingCells();
    this.printed = rewritingPrinted(this.host.opening.printed);
    const words = title === "" ? [] : [h("b", {}, title), h("span", { class: "rh-rewriting-quiet" }, ` ${source} `)];
    const head = [words, h("code", {}, subject), h("span", { "aria-label": "ends in", role: "img" }, " ⇝ "), h("code", { class: "rh-rewriting-end" }, end), type === "" ? null : [" : ", h("code", { class: "rh-role-type" }, type)]];
    this.frame = h(
      "div",
      { class: "rh-rewriting-frame" },
      h("div", { class: "rh-rewriting-head", title: subject }, head),
      why.map((each) => h("div", { class: "rh-rewriting-why rh-gone" }, each)),
      this.bar.el,
      this.status,
      this.notice,
      h(
        "div",
        { class: "rh-rewriting-main" },
        h("div", { class: "rh-rewriting-panes" }, this.panes[0].el, this.rule, this.panes[1].el),
        h("div", { class: "rh-rewriting-beside" }, this.cells.el, this.printed.el),
      ),
    );
    this.el.append(this.frame);
    this.el.tabIndex = 0;
    this.el.setAttribute("data-lm-suppress-shortcuts", "true");
    this.el.setAttribute("role", "group");
    this.el.setAttribute("aria-label", `trace of ${this.steps.toLocaleString("en")} steps`);
    this.el.addEventListener("keydown", (event) => this.pressed(event));
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(this.el);
  }

  release() {
    this.isReleased = true;
    this.stop();
    this.resized.disconnect();
    this.frame.remove();
  }

  go(step) {
    if (step === null || this.steps === 0) return;
    const to = Math.max(0, Math.min(this.steps - 1, step));
    if (to === this.at) return;
    this.at = to;
    this.host.keep("step", to);
    this.show();
  }

  jump(text) {
    const step = stepNamed(text, this.at + 1, this.steps);
    if (step === null) this.say(`“${text}” names no step: write 17, +10, first or last.`);
    else this.go(step - 1);
  }

  command(name) {
    if (name !== "play") this.stop();
    if (name === "play") return this.timer === null ? this.play() : this.stop();
    if (name === "jump") return this.bar.focusJump();
    if (name === "search") return this.bar.focusSearch();
    if (name === "leave") return this.el.focus();
    const to = this.index.target(name, this.at);
    if (to === null) this.say(this.index.missing(name));
    else this.go(to);
    return undefined;
  }

  follow(rule) {
    this.stop();
    const to = this.index.ofRule(rule, this.at, 1) ?? this.index.ofRule(rule, -1, 1);
    this.go(to);
  }

  async search(text, way) {
    const start = this.at;
    if (text.trim() === "" || this.steps === 0) return;
    this.stop();
    try {
      let from = start + way;
      while (!this.isReleased && this.at === start && from >= 0 && from < this.steps) {
        const found = await this.host.ask({ ask: "find", text, from, backwards: way < 0 });
        if (this.at !== start) return;
        if (found.step !== null) return this.go(found.step);
        if (found.reached === undefined) break;
        from = found.reached;
        this.say(`Searching … at step ${(from + 1).toLocaleString("en")}`);
      }
      this.say(`No step ${way > 0 ? "behind" : "before"} this one has “${text}”.`);
    } catch (error) {
      this.say(error.message, true);
    }
  }

  play() {
    if (this.at >= this.steps - 1) return;
    this.timer = setInterval(() => {
      // Wait for a step that has not arrived.
      if (this.known.has(this.key(this.at))) this.go(this.at + 1);
      if (this.at >= this.steps - 1) this.stop();
    }, REWRITING_PLAY_MS);
    this.bar.show(this.at, true, this.index);
  }

  stop() {
    if (this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
    this.bar.show(this.at, false, this.index);
  }

  pressed(event) {
    const isField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "range";
    if (isField) {
      if (event.key === "Escape") this.el.focus();
      event.stopPropagation();
      return;
    }
    const name = rewritingCommand(event);
    if (name === null || (name === "play" && event.target.tagName === "BUTTON")) return;
    event.preventDefault();
    event.stopPropagation();
    this.command(name);
  }

  key(step) {
    return `${step} ${this.width()}`;
  }

  width() {
    const both = this.panes.map((pane) => pane.columns());
    return Math.max(30, Math.min(160, ...both));
  }

  resize() {
    this.frame.classList.toggle("rh-narrow", this.el.clientWidth < REWRITING_NARROW);
    if (this.shown !== this.key(this.at)) this.show();
  }

  show() {
    const { rules, fired } = this.host.opening;
    this.bar.show(this.at, this.timer !== null, this.index);
    const rule = this.steps === 0 ? null : rules[fired[this.at]];
    refill(this.status, rewritingStatus(this.at, this.host.opening, rule));
    refill(this.rule, rule === null ? null : [h("span", { class: "rh-rewriting-name" }, rule.name), h("span", { "aria-hidden": "true" }, "⟶")]);
    this.printed.show(this.at);
    this.say("");
    this.frame.classList.toggle("rh-waiting", !this.known.has(this.key(this.at)));
    this.ask(this.at, () => this.draw());
  }

  draw() {
    const told = this.known.get(this.key(this.at));
    this.frame.classList.toggle("rh-waiting", told === undefined);
    if (told === undefined || this.isReleased) return;
    this.shown = this.key(this.at);
    // The side panel takes space from the panes, so it is laid out first.
    this.cells.show(told.cells);
    this.panes[0].show(told.before);
    this.panes[1].show(this.steps === 0 ? { lines: [], marks: {} } : told.after, rewritingWords(told.before.marks.focus !== undefined));
    for (const next of [this.at + 1, this.at - 1]) if (next >= 0 && next < this.steps) this.ask(next, () => {});
  }

  /** Fetch a step unless it is known. */
  ask(step, then) {
    const key = this.key(step);
    if (this.known.has(key)) return then();
    if (!this.host.alive()) return undefined;
    if (this.wanted === key) return undefined;
    if (step === this.at) this.wanted = key;
    const answered = (answer) => {
      if (this.wanted === key) this.wanted = null;
      this.known.set(key, answer);
      if (this.known.size > REWRITING_KEPT) this.known.delete(this.known.keys().next().value);
      if (step === this.at && !this.isReleased) this.draw();
    };
    const refused = (error) => {
      if (this.wanted === key) this.wanted = null;
      if (step === this.at && !this.isReleased) this.say(error.message, true);
    };
    this.host.ask({ ask: "step", step, width: this.width() }).then(answered, refused);
    return undefined;
  }

  say(words, isWrong = false) {
    if (words === "" && !this.host.alive()) return;
    this.notice.hidden = words === "";
    this.notice.textContent = words;
    this.notice.classList.toggle("rh-gone", isWrong);
  }
}

function rewritingStatus(at, { steps, numbers }, rule) {
  if (rule === null) return [h("b", {}, "No step was taken"), ": this is a result already."];
  const figure = rule.figure === "" ? null : h("span", { class: "rh-rewriting-quiet" }, ` (${rule.figure})`);
  return [
    h("b", {}, `Step ${(at + 1).toLocaleString("en")} of ${steps.toLocaleString("en")}: `),
    h("span", { class: "rh-rewriting-name" }, rule.name),
    rule.gloss === "" ? null : `, ${rule.gloss}`,
    figure,
    h("span", { class: "rh-rewriting-quiet" }, rewritingNumbers(numbers, at)),
  ];
}

/** The number of the step in the reduction, if the trace groups or omits steps of the reduction. */
function rewritingNumbers(numbers, at) {
  const last = numbers.length === 0 ? 0 : numbers[numbers.length - 1][1];
  if (last <= numbers.length) return "";
  const [from, to] = numbers[at];
  const which = from === to ? `step ${to.toLocaleString("en")}` : `steps ${from.toLocaleString("en")} to ${to.toLocaleString("en")}`;
  return ` · ${which} of ${last.toLocaleString("en")} in the calculus`;
}
