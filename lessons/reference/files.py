"""Files of the program that follow from its tables: the words that the editor knows, and what Python calls the symbols."""

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from textwrap import wrap

from lessons.reference.figures import figures
from lessons.reference.running import ROOT
from rh_kernel.ad.eff.frontend import lexing
from rh_kernel.ad.registry import ALL, NAMES
from rh_kernel.highlighting import effects_words, laboratory_words, looks
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.directives.registry import names
from rh_kernel.syntax.parsing.tokens import (
    DECLARATIONS,
    EFF_SECTION,
    EXPRESSION_DIRECTIVES,
    KEYWORDS,
    LAMBDA_SECTION,
    SPELLINGS,
)

PYTHON_NAMES = ROOT / "rh_kernel" / "syntax" / "parsing" / "python_names.py"
LABEXTENSION = ROOT / "rh_kernel" / "kernel" / "labextension"
DIGITS = 12
WIDTH = 120


def files() -> dict[Path, str]:
    """The text of each file as the code has it now; a file that is to go has none."""
    return {PYTHON_NAMES: python_names(), **labextension(), **figures()}


def python_names() -> str:
    """``python_names.py``"""
    ours = {name: f.name for f in SYMBOLS.values() for name in f.python_names}
    usage = {name: f.python_usage for f in SYMBOLS.values() if f.python_usage for name in f.python_names}
    sized = sorted(f.name for f in SYMBOLS.values() if any(scheme.explicit for scheme in f.schemes))
    return "\n".join(
        [
            '"""What Python calls the function symbols. Written by ``python -m lessons.reference`` from their records."""',
            "",
            "OURS = {",
            *[f"    {json.dumps(name)}: {json.dumps(here)}," for name, here in sorted(ours.items())],
            "}",
            '"""Functions of NumPy, PyTorch and others, and what they are called here."""',
            "",
            "USAGE = {",
            *[f"    {json.dumps(name)}: {json.dumps(here)}," for name, here in sorted(usage.items())],
            "}",
            '"""How those are written here whose arguments differ."""',
            "",
            "SIZED = frozenset(",
            "    {",
            *[f"        {json.dumps(name)}," for name in sized],
            "    }",
            ")",
            '"""Symbols that take sizes in square brackets."""',
            "",
        ]
    )


# -- the extension of JupyterLab -----------------------------------------------------------------------------------------------


def digest(texts: Mapping[str, str]) -> str:
    """The first digits of the hash of files by their names, or of the text of a single one."""
    names = list(texts) if len(texts) > 1 else []
    return hashlib.sha256(json.dumps([names, list(texts.values())]).encode()).hexdigest()[:DIGITS]


def labextension() -> dict[Path, str]:
    """``words.js``, and the entry of the extension, whose name tells pages when a module has changed."""
    static, package = LABEXTENSION / "static", LABEXTENSION / "package.json"
    (entry,) = static.glob("remoteEntry.*")
    modules = {path.name: path.read_text(encoding="utf-8") for path in sorted(static.iterdir()) if path != entry}
    modules["words.js"] = words()
    text = re.sub(r'const VERSION = "\w+";', f'const VERSION = "{digest(modules)}";', entry.read_text(encoding="utf-8"))
    name = f"remoteEntry.{digest({entry.name: text})}.js"
    loaded = re.sub(r"remoteEntry\.\w+\.js", name, package.read_text(encoding="utf-8"))
    return {static / "words.js": modules["words.js"], entry: "", static / name: text, package: loaded}


def words() -> str:
    """``words.js``"""
    return "\n".join(
        [
            "/** The words and signs of the language. Written by `python -m lessons.reference` from its tables. */",
            "",
            "export const WORDS = {",
            *_set("keyword", KEYWORDS - set(DECLARATIONS)),
            *_set("declaration", DECLARATIONS),
            *_set("directive", names()),
            *_set("type", looks.TYPES),
            *_set("function", looks.FUNCTIONS),
            "};",
            "",
            "/** The directives after which an expression follows; after all others there are words. */",
            *_exported("EXPRESSION_DIRECTIVES", EXPRESSION_DIRECTIVES),
            "",
            "/** Words that mean something inside one kind of item, by what that item begins with. */",
            "export const PLACED = {",
            "  __proto__: null,",
            *_set("train", looks.TRAINING_WORDS),
            *_set('"%compile"', looks.COMPILE_WORDS),
            *_set('"%gradient"', looks.GRADIENT_WORDS),
            "};",
            "",
            "/** What may follow `%%`. */",
            *_exported("CELL_WORDS", looks.CELL_WORDS),
            "",
            "/** Words that mean something inside a check. */",
            *_exported("CHECK_WORDS", looks.CHECK_WORDS),
            "",
            "/** The words below a line `%%lambda`. */",
            "export const LABORATORY = {",
            *_set("keyword", laboratory_words.LABORATORY_WORDS),
            *_set("directive", names(LAMBDA_SECTION)),
            *_set("type", laboratory_words.LABORATORY_TYPES),
            *_set("function", laboratory_words.LABORATORY_FUNCTIONS),
            *_set("system", {*NAMES, ALL}),
            "};",
            "",
            "/** The words and signs below a line `%%eff`. */",
            "export const EFFECTS = {",
            *_set("declaration", lexing.DECLARATIONS),
            *_set("keyword", lexing.KEYWORDS),
            *_set("directive", names(EFF_SECTION)),
            *_set("function", effects_words.EFFECTS_FUNCTIONS),
            "  signs: {",
            *_signs(looks.EFFECTS_SIGNS, lexing.SPELLINGS, "    "),
            "  },",
            "};",
            "",
            "/** How the signs look; those that are not here are punctuation. */",
            "export const SIGNS = {",
            *_signs(looks.SIGNS, SPELLINGS, "  "),
            "};",
            "",
        ]
    )


def _exported(name: str, members: Collection[str]) -> list[str]:
    *first, last = _set(name, members, "")
    lines = [*first, last.removesuffix(",") + ";"]
    return [f"export const {lines[0].replace(': ', ' = ', 1)}", *lines[1:]]


def _set(name: str, members: Collection[str], indent: str = "  ") -> list[str]:
    """``name: new Set([…]),`` on one line, or on several if it is long."""
    shown = ", ".join(json.dumps(member, ensure_ascii=False) for member in sorted(members))
    line = f"{indent}{name}: new Set([{shown}]),"
    if len(line) <= WIDTH:
        return [line]
    inside = f"{indent}  "
    lines = wrap(f"{shown},", WIDTH, initial_indent=inside, subsequent_indent=inside, break_on_hyphens=False)
    return [f"{indent}{name}: new Set([", *lines, f"{indent}]),"]


def _signs(signs: Mapping[str, looks.Look], spellings: Mapping[str, str], indent: str) -> Iterator[str]:
    for look in dict.fromkeys(signs.values()):
        written = {sign for sign, has in signs.items() if has is look}
        yield from _set(look.value, written | {spelling for spelling, sign in spellings.items() if sign in written}, indent)
