"""The registry of directives."""

import subprocess
import sys
from types import ModuleType

import pytest

from rh_kernel.session.directives.registry import directives, find, is_directive, names
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, LAMBDA_SECTION


@pytest.mark.parametrize(
    ("section", "name"), [(section, name) for section in ("", LAMBDA_SECTION, EFF_SECTION) for name in names(section)]
)
def test_each_module_has_the_directive_of_its_file_name(section: str, name: str) -> None:
    directive = find(name, section)
    assert directive is not None
    assert (directive.name, directive.section) == (name, section)
    assert directive.help
    assert directive.help[-1] != "."


def test_help_lists_programs_first_and_help_last() -> None:
    assert [*directives()][:4] == ["trace", "type", "derivation", "diagram"]
    assert [*directives()][-2:] == ["help", "lsmagic"]
    assert {*directives()} == {*names()}


def test_a_module_under_another_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rh_kernel.session.directives.heap", ModuleType("heap"))
    monkeypatch.setattr(sys.modules["rh_kernel.session.directives.heap"], "DIRECTIVE", find("reset"), raising=False)
    with pytest.raises(KernelBug, match=r"directives\.heap has the directive %reset"):
        find("heap")


def test_a_directive_of_a_section_is_none_elsewhere() -> None:
    assert not is_directive("ad")
    assert not is_directive("count")
    assert not is_directive("heap", EFF_SECTION)
    assert find("ad", EFF_SECTION) is None


def test_names_are_known_without_what_directives_need() -> None:
    """Highlighting needs the names alone, without importing the rest of the language."""
    classify = "from rh_kernel.highlighting.token_classes import classify\nlist(classify('%trace 1\\n%heap'))"
    code = f"import sys\n{classify}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "rh_kernel.session.directives.registry" in loaded
    assert not loaded & {"rh_kernel.session.actions", "rh_kernel.typing"}
