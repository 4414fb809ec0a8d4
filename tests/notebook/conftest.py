"""An IPython shell that records its outputs, and an ipykernel notebook in a separate process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

TRAIN = """
dim n = 2
loc w : Real(1, n) = normal(0.5, seed=1)
op Layer[l : Loc(m, k)] : Real(k) -> Real(m)
net line(x : Real(n)) : Real(1) = Layer[w](x)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  Layer[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
"""


@dataclass
class Notebook:
    """A shell and the outputs of its cells."""

    shell: Any

    def run(self, cell: str) -> Any:
        """Run a cell, after clearing the earlier outputs."""
        self.shell.display_pub.clear_output()
        return self.shell.run_cell(cell)

    @property
    def shown(self) -> list[dict[str, Any]]:
        return self.shell.display_pub.outputs

    @property
    def texts(self) -> list[str]:
        return [output["data"]["text/plain"] for output in self.shown]


@pytest.fixture
def notebook(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    """A fresh shell with the magics loaded."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.clear_instance()
    made = cast(Any, InteractiveShell).instance(display_pub_class=CapturingDisplayPublisher)
    made.history_manager.enabled = False
    made.run_line_magic("load_ext", "rh_kernel")
    yield Notebook(made)
    made.history_manager.end_session()
    InteractiveShell.clear_instance()
