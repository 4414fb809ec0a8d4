"""Converts TeX formulas in a notebook's text to MathML, which browsers render without scripts.

The library ``latex2mathml`` parses the formula. Its output is rewritten, by an allow list, to the part of MathML that browsers
support. ``UnsupportedFormula`` is raised for a formula that is not supported as a whole, and the page then shows its source.
"""

import html
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_LONGEST = 20_000
"""The longest formula, in characters, that is converted."""

_TABLES = {
    **{name: ("", name, "") for name in ("array", "cases", "matrix", "smallmatrix", "split")},
    **dict.fromkeys(["align", "aligned", "alignat", "eqnarray"], ("", "align*", "")),
    **dict.fromkeys(["equation", "gather", "gathered"], ("", "displaylines", "")),
    "pmatrix": (r"\left(", "matrix", r"\right)"),
    "bmatrix": (r"\left[", "matrix", r"\right]"),
    "Bmatrix": (r"\left\{", "matrix", r"\right\}"),
    "vmatrix": (r"\left|", "matrix", r"\right|"),
    "Vmatrix": (r"\left\|", "matrix", r"\right\|"),
}
"""Environments: the opening bracket, the library's name for the environment, the closing bracket.

Brackets written out here grow with the table; those of the library itself have the height of a line.
"""

_COMMAND = re.compile(
    r"\\(?:(begin|end)\s*\{([^{}]*)\}|not\s*(=)|(math[a-z]+|sideset|verb)|(\\)\*?(?:\[-?[0-9.]+[a-z]{2}\])?|.)", re.DOTALL
)
"""Matches what is rewritten for the library (environments, a negation, line ends), and what it fails to reject.

These are alphabets that do not exist, ``\\sideset``, which duplicates its argument, and ``\\verb``, which may hide all of them.
"""

_COLUMNS = re.compile(r"(\\begin\s*\{alignat\*?\})\s*\{[0-9]*\}")

_TOKENS = frozenset({"mi", "mn", "mo", "mtext"})
_TAGS = frozenset({"mrow", "mspace", "msqrt", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom"})
_PARTS = dict.fromkeys(["mfrac", "mroot", "msub", "msup", "munder", "mover"], 2) | {"msubsup": 3, "munderover": 3}
"""Elements with a fixed number of children."""

_ATTRIBUTES = {
    *("accent", "accentunder", "depth", "displaystyle", "fence", "form", "height", "linethickness", "lspace", "maxsize"),
    *("minsize", "movablelimits", "rspace", "scriptlevel", "separator", "stretchy", "width"),
}
_VALUE = re.compile(r"true|false|prefix|infix|postfix|[+-]?[0-9]*\.?[0-9]+(?:em|ex|px|pt)?")
_WIDTHS = {
    "thinmathspace": "0.167em",
    "mediummathspace": "0.222em",
    "thickmathspace": "0.278em",
    "negativethinmathspace": "-0.167em",
    "negativemediummathspace": "-0.222em",
    "negativethickmathspace": "-0.278em",
}

_CODE = re.compile("&#x[0-9A-Fa-f]+;")
_NAME = re.compile("(?!mod$)[A-Za-z\u2006\u2009]{2,}")
_BOUNDED = frozenset("∑∏∐⋃⋂⨁⨂⨀⋁⋀⨆⨄") | {"inf", "lim", "max", "min", "sup"}
"""Operators with limits below and above in display style."""

_UNDER = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
_BRACKETS = frozenset("()[]{}⟨⟩⌊⌋⌈⌉⟦⟧|‖")
_LETTERS = frozenset("∂∇∞∅⊤⊥…⋯⋮⋱%#&§$_")
"""Symbols without spacing around them."""

_PRIMES = {"″": "′′", "‴": "′′′", "⁗": "′′′′"}
_ALPHABETS = {"bold-italic": "bold italic", "sans-serif-italic": "sans-serif italic"}
"""The alphabets of MathML that have other names in Unicode."""

_STROKE = "&#x029F8;"
"""The stroke that the library puts over a symbol without a known negation; browsers do not overlay it."""

_ACCENTS = frozenset("^~¯´`˙¨ˇ˘˚→←↔⏞⏟⎴⎵⏜⏝―")
_WIDE = {"―": "―", "^": "\u0302", "~": "\u0303"}
"""Accents that stretch to the width of their base."""


class UnsupportedFormula(Exception):
    """The formula cannot be converted; the message says why."""


def to_mathml(source: str, *, display: bool = False) -> str:
    """Return the formula as one ``<math>`` element, in display or inline style. Raises ``UnsupportedFormula``."""
    from latex2mathml.converter import Converter

    if len(source) > _LONGEST:
        raise UnsupportedFormula("the formula is too long")
    converter = Converter(display="block" if display else "inline")
    converter.macros = _Definitions()
    try:
        content = "".join([_written(part) for part in converter.convert_to_element(_prepared(source))])
    except UnsupportedFormula:
        raise
    except Exception as error:
        # The library has no exception of its own: a parse error can surface as any Python exception.
        raise UnsupportedFormula(f"this is no formula: {type(error).__name__}") from error
    block = ' display="block"' if display else ""
    return f'<math{block} class="rh-math">{content}</math>'


class _Definitions(dict[str, tuple[list[str], int]]):
    """Rejects macro definitions in a formula: a few nested ones could exhaust memory."""

    def __setitem__(self, name: str, value: tuple[list[str], int]) -> None:
        raise UnsupportedFormula(f"`{name}` is defined, and definitions are not read here")


def _prepared(source: str) -> str:
    """Rewrite the formula's environments to those that the library knows. Raises ``UnsupportedFormula`` for others."""
    from latex2mathml import commands
    from latex2mathml.symbols_parser import convert_symbol

    known = {*commands.LOCAL_FONTS, *commands.MATH_NON_FONT_COMMANDS, *commands.COMMANDS_WITH_ONE_PARAMETER}

    def command(found: re.Match[str]) -> str:
        side, environment, negated, name, newline = found.groups()
        if side:
            if environment.removesuffix("*") not in _TABLES:
                raise UnsupportedFormula(f"the environment `{environment}` is not known here")
            before, table, behind = _TABLES[environment.removesuffix("*")]
            return rf"{before}\begin{{{table}}}" if side == "begin" else rf"\end{{{table}}}{behind}"
        if name and found[0] not in known and not convert_symbol(found[0]):
            raise UnsupportedFormula(f"the command `{found[0]}` is not known here")
        return r"\neq " if negated else r"\\" if newline else found[0]

    return _COMMAND.sub(command, _COLUMNS.sub(r"\1", source))


def _written(element: "Element") -> str:
    """Serialize an element made by the library. Raises ``UnsupportedFormula`` for one that browsers do not render."""
    tag = element.tag
    if tag in _TOKENS and len(element) == 0:
        return _token(element)
    if tag in _TOKENS:
        tag = "mrow"
    elif tag not in _TAGS and _PARTS.get(tag) != len(element):
        raise UnsupportedFormula(f"`{tag}` is not drawn")
    if "linebreak" in element.attrib:
        raise UnsupportedFormula("a new line outside of a table")
    attributes = _attributes(element)
    if tag in _UNDER and _is_bounded(element[0]):
        tag = _UNDER[tag]
    content = [_written(part) for part in element]
    if tag in {"mover", "munder"} and (sign := _text(element[1])) in _ACCENTS:
        attributes["accent" if tag == "mover" else "accentunder"] = "true"
        if "accent" not in element.attrib and "stretchy" not in element[1].attrib and sign in _WIDE:
            content[1] = f'<mo stretchy="true">{_WIDE[sign]}</mo>'
    if tag == "mtd" and element.get("columnalign") in {"left", "right"}:
        attributes["class"] = f"rh-{element.get('columnalign')}"
    return f"<{tag}{_listed(attributes)}>{''.join(content)}</{tag}>"


def _token(element: "Element") -> str:
    """Serialize a token element. Raises ``UnsupportedFormula`` for a command that the library left unconverted."""
    tag, text = element.tag, _text(element)
    if element.text == _STROKE:
        raise UnsupportedFormula("`\\not` stands before a sign that has no negation")
    if tag == "mtext":
        return f"<mtext>{_escaped(text)}</mtext>"
    if text.startswith("\\") or element.text in {"{", "}", "&", "#", "$", "^", "_"}:
        raise UnsupportedFormula(f"`{text}` is not known here")
    if tag == "mo" and not text:
        return "<mrow></mrow>"
    variant = _variant(element)
    if _NAME.fullmatch(text) and not variant:
        bounds = ' movablelimits="true"' if _is_bounded(element) else ""
        return f'<mo form="prefix"{bounds} lspace="0" rspace="0.1667em">{text}</mo>'
    if tag in {"mi", "mo"} and text and (len(text) == 1 or text[0] == "′"):
        tag = "mo" if unicodedata.category(text[0])[0] in "SP" and text not in _LETTERS else "mi"
    drawn = "".join([_character(c, variant) for c in text])
    if tag == "mo":
        return f"<mo{_listed(_of_sign(element, text))}>{_escaped('∗' if drawn == '*' else drawn)}</mo>"
    upright = ' mathvariant="normal"' if variant == "normal" and tag == "mi" else ""
    return f"<{tag}{upright}>{_escaped(drawn)}</{tag}>"


def _of_sign(element: "Element", text: str) -> dict[str, str]:
    """Return the attributes of an operator: brackets have natural size and no spacing; a colon separates terms and types."""
    attributes = _attributes(element)
    if text in _BRACKETS:
        attributes.setdefault("stretchy", "true" if "minsize" in attributes else "false")
        attributes |= {"lspace": "0", "rspace": "0"}
    if element.text == ":":
        attributes |= {"lspace": "0.2778em", "rspace": "0.2778em"}
    return attributes


def _is_bounded(element: "Element") -> bool:
    is_sign = element.tag in {"mi", "mo"} and len(element) == 0
    return is_sign and (_text(element) in _BOUNDED or element.get("movablelimits") == "true")


def _attributes(element: "Element") -> dict[str, str]:
    """Return the presentation attributes that browsers know; none contains text of the formula."""
    given = {name: _WIDTHS.get(value, value) for name, value in element.attrib.items() if name in _ATTRIBUTES}
    # Browsers do not support relative sizes of `mpadded`.
    relative = ("+", "-") if element.tag == "mpadded" else ()
    return {name: value for name, value in given.items() if _VALUE.fullmatch(value) and not value.startswith(relative)}


def _listed(attributes: dict[str, str]) -> str:
    return "".join([f' {name}="{_escaped(value)}"' for name, value in attributes.items()])


def _text(element: "Element") -> str:
    """Return the text with character references resolved, or after a sizing command the symbol's name."""
    from latex2mathml.symbols_parser import convert_symbol

    given = re.sub(r"[\t\n\r\f\v]", " ", element.text or "")
    if element.tag == "mo" and given.startswith("\\"):
        given = f"&#x{convert_symbol(given)};"
    found = _CODE.sub(lambda code: html.unescape(code[0]), given)
    found = _PRIMES.get(found, found)
    if any(unicodedata.category(c) in {"Cc", "Cn", "Cs"} for c in found):
        raise UnsupportedFormula("there is a sign that cannot be written")
    return found


def _variant(element: "Element") -> str:
    """Return the alphabet. The library drops it for an upright ASCII letter, which is only marked by a character reference."""
    text = element.text or ""
    is_upright = element.tag == "mi" and len(text) > 1 and _text(element).isascii() and _CODE.fullmatch(text)
    return element.get("mathvariant") or ("normal" if is_upright else "")


def _character(c: str, variant: str) -> str:
    """Return the character in a mathematical alphabet of Unicode (some have older names), or unchanged if there is none."""
    if not variant or variant == "normal":
        return c
    kind = unicodedata.name(c, "").removeprefix("LATIN ").removeprefix("GREEK ").replace(" LETTER", "")
    alphabet = _ALPHABETS.get(variant, variant).upper()
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
