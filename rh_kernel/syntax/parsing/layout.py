"""Layout of an item: the indentation of each line, and the space between two tokens (in the style of LANGUAGE §3).

Line breaks are the user's; the indentation of a line follows from the constructs that are open at its start. The body of a
``let`` is aligned with the ``let``, clauses are indented by two from their brace, backward parts by two more.
"""

from enum import Enum, auto

from rh_kernel.source.records import frozen
from rh_kernel.syntax.parsing.tokens import (
    CLOSERS,
    DIRECTIVE_OPTIONS,
    SAMPLE_DIRECTIVES,
    TRAINING_OPTIONS,
    Kind,
    Token,
    ends_expression,
)

INDENT = 2

# In canonical notation `<` and `>` are comparisons, never brackets.
_CLOSING = frozenset(CLOSERS.values()) - {">"}
_TIGHT_BEFORE = _CLOSING - {"}"} | {",", ".", "..", "ᵀ"}
_TIGHT_AFTER = frozenset(CLOSERS) - {"{", "<"} | {"%", ".."}
_TRAINING_WORDS = frozenset({"for", "on", "as", *TRAINING_OPTIONS})
_OPTION = 4  # `passes` in `%compile --passes` is the fourth token after the first
_OPTIONS = {name: frozenset(options) for name, options in DIRECTIVE_OPTIONS.items()}
_DIRECTIVE_WORDS = {
    "gradient": frozenset({"against"}),
    **dict.fromkeys(SAMPLE_DIRECTIVES, frozenset({"for", "samples"})),
    **_OPTIONS,
}

# Tokens after which a new part starts; after any other token a line continues the previous one.
_BEGINS_PART = frozenset({*CLOSERS, ",", ";", "in", "→", "=", ".", "←", "⇐"}) - {"<"}
_BRANCHES = frozenset({"then", "else"})


class _Form(Enum):
    """An open construct: the item, a bracket, a let before or after its ``in``, a handled command, the body after ``→``, a
    conditional before its ``then``, its ``else``, and after it, or a ``repeat``, which extends as far as what is around it.
    """

    ITEM = auto()
    BRACKET = auto()
    LET = auto()
    BODY = auto()
    HANDLE = auto()
    ARROW = auto()
    REPEAT = auto()
    IF = auto()
    THEN = auto()
    ELSE = auto()


_EXPRESSIONS = frozenset(
    {_Form.BRACKET, _Form.LET, _Form.BODY, _Form.HANDLE, _Form.ARROW, _Form.IF, _Form.THEN, _Form.ELSE, _Form.REPEAT}
)


@frozen
class _Frame:
    """``column`` is where the parts of the construct start, ``outer`` where its closing token goes if it is first on a line."""

    form: _Form
    column: int
    outer: int
    opener: str = ""


class Layout:
    """The constructs that are open at the current position, updated while the tokens of an item are written in order."""

    def __init__(self, first: Token) -> None:
        self._frames = [_Frame(_Form.ITEM, INDENT, 0)]
        self._before = first
        self._column = 0
        self._line_indent = 0
        self._words = _TRAINING_WORDS if first.text == "train" else frozenset[str]()
        self._is_prefix = False
        self._is_word = False
        self._before_is_directive = False
        self._joined = False
        self._written = 0
        self._arrow_waits = False
        self._open(first, 0, last=False)

    def indentation(self, token: Token) -> int:
        """The column of ``token`` as the first of its line: 0 for at most a closing ``}``."""
        frame = self._frames[self._level(token)]
        if token.text == "}":
            return frame.outer
        if token.text in _CLOSING or token.text in {"in", "with"}:
            return max(frame.outer, INDENT)
        if token.text == "|":
            return frame.outer + INDENT
        if token.kind is Kind.KEYWORD and token.text in _BRANCHES:
            return max(frame.outer, INDENT)
        if self._before.kind is Kind.KEYWORD and self._before.text in _BRANCHES:
            return max(frame.column, INDENT)
        begins = self._before.text in _BEGINS_PART or self._ends_head()
        goes_on = frame.form in _EXPRESSIONS and frame.opener != "{" and not begins
        return max(frame.column, INDENT) + (INDENT if goes_on else 0)

    def comment_indentation(self, following: Token) -> int:
        """The column of a comment on a line of its own before ``following``; before a ``}`` it is indented like the clauses."""
        if following.text in _CLOSING:
            return max(self._frames[self._level(following)].column, INDENT)
        return self.indentation(following)

    def space(self, token: Token, following: str) -> str:
        """The space between the previous token and ``token`` on one line; ``following`` is the text of the token after it."""
        before = self._before.text
        if token.kind is Kind.PROJECTION:
            return " " if self._before.kind is Kind.NUMBER else ""
        if self._is_prefix and self._would_become_option(token, following):
            return " "
        if before in _TIGHT_AFTER or self._is_prefix:
            return ""
        if token.text in _TIGHT_BEFORE or before + token.text == "{}":
            return ""
        if before == "." and token.text == "rd" and following == "(":
            return ""
        if "=" in {before, token.text} and self._frames[-1].opener == "(":
            return ""
        if token.text in {"(", "["} and self._is_head():
            return ""
        return " "

    def write(self, token: Token, column: int, *, first: bool, last: bool) -> None:
        """Record that ``token`` was written at ``column``; ``first`` and ``last`` say whether it is so on its line."""
        if first:
            self._line_indent = column
        if self._before.text == "%":
            self._words = _DIRECTIVE_WORDS.get(token.text, self._words)
        elif token.text == "train":
            self._words = _TRAINING_WORDS
        self._written += 1
        joined = token.start == self._before.end
        is_option = self._written == _OPTION and self._is_prefix and token.text in self._words and joined and self._joined
        goes_on = ends_expression(self._before) and not (self._is_word or self._before_is_directive)
        self._is_word = is_option or self._is_contextual_keyword(token)
        self._is_prefix = token.text == "-" and not goes_on
        self._joined = joined
        self._before_is_directive = self._before.text == "%"
        del self._frames[self._level(token) + 1 :]
        if self._arrow_waits:
            self._frames.append(_Frame(_Form.ARROW, column, self._frames[-1].column))
        self._arrow_waits = token.text == "→" and self._frames[-1].opener == "{" and not last
        self._open(token, column, last=last)
        self._before, self._column = token, column

    def _open(self, token: Token, column: int, *, last: bool) -> None:
        """Push and pop the constructs that ``token`` opens and closes."""
        top = self._frames[-1]
        match token.text:
            case "(" | "[" | "{" | "⟨" | "⌊":
                self._frames.append(self._bracket(token, column, last=last))
            case ")" | "]" | "}" | "⟩" | "⌋" | "|":
                self._frames.pop()
            case "let":
                # A let in a chain replaces the previous one, so that a chain of any length uses one frame.
                if top.form is _Form.BODY and self._before.text == "in":
                    self._frames.pop()
                self._frames.append(_Frame(_Form.LET, column + INDENT, column))
            case "in" if top.form is _Form.LET:
                self._frames[-1] = _Frame(_Form.BODY, top.outer, top.outer)
            case "handle":
                start = self._column if self._before.text == "rev" else column
                self._frames.append(_Frame(_Form.HANDLE, start + INDENT, start))
            case "repeat" if token.kind is Kind.KEYWORD:
                self._frames.append(_Frame(_Form.REPEAT, column + INDENT, column))
            case "with" if top.form is _Form.HANDLE:
                self._frames.pop()
            case "if" if token.kind is Kind.KEYWORD:
                # A chain of `else if` is aligned with its first `if`, and uses one frame.
                if top.form is _Form.ELSE and self._before.text == "else":
                    self._frames[-1] = _Frame(_Form.IF, top.column, top.outer)
                else:
                    self._frames.append(_Frame(_Form.IF, column + INDENT, column))
            case "then" if top.form is _Form.IF and token.kind is Kind.KEYWORD:
                self._frames[-1] = _Frame(_Form.THEN, top.column, top.outer)
            case "else" if top.form is _Form.THEN and token.kind is Kind.KEYWORD:
                self._frames[-1] = _Frame(_Form.ELSE, top.column, top.outer)
            case "→" if last and top.opener == "{":
                self._frames.append(_Frame(_Form.ARROW, top.column + 2 * INDENT, top.column))
            case "=" if last and top.form is _Form.ITEM:
                self._frames.append(_Frame(_Form.BODY, INDENT, INDENT))
            case _:
                pass

    def _bracket(self, token: Token, column: int, *, last: bool) -> _Frame:
        if last:
            return _Frame(_Form.BRACKET, self._line_indent + INDENT, self._line_indent, token.text)
        width = INDENT if token.text == "{" else 1
        return _Frame(_Form.BRACKET, column + width, column, token.text)

    def _level(self, token: Token) -> int:
        """The index of the frame that ``token`` belongs to."""
        if token.text in _CLOSING or token.text in {",", ";"} or self._begins_clause(token):
            return self._innermost(_Form.BRACKET)
        if self._is_contextual_keyword(token):
            return 0
        match token.text:
            case "in":
                # In the bracket of a map or a scan, ``in`` does not end a let.
                return max(self._innermost(_Form.LET), self._innermost(_Form.BRACKET))
            case "then" if token.kind is Kind.KEYWORD:
                return self._innermost(_Form.IF)
            case "else" if token.kind is Kind.KEYWORD:
                return self._innermost(_Form.THEN)
            case "|":
                return self._innermost(_Form.ARROW)
            case "with":
                return self._innermost(_Form.HANDLE)
            case _:
                return len(self._frames) - 1

    def _innermost(self, form: _Form) -> int:
        return next((i for i in reversed(range(len(self._frames))) if self._frames[i].form is form), 0)

    def _begins_clause(self, token: Token) -> bool:
        if token.kind is not Kind.NAME and token.text != "return":
            return False
        in_braces = self._frames[self._innermost(_Form.BRACKET)].opener == "{"
        return in_braces and (ends_expression(self._before) or self._before.text in {"{", ";"})

    def _would_become_option(self, token: Token, following: str) -> bool:
        """Whether omitting the space would create an option ``--passes`` from two minus signs and a name, ``- -passes``."""
        if token.start == self._before.end or self._words not in _OPTIONS.values():
            return False
        return {self._written + 1: token.text, self._written + 2: following}.get(_OPTION) in self._words

    def _is_contextual_keyword(self, token: Token) -> bool:
        """Whether the token is a contextual keyword of its item, such as ``epochs``, rather than a name."""
        if token.kind is not Kind.NAME or token.text not in self._words:
            return False
        return self._innermost(_Form.BRACKET) == 0 and ends_expression(self._before)

    def _ends_head(self) -> bool:
        """Whether the previous token is the ``do`` of a ``repeat``."""
        return self._before.text == "do" and self._before.kind is Kind.KEYWORD

    def _is_head(self) -> bool:
        """Whether the previous token is applied to the bracket that follows it."""
        if self._before.kind is Kind.NAME:
            return not self._is_word
        return self._before.text in {"rd", "handler", "]", ")"}
