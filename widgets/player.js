// The gradient player: forward pass, turn and backward pass, box by box, with the content of every wire.
import { h, refill } from "./dom.js";
import { DRAWING_FACTOR, DRAWING_PANS, drawingBar, drawingHelp, drawingKey, drawingWords } from "./drawing_bar.js";
import { PLAYER_KEYS, playerBar, playerCommand, playerLegs } from "./player_bar.js";
import { PlayerBelow } from "./player_below.js";
import { playerChanges } from "./player_changes.js";
import { playerSeek, playerTimeline } from "./player_compare.js";
import { playerLegend } from "./player_legend.js";
import { PlayerPanes } from "./player_panes.js";
import { PlayerPass } from "./player_pass.js";
import { playerRoundBar, playerSizes } from "./player_round_bar.js";
import { PlayerStore } from "./player_store.js";

/** The view of `%gradient`: one pass, or two in step. */
export function player(host, el) {
  let view = new PlayerView(host, el);
  host.onOpening((opening) => {
    view.changes?.forget();
    if (view.renew(opening)) return;
    const open = [...el.querySelectorAll("details")].map((element) => element.open);
    view.release();
    view = new PlayerView(host, el);
    el.querySelectorAll("details").forEach((element, i) => (element.open = Boolean(open[i])));
  });
  return () => view.release();
}

const PLAYER_MOVES = ["go", "first", "back", "forward", "last", "turn", "put", "putBefore", "nextRound", "roundBefore"];
const PLAYER_GONE = [
  "The kernel no longer knows this pass. All that is here can still be played;",
  "for very large arrays and the other drawing the cell has to be run again.",
];

class PlayerView {
  constructor(host, el) {
    this.host = host;
    this.el = el;
    this.passes = host.opening.passes.map((record) => new PlayerPass(record));
    this.isTwo = this.passes.length > 1;
    this.moments = playerTimeline(this.passes);
    this.last = this.moments.length - 1;
    this.at = Math.min(this.last, Math.max(0, Number(host.recall("frame", 0)) || 0));
    this.speed = Number(host.recall("speed", 1)) || 1;
    this.chosen = host.recall("chosen", null);
    const chosen = this.chosen;
    if (chosen !== null && !this.passes[chosen.pass]?.wires.has(chosen.wire) && chosen.box === undefined) this.chosen = null;
    this.timer = null;
    this.store = new PlayerStore(host, this.passes, () => this.show());
    this.turns = this.passes.map((pass) => new Set(pass.turn === null ? [] : [pass.turn]));
    this.puts = this.passes.map((pass) => new Set(pass.puts()));
    this.build();
    host.onDeath(() => this.showDeath());
    this.show(false);
  }

  /** Show a pass with other values; returns false if it is of another form, so that the view has to be rebuilt. */
  renew(opening) {
    const records = this.panes.alike(opening.passes);
    if (records === null) return false;
    this.passes = opening.passes.map((record) => new PlayerPass(record));
    this.store = new PlayerStore(this.host, this.passes, () => this.show());
    this.passes.forEach((pass, p) => pass.settle(this.moments[this.at][p]));
    this.panes.renew(this.passes, records);
    this.below.forget();
    this.show(false);
    return true;
  }

  build() {
    const { el } = this;
    el.setAttribute("data-lm-suppress-shortcuts", "true");
    el.setAttribute("tabindex", "0");
    el.setAttribute("role", "group");
    el.setAttribute("aria-label", "a pass forward and back, box by box; press ? for the keys");
    this.keyed = (event) => this.onKey(event);
    el.addEventListener("keydown", this.keyed);
    this.caption = h("div", { class: "rh-player-caption", "aria-live": "polite" });
    this.notice = h("div", { role: "status" });
    this.bar = playerBar(
      (name, value) => this.act(name, value),
      playerLegs(this.passes[0], this.moments),
      this.last,
      this.isTwo ? "moment" : "box",
    );
    this.bar.speed(this.speed);
    this.roundBar = playerRoundBar(this.passes[0].rounds, (loop, round) => this.toRound(loop, round));
    this.sizes = this.passes.map((pass) => playerSizes(pass)).filter(Boolean);
    const pick = (what) => this.pick(what);
    this.panes = new PlayerPanes(this.host, this.passes, { pick, placed: () => this.show(false) });
    const drawn = this.panes.diagrams().length > 0;
    this.below = new PlayerBelow(this.passes, drawn, { pick, open: () => this.show(false), say: (words) => this.say(words) });
    this.help = drawingHelp(drawingWords(PLAYER_KEYS), drawn);
    this.changes = playerChanges(this.host, {
      renew: (opening) => this.renew(opening) || this.say("This pass has another form: run the cell with these numbers."),
      stale: (is) => this.el.classList.toggle("rh-player-stale", is),
    });
    this.tools = drawingBar((name) => this.act(name), { folds: this.panes.foldable() ? ["open", "clauses"] : [], isDrawn: drawn });
    this.beginFolded();
    refill(
      el,
      h("div", { class: "rh-player-top" }, this.bar.element, this.roundBar?.element ?? null, this.caption),
      this.notice,
      this.tools.element,
      this.help,
      this.panes.element,
      drawn ? playerLegend() : null,
      this.sizes.map((shown) => shown.element),
      this.below.value,
      this.below.lower,
      this.changes?.element ?? null,
      this.below.differences,
      this.below.tables.map((table) => table.element),
    );
  }

  /** Start with the drawing that the user chose before. */
  beginFolded() {
    const { isFolded } = this.panes;
    this.tools.show(isFolded ? "clauses" : "open");
    const kept = this.host.recall("folded", isFolded);
    if (this.panes.foldable() && kept !== isFolded) this.fold(kept);
  }

  async fold(isFolded) {
    try {
      await this.panes.fold(isFolded, this.store);
      this.tools.show(isFolded ? "clauses" : "open");
      this.host.keep("folded", isFolded);
      if (this.chosen?.box !== undefined) this.chosen = null;
      this.show();
    } catch (error) {
      this.say(error.message);
    }
  }

  /** Render the current moment. Keyboard focus stays in the view even if the focused element is removed or disabled. */
  show(doesFollow = true) {
    if (this.bar === undefined) return;
    const active = () => this.el.getRootNode().activeElement;
    const isHere = this.el.contains(active() ?? null);
    this.showMoment(doesFollow);
    if (isHere && (!this.el.contains(active() ?? null) || active().disabled)) this.el.focus({ preventScroll: true });
  }

  showMoment(doesFollow) {
    const frames = this.moments[this.at];
    this.passes.forEach((pass, p) => {
      pass.settle(frames[p]);
      for (const [from, to] of pass.rounds.missing(frames[p])) this.store.wantRound(p, from, to);
    });
    this.roundBar?.show(frames[0]);
    for (const shown of this.sizes) shown.show(frames[0]);
    const words = this.passes.map((pass, p) => pass.caption(frames[p]));
    this.caption.setAttribute("aria-live", this.timer === null ? "polite" : "off");
    refill(
      this.caption,
      words.map((text, p) => h(
        "div",
        { class: `rh-player-now rh-player-now-${this.passes[p].legAt(frames[p])}` },
        this.isTwo ? h("b", {}, p === 0 ? "first: " : "second: ") : null,
        text,
      )),
    );
    const put = playerSeek(this.moments, this.puts, this.at, 1);
    const turn = playerSeek(this.moments, this.turns, -1, 1);
    this.bar.show(
      this.at,
      words.join("; "),
      { isPlaying: this.timer !== null, hasTurn: turn !== null && turn !== this.at, hasPut: put !== null },
    );
    const chosenIn = (p) => this.chosenIn(p);
    this.panes.show(frames, chosenIn, { following: doesFollow, isHasty: this.timer !== null && this.speed >= 4 });
    const box = (p, id) => this.panes.box(p, id);
    this.below.show({ passes: this.passes, store: this.store, frames, chosenIn, box, isEnd: this.at === this.last });
  }

  /** The selection in a pass: the user's, or its counterpart from the other pass. */
  chosenIn(p) {
    if (this.chosen === null) return null;
    if (this.chosen.pass === p) return this.chosen;
    const wire = this.chosen.wire === undefined ? undefined : this.store.agreeing(this.chosen.pass, this.chosen.wire);
    return wire === undefined ? null : { pass: p, wire };
  }

  pick(what) {
    this.chosen = what;
    this.host.keep("chosen", what);
    this.show(false);
  }

  /** Go to a moment. */
  go(at) {
    const next = Math.min(this.last, Math.max(0, at));
    if (next === this.at) return;
    this.at = next;
    this.show();
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.host.keep("frame", this.at), 300);
  }

  /** Go to where a round of a loop of the first pass begins. */
  toRound(loop, round) {
    this.pause();
    const frame = this.passes[0].rounds.begin(loop, round);
    this.go(this.moments.findIndex((frames) => frames[0] >= frame));
  }

  act(name, value) {
    const seek = (sets, from, step) => this.go(playerSeek(this.moments, sets, from, step) ?? this.at);
    if (PLAYER_MOVES.includes(name)) this.pause();
    const todo = {
      go: () => this.go(value),
      first: () => this.go(0),
      back: () => this.go(this.at - 1),
      forward: () => this.go(this.at + 1),
      last: () => this.go(this.last),
      turn: () => seek(this.turns, -1, 1),
      put: () => seek(this.puts, this.at, 1),
      putBefore: () => seek(this.puts, this.at, -1),
      nextRound: () => this.roundBar?.step(1),
      roundBefore: () => this.roundBar?.step(-1),
      play: () => (this.timer === null ? this.play() : this.pause()),
      speed: () => this.hurry(value),
      larger: () => this.panes.zoom((diagram) => diagram.zoom * DRAWING_FACTOR),
      smaller: () => this.panes.zoom((diagram) => diagram.zoom / DRAWING_FACTOR),
      fit: () => this.panes.zoom((diagram) => diagram.fitting()),
      full: () => this.panes.zoom(() => 1),
      open: () => this.panes.foldable() && this.host.alive() && this.fold(false),
      clauses: () => this.panes.foldable() && this.host.alive() && this.fold(true),
      up: () => this.panes.walk(this.chosen?.pass ?? 0, -1),
      down: () => this.panes.walk(this.chosen?.pass ?? 0, 1),
      clear: () => this.pick(null),
      inspect: () => this.inspect(),
      help: () => (this.help.hidden = !this.help.hidden),
    };
    if (name in DRAWING_PANS) this.panes.pan(...DRAWING_PANS[name]);
    else todo[name]();
  }

  /** Set the number of boxes per second. */
  hurry(speed) {
    this.speed = speed;
    this.host.keep("speed", speed);
    if (this.timer !== null) this.play();
  }

  inspect() {
    const what = this.panes.underCursor(this.chosen?.pass ?? 0);
    if (what === null) return;
    this.pick(what);
    this.below.details.focus();
  }

  play() {
    clearInterval(this.timer);
    if (this.at === this.last) this.go(0);
    this.timer = setInterval(() => (this.at < this.last ? this.go(this.at + 1) : this.pause()), 1000 / this.speed);
    this.show();
  }

  pause() {
    if (this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
    this.show(false);
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith("Arrow") && event.target.closest?.(".rh-player-entries")) return;
    if (event.target.closest?.(".rh-changes") && event.target.tagName === "INPUT") return;
    const name = playerCommand(drawingKey(event), event.target.tagName, event.target.type);
    if (name === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.act(name);
  }

  say(words) {
    refill(this.notice, h("p", { class: "rh-gone" }, words));
  }

  showDeath() {
    this.say(PLAYER_GONE.join(" "));
    this.tools.disableFolds();
    this.show(false);
  }

  release() {
    clearInterval(this.timer);
    clearTimeout(this.keeping);
    if (this.keeping !== undefined) this.host.keep("frame", this.at);
    this.el.removeEventListener("keydown", this.keyed);
    this.panes.release();
  }
}
