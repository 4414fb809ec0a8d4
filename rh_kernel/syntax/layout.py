"""Where the lines of an item begin, and what stands between two tokens (the manner of LANGUAGE §3).

Line ends are the writer's; how far a line is indented follows from what is open where it begins. ``let`` and ``in`` stand one under
the other, the lines of a body under its first word, clauses two columns in, the backward part two columns further.
"""

from dataclasses import dataclass
from enum import Enum, auto

from rh_kernel.syntax.tokens import CLOSERS, TRAINING_OPTIONS, Kind, Token, ends_expression

_INDENT = 2
_OPENERS = frozenset(CLOSERS)
_CLOSING = frozenset(CLOSERS.values())
_OPERATORS = frozenset({"+", "-", "*", "×", "·", "@", "/", "//", "•"})
_TIGHT_BEFORE = frozenset({")", "]", "⟩", ">", "⌋", ",", ".", "ᵀ"})
_TIGHT_AFTER = frozenset({"(", "[", "⟨", "<", "⌊", "%"})


class _Form(Enum):
    """What is open: the item, a bracket, a let before or after its ``in``, a handled command, what follows ``→``."""

    ITEM = auto()
    BRACKET = auto()
    LET = auto()
    HANDLE = auto()
    ARROW = auto()


@dataclass(frozen=True, slots=True)
class _Frame:
    """``column``: where the parts of the open form begin; ``outer``: where what closes it stands at the start of a line."""

    form: _Form
    column: int
    outer: int
    opener: str = ""


class Layout:
    """The forms that are open at a place in an item, while its tokens are written one after the other."""

    def __init__(self) -> None:
        self._frames = [_Frame(_Form.ITEM, _INDENT, 0)]
        self._before: Token | None = None
        self._line_indent = 0
        self._training = False

    def indentation(self, token: Token) -> int:
        """The column of ``token`` as the first of a line."""
        if self._before is None:
            return 0
        frame = self._frame_of(token)
        if token.text in _CLOSING:
            return frame.outer
        match frame.form:
            case _Form.ITEM:
                return frame.column
            case _Form.LET | _Form.HANDLE if token.text in {"in", "with"}:
                return frame.outer
            case _Form.ARROW if token.text == "|":
                return frame.outer + _INDENT
            case _Form.BRACKET | _Form.LET | _Form.HANDLE | _Form.ARROW:
                return frame.column + (_INDENT if self._continues(token) else 0)
    
    def comment_indentation(self, following: Token) -> int:
        """The column of a comment on lines of its own before ``following``."""
        if self._before is not None and following.text in _CLOSING:
            return self._frame_of(following).column
        return self.indentation(following)

    def write(self, token: Token, column: int, *, first: bool, last: bool) -> None:
        """Note that ``token`` was written at ``column``, whether as the first or the last of its line."""
        if self._before is None:
            self._training = token.text == "train"
        if first:
            self._line_indent = column
        while self._frames[-1] is not self._frame_of(token):
            self._frames.pop()
        self._change(token, column, last=last)
        self._before = token

    def space(self, token: Token) -> str:
        """What stands between the token before and ``token`` on one line."""
        before = self._before
        if before is None:
            return ""
        pair = before.text + token.text
        ...
