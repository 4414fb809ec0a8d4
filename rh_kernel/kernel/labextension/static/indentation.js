/** Automatic indentation from the tokens of the lines before. Independent of the DOM. */

export const UNIT = 2;

const CLOSES = { __proto__: null, "(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌊": "⌋" };
const CLOSERS = new Set(Object.values(CLOSES));
const OPENS = new Set(["=", "->", "→", "↦", "<-", "←", "<=", "⇐", "|", "."]);

// After these, a line continues an unfinished expression.
const GOES_ON = new Set(["operator", "punctuation", "keyword", "arrow"]);

/** The state at the start of a text. */
export function beginText() {
  return { column: 0, base: 0, last: "", look: "", let: null, brackets: [], lets: [], owes: false };
}

/** A copy of the state. */
export function copied(layout) {
  return { ...layout, brackets: [...layout.brackets], lets: [...layout.lets] };
}

/** An item begins in a column: reset. */
export function noteItem(layout, base) {
  Object.assign(layout, beginText(), { base });
}

/** A line begins, with its first character at a column. */
export function noteLine(layout, column) {
  layout.column = column;
}

/** A line is blank: the text before it needs no continuation. */
export function noteBlank(layout) {
  Object.assign(layout, { column: 0, last: "", look: "", owes: false });
}

/** Process a token that is no comment. */
export function noteToken(layout, look, text, column) {
  const { brackets, lets } = layout;
  layout.let = null;
  if (text in CLOSES && look !== "name") brackets.push({ sign: text, column: layout.column });
  else if (CLOSERS.has(text)) closeTo(brackets, text);
  else if (look === "keyword" && text === "let") lets.push({ column, depth: brackets.length });
  // In the bracket of a map or a scan, `in` does not end a let.
  else if (look === "keyword" && text === "in") layout.let = brackets.length > (lets.at(-1)?.depth ?? -1) ? null : lets.pop().column;
  else if (look === "keyword" && (text === "train" || text === "sweep")) layout.owes = true;
  else if (look === "keyword" && text === "for") layout.owes = false;
  Object.assign(layout, { last: text, look });
}

/** The column of the next line, which begins with the text `after`; the body of a `let` is aligned with the `let`. */
export function indentation(layout, after) {
  const { brackets, column, last, look } = layout;
  const opened = brackets.at(-1);
  const least = opened ? opened.column + UNIT : layout.owes ? layout.base + UNIT : 0;
  if (opened && CLOSERS.has(after[0])) return opened.column;
  if (opened?.sign === "{" && after[0] === "|") return least + UNIT;
  if (look === "keyword" && last === "in") return Math.max(layout.let ?? column, least, layout.base + UNIT);
  if (OPENS.has(last) || (look === "keyword" && last === "do") || (opened && last === opened.sign)) return column + UNIT;
  if (opened?.sign === "{" && (last === ";" || !GOES_ON.has(look))) return least;
  return Math.max(column, least);
}

function closeTo(brackets, closer) {
  const found = brackets.findLastIndex(({ sign }) => CLOSES[sign] === closer);
  if (found >= 0) brackets.length = found;
}
