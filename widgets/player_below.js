// What is below the drawings of a player: what is picked, the weights, the value, the differences of two passes, and tables.
import { h, refill } from "./dom.js";
import { playerBoxDetails, playerHint, playerKeepFocus, playerShowWeights, playerWireDetails } from "./player_inspector.js";
import { playerDifferences, playerDifferenceTable, playerTable } from "./player_table.js";

/** The parts; `on.pick(what)` is called with what is picked in one, `on.open()` when a table is opened, `on.say(words)` to report. */
export class PlayerBelow {
  constructor(passes, isDrawn, on) {
    this.on = on;
    this.isTwo = passes.length > 1;
    this.value = h("div", { class: "rh-player-result" });
    this.details = h("div", { class: "rh-player-inspector", role: "region", "aria-label": "what is picked", tabindex: -1 });
    this.weights = h("div", { class: "rh-player-side" });
    this.lower = h("div", { class: "rh-player-lower" }, this.details, this.weights);
    this.differences = h("div", {});
    this.tables = passes.map((pass, p) => this.tableOf(p, !isDrawn));
  }

  /** The table of a pass, updated while it is open. */
  tableOf(p, isOpen) {
    const body = h("div", {});
    const summary = h("summary", {}, this.isTwo ? `${p === 0 ? "The first" : "The second"} pass as a table` : "As a table");
    const element = h("details", { class: "rh-player-details", open: isOpen, on: { toggle: () => this.on.open() } }, summary, body);
    return { element, body };
  }

  /** Redraw the weights: they are those of another pass. */
  forget() {
    this.weighed = undefined;
  }

  /** Show a moment: `passes` and their `store`, the `frames`, `chosenIn(p)` and `box(p, id)`, and whether it is the last one. */
  show(moment) {
    const { passes, store, frames, isEnd } = moment;
    playerKeepFocus(this.details, () => this.showDetails(moment));
    this.weighed = playerShowWeights(this.weights, passes, frames, this.weighed);
    passes.forEach((pass, p) => {
      for (const { first, last } of pass.weights(frames[p])) for (const use of [first, last]) {
        if (use !== null && use.frame <= frames[p] && use.after.values === null) store.want({ pass: p, access: use.number });
      }
    });
    refill(
      this.value,
      passes.map((pass, p) => h(
        "div",
        { class: isEnd ? "" : "rh-player-away" },
        h("b", {}, this.isTwo ? `${p === 0 ? "first" : "second"} value: ` : "value: "),
        h("code", {}, isEnd ? pass.record.value : "…"),
      )),
    );
    if (this.isTwo) {
      const found = playerDifferences(passes, frames);
      for (const { refs } of found) for (const ref of refs) store.want(ref);
      refill(this.differences, playerDifferenceTable(found) ?? []);
    }
    this.tables.forEach(({ element, body }, p) => {
      if (element.open) playerKeepFocus(body, () => refill(body, playerTable(passes[p], frames[p], this.picking(p))));
    });
  }

  picking(p) {
    return (what) => this.on.pick({ pass: p, ...what });
  }

  showDetails(moment) {
    const cards = moment.passes.map((pass, p) => this.cardOf(p, moment)).filter(Boolean);
    if (cards.length === 0) playerHint(this.details);
    else refill(this.details, cards);
  }

  cardOf(p, { passes, store, frames, chosenIn, box: boxOf }) {
    const mine = chosenIn(p);
    if (mine === null) return null;
    const [pass, frame, pick] = [passes[p], frames[p], this.picking(p)];
    if (mine.wire === undefined) {
      const box = boxOf(p, mine.box);
      return box === undefined ? null : playerBoxDetails(pass, box, frame, pick);
    }
    const wire = pass.wires.get(mine.wire);
    const ref = wire.writes === undefined || wire.born === Infinity
      ? { pass: p, wire: mine.wire }
      : { pass: p, wire: mine.wire, frame: wire.born };
    if (wire.content.values === null && pass.wireState(mine.wire, frame) !== "empty") store.want(ref);
    const heading = this.isTwo ? h("span", { class: "rh-player-quiet" }, p === 0 ? "first" : "second") : null;
    const more = () => store.demand(ref).catch((error) => this.on.say(error.message));
    return playerWireDetails(pass, mine.wire, frame, { fetched: store.known(ref), more, pick, heading });
  }
}
