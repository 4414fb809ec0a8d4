"""``growth`` and the results of ``%ad`` in Python."""

import pytest

from rh_kernel.ad.system import VjpResult
from rh_kernel.workspace.errors import Wrong
from rh_kernel.workspace.outcomes import Derivative, Forms
from rh_kernel.workspace.workspace import Workspace

TEXT = "%%lambda\nfun f(c : Real) : Real = let g <- λy : Real. c * y in g(g(1))\n"


def family(n: int) -> str:
    """Return a sum of ``n`` calls of ``s``, which was declared before."""
    return f"fun f(x : Real) : Real = {' + '.join(['s(x)'] * n)}\n%ad all f(0.5)"


@pytest.fixture
def workspace() -> Workspace:
    made = Workspace()
    made.run("%%lambda\nfun s(x : Real) : Real = sin(x)")
    return made


def test_the_counts_of_a_family(workspace: Workspace):
    found = workspace.growth(family, range(1, 4), "tape primal", "chad", "linear-negation steps without factoring")
    assert found.sizes == (1, 2, 3)
    assert found.counts["tape primal"] == (1, 3, 5)
    assert list(found.counts) == ["tape primal", "chad operations", "linear-negation steps without factoring"]
    assert "<img" in found.html
    assert found._repr_mimebundle_() == {"text/plain": str(found), "text/html": found.html}


def test_nothing_is_declared(workspace: Workspace):
    before = workspace.session
    workspace.growth(family, [1], "tape")
    assert workspace.session is before


def test_a_whole_cell_is_a_text_too(workspace: Workspace):
    assert workspace.growth(lambda n: f"%%lambda\n{family(n)}", [2], "tape primal").counts == {"tape primal": (3,)}


@pytest.mark.parametrize(
    ("text", "count", "words"),
    [
        ("fun f(x : Real) : Real = x", "tape", "last line"),
        ("%ad all g(1)", "tape", "g"),
        ("fun f(x : Real) : Real = x\n%ad all f(1)", "taep", "taep"),
        ("fun f(x : Real) : Real = x\n%ad all f(1)", "tape leaps", "leaps"),
        ("fun f(x : Real) : Real = (λy : Real. y)(x)\n%ad all f(1)", "reverse-handler", "function values"),
        ("fun f(x : Real) : Real = (\n%ad all f(1)", "tape", "RH"),
    ],
)
def test_what_is_wrong_is_reported(text: str, count: str, words: str):
    with pytest.raises(Wrong, match=words):
        Workspace().growth(lambda _: text, [1], count)


def test_what_each_system_found():
    found = Workspace().run(f"{TEXT}%ad all f(3)").outcomes[-1]
    assert isinstance(found, Derivative)
    assert "function values" in found.refused["reverse-handler"]
    tape = found.found["tape"]
    assert isinstance(tape, VjpResult)
    assert (tape.value, tape.gradient) == (9.0, (6.0,))
    assert not set(found.found) & set(found.refused)


def test_forms_by_their_titles():
    found = Workspace().run(f"{TEXT}%ad linear-negation f").outcomes[-1]
    assert isinstance(found, Forms)
    assert list(found.forms) == ["source", "transformed", "simplified"]
