"""Completion, on texts with the cursor at ``|``."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.highlighting.token_classes import CHECK_WORDS, GRADIENT_WORDS, OPTION_WORDS, TRAINING_WORDS, TYPES
from rh_kernel.kernel.completion.completing import Completion, completions
from rh_kernel.kernel.completion.unicode_input import symbols_for
from rh_kernel.session.directives.registry import names
from rh_kernel.session.forms import FORMS
from rh_kernel.session.limits.bounds import MEANINGS
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.parser import completeness
from rh_kernel.syntax.parsing.tokens import DECLARATIONS, INITIALS, KEYWORDS, TRAINING_OPTIONS, Kind
from rh_kernel.training.bundled import NAMES
from tests.counting import calls
from tests.tiers import law

TEXT = """dim size = 2
const target : Real = 0.5
loc weight : Real(size, 2) = zeros
loc outwards : Real(1, size) = zeros
loc bias : Real(size) = zeros
fun twice(x : Real(n)) : Real(n) = x + x
fun adam_step(x : Real(n)) : Real(n) = x
op Layer[l : Loc(m, n)] : Real(n) -> Real(m)
op Shift[l : Loc(n)] : Real(n) -> Real(n)
net network(x : Real(2)) : Real(size) = Layer[weight](x)
net deep[l : Loc(m, n), k : Loc(p, m)](x : Real(n)) : Real(p) =
  let y <= Layer[l](x) in Layer[k](y)
handler stay : rev handler(Real(1)) = { return x -> return x }
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = { return x -> return alpha * (x - t) }
handler infer : Real(k) => Real(k) = { return x -> return x }
"""


def after(session: Session, text: str) -> Session:
    events = execute(session, Source("cell", text))
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("notebooks")
    for name in (
        "w.npy",
        "points.csv",
        "more.NPZ",
        "two words.npz",
        "w.safetensors",
        "w.onnx",
        "notes.txt",
        ".hidden.csv",
        "sub/deep.csv",
        "sub/train-images-idx3-ubyte",
        "sub/cells.zarr/zarr.json",
        "sub/pets/cat/0.png",
    ):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    begun = Session(folder, given=MappingProxyType({"mine": MappingProxyType({"x": np.zeros(2)})}))
    return after(begun, TEXT)


def found(session: Session, text: str) -> list[Completion]:
    cursor = text.index("|") if "|" in text else len(text)
    start, completed = completions(session, text.replace("|", "", 1), cursor)
    assert 0 <= start <= cursor
    assert len({c.text for c in completed}) == len(completed)
    return completed


def complete(session: Session, text: str) -> dict[str, str]:
    return {c.text: c.signature for c in found(session, text)}


@pytest.mark.parametrize(
    ("text", "name", "signature"),
    [
        ("1 + ta|", "target", "target : Real(1)"),
        ("si|", "size", "size : Dim"),
        ("Put[we|](1)", "weight", "weight : Loc(2, 2)"),
        ("tw|", "twice", "twice : Real(n) -> Real(n)"),
        ("Lay|[weight]", "Layer", "Layer[l : Loc(m, n)] : Real(n) -> Real(m)"),
        ("dee", "deep", "deep[l : Loc(m, n), k : Loc(p, m)] : Real(n) ~> Real(p)"),
        ("network(x) with st|", "stay", "stay : rev handler(Real(1))"),
        ("handle P with sg", "sgd", "sgd(alpha : Real(1), t : Real(k)) : rev handler(Real(k))"),
        ("let y ⇐ netw| in y", "network", "network : Real(2) ~> Real(2)"),
        ("sof|", "softmax", "softmax : Real(n) → Real(n)"),
        ("NET|", "network", "network : Real(2) ~> Real(2)"),
        ("han|", "handle", FORMS["handle"].split("\n")[0]),
        ("%tr|", "%trace", "%trace P"),
        ("%%py", "%%python", "%%python"),
    ],
)
def test_names_are_completed_with_their_types(session: Session, text: str, name: str, signature: str) -> None:
    assert complete(session, text)[name].startswith(signature)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Layer[|", ["weight", "outwards", "bias"]),
        ("Layer[|](x)", ["weight", "outwards", "bias"]),
        ("Shift[", ["bias", "weight", "outwards"]),
        ("Get[", ["weight", "outwards", "bias"]),
        ("deep[weight, ", ["weight", "outwards", "bias"]),
        ("deep[outwards, ", ["weight", "outwards", "bias"]),
        ("Layer[w", ["weight", "with"]),
        ("reshape[", ["size"]),
        ("net f[l : Loc(m, n)](x : Real(n)) : Real(m) = Layer[", ["l", "weight", "outwards", "bias"]),
        ("handler h : rev handler(Real(1)) = {\n  Layer[w](x) -> let v <= Get[", ["w", "weight", "outwards", "bias"]),
        ("loc v : Real(1, 3) = zeros\nop A[l : Loc(1, n)] : Real(n) -> Real(1)\nA[", ["outwards", "v", "weight", "bias"]),
        ("loc a : Real(5, 3) = zeros\nloc b : Real(3, 2) = zeros\ndeep[b, ", ["a", "weight", "outwards", "bias", "b"]),
        ("rev handle (1) <x>. network(x) with ", ["stay", "sgd", "infer"]),
        ("handle network([1, 2]) with ", ["infer", "stay", "sgd"]),
        ("rev handle (1) <x>. handle network(x) with infer with ", ["stay", "sgd", "infer"]),
        ("fun f(x : Real) : Real = x with ", ["rd"]),
        ("rev ", ["handle"]),
        ("handler h : rev ", ["handler"]),
        ("train network(x) ", ["for"]),
        ("train network(x) for x in ", ["data"]),
        ('train network(x) for x in data("xor") ', ["epochs", "batch", "pieces", "shuffle", "measure", "surface"]),
        ('train network(x) for x in data("xor") epochs 3\n  ', ["batch", "pieces", "shuffle", "measure", "surface"]),
        (
            'train network(x) for x in data("xor") batch 2 measure network(x) ',
            ["epochs", "pieces", "shuffle", "measure", "surface", "on"],
        ),
        ('train network(x) for x in data("xor") measure network(x) on ', ["data"]),
        ("loc v : ", ["Real"]),
        ("net f[l : ", ["Real", "Loc", "Dim"]),
        ("loc v : Real(", ["size"]),
        ("loc v : Real(2, ", ["size"]),
        ("op F : Real(2) -> ", ["Real"]),
        ("check network ⊢ ", ["Real"]),
        ("loc v : Real(2) = ", ["zeros", "ones", "eye", "normal", "uniform", "glorot", "load"]),
        ("loc v : Real(2) = normal(0.5, ", ["seed"]),
        ("handler h : rev handler(Real(1)) = {\n  ", ["return", "Get", "Put", "Normal", "Uniform", "BatchMean", "Layer"]),
        ("check 1 == 1.0 ", ["within"]),
        ("%compile --", ["passes", "profile"]),
        ("%gradient network([1, 2]) ", ["against"]),
        ("%confusion network([1, 2]) ", ["for"]),
        ("%surface network(x) for x in ", ["data"]),
        ("map (x in [1, 2]) ", ["do"]),
        ("scan (x in [1, 2]) ", ["from"]),
        ("scan (x in map (y in [1, 2]) do y) from s = 0 ", ["do"]),
        ("2.0.", []),
        ("w.|(x. x)(1)", ["rd"]),
    ],
)
def test_what_a_place_asks_for_comes_first(session: Session, text: str, first: list[str]) -> None:
    assert [c.text for c in found(session, text)][: len(first)] == first


@pytest.mark.parametrize(("text", "other"), [("1 + z", "zeros"), ("let e", "epochs"), ("1 + f", "fun"), ("R", "Real")])
def test_words_of_another_place_are_not_completed(session: Session, text: str, other: str) -> None:
    assert other not in complete(session, text)


def test_what_binds_a_name_asks_for_no_derivative(session: Session) -> None:
    assert "network" in complete(session, "rev handle (1) <x>. ")
    assert "network" in complete(session, "w.rd(x. ")


def test_what_is_named_in_the_cell_is_completed_too(session: Session) -> None:
    assert "hidden" in complete(session, "let hidden <- 1.0 in hid|")
    assert "hid" not in complete(session, "let hidden <- 1.0 in hid|")


def test_what_is_written_in_the_cell_has_the_type_that_is_written(session: Session) -> None:
    assert complete(session, "net f(point : Real(2,  size), y : Real) : Real = po|")["point"] == "point : Real(2, size)"


def test_what_is_declared_above_in_the_cell_has_its_type(session: Session) -> None:
    text = "dim three = 3\nloc mine : Real(three, 2) = zeros\nnet own(x : Real(2)) = Layer[mine](x)\nnet broken(x) = \n"
    assert complete(session, text + "1 + mi")["mine"] == "mine : Loc(3, 2)"
    assert complete(session, text + "ow")["own"] == "own : Real(2) ~> Real(3)"
    assert complete(session, text + "brok")["broken"] == ""


@pytest.mark.parametrize(
    "text", ["1 + 2 # ta|", "1.5e|", "12|", '"', '"a"|', "x.1|", "1 + %ty", "%whos ", "%strict on ", "%nothing o"]
)
def test_nothing_is_completed_where_no_word_can_stand(session: Session, text: str) -> None:
    assert complete(session, text) == {}


def test_words_in_part_are_completed_if_none_begins_so(session: Session) -> None:
    assert [c.text for c in found(session, "ste")] == ["step"]
    assert "adam_step" in complete(after(session, "const step = 1"), "step")
    assert [c.text for c in found(session, "argm")] == ["same_argmax"]
    assert "same_argmax" not in complete(session, "rgm")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%strict ", ["on", "off"]),
        ("%strict of", ["off"]),
        ("%evaluator ", ["compiled", "stepped", "denoted"]),
        ("%device ", ["cpu", "gpu"]),
        ("%dtype ", ["float64", "float32"]),
        ("%limit ", list(MEANINGS)),
        ("%limit steps ", ["off", "default"]),
        ("%limit steps d", ["default"]),
        ("%heap ", ["weight", "outwards", "bias"]),
        ("%heap weight bias ", ["outwards"]),
        ("%heap weight b", ["bias"]),
        ("%help netw", ["network"]),
        ("%help epo", ["epochs"]),
        ("%help tra", ["transpose", "train", "trace"]),
        ("%save ", ["more.NPZ", "w.safetensors", "sub/"]),
        ("%load w", ["w.safetensors"]),
        ('%load "two', ["two words.npz"]),
        ('%load "', ["more.NPZ", "two words.npz", "w.safetensors", "sub/"]),
        ("%save # ", []),
        ("%export n", ["network"]),
        ("%export network ", ["to"]),
        ("%export network to ", ["network.py", "network.pt2", "network.onnx", "w.onnx", "sub/"]),
        ('%export network to "w', ["w.onnx"]),
        ("%export network to a.py ", ["as"]),
        ("%save-view ", ["view.html", "view.svg", "sub/"]),
        ('%save-view "pa', ["pa.html", "pa.svg"]),
        ("%export network to a.py as ", ["numpy", "jax", "torch"]),
    ],
)
def test_the_fields_of_a_directive_are_completed(session: Session, text: str, expected: list[str]) -> None:
    assert sorted(c.text for c in found(session, text)) == sorted(expected)


def test_every_directive_is_completed(session: Session) -> None:
    assert {f"%{name}" for name in names()} <= set(complete(session, "%"))
    assert set(complete(session, "1 + 1\n%hea")) == {"%heap"}
    assert "network" in complete(session, "%type n")


def test_data_sets_are_completed_in_quotes(session: Session) -> None:
    assert {"digits", "digits.train", "digits.test"} <= set(complete(session, 'train f(x) for x in data("dig|'))
    assert {f"{name}.test" for name in NAMES} <= set(complete(session, 'data("|'))
    assert {"mine", "mine.test"} <= set(complete(session, 'data("mi'))
    assert {"mine", "mine.test"} <= set(complete(session, '%data "mi'))


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ('data("po', 6, ["points.csv"]),
        ('data("x.npy", "po', 15, ["points.csv"]),
        ('train f(x) for (x, t) in data("x.npy", # the samples\n  "t.npy", "po', 65, ["points.csv"]),
        ('%data "po', 7, ["points.csv"]),
        ('%data "x.npy", "po', 16, ["points.csv"]),
        ('data("points', 6, ["points.csv"]),
        ('data("su', 6, ["sub/"]),
        ('data("sub/', 10, ["cells.zarr", "deep.csv", "train-images-idx3-ubyte", "pets/"]),
        ('loc w : Real = load("sub/c', 25, ["cells.zarr/"]),
        ('data("sub/../sub/d', 17, ["deep.csv"]),
        ('data(".', 6, [".hidden.csv"]),
        ('data("nowhere/', 14, []),
        ('data("points.csv/', 17, []),
        ('data("\0/', 8, []),
        ('loc w : Real = load("', 21, ["more.NPZ", "two words.npz", "w.npy", "w.safetensors", "sub/"]),
        ('loc w : Real = load("w|")', 21, ["w.npy", "w.safetensors"]),
    ],
)
def test_files_that_fit_are_completed_in_quotes(session: Session, text: str, start: int, expected: list[str]) -> None:
    cursor = text.index("|") if "|" in text else len(text)
    begins, completed = completions(session, text.replace("|", "", 1), cursor)
    assert (begins, [c.text for c in completed]) == (start, expected)


def test_a_whole_path_is_read_from_the_root(session: Session) -> None:
    names = [c.text for c in found(session, f'data("{session.folder.as_posix()}/su')]
    assert names == ["sub/"]
    assert "points.csv" not in complete(session, 'data("/')


def test_a_folder_that_may_not_be_read_is_empty(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(place: Path) -> None:
        raise PermissionError(place)

    monkeypatch.setattr("os.scandir", refuse)
    assert complete(session, '%load "') == {}


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        (r"\alpha", "α"),
        (r"let \lambda", "λ"),
        (r"\Omega", "Ω"),
        (r"x\_1", "₁"),
        (r"x\_12", "₁₂"),
        (r"Q\^f", "ᶠ"),
        (r"\to", "→"),
        (r"\gets", "←"),
        (r"\leftarrow", "←"),
        (r"\Leftarrow", "⇐"),
        (r"\Rightarrow", "⇒"),
        (r"k \bullet", "•"),
        (r"\langle", "⟨"),
        (r"\rangle", "⟩"),
        (r"\lfloor", "⌊"),
        (r"\rfloor", "⌋"),
        (r"\cdot", "·"),
        (r"\times", "×"),
        (r"w\T", "ᵀ"),
        (r"\vdash", "⊢"),
        (r"w\prime", "'"),
        (r"# \partial", "∂"),
        (r"# x\^2", "²"),
        (r'"\alpha', "α"),
        (r"%type \alpha", "α"),
        (r"\varepsi", "ε"),
    ],
)
def test_the_name_of_a_sign_gives_the_sign(session: Session, text: str, sign: str) -> None:
    begins, completed = completions(session, text, len(text))
    assert (text[begins], [c.text for c in completed]) == ("\\", [sign])


def test_all_greek_letters_have_names(session: Session) -> None:
    capitals = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"
    for letter in [*capitals, *capitals.lower()]:
        own = unicodedata.name(letter).split()[-1].replace("LAMDA", "LAMBDA")
        text = f"\\{own.capitalize() if letter.isupper() else own.lower()}"
        assert [c.text for c in found(session, text)] == [letter]


def test_the_beginning_of_a_name_lists_signs_those_of_programs_first(session: Session) -> None:
    listed = {c.text: (c.kind, c.signature) for c in found(session, r"\al")}
    assert listed[r"\alpha"] == ("α", "α")
    assert next(iter(complete(session, r"\le"))) == r"\leftarrow"
    assert complete(session, r"\nosuchsign") == {}
    assert complete(session, r"\_1?") == {}


@pytest.mark.parametrize("letter", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_^")
def test_signs_that_come_first_can_stand_in_programs(letter: str) -> None:
    def is_written(sign: str) -> bool:
        text = f"x{sign}"
        read = tokens(Span(Source("name", text), 0, len(text)))
        return all(token.kind in {Kind.NAME, Kind.SYMBOL} for token in read)

    written = [is_written(sign) for _, sign in symbols_for(f"\\{letter}")]
    assert written == sorted(written, reverse=True)


@pytest.mark.parametrize("before", ["🎉", "e\u0301", "👩\u200d👩\u200d👧", "𝔸", "# 🎉\n", '"🎉" + '])
def test_places_are_counted_in_characters_of_unicode(session: Session, before: str) -> None:
    text = f"{before} + ta"
    begins, completed = completions(session, text + " + 1", len(text))
    assert begins == len(before) + 3
    assert {"target", "tanh"} <= {c.text for c in completed}


def test_a_name_is_completed_however_its_accents_are_written(session: Session) -> None:
    declared = after(session, "const gr\u00f6\u00dfe = 1")
    text = "1 + gro\u0308"
    assert completions(declared, text, len(text)) == (4, [Completion("größe", "constant", "größe : Real(1)")])


def test_the_case_that_was_typed_comes_first(session: Session) -> None:
    _, completed = completions(session, "La", 2)
    assert completed[0].text == "Layer"


def test_files_to_include_are_completed_with_those_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "mine.rh").write_text("fun mine(x : Real) : Real = x\nloc mine_too : Real = zeros", encoding="utf-8")
    (tmp_path / "sgd.rh").touch()
    (tmp_path / "other.txt").touch()
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "deep.rh").touch()
    session = Session.start(tmp_path)
    shown = {c.text: c.signature for c in found(session, 'include "')}
    assert shown.items() >= {"mine.rh": "file", "sgd.rh": "file", "parts/": "folder", "layers.rh": "library"}.items()
    assert "other.txt" not in shown
    assert [c.text for c in found(session, 'include "parts/')] == ["deep.rh"]
    assert [c.text for c in found(session, 'include "lay')] == ["layers.rh"]
    assert "include" in {c.text for c in found(session, "inc")}
    # The names of a file that the cell includes are known before it is run.
    assert complete(session, 'include "mine.rh"\nmin|').keys() >= {"mine", "mine_too"}
    assert "mine" not in complete(session, 'include "mine')
    assert complete(session, 'include "nowhere.rh"\n1 + mine|').keys() == set()


def test_every_word_of_the_language_has_a_form() -> None:
    words = {
        *KEYWORDS,
        *DECLARATIONS,
        *INITIALS,
        *TRAINING_OPTIONS,
        *TRAINING_WORDS,
        *[word for words in OPTION_WORDS.values() for word in words],
        *GRADIENT_WORDS,
        *CHECK_WORDS,
        *TYPES,
    }
    assert words <= set(FORMS)
    assert all(len(form.split("\n")) == 2 for form in FORMS.values())


PIECES = st.sampled_from(
    [
        *(
            "let",
            " ",
            "x",
            "w'",
            "%tr",
            "%",
            '"',
            'data("',
            "#",
            "\n",
            "network",
            "(",
            "←",
            "α",
            ".",
            "1",
            "|",
            "𝔸",
            "[",
            "]",
            ",",
        ),
        *(
            "loc",
            ":",
            "Real(",
            "=",
            "with",
            "handle",
            "rev",
            "%save ",
            "%limit ",
            "\\",
            "\\al",
            "{",
            "}",
            "train",
            "include",
            "for",
            "on",
            "e\u0301",
        ),
    ],
)


@law(300)
@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join), st.data())
def test_every_text_can_be_asked_about_at_every_place(session: Session, text: str, data: st.DataObject) -> None:
    cursor = data.draw(st.integers(-1, len(text) + 1))
    start, _ = completions(session, text, cursor)
    assert 0 <= start <= max(cursor, 0)
    completeness(text)


def test_many_names_are_no_burden(session: Session) -> None:
    """The number of function calls grows at most linearly with the number of names."""
    declared = session.definitions.named

    def work(copies: int, text: str) -> int:
        many = {
            f"{name}_{n}": replace(d, definition=replace(d.definition, name=f"{name}_{n}"))
            for n in range(copies)
            for name, d in declared.items()
        }
        crowded = replace(session, definitions=replace(session.definitions, named=MappingProxyType(many)))
        return calls(lambda: completions(crowded, text, len(text)))

    for text in ("", "1 + n", "Layer_3[", "handle network_1(x) with ", "%help n"):
        few, many = work(10, text), work(40, text)
        assert many <= 5 * few
        assert many < 200 * 40 * len(declared)
