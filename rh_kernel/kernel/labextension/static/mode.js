/** The CodeMirror `StreamLanguage` of the language, with Python in cells that begin with `%%python`. */

import { UNIT, beginText, copied, indentation, noteBlank, noteItem, noteLine, noteToken } from "./indentation.js";
import { begin, beginLine, isPython, token } from "./tokens.js";

// Characters to search for the end of a first line `%%python`.
const FIRST_LINE = 200;

/** The highlighting tag of each look. */
export const TAGS = {
  keyword: "keyword",
  declaration: "definitionKeyword",
  directive: "meta",
  declared: "variableName.definition",
  type: "typeName",
  function: "variableName.standard",
  name: "variableName",
  number: "number",
  projection: "propertyName",
  string: "string",
  comment: "lineComment",
  arrow: "definitionOperator",
  operator: "operator",
  binder: "angleBracket",
  bracket: "bracket",
  punctuation: "punctuation",
  bad: "invalid",
};

/** Language data for the editor: comments, brackets, indentation on input. */
export const LANGUAGE_DATA = {
  commentTokens: { line: "#" },
  closeBrackets: { brackets: ["(", "[", "{", '"', "⟨", "⌊"] },
  indentOnInput: /^\s*[})\]⟩⌋|]$/,
  wordChars: "'",
};

/** The argument of `StreamLanguage.define`. */
export const PARSER = {
  name: "rh",
  languageData: LANGUAGE_DATA,

  startState: () => ({ reading: begin(), layout: beginText() }),

  copyState: ({ reading, layout }) => ({ reading: { ...reading }, layout: copied(layout) }),

  blankLine: ({ reading, layout }) => {
    beginLine("", reading);
    noteBlank(layout);
  },

  token: (stream, { reading, layout }) => {
    const { string, pos } = stream;
    if (pos === 0) {
      const column = string.search(/\S|$/);
      if (beginLine(string, reading)) noteItem(layout, column);
      noteLine(layout, column);
      if (!string.trim()) noteBlank(layout);
    }
    const [look, end] = token(string, pos, reading);
    stream.pos = end;
    if (look === null) return null;
    if (look !== "comment") noteToken(layout, look, string.slice(pos, end), pos);
    return TAGS[look];
  },

  indent: ({ reading, layout }, after) => (reading.isPython ? null : indentation(layout, after)),
};

// Colours from Jupyter's theme for tags that it does not style.
const ADDED = ({ typeName, angleBracket }) => [
  { tag: typeName, color: "var(--jp-mirror-editor-variable-2-color)" },
  { tag: angleBracket, color: "var(--jp-mirror-editor-atom-color)", fontWeight: "bold" },
];

/**
 * Language support. `cm` holds the modules `language` and `state` of CodeMirror, and `common` and `highlight` of Lezer;
 * `python` is the language support for Python, if available.
 */
export function support(cm, python) {
  const { HighlightStyle, Language, LanguageSupport, StreamLanguage, indentUnit, syntaxHighlighting } = cm.language;
  const stream = StreamLanguage.define(PARSER);
  const language = python
    ? new Language(stream.data, mixedParser(cm.common, stream.parser, python.language.parser), [], PARSER.name)
    : stream;
  const style = HighlightStyle.define(ADDED(cm.highlight.tags), { scope: language });
  const unit = indentUnit.compute(["doc"], ({ doc }) => " ".repeat(isPython(doc.line(1).text) ? 2 * UNIT : UNIT));
  const extensions = [cm.state.Prec.highest([unit, syntaxHighlighting(style)])];
  return new LanguageSupport(language, python ? [...extensions, python.support] : extensions);
}

/** The parser of the language, with Python's parser nested below a first line `%%python`. */
function mixedParser({ Parser, parseMixed }, outer, python) {
  return new (class extends Parser {
    createParse(input, fragments, ranges) {
      const parse = outer.createParse(input, fragments, ranges);
      const first = input.read(0, Math.min(input.length, FIRST_LINE)).split("\n")[0];
      if (!isPython(first)) return parse;
      const inPython = node => {
        const overlay = [{ from: Math.min(first.length + 1, node.to), to: node.to }];
        return node.type.isTop && overlay[0].from < node.to ? { parser: python, overlay } : null;
      };
      return parseMixed(inPython)(parse, input, fragments, ranges);
    }
  })();
}
