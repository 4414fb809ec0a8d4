// The subterm that is pointed at with mouse or caret, and its type.

const POINTER_KINDS = ["focus", "changed", "forward", "backward", "redex", "contractum"];
const POINTER_MOVES = {
  previous: [0, -1], next: [0, 1], up: [-1, 0], down: [1, 0], first: [0, -Infinity], last: [0, Infinity],
};

/** The position after a caret movement, over the folded rows and never into indentation. */
export function caretMoved(rows, lines, { line, column }, [down, right]) {
  const row = rows.findIndex((each) => each.from <= line && line < each.to);
  const to = rows[Math.max(0, Math.min(rows.length - 1, row + down))].line;
  const text = lines[to][0];
  const least = text.length - text.trimStart().length;
  return { line: to, column: Math.max(0, least, Math.min(text.length - 1, column + right)) };
}

/**
 * The pointer over the two panes. `ask(side, line, column)` returns a promise of a type, `show(found)` displays it (`{words}`
 * if there is none, null for nothing).
 */
export class StepperPointer {
  constructor(panes, ask, show) {
    this.panes = panes;
    this.ask = ask;
    this.show = show;
    this.caret = null;
    this.picked = null;
  }

  /** Whether there is a caret or an outline. */
  get isActive() {
    return this.caret !== null || this.picked !== null;
  }

  /** The user points at a position in one of the terms. */
  point(side, line, column) {
    if (this.caret !== null) this.caret = { side, line, column };
    const asked = { side, line, column, ranges: [] };
    this.picked = asked;
    this.outline();
    const answer = (found) => {
      // Drop an answer about an earlier position.
      if (this.picked !== asked) return;
      asked.ranges = found.range ?? [];
      this.show(found.words === undefined ? { ...found, side: side === 0 ? "before" : "after" } : found);
      this.outline();
    };
    this.ask(side, line, column).then(answer, (error) => answer({ words: error.message }));
  }

  /** The terms have changed: remove the outline and move a caret to the mark. */
  forget() {
    this.picked = null;
    if (this.caret !== null) this.caret = { side: this.caret.side, line: null, column: 0 };
    this.show(null);
  }

  /** Put the caret into the left pane, then into the right one. */
  next(hasRight) {
    const side = this.caret === null || !hasRight ? 0 : 1 - this.caret.side;
    this.caret = { side, line: null, column: 0 };
    this.settle();
  }

  /**
   * The panes show new terms (the right one maybe none): put the caret at the start of the mark, or outline the position again.
   */
  settle(hasRight = true) {
    if (this.caret === null) return this.outline();
    if (this.caret.side === 1 && !hasRight) this.caret = { side: 0, line: null, column: 0 };
    const pane = this.panes[this.caret.side];
    if (this.caret.line === null) {
      const starts = pane.starts();
      const kind = POINTER_KINDS.find((name) => name in starts);
      Object.assign(this.caret, kind === undefined ? { line: 0, column: 0 } : starts[kind]);
    }
    pane.reveal(this.caret.line, this.caret.column);
    return this.point(this.caret.side, this.caret.line, this.caret.column);
  }

  /** Move the caret if the command does that; return whether it does. */
  moves(name) {
    const by = POINTER_MOVES[name];
    if (this.caret === null || by === undefined || this.caret.line === null) return false;
    const pane = this.panes[this.caret.side];
    if (pane.rows().length === 0) return false;
    this.caret = { side: this.caret.side, ...caretMoved(pane.rows(), pane.lines(), this.caret, by) };
    this.settle();
    return true;
  }

  /** The fold at the caret, or null. */
  fold() {
    if (this.caret === null || this.caret.line === null) return null;
    const pane = this.panes[this.caret.side];
    const row = pane.rows().find((each) => each.from <= this.caret.line && this.caret.line < each.to);
    const origin = row === undefined ? 0 : pane.lines()[row.line][2];
    return row?.fold ?? (origin ? { kind: "origin", key: origin } : null);
  }

  /** Remove caret and outline. */
  leave() {
    this.caret = null;
    this.picked = null;
    this.show(null);
    this.outline();
  }

  /** Outline the position in both panes. */
  outline() {
    this.panes.forEach((pane, side) => {
      const marks = {};
      if (this.picked !== null && this.picked.side === side) marks.picked = this.picked.ranges;
      const caret = this.caret !== null && this.caret.side === side && this.caret.line !== null ? this.caret : null;
      if (caret !== null) marks.caret = [caret.line, caret.column, caret.column + 1];
      pane.outline(marks);
    });
  }
}
