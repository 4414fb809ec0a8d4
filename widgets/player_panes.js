// The drawings of a player: one for each pass, next to each other, with open or folded clauses.
import { h } from "./dom.js";
import { playerDrawn, playerForm } from "./player_compare.js";
import { PlayerDiagram } from "./player_diagram.js";

/** The drawings; `on.pick(what)` is called with what is picked in one, `on.placed()` when one has got its width. */
export class PlayerPanes {
  constructor(host, passes, on) {
    this.host = host;
    this.passes = passes;
    this.on = on;
    this.isTwo = passes.length > 1;
    for (const pass of passes) pass.settle(0);
    this.panes = passes.map((pass, p) => this.pane(pass, p));
    this.isFolded = Boolean(passes.find((pass) => pass.record.boxes !== undefined)?.record.folded);
    this.forms = passes.map((pass) => playerForm(pass.record));
    const elements = this.panes.map((pane) => pane.element);
    this.element = h("div", { class: `rh-player-panes${this.isTwo ? " rh-player-two" : ""}` }, elements);
    this.level();
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
    const diagram = new PlayerDiagram(pass, `string diagram of ${title}`, (what) => this.on.pick({ pass: p, ...what }));
    diagram.draw(pass.record);
    diagram.begin(this.host.recall(`zoom${p}`, null), () => this.placed());
    return { element: h("div", { class: "rh-player-pane" }, heading, diagram.element), diagram };
  }

  /** The drawings of the passes that are not too large. */
  diagrams() {
    return this.panes.map((pane) => pane.diagram).filter(Boolean);
  }

  /** A drawing has got its width. */
  placed() {
    this.level();
    this.on.placed();
  }

  /** Give adjacent drawings the same height. */
  level() {
    const diagrams = this.diagrams();
    const most = Math.max(...diagrams.map((diagram) => diagram.height()));
    for (const diagram of diagrams) diagram.tall(most);
    const wide = Math.max(0, ...diagrams.map((diagram) => Math.ceil(diagram.size.width)));
    this.element.style.setProperty("--rh-player-wide", `${wide + 4}px`);
  }

  /** Whether there is a drawing with open and one with folded clauses. */
  foldable() {
    return this.passes.some((pass) => (pass.record.foldings ?? []).length > 1);
  }

  /** Switch to the drawings with open or folded clauses, which may have to be fetched; rejects with the reason if that fails. */
  async fold(isFolded, store) {
    const drawings = await Promise.all(this.passes.map((pass, p) => store.layout(p, isFolded)));
    drawings.forEach((geometry, p) => geometry !== null && this.panes[p].diagram?.draw(geometry));
    this.level();
    this.isFolded = isFolded;
    this.forms = this.passes.map((pass, p) => playerForm({ ...pass.record, ...drawings[p] }));
  }

  /** Of these records the drawings that are shown, or null if one is of another form than the drawing here. */
  alike(records) {
    const drawn = records.map((record) => playerDrawn(record, this.isFolded));
    const forms = drawn.map((record) => playerForm(record));
    const isAlike = this.forms.length === forms.length && this.forms.every((form, p) => form === forms[p]);
    return isAlike ? drawn : null;
  }

  /** Show other passes in the same drawings. */
  renew(passes, records) {
    this.passes = passes;
    this.panes.forEach(({ diagram }, p) => diagram?.renew(passes[p], records[p]));
  }

  /** Show these frames; `chosenIn(p)` is the selection in a pass. With `following`, scroll to the running box, `isHasty` if there is no time. */
  show(frames, chosenIn, { following, isHasty }) {
    this.panes.forEach(({ diagram }, p) => {
      const mine = chosenIn(p);
      diagram?.show(frames[p], mine, mine?.wire === undefined ? [] : this.passes[p].partners(mine.wire));
      if (following) diagram?.follow(frames[p], isHasty);
    });
  }

  /** Draw at a scale that depends on the drawing. */
  zoom(scale) {
    this.panes.forEach(({ diagram }, p) => {
      if (diagram === null) return;
      diagram.chooseZoom(scale(diagram));
      this.host.keep(`zoom${p}`, diagram.zoom);
    });
  }

  /** Move the drawings by these pixels. */
  pan(dx, dy) {
    for (const diagram of this.diagrams()) diagram.pan(dx, dy);
  }

  /** A box of a drawing by its number, if it is drawn. */
  box(p, id) {
    return this.panes[p].diagram?.geometry.boxes.find((box) => box.id === id);
  }

  /** The number of the drawing that has the focus; otherwise of this pass, or of the first one that is drawn. */
  here(p) {
    const around = this.panes.find(({ element }) => element.contains(document.activeElement));
    const pane = around ?? this.panes[p];
    return pane.diagram === null ? this.panes.findIndex(({ diagram }) => diagram !== null) : this.panes.indexOf(pane);
  }

  /** Move the keyboard focus in that drawing. */
  walk(p, step) {
    this.panes[this.here(p)]?.diagram?.moveCursor(step);
  }

  /** What has the keyboard focus in that drawing, or null. */
  underCursor(p) {
    const here = this.here(p);
    const what = this.panes[here]?.diagram?.underCursor() ?? null;
    return what === null ? null : { pass: here, ...what };
  }

  release() {
    for (const diagram of this.diagrams()) diagram.release();
  }
}
