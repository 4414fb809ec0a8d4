/** How far a new line is indented, from the tokens of the lines before it; nothing here needs a page. */

export const UNIT = 2;

const CLOSES = { __proto__: null, "(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌊": "⌋" };
const CLOSERS = new Set(Object.values(CLOSES));
const OPENS = new Set(["=", "->", "→", "↦", "<-", "←", "<=", "⇐", "|", "."]);

// After these a line goes on with what the line before began.
const GOES_ON = new Set(["operator", "punctuation", "keyword", "arrow"]);

/** A text of which nothing is read yet. */
export function beginText() {
  return { column: 0, last: "", look: "", let: null, brackets: [], lets: [], owesData: false };
}

/** The same text, to be read on in another way. */
export function copied(layout) {
  return { ...layout, brackets: [...layout.brackets], lets: [...layout.lets] };
}

/** Note that an item begins: what was open before it is not. */
export function noteItem(layout) {
  Object.assign(layout, beginText());
}

/** Note that a line begins, whose first sign is at a column. */
export function noteLine(layout, column) {
  layout.column = column;
}

/** Note that a line is blank: what stood before it asks for nothing more. */
export function noteBlank(layout) {
  Object.assign(layout, { column: 0, last: "", look: "", owesData: false });
}

/** Note a token that is no comment. */
export function noteToken(layout, look, text, column) {
  const { brackets, lets } = layout;
  layout.let = null;
  if (text in CLOSES && look !== "name") brackets.push({ sign: text, column: layout.column });
  else if (CLOSERS.has(text)) closeTo(brackets, text);
  else if (look === "keyword" && text === "let") lets.push(column);
  else if (look === "keyword" && text === "in") layout.let = lets.pop() ?? null;
  else if (look === "keyword" && text === "train") layout.owesData = true;
  else if (look === "keyword" && text === "for") layout.owesData = false;
  Object.assign(layout, { last: text, look });
}

/** The column of a line that follows, and begins with the text `after`: the body of a `let` stands under the `let`. */
export function indentation(layout, after) {
  const { brackets, column, last, look } = layout;
  const opened = brackets.at(-1);
  const least = opened ? opened.column + UNIT : layout.owesData ? UNIT : 0;
  if (opened && CLOSERS.has(after[0])) return opened.column;
  if (opened?.sign === "{" && after[0] === "|") return least + UNIT;
  if (look === "keyword" && last === "in") return Math.max(layout.let ?? column, least, UNIT);
  if (OPENS.has(last) || (opened && last === opened.sign)) return column + UNIT;
  if (opened?.sign === "{" && (last === ";" || !GOES_ON.has(look))) return least;
  return Math.max(column, least);
}

function closeTo(brackets, closer) {
  const found = brackets.findLastIndex(({ sign }) => CLOSES[sign] === closer);
  if (found >= 0) brackets.length = found;
}
