/**
 * The tokenizer of the editor, line by line, equivalent to the kernel's lexer. A state carries what is known of the lines
 * before. Independent of the DOM.
 */

import { CELL_WORDS, CHECK_WORDS, CONDITIONAL_WORDS, EFF, EXPRESSION_DIRECTIVES, ITERATIONS, ITERATION_WORDS, LAMBDA, PLACED, SIGNS, WORDS } from "./words.js";

// Superscript digits and ᵀ end a name: wᵀ is a transpose.
const RAISED = "⁰¹²³⁴-⁹ᵀ";
const WORD = `(?![${RAISED}])[\\p{L}\\p{N}_]`;
const NAME = `(?![${RAISED}]|\\p{Nd}|(?=[\\u00b2-\\u20ff])\\p{No})[\\p{L}\\p{N}_](?:${WORD}|'|(?=[\\u00b2-\\u20ff])\\p{M})*`;
const DECIMAL = "[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?";
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

function compiled([kind, pattern]) {
  return [kind, new RegExp(pattern, "suy")];
}

const KINDS = [
  ["blank", "(?: |\\t+$)+"],
  ["name", NAME],
  ["number", `(?=(${DECIMAL}))\\1(?!${WORD}|')`],
  ["projection", "\\.[0-9]+"],
  ["foreign", "==|!=|>=|&&|\\|\\||\\*\\*|:=|\\+=|-=|\\*=|/="],
  ["sign", `<-|<=|->|=>|~>|//|\\.\\.\\.?|\\|-(?!>)|\\^T(?!${WORD})|[()\\[\\]{}⟨⟩⌊⌋<>,;:=|.+\\-−*/@·⋅•×←⇐→↦⇒⇝⊢ᵀ%…]`],
  ["string", '"[^"]*"?'],
  ["comment", "#.*"],
  ["bad", `[0-9](?:${WORD}|[.'](?=${WORD}))*|\\t+|.`],
].map(compiled);

const LETTER = "[\\p{L}\\p{N}_]";
const EFF_KINDS = [
  ["blank", "(?: |\\t+$)+"],
  ["name", `(?!λ|\\p{Nd})${LETTER}(?:${LETTER}|')*`],
  ["number", `(?=(${DECIMAL}))\\1(?!${LETTER}|')`],
  ["projection", "\\.[0-9]+"],
  ["bad", "!=|>=|&&|\\|\\||\\*\\*|\\+=|-=|\\*=|=>|//"],
  ["sign", "->|<-(?=\\s|$)|<=|==|:=|::|\\+\\+|<\\||\\|>|⟨\\||\\|⟩|[()\\[\\]{}<>⟨⟩,;:=|.+\\-−*×/@!%\\\\λ→↦←≤]"],
  ["string", '"(?:[^"\\\\]|\\\\[nrt"\\\\])*"|".*'],
  ["comment", "#.*"],
  ["bad", `[0-9](?:${LETTER}|[.'](?=${LETTER}))*|\\t+|.`],
].map(compiled);

const LAMBDA_SIGNS = { __proto__: null, "\\": "keyword", "≤": "arrow" };

const WHOLE_NAME = new RegExp(NAME, "suy");
const ITEM = new RegExp(`[^${SPACE}}#]`, "suy");
// How an item begins in each language of a section.
const SECTIONS = { __proto__: null, "%%lambda": ITEM, "%%eff": new RegExp(`[^${SPACE}}|#]`, "suy") };
const CHECK = /check(?: +(?!in(?![\p{L}\p{N}_]))[\p{L}\p{N}_([⟨⌊]| *(?:#.*)?$)/uy;
const ROWS = /[ \t]*\([ \t]*(?:[\p{L}\p{N}_']+[ \t]+|[(⟨](?:[\p{L}\p{N}_', \t]|[(⟨][\p{L}\p{N}_', \t]*[)⟩])*[)⟩][ \t]*)in(?![\p{L}\p{N}_'])/uy;
const ENDS = /[\p{L}\p{N}_')\]}⟩⌋ᵀ]$/u;
const SWEEP = /sweep +(?!in(?![\p{L}\p{N}_]))(?![\p{Nd}])[\p{L}\p{N}_]/uy;
// `repeat i <` on one line.
const REPEAT = new RegExp(`repeat[${SPACE}]+${NAME}[${SPACE}]*<(?![-=])`, "suy");
const SECTION = /%%[\p{L}\p{N}_]+/uy;
const PYTHON_CELL = /%%python[ \t]*$/uy;
const NAME_OF_DIRECTIVE = /save-view(?![\p{L}\p{N}_])|[\p{L}\p{N}_]+/uy;
const BLANK_BEFORE_NAME = / +/uy;
const WORD_OF_DIRECTIVE = new RegExp(`("[^"]*"?)|(#.*)|[^${SPACE}#"][^${SPACE}]*`, "suy");
const SYSTEM = new RegExp(`[^${SPACE}()#]+`, "suy");
const BLANK_BEFORE_SYSTEM = new RegExp(`[ \\t]+(?=[^${SPACE}()#])`, "suy");
const BLANK_OF_DIRECTIVE = new RegExp(`[${SPACE}]+`, "uy");

// The state before the first token of an item: its first and last token, the number of tokens; whether all of them are `%`;
// whether the name of a directive may follow at once, and its words after that; whether it is a check, and holds a map or a
// scan, or the name `if`; and the next contextual keyword of each `repeat` that is not complete, innermost last.
const FRESH = {
  head: "", last: "", count: 0, isPercent: true, isDirective: false, hasWords: false, isCheck: false, iterates: false, hasIf: false,
  awaited: "",
};

// In a sweep, the column in which its items begin, or -1 in its header; `null` elsewhere.
const NO_SWEEP = { sweep: null };

// The state at the start of a line: whether it is one like `%%lambda`, the end of a name bound by λ, and whether the name of a
// system may follow at once.
const FRESH_LINE = { isSection: false, bound: 0, awaitsSystem: false };

/** The state before the first line. */
export function begin() {
  return { ...FRESH, ...FRESH_LINE, ...NO_SWEEP, isFirst: true, isPython: false, isLast: false, section: "" };
}

/** Whether a text that begins with this line is a Python cell. */
export function isPython(line) {
  return at(PYTHON_CELL, line, 0) > 0;
}

/** Begin a line; return whether an item begins with it. */
export function beginLine(line, state) {
  if (state.isPython) return false;
  state.isPython = state.isFirst && isPython(line);
  state.isFirst = false;
  if (state.isLast) return false;
  if (state.isSection) Object.assign(state, FRESH);
  Object.assign(state, FRESH_LINE);
  if (at(SECTIONS[state.section] ?? ITEM, line, 0) < 0) return beginSwept(line, state);
  const isCheck = !state.section && at(CHECK, line, 0) > 0;
  const sweep = !state.section && at(SWEEP, line, 0) > 0 ? -1 : null;
  Object.assign(state, FRESH, { isDirective: line[0] === "%", isCheck, sweep });
  const section = line.slice(0, Math.max(at(SECTION, line, 0), 0));
  if (section) {
    const returns = state.section !== "" && section === "%%rh";
    state.section = section in SECTIONS ? section : "";
    state.isSection = returns || state.section !== "";
    state.isLast = !state.isSection;
  }
  return true;
}

/** Begin an indented line; return whether an item of a sweep begins with it. */
function beginSwept(line, state) {
  const column = line.search(/[^ ]/);
  if (state.sweep === null || column < 0 || !line.trim() || "#}".includes(line[column])) return false;
  if (state.sweep < 0 ? state.last === "," : column > state.sweep) return false;
  const isCheck = at(CHECK, line, column) > 0;
  Object.assign(state, FRESH, { isDirective: line[column] === "%", isCheck, sweep: column });
  return true;
}

/** The next token, `[look, end]`, with look `null` for blanks; updates the state. */
export function token(line, start, state) {
  if (state.isPython && state.count > 0) return [null, line.length];
  if (state.isPython) return [noted(state, line, "directive"), line.trimEnd().length];
  const section = sectionOf(state);
  if (section === "%%lambda") return tokenOfLambda(line, start, state);
  if (section === "%%eff") return tokenOfText(line, start, state, EFF_KINDS);
  if (state.isDirective && state.count === 1) {
    const blank = at(BLANK_BEFORE_NAME, line, start);
    if (blank > 0) return [null, blank];
    state.isDirective = false;
    const end = at(NAME_OF_DIRECTIVE, line, start);
    const name = line.slice(start, end);
    if (end > 0 && !EXPRESSION_DIRECTIVES.has(name)) {
      state.hasWords = true;
      return [noted(state, name, placed(name, state) ?? "name"), end];
    }
  }
  return state.hasWords ? wordOfDirective(line, start, state) : tokenOfText(line, start, state);
}

/** The line that opened the current section; empty while a token of that line itself is next. */
function sectionOf(state) {
  return state.isSection ? "" : state.section;
}

function at(pattern, line, start) {
  pattern.lastIndex = start;
  return pattern.test(line) ? pattern.lastIndex : -1;
}

/** Update the state with a token and return its look; comments do not change the state. */
function noted(state, text, look) {
  if (look === "comment") return look;
  if (state.count === 0 || (state.count === 1 && state.head === "%")) state.head += text;
  state.isPercent &&= text === "%";
  state.count += 1;
  state.last = text;
  state.hasIf ||= text === "if";
  return look;
}

function wordOfDirective(line, start, state) {
  const blank = at(BLANK_OF_DIRECTIVE, line, start);
  if (blank > 0) return [null, blank];
  const end = at(WORD_OF_DIRECTIVE, line, start);
  const text = line.slice(start, end);
  const look = text[0] === "#" ? "comment" : text[0] === '"' ? "string" : placed(text, state) ?? "name";
  return [noted(state, text, look), end];
}

function tokenOfText(line, start, state, kinds = KINDS) {
  for (const [kind, pattern] of kinds) {
    const end = at(pattern, line, start);
    if (end < 0) continue;
    if (kind === "blank") return [null, end];
    const text = line.slice(start, end);
    const look = kind === "name" && isOfRepeat(line, start, text, state) ? "keyword" : lookOf(kind, text, state);
    return [noted(state, text, look === "name" ? iterated(text, line, end, state) : look), end];
  }
  return ["bad", line.length];
}

/** The look of a name that is a keyword in a map or a scan. */
function iterated(text, line, end, state) {
  if (sectionOf(state)) return "name";
  if (ITERATIONS.has(text) && at(ROWS, line, end) > 0) {
    state.iterates = true;
    return "keyword";
  }
  const goesOn = state.iterates && ENDS.test(state.last) && !WORDS.keyword.has(state.last);
  return goesOn && ITERATION_WORDS.has(text) ? "keyword" : "name";
}

function tokenOfLambda(line, start, state) {
  if (start < state.bound) return [noted(state, line.slice(start, state.bound), "name"), state.bound];
  if (state.awaitsSystem) {
    const blank = at(BLANK_BEFORE_SYSTEM, line, start);
    if (blank > 0) return [null, blank];
    state.awaitsSystem = false;
    const end = at(SYSTEM, line, start);
    const name = line.slice(start, end);
    if (end > 0) return [noted(state, name, LAMBDA.system.has(name) ? "keyword" : "name"), end];
  }
  if (line[start] === "λ" && !(state.count === 2 && state.head === "%ad")) {
    state.bound = at(WHOLE_NAME, line, start);
    return [noted(state, "λ", "keyword"), start + 1];
  }
  const { count } = state;
  const found = tokenOfText(line, start, state);
  state.awaitsSystem = count === 1 && state.count === 2 && state.head === "%ad";
  return found;
}

/** Whether a name is a contextual keyword of a `repeat`; updates the state. */
function isOfRepeat(line, start, name, state) {
  if (sectionOf(state) || state.sweep === -1) return false;
  const innermost = state.awaited.at(-1);
  if (name === "repeat" && at(REPEAT, line, start) > 0) state.awaited += "f";
  else if (name === "from" && innermost === "f") state.awaited = `${state.awaited.slice(0, -1)}d`;
  else if (name === "do" && innermost === "d") state.awaited = state.awaited.slice(0, -1);
  else return false;
  return true;
}

const LOOKS_OF_NAMES = { __proto__: null, "%%lambda": lookOfLambdaName, "%%eff": lookOfEffName };

function lookOf(kind, text, state) {
  const section = sectionOf(state);
  switch (kind) {
    case "name": return (LOOKS_OF_NAMES[section] ?? lookOfName)(text.normalize("NFC"), state);
    case "sign": return text === "%" && state.isPercent ? "directive" : lookOfSign(text, section === "%%eff" ? EFF.signs : SIGNS);
    case "foreign": return state.isCheck && text === "==" ? "arrow" : "bad";
    case "bad": return (section === "%%lambda" && LAMBDA_SIGNS[text]) || kind;
    default: return kind;
  }
}

function lookOfLambdaName(name, { count, head, last }) {
  if (WORDS.declaration.has(name)) return "declaration";
  if (WORDS.keyword.has(name)) return "keyword";
  if (count === 1 && last === "fun") return "declared";
  if (count === 1 && head === "%") return LAMBDA.directive.has(name) ? "directive" : "name";
  if (count === 2 && head === "%ad") return LAMBDA.system.has(name) ? "keyword" : "name";
  if (head === "%ad" && (name === "along" || (name === "trace" && last === "-"))) return "keyword";
  if (LAMBDA.keyword.has(name)) return "keyword";
  if (LAMBDA.type.has(name)) return "type";
  return LAMBDA.function.has(name) ? "function" : "name";
}

function lookOfEffName(name, { count, head, last }) {
  if (count === 1 && head === "%") return EFF.directive.has(name) ? "directive" : "name";
  if (count === 0 && EFF.declaration.has(name)) return "declaration";
  if (count === 1 && EFF.declaration.has(last)) return "declared";
  if (EFF.keyword.has(name)) return "keyword";
  if (/^\p{Uppercase}/u.test(name)) return "type";
  return EFF.function.has(name) ? "function" : "name";
}

function lookOfName(name, state) {
  if (WORDS.declaration.has(name)) return "declaration";
  if (WORDS.keyword.has(name)) return "keyword";
  const look = placed(name, state);
  if (look) return look;
  if (CONDITIONAL_WORDS.has(name) && (name === "if" || state.hasIf)) return "keyword";
  if (WORDS.type.has(name)) return "type";
  return WORDS.function.has(name) ? "function" : "name";
}

/** The look of a contextual keyword where it is one, else `null`. */
function placed(name, state) {
  const { count, head, last, isCheck } = state;
  if (state.sweep === -1) return count === 0 ? "keyword" : "declared";
  if (count === 0) return isCheck ? "keyword" : null;
  if (count === 1 && head === "%") return WORDS.directive.has(name) ? "directive" : null;
  if (count === 2 && head === "%%" && CELL_WORDS.has(name)) return "directive";
  if (count === 1 && WORDS.declaration.has(last)) return "declared";
  const words = isCheck ? CHECK_WORDS : PLACED[head];
  return words?.has(name) ? "keyword" : null;
}

function lookOfSign(sign, table) {
  for (const [look, signs] of Object.entries(table)) if (signs.has(sign)) return look;
  return "punctuation";
}
