"""Mathematics as TeX has it ↦ MathML, which browsers draw by themselves: what stands between dollars in a notebook's text.

The signs, letters, fractions, scripts, brackets and tables of ordinary notes are read; for the rest there is ``Unreadable``,
and the page shows the source.
"""

import html
import re
import unicodedata
from dataclasses import dataclass

from rh_kernel.export.symbols import (
    ACCENTS,
    ALPHABETS,
    BELOW,
    BOUNDED,
    FUNCTIONS,
    INTEGRALS,
    LARGE,
    LETTERS,
    OPERATORS,
    SILENT,
    SIZES,
    SPACES,
    STRETCHED,
    TABLES,
    TEXTS,
    UPRIGHT,
)

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[0-9]+(?:[.,][0-9]+)*|\s+|%[^\n]*\n?|.", re.DOTALL)
_DEEPEST = 60
_BRACKETS = frozenset("()[]{}⟨⟩⌊⌋⌈⌉⟦⟧|‖")
_KEPT = "\u00a0"


class Unreadable(Exception):
    """This is not read here; the words say what."""


def to_mathml(source: str, *, display: bool = False) -> str:
    """The formula as one ``<math>``; ``display`` for one that stands by itself. Raises ``Unreadable``."""
    reader = _Reader(_TOKEN.findall(source))
    try:
        content = reader.row(frozenset())
    except RecursionError:
        raise Unreadable("too many formulas inside each other") from None
    if reader.ahead:
        raise Unreadable(f"`{reader.ahead}` closes nothing")
    block = ' display="block"' if display else ""
    return f'<math{block} class="rh-math">{content}</math>'


@dataclass(frozen=True, slots=True)
class _Atom:
    """A piece of MathML, and whether what is written below and above it belongs under and over it."""

    text: str
    is_bounded: bool = False


class _Reader:
    """Reads a formula from its tokens. Spaces are only seen where a text is read."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def ahead(self) -> str:
        """The next token that is no space; nothing at the end."""
        while self._at < len(self._tokens) and (self._tokens[self._at].isspace() or self._tokens[self._at][0] == "%"):
            self._at += 1
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def next(self) -> str:
        """The next token, which is read with this. Raises ``Unreadable`` at the end."""
        token = self.ahead
        if not token:
            raise Unreadable("the formula ends too early")
        self._at += 1
        return token

    def row(self, ends: frozenset[str]) -> str:
        """Everything up to one of ``ends``, which is not read, or to the end."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unreadable("too many formulas inside each other")
        pieces: list[str] = []
        while self.ahead and self.ahead not in ends and self.ahead not in {"}", r"\right", r"\end", "&", r"\\"}:
            pieces.append(self.scripted())
        self._depth -= 1
        return f"<mrow>{''.join(pieces)}</mrow>"

    def scripted(self) -> str:
        """A piece with its primes and what stands below and above it."""
        base = _Atom("<mrow></mrow>") if self.ahead in {"^", "_"} else self.atom()
        below = above = primes = ""
        while self.ahead in {"^", "_", "'", r"\limits", r"\nolimits"}:
            match self.next():
                case "'":
                    primes += "′"
                case "_" if not below:
                    below = self.argument()
                case "^" if not above:
                    above = self.argument()
                case "^" | "_":
                    raise Unreadable("two scripts at one place")
                case _:
                    pass
        if primes:
            above = f"<mrow><mo>{primes}</mo>{above}</mrow>" if above else f"<mo>{primes}</mo>"
        return _with_scripts(base, below, above)

    def argument(self) -> str:
        """What a command or a script takes: a group, or the next piece alone."""
        if self.ahead != "{":
            # Without braces a number is read digit by digit.
            first, rest = self.ahead[:1], self.ahead[1:]
            if first.isdigit() and rest:
                self._tokens[self._at : self._at + 1] = [first, rest]
            return self.atom().text
        self.next()
        content = self.row(frozenset())
        self.expect("}")
        return content

    def expect(self, token: str) -> None:
        """Read this token. Raises ``Unreadable`` if there is another."""
        found = self.next()
        if found != token:
            raise Unreadable(f"found `{found}`, expected `{token}`")

    def atom(self) -> _Atom:
        """The next piece, without scripts."""
        token = self.next()
        if token.startswith("\\"):
            return self.command(token[1:])
        if token == "{":
            content = self.row(frozenset())
            self.expect("}")
            return _Atom(content)
        if token == "~":
            return _Atom(_space(SPACES["~"]))
        if token[0].isdigit():
            return _Atom(f"<mn>{token}</mn>")
        if token.isalpha():
            return _Atom(_letter(token))
        if token in "}^_&#$\\":
            raise Unreadable(f"`{token}` is not expected here")
        return _Atom(_sign({"-": "−", "*": "∗"}.get(token, token)))

    def command(self, name: str) -> _Atom:
        """What a command stands for, with its arguments."""
        if name in LARGE:
            return _Atom(f"<mo>{LARGE[name]}</mo>", is_bounded=True)
        if name in FUNCTIONS:
            # The invisible sign of application keeps a distance to the argument.
            return _Atom(f'<mo movablelimits="true" lspace="0" rspace="0.1667em">{name}</mo>', is_bounded=name in BOUNDED)
        if name in LETTERS:
            return _Atom(_letter(LETTERS[name]))
        if name in OPERATORS or name in INTEGRALS:
            return _Atom(_sign(OPERATORS.get(name) or INTEGRALS[name]))
        if name in SPACES or name.isspace():
            return _Atom(_space(SPACES.get(name, SPACES[" "])))
        if name in ALPHABETS:
            return _Atom(f"<mi>{_in_alphabet(self.plain(), ALPHABETS[name])}</mi>")
        if name in TEXTS:
            return _Atom(f"<mtext>{_escaped(self.plain().replace(' ', _KEPT))}</mtext>")
        if name in UPRIGHT:
            return _Atom(f'<mi mathvariant="normal">{_escaped(self.plain().strip())}</mi>', is_bounded=name.endswith("*"))
        if name in SILENT:
            return _Atom("")
        if name in SIZES:
            return _Atom(self.delimiter())
        return self.construction(name)

    def construction(self, name: str) -> _Atom:
        """A command that builds something of its arguments. Raises ``Unreadable`` for one that is not known."""
        if name in ACCENTS or name in BELOW:
            stretchy = "true" if name in STRETCHED else "false"
            tag, sign = ("mover", ACCENTS[name]) if name in ACCENTS else ("munder", BELOW[name])
            inner = f'{self.argument()}<mo stretchy="{stretchy}">{sign}</mo>'
            accent = "accent" if tag == "mover" else "accentunder"
            return _Atom(f'<{tag} {accent}="true">{inner}</{tag}>', is_bounded=name.endswith("brace"))
        match name:
            case "frac" | "tfrac" | "dfrac" | "cfrac":
                return _Atom(f"<mfrac>{self.argument()}{self.argument()}</mfrac>")
            case "binom":
                return _Atom(
                    f'<mrow><mo>(</mo><mfrac linethickness="0">{self.argument()}{self.argument()}</mfrac><mo>)</mo></mrow>'
                )
            case "sqrt":
                return _Atom(self.root())
            case "left":
                return _Atom(self.bracketed())
            case "begin":
                return _Atom(self.environment())
            case "overset" | "stackrel":
                over = self.argument()
                return _Atom(f"<mover>{self.argument()}{over}</mover>")
            case "underset":
                under = self.argument()
                return _Atom(f"<munder>{self.argument()}{under}</munder>")
            case "xrightarrow" | "xleftarrow" | "xmapsto":
                sign = {"xrightarrow": "→", "xleftarrow": "←", "xmapsto": "↦"}[name]
                return _Atom(f'<mover><mo stretchy="true" minsize="2em">{sign}</mo>{self.argument()}</mover>')
            case "mathop" | "mathbin" | "mathrel" | "mathord" | "mathopen" | "mathclose" | "ensuremath":
                return _Atom(self.argument(), is_bounded=name == "mathop")
            case "phantom":
                return _Atom(f"<mphantom>{self.argument()}</mphantom>")
            case "not":
                return _Atom(self.negated())
            case "label" | "tag" | "color":
                self.plain()
                return _Atom("")
            case _:
                raise Unreadable(f"the command `\\{name}` is not known here")

    def root(self) -> str:
        r"""``\sqrt[3]{x}``"""
        if self.ahead != "[":
            return f"<msqrt>{self.argument()}</msqrt>"
        self.next()
        degree = self.row(frozenset({"]"}))
        self.expect("]")
        return f"<mroot>{self.argument()}{degree}</mroot>"

    def negated(self) -> str:
        r"""``\not=``"""
        found = re.fullmatch(r"<mo>(.)</mo>", self.atom().text)
        if found is None:
            raise Unreadable("`\\not` stands before a sign")
        return f"<mo>{unicodedata.normalize('NFC', found[1] + chr(0x338))}</mo>"

    def delimiter(self) -> str:
        r"""A bracket after ``\left``, ``\right`` or ``\big``; a dot is none."""
        token = self.next()
        if token == ".":
            return ""
        sign = OPERATORS.get(token[1:], "") if token.startswith("\\") else {"<": "⟨", ">": "⟩"}.get(token, token)
        if len(sign) != 1 or sign.isalnum():
            raise Unreadable(f"`{token}` is no bracket")
        return f'<mo stretchy="true">{_escaped(sign)}</mo>'

    def bracketed(self) -> str:
        r"""``\left( … \right)``"""
        opening = self.delimiter()
        content = self.row(frozenset())
        self.expect(r"\right")
        return f"<mrow>{opening}{content}{self.delimiter()}</mrow>"

    def environment(self) -> str:
        r"""``\begin{pmatrix} a & b \\ c & d \end{pmatrix}``"""
        name = self.plain()
        kind = name.removesuffix("*")
        if kind not in TABLES:
            raise Unreadable(f"the environment `{name}` is not known here")
        if kind in {"array", "alignat"}:
            self.plain()
        rows = [[self.row(frozenset())]]
        while self.ahead in {"&", r"\\"}:
            if self.next() == "&":
                rows[-1].append(self.row(frozenset()))
            else:
                rows.append([self.row(frozenset())])
        self.expect(r"\end")
        if self.plain() != name:
            raise Unreadable(f"`{name}` is not ended")
        if rows[-1] == ["<mrow></mrow>"]:
            rows.pop()
        return _table(kind, rows)

    def plain(self) -> str:
        """The text of a group, as it is written."""
        if self.ahead != "{":
            return self.next().removeprefix("\\")
        self.next()
        depth, pieces = 1, list[str]()
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            depth += (token == "{") - (token == "}")
            if depth == 0:
                return "".join(pieces)
            pieces.append(LETTERS.get(token[1:], " ") if token[0] == "\\" else token.replace("~", " "))
        raise Unreadable("the formula ends too early")


def _with_scripts(base: _Atom, below: str, above: str) -> str:
    under, over = ("munder", "mover") if base.is_bounded else ("msub", "msup")
    both = "munderover" if base.is_bounded else "msubsup"
    match bool(below), bool(above):
        case True, True:
            return f"<{both}>{base.text}{below}{above}</{both}>"
        case True, False:
            return f"<{under}>{base.text}{below}</{under}>"
        case False, True:
            return f"<{over}>{base.text}{above}</{over}>"
        case _:
            return base.text


def _table(kind: str, rows: list[list[str]]) -> str:
    alternate = kind in {"aligned", "align", "alignat", "split", "eqnarray"}
    written: list[str] = []
    for row in rows:
        sides = [
            "right" if alternate and n % 2 == 0 else "left" if alternate or kind == "cases" else "" for n in range(len(row))
        ]
        cells = [
            f'<mtd class="rh-{side}">{cell}</mtd>' if side else f"<mtd>{cell}</mtd>"
            for side, cell in zip(sides, row, strict=True)
        ]
        written.append(f"<mtr>{''.join(cells)}</mtr>")
    style = ' displaystyle="true"' if alternate else ""
    table = f"<mtable{style}>{''.join(written)}</mtable>"
    brackets = [f'<mo stretchy="true">{sign}</mo>' if sign else "" for sign in TABLES[kind]]
    return f"<mrow>{brackets[0]}{table}{brackets[1]}</mrow>"


def _letter(text: str) -> str:
    return f"<mi>{_escaped(text)}</mi>"


def _sign(text: str) -> str:
    """A sign of its ordinary size; what is around it gives brackets their distance, and bars have none."""
    bracket = ' stretchy="false"' if text in _BRACKETS else ""
    bar = ' lspace="0" rspace="0"' if text in {"|", "‖"} else ""
    return f"<mo{bracket}{bar}>{_escaped(text)}</mo>"


def _space(width: float) -> str:
    return f'<mspace width="{width}em"></mspace>'


def _in_alphabet(text: str, alphabet: str) -> str:
    return "".join([_escaped(_character(c, alphabet)) for c in text.strip()])


def _character(c: str, alphabet: str) -> str:
    """The letter or digit in an alphabet of Unicode, where the older ones have names of their own; else what it is."""
    name = unicodedata.name(c, "")
    kind = name.removeprefix("LATIN ").removeprefix("GREEK ").replace(" LETTER", "")
    if c.isdigit():
        alphabet = alphabet.removesuffix(" ITALIC")
    older = {"FRAKTUR": "BLACK-LETTER"}.get(alphabet, alphabet)
    for candidate in (f"MATHEMATICAL {alphabet} {kind}", f"{older} {kind}"):
        try:
            return unicodedata.lookup(candidate)
        except KeyError:
            continue
    return c


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)
