"""Cursor over the tokens of one item, and the diagnostics for an unexpected token."""

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import errors
from rh_kernel.syntax.parsing import hints
from rh_kernel.syntax.parsing.foreign import comment, square
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.token_cursor import TokenCursor
from rh_kernel.syntax.parsing.tokens import CLOSERS, DECLARATIONS, INCLUDE, Kind, Token, ends_expression
from rh_kernel.syntax.surface import Name

# Looking up an enum member is slow in Python, and this one is compared for every name.
_NAME = Kind.NAME
_OWN_ITEM = re.compile(rf"(?:#|%|(?:train|{'|'.join((INCLUDE, *DECLARATIONS))})\b)")
_ROWS = re.compile(r"\[[-+\d. \teE,;]*\]")

DEEPEST = 200
"""Maximum nesting depth of an expression, and maximum number of prefix or postfix operators on one operand.

Chains of lets and of infix operators do not count.
"""


Parsed = TypeVar("Parsed")


class Cursor(TokenCursor):
    """Cursor over the tokens of one item of RH or of the λ-calculus.

    ``product_signs`` are the offsets of ``*`` and ``×`` in types, ``keywords`` those of contextual keywords and of the signs of
    comparisons; ``words`` maps keywords of other languages to their hints. ``conditions`` tells, by their offsets, whether a
    bracket holds a condition and whether ``if`` begins a conditional, where this is only known from trying both.
    """

    __slots__ = ("conditions", "keywords", "product_signs", "words")
    closers = CLOSERS
    deepest = DEEPEST

    def __init__(self, span: Span, words: Mapping[str, tuple[str, str]] = hints.FOREIGN_WORDS) -> None:
        super().__init__(span, tokens(span))
        self.product_signs: list[int] = []
        self.keywords: list[int] = []
        self.conditions: dict[int, bool] = {}
        self.words = words

    def is_condition(self, as_condition: Callable[["Cursor"], object], otherwise: Callable[["Cursor"], object]) -> bool:
        """Whether ``as_condition`` parses more of what begins here than ``otherwise``: the text is unfinished, so try both.

        Each place is decided once, so that a text costs at most one trial a place.
        """
        start, kept = self.token.start, (len(self.keywords), len(self.product_signs))
        if start not in self.conditions:
            self.conditions[start] = False
            self.conditions[start] = self.reach(otherwise) < self.reach(as_condition)
            del self.keywords[kept[0] :], self.product_signs[kept[1] :]
        return self.conditions[start]

    def close(self, separator: str = "", hint: str = "") -> Token:
        """Consume the closing bracket of the innermost open bracket."""
        opening = self.brackets[-1]
        closer = CLOSERS[opening.text]
        if self.token.text != closer:
            expected = f"`{separator}` or `{closer}`" if separator else f"`{closer}`"
            if separator == "," and self._is_comma():
                raise self._semicolon(opening, expected)
            is_open = self.token.text in hints.OUTSIDE or (self.begins_line() and opening.text != "{" and not self.is_misfit())
            raise self._unclosed(opening, expected) if is_open else self.fail(expected, hint)
        self.brackets.pop()
        return self.advance()

    def listed(
        self, opening: str, parse: Callable[["Cursor"], Parsed], hint: str = "", *, may_be_empty: bool = False
    ) -> tuple[Parsed, ...]:
        """Parse elements separated by commas between the bracket ``opening`` and its closing bracket."""
        self.open(opening, hint)
        found: list[Parsed] = []
        if not (may_be_empty and self.at_closer()):
            found.append(parse(self))
            while self.take(","):
                found.append(parse(self))
        self.close(",")
        return tuple(found)

    def name(self, expected: str = "a name", hint: str = "") -> Name:
        """Consume a name."""
        token = self.token
        if token.kind is _NAME:
            self.advance()
            return Name(token.text, span=Span(self.source, token.start, token.end))
        if token.kind is Kind.KEYWORD:
            hint = hint or f"`{token.text}` is a keyword; choose another name"
            raise Rejected(errors.NotAName(span=self.span(token), found=self.found(), expected=expected, hint=hint))
        if token.kind is Kind.NUMBER:
            hint = hint or "names begin with a letter"
            raise Rejected(errors.NotAName(span=self.span(token), found=self.found(), expected=expected, hint=hint))
        raise self.fail(expected, hint)

    def keyword(self, word: str, hint: str = "") -> Token:
        """Consume a contextual keyword. Raises ``Rejected`` otherwise."""
        token = self.need(word, hint)
        self.keywords.append(token.start)
        return token

    def begins_line(self) -> bool:
        """Whether the current token is the first on its line."""
        return "\n" in self.source.text[self.end : self.token.start]

    def is_misfit(self) -> bool:
        """Whether the current token itself is wrong, rather than a sign that a token before it is missing."""
        match self.token.kind:
            case Kind.SYMBOL:
                return self.token.text not in {")", "]", "}", "⟩", "|", ";", "%"}
            case Kind.KEYWORD | Kind.END:
                return False
            case Kind.NAME | Kind.NUMBER:
                return not self.begins_line()
            case Kind.STRING | Kind.PROJECTION | Kind.COMMENT | Kind.FOREIGN:
                return True
            case Kind.BAD_NUMBER | Kind.BAD_STRING | Kind.BAD_CHARACTER:
                return True

    def fail(self, expected: str, hint: str = "", fix: Fix | None = None) -> Rejected:
        """The diagnostic that the current token is not what was ``expected``."""
        token = self.token
        found = self.found()
        here = self.here()
        match token.kind:
            case Kind.BAD_CHARACTER:
                advice, known = hints.CHARACTERS.get(token.text[0], ""), hints.WRITTEN.get(token.text[0])
                if token.text == "!" and self._upcoming == 1:
                    advice = hints.OF_PYTHON
                fix = square(self.source, self._before(), token, self.peek()) if known is None else Fix(here, known)
                return Rejected(errors.UnknownCharacter(span=here, found=found, hint=advice, fix=fix))
            case Kind.BAD_STRING:
                return Rejected(errors.UnterminatedString(span=here, hint='a string ends with " on its line'))
            case Kind.BAD_NUMBER:
                hint, meant = hints.of_number(here.text)
                return self.malformed(here, hint, Fix(here, meant) if meant else None)
            case Kind.FOREIGN:
                what, advice = hints.FOREIGN_SIGNS.get(token.text, hints.ASSIGNMENT)
                fix = fix or square(self.source, self._before(), token, self.peek())
                return Rejected(
                    errors.ForeignSyntax(
                        span=here, found=f"{what} `{token.text}`", hint=hint if fix and hint else advice, fix=fix
                    )
                )
            case Kind.END if self.brackets:
                return self._unclosed(self.brackets[-1], expected)
            case Kind.END:
                hint = self.unindented() or hint
                return Rejected(errors.UnexpectedEnd(span=here, found=found, expected=expected, hint=hint, fix=self.indented()))
            case Kind.SYMBOL if token.text in CLOSERS.values() and self._mismatches(token):
                is_first = self._upcoming == 1 and token.text != "}"
                hint = "indent the lines that continue an item" if is_first else "no bracket is open here"
                return self.mismatched(expected, hint)
            case Kind.SYMBOL | Kind.NAME | Kind.KEYWORD | Kind.NUMBER | Kind.STRING | Kind.PROJECTION | Kind.COMMENT:
                before = self._before()
                remark = comment(self._passed(), self.brackets, token, self.source.text)
                if remark is not None:
                    return self._comment(remark)
                if before is not None and self._is_foreign(before) and not self.begins_line():
                    return self.foreign(before)
                hint = hint or self._advice(before)
                fix = fix or self._quick_fix(before)
                return Rejected(errors.Unexpected(span=here, found=found, expected=expected, hint=hint, fix=fix))

    def unindented(self) -> str:
        """A hint for an item that ends too early, if a line in the first column follows it."""
        if self.token.kind is not Kind.END or not self.source.text[self.token.end :].strip():
            return ""
        if self.source.text[self.token.end :].lstrip("\r\n")[:1] == " ":
            return "a line that is indented as this one starts a new item; indent the lines that continue it further"
        return "a line that begins in the first column starts a new item; indent the lines that continue this one"

    def indented(self, beginning: str = "") -> Fix | None:
        """A quick fix that indents the line after an item that ends too early, so that it continues this item.

        ``None`` unless that line starts with ``beginning`` and cannot start an item of its own.
        """
        rest = self.source.text[self.token.end :].lstrip()
        if not self.unindented() or not rest.startswith(beginning) or _OWN_ITEM.match(rest):
            return None
        start = len(self.source.text) - len(rest)
        return Fix(Span(self.source, start, start), "  ")

    def insert(self, text: str) -> Fix:
        """A quick fix that inserts ``text`` after the last consumed token."""
        return Fix(Span(self.source, self.end, self.end), text)

    def spaced(self, word: str, last: Token) -> Fix:
        """A quick fix that replaces the tokens from the current one to ``last`` by ``word``, with spaces around it."""
        text = self.source.text
        before = "" if text[self.token.start - 1].isspace() else " "
        after = "" if text[last.end : last.end + 1].isspace() or last.end == len(text) else " "
        return Fix(Span(self.source, self.token.start, last.end), f"{before}{word}{after}")

    def foreign(self, word: Token) -> Rejected:
        """The diagnostic for a keyword of another language."""
        what, advice = self.words[word.text]
        return Rejected(errors.ForeignSyntax(span=self.span(word), found=f"{what} (`{word.text}`)", hint=advice))

    def _is_foreign(self, word: Token) -> bool:
        """Whether ``word`` is meant as a keyword of another language; ``for`` in a training item and ``from`` here are not."""
        if word.text not in self.words or word.start in self.keywords:
            return False
        return not (word.text == "for" and any(t.text == "train" for t in self._passed()))

    def _comment(self, sign: Token) -> Rejected:
        """The diagnostic for a comment that starts with ``//``."""
        here = self.span(sign)
        return Rejected(
            errors.ForeignSyntax(span=here, found=f"comments with `{here.text}`", hint=hints.COMMENTS, fix=Fix(here, "#"))
        )

    def _is_comma(self) -> bool:
        """Whether the current ``;`` is meant as a comma, rather than as a clause separator or at the end of a line."""
        following = self.peek()
        if self.token.text != ";" or "\n" in self.source.text[self.token.end : following.start]:
            return False
        is_clause = following.kind is not Kind.NUMBER and any(bracket.text == "{" for bracket in self.brackets)
        return not is_clause and following.kind is not Kind.END

    def _semicolon(self, opening: Token, expected: str) -> Rejected:
        """The diagnostic for a ``;`` in a list; between the rows of a matrix its quick fix brackets each row."""
        before = self.source.text[opening.end : self.token.start]
        if opening.text != "[" or "," not in before:
            hint, fix = "separate the elements of a list by commas", Fix(self.here(), ",")
            return Rejected(errors.Unexpected(span=self.here(), found=self.found(), expected=expected, hint=hint, fix=fix))
        written, fix = _ROWS.match(self.source.text, opening.start), None
        rows = [row.strip() for row in written[0][1:-1].split(";")] if written else []
        if written and len({row.count(",") for row in rows}) == 1:
            fix = Fix(Span(self.source, *written.span()), f"[{', '.join(f'[{row}]' for row in rows)}]")
        hint = "put each row of a matrix in its own brackets: [[1, 2], [3, 4]]"
        return Rejected(errors.Unexpected(span=self.here(), found=self.found(), expected=expected, hint=hint, fix=fix))

    def _mismatches(self, closer: Token) -> bool:
        """Whether ``closer`` matches no open bracket. A lone ``>`` is meant as a comparison."""
        if not self.brackets:
            return closer.text != ">"
        return CLOSERS[self.brackets[-1].text] != closer.text

    def _unclosed(self, opening: Token, expected: str) -> Rejected:
        head = next((t for t in reversed(self._passed()) if t.end <= opening.start), opening)
        if self.at("in") and head.text in self.words:
            return self.foreign(head)
        note = self.opened_here()
        following = self.source.text[self.token.end :].lstrip()
        # A name on a new line may also follow a missing comma, except inside braces, where it may start a clause.
        is_sure = not self.holds(Kind.NAME, Kind.NUMBER) or any(bracket.text == "{" for bracket in self.brackets)
        hint, fix = "", self.insert(self._closers()) if is_sure else None
        if self.token.kind is Kind.END and following.startswith(CLOSERS[opening.text]):
            hint = "indent the line that closes it: a line that begins in the first column starts a new item"
            fix = self.indented(CLOSERS[opening.text])
        elif self.token.kind is Kind.END and opening.text == "{" and hints.CLAUSE.match(following):
            hint, fix = self.unindented(), self.indented()
        return Rejected(
            errors.UnclosedBracket(
                span=self.here(),
                found=self.found(),
                expected=expected,
                opening=opening.text,
                hint=hint,
                notes=(note,) if note.span != self.here() else (),
                fix=fix,
            )
        )

    def _closers(self) -> str:
        """The closers of all open brackets; inside braces, unless at the end, only of those opened after the brace."""
        closers = ""
        for opening in reversed(self.brackets):
            if opening.text == "{" and closers and self.token.kind is not Kind.END:
                break
            closers += CLOSERS[opening.text]
        return closers

    def _quick_fix(self, before: Token | None) -> Fix | None:
        """A quick fix that depends on the current token and the one before it alone."""
        if before is None:
            return Fix(self.here(), "#") if self.token.text == "//" else None
        if self.token.text in CLOSERS.values() and before.text == ",":
            return Fix(self.span(before), "")
        return None

    def _passed(self) -> list[Token]:
        return self._tokens[: self._upcoming - 1]

    def _before(self) -> Token | None:
        return self._tokens[self._upcoming - 2] if self._upcoming > 1 else None

    def _advice(self, before: Token | None) -> str:
        token = self.token
        if before is None:
            return hints.FIRST.get(token.text, "")
        if token.text in hints.NEXT:
            return hints.NEXT[token.text]
        if token.text in CLOSERS.values() and before.text == ",":
            return "a list has no comma after its last element"
        if self.begins_line() or not ends_expression(before) or not ends_expression(token):
            return ""
        if self.brackets and self.brackets[-1].text != "{":
            return "separate the elements of a list by commas"
        if before.kind is Kind.NAME and token.kind in {Kind.NAME, Kind.NUMBER}:
            call = f"{hints.shorten(before.text)}({hints.shorten(token.text)})"
            return f"arguments are written in brackets, {call}, and products with *"
        return ""
