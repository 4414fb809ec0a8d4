"""``repeat``, ``if``, ``map`` and a truncated ``scan`` have the gradients of PyTorch."""

import pytest

from tests.oracles.forms import FORMS, Form, trained, trained_by_pytorch
from tests.oracles.recorded import assert_same, read


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_three_batches_give_the_weights_on_record(form: Form) -> None:
    assert_same(trained(form), read(form))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_pytorch_gives_what_is_on_record(form: Form) -> None:
    pytest.importorskip("torch", reason="PyTorch is in the extra oracles")
    assert_same(read(form), trained_by_pytorch(form))
