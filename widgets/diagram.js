// Interactive string diagram: details of its parts, the wires of a selection, and folds to open and close.
import { buttonName, download, h, refill, s } from "./dom.js";
import { DRAWING_FACTOR, DRAWING_FOLD_KEYS, DRAWING_KEYS, DRAWING_PANS, drawingBar, drawingCommand, drawingHelp, drawingWords } from "./drawing_bar.js";
import { diagramDetails } from "./diagram_details.js";
import { diagramSvg } from "./diagram_svg.js";
import { diagramEnds, diagramFoldsOf, diagramFrames, diagramIndex, diagramMatches, diagramOrder, diagramPartners, diagramCounterpart, diagramStep, diagramToggled } from "./diagram_navigation.js";
import { zoomable } from "./zoom.js";

const DIAGRAM_KEYS = [
  "← → along the wires, ↑ ↓ to the box above or below, Home and End to the first and the last one",
  "Enter opens a folded box or folds a frame; f folds what is around the box",
  "/ searches, Esc picks nothing",
];
const DIAGRAM_FOLDS = { open: [], clauses: ["clause"], all: ["clause", "net", "legs", "handler", "rounds", "choice"] };
const DIAGRAM_COMMANDS = [...DRAWING_FOLD_KEYS, ...DRAWING_KEYS];
const DIAGRAM_FILES = { svg: "diagram.svg", tikz: "diagram.tex", dot: "diagram.dot", text: "diagram.txt" };
const DIAGRAM_HIGHEST = 560;
const DIAGRAM_SPACE = 20;
/** The scale at first: at least this one, at which the smallest text has 11 pixels. */
const DIAGRAM_LEAST = 1;

/** The view of `%diagram`. */
export function diagram(host, el) {
  const view = new DiagramView(host, el);
  return () => view.release();
}

class DiagramView {
  constructor(host, el) {
    this.host = host;
    this.el = el;
    this.asked = 0;
    this.known = new Map();
    this.matches = [];
    this.at = -1;
    el.setAttribute("data-lm-suppress-shortcuts", "true");
    host.onDeath(() => this.showDeath());
    this.picked = host.recall("picked", null);
    const folded = host.recall("folded", null);
    const zoom = host.recall("zoom", null);
    const rounds = host.recall("rounds", host.opening.rounds?.shown);
    const ready = this.begin(host.opening, folded);
    this.zoomBack(zoom, rounds === host.opening.rounds?.shown ? ready : this.showRounds(rounds, folded));
  }

  /** Show a diagram from its opening record, with these folds closed. */
  begin(opening, folded) {
    this.opening = opening;
    this.known.clear();
    if (opening.drawing === null) {
      this.tooLarge();
      return;
    }
    this.known.set(diagramKey(opening.drawing.folded), opening.drawing);
    this.index = diagramIndex(opening.drawing, opening.folds, opening.cotangents);
    this.build();
    this.draw(opening.drawing);
    const isOther = folded !== null && diagramKey(folded) !== diagramKey(opening.drawing.folded);
    return isOther ? this.layout(folded) : null;
  }

  /** Show the part of the drawing that was shown, after what `ready` waits for. */
  async zoomBack(kept, ready) {
    await ready;
    if (kept === null || this.opening.drawing === null || this.isReleased) return;
    this.window.style.height = `${kept.height}px`;
    this.zoom.put(kept);
  }

  /** The switch between one round for all and the first and last rounds, if there are loops. */
  roundsChoice() {
    const choices = this.opening.rounds?.choices ?? [];
    if (choices.length < 2) return null;
    return h(
      "select",
      { "aria-label": "rounds", title: "how rounds are drawn", on: { change: (event) => this.showRounds(event.target.value) } },
      choices.map(([value, words]) => h("option", { value, selected: value === this.opening.rounds.shown }, words)),
    );
  }

  async showRounds(rounds, folded = null) {
    try {
      const opening = await this.host.ask({ ask: "rounds", rounds });
      this.host.keep("rounds", rounds);
      this.host.keep("folded", folded);
      this.zoom?.release();
      this.window?.removeEventListener("keydown", this.keyed);
      this.el.replaceChildren();
      if (folded === null) this.picked = null;
      await this.begin(opening, folded);
    } catch (error) {
      if (this.host.alive()) this.say(error.message);
    }
  }

  tooLarge() {
    const { opening } = this;
    this.el.append(
      h("div", { class: "rh-diagram-head" }, opening.summary),
      h("p", { role: "status" }, "This diagram is too large to be drawn. These are its boxes."),
      h("pre", { class: "rh-diagram-list", tabindex: 0 }, opening.listing)
    );
  }

  build() {
    const { opening } = this;
    const button = (text, label, click) => h("button", { type: "button", title: label, "aria-label": buttonName(text, label), on: { click } }, text);
    this.on = { pick: (kind, id) => this.pick({ kind, id }, true), toggle: (fold) => this.toggle(fold) };
    this.svg = s("svg", { class: "rh-diagram-svg", role: "group", "aria-label": `string diagram: ${opening.summary}` });
    this.svg.addEventListener("focusin", (event) => this.focused(event.target));
    this.details = h("div", { class: "rh-diagram-card", role: "region", "aria-label": "what is picked", "aria-live": "polite" });
    this.status = h("div", { class: "rh-diagram-status", role: "status" });
    this.search = h("input", { type: "search", size: 12, placeholder: "find", "aria-label": "find a box or a wire", on: { input: () => this.find(), keydown: (event) => this.onSearchKey(event) } });
    this.count = h("span", { class: "rh-diagram-quiet", "aria-live": "polite" });
    this.help = drawingHelp([...DIAGRAM_KEYS, ...drawingWords(DIAGRAM_COMMANDS)]);
    this.exports = Object.keys(DIAGRAM_FILES).map((form) => button({ svg: "SVG", tikz: "TikZ", dot: "DOT", text: "text" }[form], `save as ${DIAGRAM_FILES[form]}`, () => this.save(form)));
    this.tools = drawingBar((name) => this.command(name), {
      folds: opening.folds.length > 0 ? Object.keys(DIAGRAM_FOLDS) : [],
      more: [
        this.roundsChoice(),
        h("span", { class: "rh-bar" }, this.search, this.count),
        h("span", { class: "rh-bar" }, h("span", { class: "rh-diagram-quiet" }, "save"), this.exports),
      ],
    });
    const list = h("details", {}, h("summary", {}, "as a list"), h("pre", { class: "rh-diagram-list", tabindex: 0 }, opening.listing));
    this.window = h("div", { class: "rh-diagram-window", on: { click: () => this.pick(null) } }, this.svg);
    this.least = DIAGRAM_LEAST;
    this.zoom = zoomable(this.window, this.svg, DIAGRAM_LEAST, () => this.level());
    this.el.append(h("div", { class: "rh-diagram-head" }, opening.summary), this.tools.element, this.help, this.window, this.details, this.status, list);
    this.keyed = (event) => this.onKey(event);
    this.window.addEventListener("keydown", this.keyed);
  }

  release() {
    const isMoved = this.zoom !== undefined && !this.zoom.isFitted();
    if (isMoved || this.host.recall("zoom", null) !== null) {
      this.host.keep("zoom", isMoved ? { ...this.zoom.state(), height: this.window.clientHeight } : null);
    }
    this.isReleased = true;
    this.zoom?.release();
    this.el.replaceChildren();
  }

  showDeath() {
    if (this.status === undefined) return;
    this.status.classList.add("rh-gone");
    this.say("The kernel no longer knows this diagram. What you see stays; run the cell again for other folds and for saving.");
    for (const button of this.exports) button.disabled = true;
  }

  say(words) {
    this.status.textContent = words;
  }

  /** The folds of these kinds. */
  closing(kinds) {
    return diagramFoldsOf(this.opening.folds, kinds);
  }

  toggle(fold) {
    return this.layout(diagramToggled(this.index.drawing.folded, fold), fold);
  }

  /** Switch to the drawing with these folds closed. */
  async layout(folded, about = null) {
    const key = diagramKey(folded);
    this.asked += 1;
    const { asked } = this;
    try {
      const drawing = this.known.get(key) ?? (await this.host.ask({ ask: "layout", folded, rounds: this.opening.rounds?.shown }));
      this.known.set(key, drawing);
      if (asked !== this.asked) return;
      this.host.keep("folded", folded);
      if (this.host.alive()) this.say("");
      this.draw(drawing, about);
    } catch (error) {
      if (asked === this.asked && this.host.alive()) this.say(error.message);
    }
  }

  draw(drawing, about = null) {
    const hadFocus = this.svg.contains(document.activeElement);
    const wasFitted = this.zoom.isFitted();
    this.index = diagramIndex(drawing, this.opening.folds, this.opening.cotangents);
    const { parts, made } = diagramSvg(drawing, this.on);
    this.made = made;
    refill(this.svg, parts);
    if (wasFitted) this.level();
    this.zoom.resize({ w: drawing.width, h: drawing.height });
    if (about !== null) this.picked = this.afterFold(about);
    else if (this.picked?.kind === "box") this.picked = this.sameBox(this.picked.id);
    const isShown = (kinds) => diagramKey(this.closing(kinds)) === diagramKey(drawing.folded);
    this.tools.show(Object.keys(DIAGRAM_FOLDS).find((name) => isShown(DIAGRAM_FOLDS[name])));
    this.pick(this.picked, hadFocus || about !== null);
    this.find(false);
    if (about !== null) this.say(`${this.index.folds.get(about).label} is ${drawing.folded.includes(about) ? "folded" : "open"}; ${drawing.boxes.length} boxes are shown.`);
  }

  fit() {
    this.least = 0;
    this.level();
    this.zoom.fit();
  }

  /** Make the window as high as the drawing, up to a limit. */
  level() {
    const { drawing } = this.index;
    const scale = Math.min(1.25, Math.max(this.window.clientWidth, 200) / Math.max(drawing.width, 1));
    const high = drawing.height * Math.max(scale, this.least) + DIAGRAM_SPACE;
    this.window.style.height = `${Math.round(Math.min(DIAGRAM_HIGHEST, Math.max(150, high)))}px`;
  }

  sameBox(id) {
    const same = diagramCounterpart(this.index, id);
    return same === null ? null : { kind: "box", id: same };
  }

  /** The selection after a fold has been closed or opened: its box, or its frame. */
  afterFold(fold) {
    const box = this.index.drawing.boxes.find((b) => b.fold === fold);
    if (box !== undefined) return { kind: "box", id: box.id };
    return this.index.drawing.frames.some((frame) => frame.fold === fold) ? { kind: "frame", id: fold } : null;
  }

  pick(picked, focus = false) {
    this.picked = picked;
    this.host.keep("picked", picked);
    for (const name of ["rh-diagram-on", "rh-diagram-near", "rh-diagram-partner"]) {
      for (const node of this.svg.querySelectorAll(`.${name}`)) node.classList.remove(name);
    }
    this.svg.classList.toggle("rh-diagram-chosen", picked !== null);
    const { made, index } = this;
    const mark = (node, name) => node?.classList.add(name);
    let first = null;
    if (picked?.kind === "box" && made.box.has(picked.id)) {
      first = made.box.get(picked.id);
      for (const wire of [...index.ins.get(picked.id), ...index.outs.get(picked.id)]) {
        mark(made.wire.get(wire), "rh-diagram-near");
        for (const box of diagramEnds(index, wire)) mark(made.box.get(box), "rh-diagram-near");
      }
    } else if (picked?.kind === "wire" && made.wire.has(picked.id)) {
      first = made.wire.get(picked.id);
      first.parentNode.append(first);
      for (const box of diagramEnds(index, picked.id)) mark(made.box.get(box), "rh-diagram-near");
      const { value, cotangents } = diagramPartners(index, picked.id);
      for (const wire of [value, ...cotangents]) mark(made.wire.get(wire), "rh-diagram-partner");
    } else if (picked?.kind === "frame") {
      for (const frame of made.frame.values()) {
        if (frame.fold !== picked.id) continue;
        first ??= frame.node;
        mark(frame.node, "rh-diagram-on");
      }
    }
    mark(first, "rh-diagram-on");
    for (const [id, node] of made.box) node.setAttribute("tabindex", id === this.reachable() ? 0 : -1);
    refill(this.details, diagramDetails(index, picked, this.on));
    if (focus && first !== null && picked.kind !== "wire") first.focus({ preventScroll: true });
    if (focus) this.reveal();
  }

  /** Select a box reached by keyboard. */
  focused(node) {
    const id = Number(node.dataset?.box);
    if (node.dataset?.box !== undefined && !(this.picked?.kind === "box" && this.picked.id === id)) this.pick({ kind: "box", id });
  }

  /** The box in the tab order. */
  reachable() {
    if (this.picked?.kind === "box" && this.index.boxes.has(this.picked.id)) return this.picked.id;
    return diagramOrder(this.index.drawing)[0] ?? null;
  }

  reveal() {
    const box = this.picked?.kind === "box" ? this.index.boxes.get(this.picked.id) : undefined;
    if (box !== undefined && !diagramIsVisible(box, this.zoom)) this.zoom.reveal(box);
  }

  /** Carry out a command of the bar above the drawing, or of its keys. */
  command(name) {
    const todo = {
      larger: () => this.zoom.by(DRAWING_FACTOR),
      smaller: () => this.zoom.by(1 / DRAWING_FACTOR),
      fit: () => this.fit(),
      full: () => this.zoom.by(1 / this.zoom.state().scale),
      help: () => (this.help.hidden = !this.help.hidden),
    };
    if (name in DIAGRAM_FOLDS) this.layout(this.closing(DIAGRAM_FOLDS[name]));
    else if (name in DRAWING_PANS) this.zoom.pan(...DRAWING_PANS[name]);
    else todo[name]();
  }

  find(move = true) {
    this.matches = diagramMatches(this.index, this.search.value);
    this.at = move && this.matches.length ? 0 : -1;
    for (const node of this.svg.querySelectorAll(".rh-diagram-found")) node.classList.remove("rh-diagram-found");
    for (const match of this.matches) (match.kind === "box" ? this.made.box : this.made.wire).get(match.id)?.classList.add("rh-diagram-found");
    if (this.at === 0) this.pick(this.matches[0]);
    this.tell();
  }

  tell() {
    const n = this.matches.length;
    this.count.textContent = this.search.value.trim() === "" ? "" : n === 0 ? "none" : this.at < 0 ? `${n}` : `${this.at + 1} of ${n}`;
  }

  onSearchKey(event) {
    if (event.key === "Enter" && this.matches.length) {
      const n = this.matches.length;
      this.at = (this.at + (event.shiftKey ? n - 1 : 1)) % n;
      this.pick(this.matches[this.at]);
      this.reveal();
      this.tell();
    } else if (event.key === "Escape") {
      this.search.value = "";
      this.find(false);
    } else {
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  async save(form) {
    try {
      const { text, type } = await this.host.ask({ ask: "export", as: form, folded: this.index.drawing.folded, rounds: this.opening.rounds?.shown });
      download(DIAGRAM_FILES[form], type, text);
      this.say(`Saved as ${DIAGRAM_FILES[form]}.`);
    } catch (error) {
      this.say(error.message);
    }
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.act(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Handle a key; return whether it was handled. */
  act(event) {
    const { key } = event;
    const command = drawingCommand(event, DIAGRAM_COMMANDS);
    if (command !== null) {
      this.command(command);
      return true;
    }
    if (key.startsWith("Arrow")) return this.arrow(key);
    const order = diagramOrder(this.index.drawing);
    switch (key) {
      case "Home":
      case "End":
        if (order.length) this.pick({ kind: "box", id: order.at(key === "Home" ? 0 : -1) }, true);
        return true;
      case "Enter":
      case " ":
        return this.enter(event.target);
      case "f":
        return this.foldAround();
      case "/":
        this.search.focus();
        return true;
      case "Escape":
        this.pick(null);
        return true;
      default:
        return false;
    }
  }

  arrow(key) {
    const here = this.reachable();
    if (here === null) return false;
    const there = this.picked?.kind === "box" ? diagramStep(this.index, here, key) : here;
    if (there !== null) this.pick({ kind: "box", id: there }, true);
    return true;
  }

  enter(target) {
    const frame = target.closest?.("[data-fold]");
    if (frame) {
      this.toggle(Number(frame.dataset.fold));
      return true;
    }
    const box = target.closest?.("[data-box]");
    if (!box) return false;
    const found = this.index.boxes.get(Number(box.dataset.box));
    if (found.fold !== null) this.toggle(found.fold);
    else this.pick({ kind: "box", id: found.id }, true);
    return true;
  }

  foldAround() {
    const box = this.picked?.kind === "box" ? this.index.boxes.get(this.picked.id) : undefined;
    const fold = this.picked?.kind === "frame" ? this.picked.id : box === undefined ? undefined : diagramFrames(this.index.drawing, box)[0]?.fold;
    if (fold !== undefined) this.toggle(fold);
    return true;
  }
}

/** Whether a box is entirely in view. */
function diagramIsVisible(box, zoom) {
  const { x, y, scale } = zoom.state();
  const { w, h } = zoom.view();
  return x <= box.x && y <= box.y && box.x + box.w <= x + w / scale && box.y + box.h <= y + h / scale;
}

function diagramKey(folded) {
  return [...folded].sort((a, b) => a - b).join(" ");
}
