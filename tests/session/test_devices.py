"""``%device`` and ``%dtype``: settings, the warning without a GPU, and that failed cells change no setting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rh_kernel.arrays import devices, prebuilt
from rh_kernel.arrays.cuda import backend as cupy_backend
from rh_kernel.arrays.devices import GPU, MissingGPU, gpu
from rh_kernel.arrays.native import toolchain
from rh_kernel.command_line.arguments import main
from rh_kernel.session import settings as settings_module
from rh_kernel.session.results import Notice
from rh_kernel.session.session import Session
from rh_kernel.session.settings import Settings
from tests.arrays.cuda.simulated_gpu import COMPILER, SimulatedGPU
from tests.session.cells import codes, run

H200 = GPU("NVIDIA H200", 139 << 30)
ABSENT = MissingGPU("CuPy is not installed", "install it")


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[GPU | MissingGPU], None]:
    """Simulate this GPU, or the reason why there is none."""

    def answer(found: GPU | MissingGPU) -> None:
        monkeypatch.setattr(settings_module, "gpu", lambda: found)

    return answer


def ran(text: str, session: Session | None = None) -> tuple[Session, list[str]]:
    """Return the session after a cell, and its notices and error codes."""
    results, after = run(session or Session.start(Path.cwd()), text)
    return after, [*[r.text for r in results if isinstance(r, Notice)], *codes(results)]


def test_at_first_arrays_are_of_float64_on_the_processor() -> None:
    assert (Settings().device, Settings().precision) == ("cpu", "float64")


def test_the_gpu_is_named(answer: Callable[[GPU | MissingGPU], None]) -> None:
    answer(H200)
    session, said = ran("%device gpu\n%device")
    assert session.settings.device == "gpu"
    assert said == ["the device is gpu: compiled programs and training runs compute on NVIDIA H200, 139 GiB"] * 2


def test_without_a_gpu_it_says_why_and_goes_on(answer: Callable[[GPU | MissingGPU], None]) -> None:
    answer(ABSENT)
    session, said = ran("%device gpu\n%dtype float32\nloc w : Real = 1")
    assert (session.settings.device, session.settings.precision) == ("gpu", "float32")
    assert said[0].split("\n") == [
        "RH401 No GPU available: CuPy is not installed; compiled programs and training runs use the CPU",
        "    hint      install it",
    ]
    assert len(session.heap) == 1


@pytest.mark.parametrize(
    ("has_kernels", "instead"),
    [(False, "with NumPy, not as machine code"), (True, "with prebuilt kernels, not with compiled ones")],
)
def test_a_compiler_that_is_none_is_reported(has_kernels: bool, instead: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prebuilt, "available", lambda: has_kernels)
    monkeypatch.setattr(toolchain, "_failures", [])
    monkeypatch.setenv("CC", 'gcc "')
    monkeypatch.delenv("RH_NATIVE", raising=False)
    _, said = ran("%device")
    assert said[0].endswith(f"{instead}, as CC, which is 'gcc \"', is no command: no closing quotation")


def test_the_gpu_is_not_asked_before_the_cell_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked() -> GPU:
        raise AssertionError

    monkeypatch.setattr(settings_module, "gpu", asked)
    session, said = ran("%device gpu\nundeclared")
    assert (session.settings.device, said) == ("cpu", ["RH101"])


@pytest.mark.parametrize("text", ["%device gpu\n%dtype float32\n%dtype half", "%dtype float32\n%device gpu\n1 / [1, 2, 3] @ 2"])
def test_a_cell_that_fails_sets_nothing(text: str, answer: Callable[[GPU | MissingGPU], None]) -> None:
    answer(H200)
    session, _ = ran(text)
    assert session.settings == Settings()


def test_undo_puts_both_back(answer: Callable[[GPU | MissingGPU], None]) -> None:
    answer(H200)
    session, _ = ran("%device gpu\n%dtype float32")
    session, _ = ran("%undo", session)
    assert session.settings == Settings()


def test_a_later_setting_keeps_what_was_set_before(answer: Callable[[GPU | MissingGPU], None]) -> None:
    answer(ABSENT)
    session, _ = ran("%device gpu\n%strict on\n%dtype float32\n%limit steps 5")
    assert (session.settings.device, session.settings.precision, session.settings.strict) == ("gpu", "float32", True)


@pytest.mark.parametrize("words", [(), ("--device", "cpu", "--dtype", "float32"), ("--device", "gpu")])
def test_the_command_line_sets_them(
    words: tuple[str, ...],
    answer: Callable[[GPU | MissingGPU], None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer(ABSENT)
    file = tmp_path / "a.rh"
    file.write_text("%dtype\n")
    assert main(["run", str(file), *words]) == 0
    written = capsys.readouterr()
    assert ("float32" in written.out) is ("float32" in words)
    assert written.err.startswith("RH401 No GPU available: CuPy is not installed") is ("gpu" in words)


def gpu_of(monkeypatch: pytest.MonkeyPatch, cupy: Any, nvrtc: Any) -> GPU | MissingGPU:
    """Return the message on a machine with these modules."""
    modules = {"cupy": cupy, "cupy_backends.cuda.libs.nvrtc": nvrtc}
    monkeypatch.setattr(devices, "find_spec", modules.get)
    monkeypatch.setattr(devices, "import_module", modules.__getitem__)
    return gpu()


def runtime(gpus: int = 1, driver: int = 13000, problem: Exception | None = None) -> Any:
    """A stand-in for CuPy."""

    def count() -> int:
        if problem is not None:
            raise problem
        return gpus

    def properties(device: int) -> dict[str, Any]:
        return {"name": b"NVIDIA H200", "totalGlobalMem": (139 << 30) + device}

    answers = {"driverGetVersion": lambda: driver, "getDeviceCount": count, "getDeviceProperties": properties}
    return SimpleNamespace(cuda=SimpleNamespace(runtime=SimpleNamespace(**answers), Device=lambda: SimpleNamespace(id=0)))


NVRTC = SimpleNamespace(getVersion=lambda: (13, 5))


@pytest.mark.parametrize(
    ("cupy", "why"),
    [
        (runtime(driver=0), "there is no NVIDIA driver"),
        (runtime(gpus=0), "there is no GPU"),
        (
            runtime(problem=RuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")),
            "there is no GPU",
        ),
        (runtime(problem=RuntimeError("cudaErrorInsufficientDriver: CUDA driver version is")), "too old"),
        (
            runtime(problem=RuntimeError("libnvrtc.so.13: cannot open shared object file")),
            "NVRTC, the compiler for CUDA kernels",
        ),
        (runtime(problem=OSError("something\nelse")), "CuPy cannot be used (something else)"),
    ],
)
def test_why_no_gpu_answers(cupy: Any, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = gpu_of(monkeypatch, cupy, NVRTC)
    assert isinstance(found, MissingGPU)
    assert why in found.why


def test_a_gpu_that_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    found = gpu_of(monkeypatch, runtime(), NVRTC)
    assert isinstance(found, GPU)
    assert found.text == "NVIDIA H200, 139 GiB"


def test_without_cupy_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "find_spec", dict[str, Any]().get)
    assert gpu() == MissingGPU(
        "CuPy is not installed", "`pip install 'rh_kernel[gpu]'` installs it, for CUDA 13; then restart the kernel"
    )


TRAINING = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc w0 : Real(4, 2) = normal(0.5, seed=1)
loc w1 : Real(1, 4) = normal(0.5, seed=2)
net mlp(x : Real(2)) : Real(1) = let z <= FC[w0](x) in let h <= return swish(z) in FC[w1](h)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
handler infer = { FC[l](x), k -> let w <= Get[l]() in k(w @ x) ; return x -> return x }
train rev handle (x) <u>. mlp(u) with sgd(0.1, t)
  for (x, t) in data("xor") epochs 7 batch 3 shuffle 0
  measure let y <= handle mlp(x) with infer in return dot(y - t, y - t)
rev handle ([1, 2]) <u>. mlp(u) with sgd(0.1, 0.5)
"""


@pytest.mark.skipif(COMPILER is None, reason="kernels are compiled by g++ here")
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_cell_does_the_same_on_a_gpu(precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, _ = ran(f"%dtype {precision}\n{TRAINING}")
    gpu = SimulatedGPU(tmp_path)
    for module in (devices, settings_module, cupy_backend):
        monkeypatch.setattr(module, "gpu", lambda: H200)
    monkeypatch.setattr(cupy_backend, "import_module", gpu.module)
    there, _ = ran(f"%device gpu\n%dtype {precision}\n{TRAINING}")
    assert gpu.launches > 0
    assert len(here.heap) == len(there.heap) == 2
    for location, content in here.heap.items():
        (found,) = [x for other, x in there.heap.items() if other.name == location.name]
        tolerance = 1e-12 if precision == "float64" else 1e-5
        np.testing.assert_allclose(found, content, rtol=tolerance, atol=tolerance)
        assert np.array_equal(content, content.astype(precision))
