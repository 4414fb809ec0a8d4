"""Diagnostics for Python syntax, with its translation: ``np.dot(x, y)``, ``x.sum()``, ``x[0]``, ``M // a comment``."""

import re
from itertools import pairwise

from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.errors import ForeignSyntax
from rh_kernel.syntax.parsing.hints import SQUARES, shorten
from rh_kernel.syntax.parsing.python_names import OURS, SIZED, USAGE
from rh_kernel.syntax.parsing.tokens import CLOSERS, Kind, Token
from rh_kernel.syntax.surface import Expr, Number, Var

MODULES = frozenset({"np", "numpy", "jnp", "jax", "torch", "nn", "F", "functional", "tf", "math", "scipy", "special", "cp"})
"""The usual names of Python modules that provide array functions."""

_ARRAYS = {
    **dict.fromkeys(("array", "asarray", "tensor"), "An array is written out: `[1, 2]`, and a matrix `[[1, 2], [3, 4]]`."),
    **dict.fromkeys(("zeros", "zeros_like"), "An array of zeros is `fill[3](0)`, and `0` is the zero of every type."),
    **dict.fromkeys(("ones", "ones_like", "full"), "An array of ones is `fill[3](1)`."),
    "eye": "The identity matrix is the initial content of a location: `loc w : Real(2, 2) = eye`.",
    "max": "The larger of two arrays, entry by entry, is `maximum(x, y)`.",
    "min": "The smaller of two arrays, entry by entry, is `minimum(x, y)`.",
    "stack": "Arrays are joined along their first axis by `concat(x, y)`.",
}


def attribute(W: Expr, rest: list[Token], source: Source) -> Rejected | None:
    """The diagnostic for a Python attribute ``W.name …``, with ``rest`` the tokens after the dot; ``None`` if it is not one."""
    if rest[0].kind is not Kind.NAME or not isinstance(W, Var):
        return None
    if W.name in MODULES:
        return _of_module(W, rest, source)
    return _method(W, rest, source) if rest[0].text in OURS and rest[1].text == "(" else None


def _of_module(module: Var, rest: list[Token], source: Source) -> Rejected:
    """``np.dot(x, y)``, ``torch.nn.functional.relu(x)``"""
    last = rest[0]
    for dot, name in zip(rest[1::2], rest[2::2], strict=False):
        if dot.text != "." or name.kind is not Kind.NAME:
            break
        last = name
    whole = Span(source, module.span.start, last.end)
    ours, fix = OURS.get(last.text), None
    if ours is None:
        hint = _ARRAYS.get(last.text, "Functions have no module prefix; `%help` lists them.")
    else:
        hint = f"Functions have no module prefix: `{USAGE.get(last.text, ours)}`."
        fix = None if last.text in USAGE else Fix(whole, ours)
    return Rejected(ForeignSyntax(span=whole, found=f"modules (`{shorten(whole.text)}`)", hint=hint, fix=fix))


def _method(x: Var, rest: list[Token], source: Source) -> Rejected:
    """``x.sum()``, ``x.dot(y)``"""
    ours, closes = OURS[rest[0].text], len(rest) > 2 and rest[2].text == ")"
    whole = Span(source, x.span.start, rest[2].end if closes else rest[0].end)
    call = USAGE.get(rest[0].text) or (f"{ours}({x.name})" if closes else f"{ours}({x.name}, …)")
    fix = Fix(whole, call) if closes and rest[0].text not in USAGE else None
    hint = f"Write the function before its argument: `{call}`."
    return Rejected(ForeignSyntax(span=whole, found=f"methods (`{shorten(whole.text)}`)", hint=hint, fix=fix))


SLICES = "`slice[lo, hi](x)` is the entries from `lo` up to `hi`, numbered from 0."


def entry(f: Span, indices: tuple[Expr, ...], whole: Span) -> Rejected | None:
    """The diagnostic for ``x[0]``, if x is bound or declared in the source as an array, or may be one by its name.

    Only in the first case is there a quick fix, since functions that take sizes look the same.
    """
    if re.search(rf"(?m)^\s*loc\s+{re.escape(f.text)}\s*\[", f.source.text[: f.start]) is not None:
        hint = f"`{shorten(whole.text)}` is a location: its content is what `Get[{shorten(whole.text)}]()` returns."
        return Rejected(ForeignSyntax(span=whole, found=f"locations as terms (`{shorten(whole.text)}`)", hint=hint))
    is_array = _is_array(f)
    hint, fix = SLICES.replace("(x)", f"({f.text})"), None
    match indices:
        case (Number(text),) if text.isdecimal() and len(text) < 10:
            call = f"slice[{text}, {int(text) + 1}]({f.text})"
            hint, fix = f"An entry is a slice of length 1: `{call}`.", Fix(whole, call)
        case _ if not is_array:
            return None
        case _:
            pass
    if not is_array:
        if f.text in SIZED or f.text[0].isupper() or f.source.text[f.end] != "[":
            return None
        hint, fix = f"{hint} If it is a function with sizes, its input comes after them: `{shorten(whole.text)}(…)`.", None
    return Rejected(ForeignSyntax(span=whole, found=f"entries by number (`{shorten(whole.text)}`)", hint=hint, fix=fix))


def _is_array(f: Span) -> bool:
    """Whether the source before the name declares it with ``const``, or its own item binds it."""
    x = rf"(?<!\w){re.escape(f.text)}(?!\w)"
    bound = (
        rf"\blet\s+(?:[(⟨][^)⟩\n]*)?{x}",
        rf"[(,]\s*{x}\s*:(?!=)",
        rf"[<⟨][^<>⟨⟩\n]*{x}[^<>⟨⟩\n]*[>⟩]\s*\.",
        rf"\(\s*{x}\s*\)\s*(?:->|→|,)",
    )
    before = f.source.text[: f.start]
    item = before[max(m.start() for m in re.finditer(r"^(?=\S|\Z)|\A", before, re.MULTILINE)) :]
    return re.search(rf"\bconst\s+{x}", before) is not None or re.search("|".join(bound), item) is not None


def square(source: Source, before: Token | None, sign: Token, following: Token) -> Fix | None:
    """A quick fix that rewrites ``x²`` or ``x ** 2``, for a name or a number x."""
    if sign.text not in SQUARES or before is None or before.kind not in {Kind.NAME, Kind.NUMBER}:
        return None
    if sign.text == "**" and following.text != "2":
        return None
    end = following.end if sign.text == "**" else sign.end
    return Fix(Span(source, before.start, end), f"square({before.text})")


def comment(passed: list[Token], opened: list[Token], token: Token, text: str) -> Token | None:
    """The ``//`` that was meant to start a comment: ``token`` or one before it on its line; ``None`` if there is none.

    ``passed`` are the tokens before ``token``, ``opened`` the brackets open there. A comment has several words after the
    ``//`` or is outside of all brackets; inside a bracket that closes before ``token``, ``//`` divides dimensions.
    """
    if token.text == "//" and passed:
        return token
    line = text.rfind("\n", 0, token.start) + 1
    found = next((i for i, t in enumerate(passed) if t.text == "//" and t.start >= line), None)
    if found is None:
        return None
    sign, words = passed[found], [*passed[found + 1 :], token]
    if _closes(words):
        return None
    has_words = any(a.kind is b.kind is Kind.NAME for a, b in pairwise(words)) and words[0].kind in {Kind.NAME, Kind.KEYWORD}
    is_inside = any(bracket.start < sign.start for bracket in opened)
    is_word = words[0].kind in {Kind.NAME, Kind.KEYWORD} and token.kind is not Kind.END and token.text not in CLOSERS.values()
    return sign if has_words or (is_word and not is_inside) else None


def _closes(tokens: list[Token]) -> bool:
    """Whether ``tokens`` close a bracket that was opened before them."""
    depth = 0
    for token in tokens:
        depth += (token.text in CLOSERS) - (token.text in CLOSERS.values())
        if depth < 0:
            return True
    return False
