"""Names of models become names of the language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.interchange.sources.names import LONGEST, Names, cleaned, reserved, snake_case
from rh_kernel.session.included_files import LIBRARY
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.surface_items import HandlerDeclaration
from tests.tiers import law


@law(200)
@given(st.text(), st.text())
def test_a_name_is_one_word_that_is_not_taken(first: str, second: str) -> None:
    names = Names()
    found = [names.take(first, "w"), names.take(second, "w")]
    assert len(set(found)) == 2
    for name in found:
        assert name not in reserved()
        assert [token.kind for token in tokens(Span(Source("name", name), 0, len(name)))] == [Kind.NAME]


@law(100)
@given(st.text())
def test_cleaning_twice_is_cleaning_once(name: str) -> None:
    once = cleaned(name, "w")
    assert cleaned(once, "w") == once
    assert len(once) <= LONGEST + len("layer")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("layers.0.fc1.weight", "layers_0_fc1_weight"),
        ("0.weight", "layer0_weight"),
        ("/conv1/Conv_output_0", "conv1_Conv_output_0"),
        ("onnx::MatMul_12", "onnx_MatMul_12"),
        ("θ", "θ"),
        ("!?", "w"),
        ("let", "w_let"),
        ("Affine", "w_Affine"),
        ("x", "w_x"),
    ],
)
def test_examples(name: str, expected: str) -> None:
    assert Names().take(name, "w") == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("LSTM", "lstm"), ("TransformerEncoder", "transformer_encoder"), ("Net", "net")]
)
def test_a_class_is_called_as_a_net_is(name: str, expected: str) -> None:
    assert snake_case(name) == expected


def test_the_names_of_the_library_are_not_given() -> None:
    text = (LIBRARY / "sgd.rh").read_text(encoding="utf-8")
    declared = {item.name.text for item in parse(Source("sgd.rh", text)) if isinstance(item, HandlerDeclaration)}
    assert declared == {"sgd", "descend"}
    assert declared <= reserved()
