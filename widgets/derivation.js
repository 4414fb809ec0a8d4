// Interactive typing derivation: judgments open or folded, with their rules, as an inference tree or as a list.
import { buttonName, copyText, download, h, refill } from "./dom.js";
import { DRAWING_FACTOR, DRAWING_KEYS, DRAWING_PANS, drawingBar, drawingCommand, drawingHelp, drawingWords } from "./drawing_bar.js";
import { derivationDetails, derivationNames } from "./derivation_details.js";
import { derivationInferenceTree, derivationList } from "./derivation_layout.js";
import { derivationIsKnown, derivationAdd, derivationLevels, derivationPath, derivationPathToOpen, derivationVisible, derivationStep, derivationTree } from "./derivation_tree.js";

const DERIVATION_KEYS = [
  "drawn: ↑ to the premises (opens them), ↓ to the conclusion, ← → to what stands beside",
  "as a list: ↑ ↓ through what is shown, → opens, ← folds or goes to the conclusion",
  "Enter opens or folds, * opens a few levels above, Home to the root, v changes between drawing and list",
];
const DERIVATION_FILES = { latex: "derivation.tex", text: "derivation.txt" };
const DERIVATION_NARROW = 620;
const DERIVATION_LEAST = 0.8;

/** The view of `%derivation`: one tree, or two. */
export function derivation(host, el) {
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  const views = host.opening.trees.map((_, n) => new DerivationView(host, el, n));
  const status = h("div", { class: "rh-proof-status", role: "status" });
  const save = async (form) => {
    try {
      const { text, type } = await host.ask({ ask: "export", as: form });
      download(DERIVATION_FILES[form], type, text);
      status.textContent = `Saved as ${DERIVATION_FILES[form]}.`;
    } catch (error) {
      status.textContent = error.message;
    }
  };
  const button = (text, form) => h("button", { type: "button", title: `save as ${DERIVATION_FILES[form]}`, on: { click: () => save(form) } }, text);
  const buttons = [button("LaTeX", "latex"), button("text", "text")];
  el.append(h("div", { class: "rh-bar" }, h("span", { class: "rh-proof-quiet" }, "save"), buttons), status);
  host.onDeath(() => {
    status.classList.add("rh-gone");
    status.textContent = "The kernel no longer knows this derivation. What is here can still be opened and folded; run the cell again for the rest.";
    for (const one of buttons) one.disabled = true;
  });
  return () => {
    for (const view of views) view.release();
    el.replaceChildren();
  };
}

class DerivationView {
  constructor(host, el, number) {
    this.host = host;
    this.number = number;
    const told = host.opening.trees[number];
    this.tree = derivationTree(told.nodes);
    this.names = told.names;
    this.open = derivationLevels(this.tree, 4);
    this.picked = 0;
    this.scale = this.recall("scale", 1);
    this.isList = this.recall("list", null) ?? (el.clientWidth > 0 && el.clientWidth < DERIVATION_NARROW);
    this.on = { pick: (id) => this.pick(id, true), toggle: (id) => this.toggle(id), copy: (id) => this.copy(id) };
    this.build(el, told);
    this.draw();
    this.settle();
    this.restore();
  }

  recall(name, otherwise) {
    return this.host.recall(`${name}${this.number}`, otherwise);
  }

  keep(name, value) {
    this.host.keep(`${name}${this.number}`, value);
  }

  build(el, told) {
    const button = (text, label, click) => h("button", { type: "button", title: label, "aria-label": buttonName(text, label), on: { click } }, text);
    const levels = (this.levels = h("select", { "aria-label": "open so many levels", on: { change: () => this.level(Number(levels.value)) } }, [1, 2, 3, 4, 6, 8, 12, 40].map((n) => h("option", { value: n, selected: n === 4 }, n === 40 ? "40 levels" : `${n} level${n === 1 ? "" : "s"}`))));
    this.kind = button("", "drawing or list (v)", () => this.change());
    const { element: bar } = drawingBar((name) => this.command(name), {
      label: "the derivation",
      more: [h("span", { class: "rh-bar" }, h("span", { class: "rh-proof-quiet" }, "open"), levels), this.kind],
    });
    this.help = drawingHelp([...DERIVATION_KEYS, ...drawingWords(DRAWING_KEYS)], false);
    this.page = h("div", { class: "rh-proof-page" });
    this.page.addEventListener("keydown", (event) => this.onKey(event));
    this.page.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.details = h("div", { class: "rh-proof-card", role: "region", "aria-label": "the judgment that is picked", "aria-live": "polite" });
    this.status = h("div", { class: "rh-proof-status", role: "status" });
    this.legend = h("div", {});
    const title = h("div", { class: "rh-proof-head" }, h("span", {}, this.host.opening.subject), " ", h("span", { class: "rh-proof-quiet" }, `${told.measures}, ${told.size} rule${told.size === 1 ? "" : "s"}`));
    this.root = h("div", {}, title, bar, this.help, this.page, this.details, this.status, this.legend);
    el.append(this.root);
  }

  /** Open as many levels as fit at first, and scroll to the root. */
  settle() {
    for (let levels = 3; !this.isList && levels > 1 && this.page.scrollWidth * DERIVATION_LEAST > this.page.clientWidth; levels -= 1) {
      this.open = derivationLevels(this.tree, levels);
      this.levels.value = levels;
      this.draw();
    }
    const isNew = this.recall("scale", null) === null && this.recall("open", null) === null;
    if (isNew && !this.isList && this.page.scrollWidth > this.page.clientWidth) this.resize(DERIVATION_LEAST);
    this.reveal(this.made.get(0));
  }

  release() {
    this.isReleased = true;
    this.root.remove();
  }

  draw(focus = false) {
    const at = { left: this.page.scrollLeft, top: this.page.scrollTop };
    const before = this.made?.get(this.picked)?.getBoundingClientRect();
    this.made = new Map();
    refill(this.page, (this.isList ? derivationList : derivationInferenceTree)(this.tree, this.open, this.on, this.made));
    this.kind.textContent = this.isList ? "drawing" : "list";
    this.page.style.fontSize = `${(13 * this.scale).toFixed(2)}px`;
    if (!this.made.has(this.picked)) this.picked = derivationPath(this.tree, this.picked).filter((id) => this.made.has(id)).pop() ?? 0;
    this.page.scrollTo(at.left, at.top);
    const after = this.made.get(this.picked).querySelector(".rh-proof-conclusion");
    if (before !== undefined && this.conclusion !== undefined && after !== null) this.hold(this.conclusion, after);
    this.pick(this.picked, focus);
    refill(this.legend, derivationNames(this.names));
  }

  /** Keep the selected judgment at its position when everything is redrawn. */
  hold(before, element) {
    const now = element.getBoundingClientRect();
    this.page.scrollBy(now.left - before.left, now.top - before.top);
  }

  pick(id, focus = false) {
    for (const node of this.page.querySelectorAll(".rh-proof-on")) {
      node.classList.remove("rh-proof-on");
      node.removeAttribute("aria-selected");
    }
    for (const node of this.page.querySelectorAll('[tabindex="0"]')) node.setAttribute("tabindex", -1);
    if (!this.made.has(id)) {
      this.open = derivationPathToOpen(this.tree, this.open, id);
      this.picked = id;
      this.draw(focus);
      return;
    }
    this.picked = id;
    this.keep("picked", id);
    const node = this.made.get(id);
    node.classList.add("rh-proof-on");
    node.setAttribute("tabindex", 0);
    node.setAttribute("aria-selected", "true");
    refill(this.details, derivationDetails(this.tree, this.host.opening.rules, id, derivationVisible(this.tree, this.open, id).length > 0, this.on));
    if (focus) {
      node.focus({ preventScroll: true });
      this.reveal(node);
    }
    this.remember();
  }

  remember() {
    this.conclusion = this.made.get(this.picked)?.querySelector(".rh-proof-conclusion")?.getBoundingClientRect();
  }

  reveal(node) {
    const part = [...node.querySelectorAll(":scope > .rh-proof-conclusion, :scope > .rh-proof-entry")][0] ?? node;
    const rect = part.getBoundingClientRect();
    const page = this.page.getBoundingClientRect();
    const isSeen = rect.left >= page.left && rect.right <= page.right;
    const dx = isSeen ? 0 : Math.min(rect.left - page.left - 12, (rect.left + rect.right - page.left - page.right) / 2);
    const dy = rect.top < page.top ? rect.top - page.top - 12 : rect.bottom > page.bottom ? rect.bottom - page.bottom + 12 : 0;
    if (dx || dy) this.page.scrollBy(dx, dy);
  }

  async toggle(id) {
    this.remember();
    this.picked = id;
    if (derivationVisible(this.tree, this.open, id).length) this.open.delete(id);
    else {
      if (!(await this.learn(id, 2))) return;
      this.open.add(id);
    }
    this.keepOpen();
    this.draw(true);
  }

  /** Fetch `levels` levels above a node unless they are known; return whether its premises are known then. */
  async learn(id, levels) {
    if (derivationIsKnown(this.tree, id) && levels <= 2) return true;
    try {
      const { nodes, names } = await this.host.ask({ ask: "open", tree: this.number, node: id, levels });
      derivationAdd(this.tree, nodes);
      this.names = names;
    } catch (error) {
      if (!derivationIsKnown(this.tree, id)) this.status.textContent = error.message;
      return derivationIsKnown(this.tree, id);
    }
    if (!derivationIsKnown(this.tree, id)) this.status.textContent = "This rule has too many premises to show them.";
    return derivationIsKnown(this.tree, id);
  }

  async level(levels) {
    await this.learn(0, levels);
    this.open = derivationLevels(this.tree, levels);
    this.keepOpen();
    this.draw();
  }

  async more(id) {
    if (!(await this.learn(id, 5))) return;
    const height = derivationPath(this.tree, id).length;
    const levels = derivationLevels(this.tree, height + 4);
    for (const node of levels) if (derivationPath(this.tree, node).includes(id)) this.open.add(node);
    this.keepOpen();
    this.draw(true);
  }

  /** Keep which judgments are open, and how high they are, so that they can be asked for at once. */
  keepOpen() {
    this.keep("open", [...this.open]);
    this.keep("height", Math.max(0, ...[...this.open].map((id) => derivationPath(this.tree, id).length)));
  }

  async restore() {
    const open = this.recall("open", null);
    if (open === null) return;
    await this.learn(0, this.recall("height", 0) + 1);
    for (const id of open) if (this.tree.nodes.has(id) && (!(await this.learn(id, 1)) || this.isReleased)) break;
    this.open = new Set(open.filter((id) => this.tree.nodes.has(id)));
    const picked = this.recall("picked", 0);
    if (this.tree.nodes.has(picked)) this.picked = picked;
    if (!this.isReleased) this.draw();
  }

  async copy(id) {
    try {
      const { text } = await this.host.ask({ ask: "judgment", tree: this.number, node: id });
      await copyText(text);
      this.status.textContent = "The judgment is copied.";
    } catch (error) {
      this.status.textContent = error.message;
    }
  }

  change() {
    this.isList = !this.isList;
    this.keep("list", this.isList);
    this.conclusion = undefined;
    this.draw();
  }

  resize(scale) {
    this.scale = Math.min(2.5, Math.max(0.3, scale));
    this.keep("scale", this.scale);
    this.page.style.fontSize = `${(13 * this.scale).toFixed(2)}px`;
    this.remember();
  }

  fit() {
    const content = this.page.firstElementChild.scrollWidth;
    this.resize(Math.min(1.2, (this.scale * (this.page.clientWidth - 4)) / Math.max(content, 1)));
  }

  /** Carry out a command of the bar above the derivation, or of its keys. */
  command(name) {
    const todo = {
      larger: () => this.resize(this.scale * DRAWING_FACTOR),
      smaller: () => this.resize(this.scale / DRAWING_FACTOR),
      fit: () => this.fit(),
      full: () => this.resize(1),
      help: () => (this.help.hidden = !this.help.hidden),
    };
    if (name in DRAWING_PANS) this.page.scrollBy(...DRAWING_PANS[name].map((by) => -by));
    else todo[name]();
  }

  onWheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.resize(this.scale * Math.exp(-event.deltaY * 0.0015));
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.act(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Handle a key; return whether it was handled. */
  act(event) {
    const { key } = event;
    const command = drawingCommand(event, DRAWING_KEYS);
    if (command !== null) {
      this.command(command);
      return true;
    }
    if (key.startsWith("Arrow") || key === "Home" || key === "End") {
      const step = derivationStep(this.tree, this.open, this.picked, key, this.isList);
      if (step?.go !== undefined) this.pick(step.go, true);
      else if (step !== null) this.toggle(step.open ?? step.fold);
      return true;
    }
    switch (key) {
      case "Enter":
      case " ":
        if (this.tree.nodes.get(this.picked).premises.length) this.toggle(this.picked);
        return true;
      case "*":
        this.more(this.picked);
        return true;
      case "v":
        this.change();
        return true;
      default:
        return false;
    }
  }
}
