// Navigation in a trace: steps by rule, steps that change a cell, and keyboard shortcuts.

const REWRITING_KEYS = {
  ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", PageUp: "back-ten", PageDown: "on-ten", " ": "play",
  Escape: "leave", "/": "search", g: "jump", r: "next-rule", R: "previous-rule", h: "next-change", H: "previous-change",
};

/** The command of a key, or null. */
export function rewritingCommand(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  return Object.hasOwn(REWRITING_KEYS, event.key) ? REWRITING_KEYS[event.key] : null;
}

/** Index of the steps by rule, and of those that change a cell. */
export class RewritingIndex {
  constructor({ steps, fired, changes }) {
    this.steps = steps;
    this.fired = fired;
    this.changes = changes;
  }

  /** The step that a command leads to from `at`, or null. */
  target(name, at) {
    const last = this.steps - 1;
    if (last < 0) return null;
    switch (name) {
      case "first": return 0;
      case "last": return last;
      case "previous": return Math.max(0, at - 1);
      case "next": return Math.min(last, at + 1);
      case "back-ten": return Math.max(0, at - 10);
      case "on-ten": return Math.min(last, at + 10);
      case "next-rule": return this.ofRule(this.fired[at], at, 1);
      case "previous-rule": return this.ofRule(this.fired[at], at, -1);
      case "next-change": return this.changes.find((step) => step > at) ?? null;
      case "previous-change": return this.changes.findLast((step) => step < at) ?? null;
      default: return null;
    }
  }

  /** Why a command leads nowhere. */
  missing(name) {
    if (name.endsWith("-rule")) return `No step ${name === "next-rule" ? "behind" : "before"} this one is by the same rule.`;
    if (name.endsWith("-change")) return `No step ${name === "next-change" ? "behind" : "before"} this one changes a cell.`;
    return "";
  }

  /** The next step by a rule in a direction, or null. */
  ofRule(rule, at, way) {
    for (let step = at + way; step >= 0 && step < this.steps; step += way) if (this.fired[step] === rule) return step;
    return null;
  }
}
