// The gradient player: forward pass, turn and backward pass, box by box, with the content of every wire.
import { h, refill } from "./dom.js";
import { DRAWING_FACTOR, DRAWING_PANS, drawingBar, drawingHelp, drawingKey, drawingWords } from "./drawing_bar.js";
import { PLAYER_KEYS, playerBar, playerCommand, playerLegs } from "./player_bar.js";
import { playerChanges } from "./player_changes.js";
import { playerDrawn, playerForm, playerSeek, playerTimeline } from "./player_compare.js";
import { PlayerDiagram } from "./player_diagram.js";
import { playerBoxDetails, playerHint, playerKeepFocus, playerShowWeights, playerWireDetails } from "./player_inspector.js";
import { playerLegend } from "./player_legend.js";
import { PlayerPass } from "./player_pass.js";
import { playerRoundBar, playerSizes } from "./player_round_bar.js";
import { PlayerStore } from "./player_store.js";
import { playerDifferences, playerDifferenceTable, playerTable } from "./player_table.js";

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
    host.onDeath(() => this.mourn());
    this.show(false);
  }

  /** Show a pass with other values; returns false if it is of another form, so that the view has to be made anew. */
  renew(opening) {
    const records = opening.passes.map((record) => playerDrawn(record, this.isFolded));
    const forms = records.map((record) => playerForm(record));
    if (this.forms.length !== forms.length || this.forms.some((form, p) => form !== forms[p])) return false;
    this.passes = opening.passes.map((record) => new PlayerPass(record));
    this.store = new PlayerStore(this.host, this.passes, () => this.show());
    this.panes.forEach(({ diagram }, p) => {
      this.passes[p].settle(this.moments[this.at][p]);
      diagram?.renew(this.passes[p], records[p]);
    });
    this.weighed = undefined;
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
    this.value = h("div", { class: "rh-player-result" });
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
    for (const pass of this.passes) pass.settle(0);
    this.panes = this.passes.map((pass, p) => this.pane(pass, p));
    this.level();
    this.details = h("div", { class: "rh-player-inspector", role: "region", "aria-label": "what is picked", tabindex: -1 });
    this.weights = h("div", { class: "rh-player-side" });
    this.differences = h("div", {});
    const drawn = this.panes.some((pane) => pane.diagram !== null);
    this.help = drawingHelp(drawingWords(PLAYER_KEYS), drawn);
    this.changes = playerChanges(this.host, {
      renew: (opening) => this.renew(opening) || this.say("This pass has another form: run the cell with these numbers."),
      stale: (is) => this.el.classList.toggle("rh-player-stale", is),
    });
    this.tables = this.passes.map((pass, p) => this.tableOf(pass, p, !drawn));
    this.tools = drawingBar((name) => this.act(name), { folds: this.foldable() ? ["open", "clauses"] : [], isDrawn: drawn });
    this.beginFolded();
    refill(
      el,
      h("div", { class: "rh-player-top" }, this.bar.element, this.roundBar?.element ?? null, this.caption),
      this.notice,
      this.tools.element,
      this.help,
      h("div", { class: `rh-player-panes${this.isTwo ? " rh-player-two" : ""}` }, this.panes.map((pane) => pane.element)),
      drawn ? playerLegend() : null,
      this.sizes.map((shown) => shown.element),
      this.value,
      h("div", { class: "rh-player-lower" }, this.details, this.weights),
      this.changes?.element ?? null,
      this.differences,
      this.tables.map((table) => table.element),
    );
  }

  /** A pass: its heading, and its drawing unless that is too large. */
  pane(pass, p) {
    const { title, type, too_large: words } = pass.record;
    const heading = h(
      "div",
      { class: "rh-player-heading" },
      this.isTwo ? h("b", {}, p === 0 ? "first " : "second ") : null,
      h("code", { title }, title),
      h("span", { class: "rh-player-quiet" }, ` : ${type}`),
    );
    if (words !== undefined) return {
      element: h("div", { class: "rh-player-pane" }, heading, h("p", { class: "rh-gone" }, words)),
      diagram: null,
    };
    const diagram = new PlayerDiagram(pass, `string diagram of ${title}`, (what) => this.pick({ pass: p, ...what }));
    diagram.draw(pass.record);
    diagram.begin(this.host.recall(`zoom${p}`, null), () => this.placed());
    return { element: h("div", { class: "rh-player-pane" }, heading, diagram.element), diagram };
  }

  /** A drawing has got its width. */
  placed() {
    this.level();
    this.show(false);
  }

  /** Give adjacent drawings the same height. */
  level() {
    const diagrams = (this.panes ?? []).map((pane) => pane.diagram).filter(Boolean);
    const most = Math.max(...diagrams.map((diagram) => diagram.height()));
    for (const diagram of diagrams) diagram.tall(most);
    const wide = Math.max(0, ...diagrams.map((diagram) => Math.ceil(diagram.size.width)));
    this.el.style.setProperty("--rh-player-wide", `${wide + 4}px`);
  }

  /** The table of a pass, updated while it is open. */
  tableOf(pass, p, isOpen) {
    const body = h("div", {});
    const summary = h("summary", {}, this.isTwo ? `${p === 0 ? "The first" : "The second"} pass as a table` : "As a table");
    const element = h(
      "details",
      { class: "rh-player-details", open: isOpen, on: { toggle: () => this.show(false) } },
      summary,
      body,
    );
    return { element, body };
  }

  /** Whether there is a drawing with open and one with folded clauses. */
  foldable() {
    return this.passes.some((pass) => (pass.record.foldings ?? []).length > 1);
  }

  /** Start with the drawing that the user chose before. */
  beginFolded() {
    this.isFolded = Boolean(this.passes.find((pass) => pass.record.boxes !== undefined)?.record.folded);
    this.forms = this.passes.map((pass) => playerForm(pass.record));
    this.tools.show(this.isFolded ? "clauses" : "open");
    const kept = this.host.recall("folded", this.isFolded);
    if (this.foldable() && kept !== this.isFolded) this.fold(kept);
  }

  async fold(isFolded) {
    try {
      const drawings = await Promise.all(this.passes.map((pass, p) => this.store.layout(p, isFolded)));
      drawings.forEach((geometry, p) => geometry !== null && this.panes[p].diagram?.draw(geometry));
      this.level();
      this.isFolded = isFolded;
      this.forms = this.passes.map((pass, p) => playerForm({ ...pass.record, ...drawings[p] }));
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
    this.panes.forEach(({ diagram }, p) => {
      const mine = this.chosenIn(p);
      diagram?.show(frames[p], mine, mine?.wire === undefined ? [] : this.passes[p].partners(mine.wire));
      if (doesFollow) diagram?.follow(frames[p], this.timer !== null && this.speed >= 4);
    });
    this.showBelow(frames);
  }

  /** The selection in a pass: the user's, or its counterpart from the other pass. */
  chosenIn(p) {
    if (this.chosen === null) return null;
    if (this.chosen.pass === p) return this.chosen;
    const wire = this.chosen.wire === undefined ? undefined : this.store.agreeing(this.chosen.pass, this.chosen.wire);
    return wire === undefined ? null : { pass: p, wire };
  }

  showBelow(frames) {
    playerKeepFocus(this.details, () => this.showDetails(frames));
    this.weighed = playerShowWeights(this.weights, this.passes, frames, this.weighed);
    this.passes.forEach((pass, p) => {
      for (const { first, last } of pass.weights(frames[p])) for (const use of [first, last]) {
        if (use !== null && use.frame <= frames[p] && use.after.values === null) this.store.want({ pass: p, access: use.number });
      }
    });
    const isEnd = this.at === this.last;
    refill(
      this.value,
      this.passes.map((pass, p) => h(
        "div",
        { class: isEnd ? "" : "rh-player-away" },
        h("b", {}, this.isTwo ? `${p === 0 ? "first" : "second"} value: ` : "value: "),
        h("code", {}, isEnd ? pass.record.value : "…"),
      )),
    );
    if (this.isTwo) {
      const found = playerDifferences(this.passes, frames);
      for (const { refs } of found) for (const ref of refs) this.store.want(ref);
      refill(this.differences, playerDifferenceTable(found) ?? []);
    }
    this.tables.forEach(({ element, body }, p) => {
      if (element.open) playerKeepFocus(
        body,
        () => refill(body, playerTable(this.passes[p], frames[p], (what) => this.pick({ pass: p, ...what }))),
      );
    });
  }

  showDetails(frames) {
    const cards = this.passes.map((pass, p) => this.cardOf(p, frames[p])).filter(Boolean);
    if (cards.length === 0) playerHint(this.details);
    else refill(this.details, cards);
  }

  cardOf(p, frame) {
    const mine = this.chosenIn(p);
    if (mine === null) return null;
    const pass = this.passes[p];
    const pick = (what) => this.pick({ pass: p, ...what });
    if (mine.wire === undefined) {
      const box = this.panes[p].diagram?.geometry.boxes.find((candidate) => candidate.id === mine.box);
      return box === undefined ? null : playerBoxDetails(pass, box, frame, pick);
    }
    const wire = pass.wires.get(mine.wire);
    const ref = wire.writes === undefined || wire.born === Infinity
      ? { pass: p, wire: mine.wire }
      : { pass: p, wire: mine.wire, frame: wire.born };
    if (pass.wires.get(mine.wire).content.values === null && pass.wireState(mine.wire, frame) !== "empty") this.store.want(ref);
    const heading = this.isTwo ? h("span", { class: "rh-player-quiet" }, p === 0 ? "first" : "second") : null;
    const more = () => this.store.demand(ref).catch((error) => this.say(error.message));
    return playerWireDetails(pass, mine.wire, frame, { fetched: this.store.known(ref), more, pick, heading });
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
    const diagrams = this.panes.map((pane) => pane.diagram).filter(Boolean);
    const zoom = (scale) => {
      diagrams.forEach((diagram) => diagram.chooseZoom(scale(diagram)));
      this.panes.forEach(({ diagram }, p) => diagram !== null && this.host.keep(`zoom${p}`, diagram.zoom));
    };
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
      larger: () => zoom((diagram) => diagram.zoom * DRAWING_FACTOR),
      smaller: () => zoom((diagram) => diagram.zoom / DRAWING_FACTOR),
      fit: () => zoom((diagram) => diagram.fitting()),
      full: () => zoom(() => 1),
      open: () => this.foldable() && this.host.alive() && this.fold(false),
      clauses: () => this.foldable() && this.host.alive() && this.fold(true),
      up: () => this.walk(-1),
      down: () => this.walk(1),
      clear: () => this.pick(null),
      inspect: () => this.inspect(),
      help: () => (this.help.hidden = !this.help.hidden),
    };
    if (name in DRAWING_PANS) for (const diagram of diagrams) diagram.pan(...DRAWING_PANS[name]);
    else todo[name]();
  }

  /** Set the number of boxes per second. */
  hurry(speed) {
    this.speed = speed;
    this.host.keep("speed", speed);
    if (this.timer !== null) this.play();
  }

  /** The drawing that has the focus. */
  here() {
    const around = this.panes.find(({ element }) => element.contains(document.activeElement));
    const pane = around ?? this.panes[this.chosen?.pass ?? 0];
    return pane.diagram === null ? this.panes.findIndex(({ diagram }) => diagram !== null) : this.panes.indexOf(pane);
  }

  walk(step) {
    this.panes[this.here()]?.diagram?.moveCursor(step);
  }

  inspect() {
    const p = this.here();
    const what = this.panes[p]?.diagram?.underCursor() ?? null;
    if (what === null) return;
    this.pick({ pass: p, ...what });
    this.details.focus();
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

  mourn() {
    this.say(PLAYER_GONE.join(" "));
    this.tools.disableFolds();
    this.show(false);
  }

  release() {
    clearInterval(this.timer);
    clearTimeout(this.keeping);
    if (this.keeping !== undefined) this.host.keep("frame", this.at);
    this.el.removeEventListener("keydown", this.keyed);
    for (const { diagram } of this.panes) diagram?.release();
  }
}
