"""``rh import``, and the functions for Python."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rh_kernel
from rh_kernel.__main__ import main
from tests.interchange import models

pytestmark = pytest.mark.slow


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    pytest.importorskip("onnx", reason="ONNX is in the extra interchange")
    return models.saved(models.mlp(np.random.default_rng(0)), tmp_path / "net.onnx")


def test_a_model_is_imported_and_run(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(file)]) == 0
    written = file.with_suffix(".rh")
    assert capsys.readouterr().out == f"{written}\n"
    assert {f.name for f in file.parent.iterdir()} == {"net.onnx", "net.rh", "net.safetensors"}
    assert main(["run", str(written)]) == 0
    assert capsys.readouterr().out.endswith("✓ handle model(example) with infer == expected\n")


def test_a_cell_includes_an_imported_file(file: Path) -> None:
    assert main(["import", str(file)]) == 0
    workspace = rh_kernel.Workspace(file.parent)
    done = workspace.run('include "net.rh"')
    assert done.text.endswith("; its check is not run here")
    assert workspace.run("check handle model(example) with infer == expected within 1e-4").text.startswith("✓")
    before = dict(workspace.heap)
    workspace.run("rev handle (example) <x>. let y <= model(x) in return cross_entropy(y, [1, 0]) with descend(0.1)")
    assert any(np.any(workspace.heap[name] != content) for name, content in before.items())
    workspace.run("%reset")
    assert all(np.all(workspace.heap[name] == content) for name, content in before.items())


def test_the_file_has_the_layout_of_a_person(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(file), "-o", str(tmp_path / "mine.rh")]) == 0
    before = (tmp_path / "mine.rh").read_text(encoding="utf-8")
    assert '= load("mine.safetensors")' in before
    assert main(["fmt", str(tmp_path / "mine.rh")]) == 0
    capsys.readouterr()
    assert main(["check", str(tmp_path / "mine.rh")]) == 0


@pytest.mark.parametrize("name", ["my net.rh", "netz-ü.rh", "a.b.rh", "%x#.rh"])
def test_a_file_may_have_any_name(name: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(file), "-o", str(tmp_path / name)]) == 0
    assert main(["run", str(tmp_path / name)]) == 0
    assert "✓" in capsys.readouterr().out


def test_a_file_that_is_there_is_kept(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.with_suffix(".rh").write_text("", encoding="utf-8")
    assert main(["import", str(file)]) == 1
    assert capsys.readouterr().err.startswith("RH374 Imported model cannot be written")
    assert main(["import", str(file), "--overwrite"]) == 0


@pytest.mark.parametrize(("arguments", "code"), [(["nowhere.onnx"], "RH302"), (["net.onnx", "--result", "z"], "RH372")])
def test_an_error_is_a_diagnostic(arguments: list[str], code: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(file.parent / arguments[0]), *arguments[1:]]) == 1
    assert capsys.readouterr().err.startswith(code)


def test_a_workspace_imports_files_of_its_folder(file: Path) -> None:
    workspace = rh_kernel.Workspace(file.parent)
    found = workspace.import_onnx("net.onnx")
    assert repr(found) == found.text
    assert found.save() == file.parent / "model.rh"
    workspace.run(found.text)
    assert set(found.weights) == set(workspace.heap)
    with pytest.raises(rh_kernel.Wrong, match="RH374"):
        found.save()
    with pytest.raises(rh_kernel.Wrong, match="RH302"):
        workspace.import_onnx("nowhere.onnx")


def test_python_imports_a_module_of_pytorch(tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch", reason="PyTorch is in the extra oracles")
    nn = import_module("torch.nn")
    found = rh_kernel.import_torch(nn.Sequential(nn.Linear(2, 3), nn.Tanh()), torch.ones(1, 2))
    file = found.save(tmp_path / "net.rh")
    assert main(["run", str(file)]) == 0
    with pytest.raises(rh_kernel.Wrong, match="RH373"):
        rh_kernel.import_torch(nn.Linear(2, 3), torch.ones(2))


def test_weights_go_into_an_archive_without_safetensors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    imported = import_module("rh_kernel.interchange.sources.imported")

    def missing(_: str) -> None:
        return None

    monkeypatch.setattr(imported, "find_spec", missing)
    found = imported.import_onnx(file).save(tmp_path / "archive.rh")
    assert '= load("archive.npz")' in found.read_text(encoding="utf-8")
    assert main(["run", str(found)]) == 0
