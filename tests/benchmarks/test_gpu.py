"""What ``make bench-gpu`` trains goes through the generation of text, and on a simulated GPU it trains what NumPy trains."""

from pathlib import Path

import pytest

from rh_kernel.arrays.cuda import backend
from rh_kernel.arrays.cuda.module import LaunchMode, module
from rh_kernel.arrays.devices import GPU
from rh_kernel.arrays.planning.planner import planned
from tests.arrays.cuda.simulated_gpu import COMPILER, SimulatedGPU
from tests.benchmarks import gpu
from tests.benchmarks.problems import TINY_NETS, Problem

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="kernels are compiled by g++ here")
EACH = pytest.mark.parametrize("asked", [p for p in TINY_NETS if p.batch > 1], ids=lambda p: p.key)


@pytest.mark.slow
@needs_compiler
@EACH
def test_lenet_a_block_and_a_gru_agree_with_numpy_in_every_way(
    asked: Problem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "gpu", lambda: GPU("simulated", 1 << 30))
    monkeypatch.setattr(backend, "import_module", SimulatedGPU(tmp_path, descending=False).module)
    (line,) = gpu.differences([asked])
    assert line.measured == f"1 nets, both precisions, {len(LaunchMode)} ways"


@pytest.mark.parametrize("asked", gpu.OTHERS, ids=lambda p: p.key)
def test_what_is_timed_has_a_text(asked: Problem) -> None:
    task = gpu.Task(asked, "float32")
    found = module(planned(task.program, asked.batch, "float32"))
    assert found.actions
    assert "__global__" in found.text


def test_nothing_is_measured_without_a_gpu(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(gpu, "gpu", lambda: gpu.MissingGPU("there is none", "get one"))
    assert gpu.main() == 0
    assert "nothing was measured" in capsys.readouterr().out
