"""``%%rh`` in JupyterLite, where the kernel runs in the page itself."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from rh_kernel.notebook.completing import MAGIC


def spare(where: object) -> None:
    """Have JupyterLite's kernel leave cells under ``%%rh`` alone.

    It looks for ``%pip`` in every cell, for which it reads the cell as Python; one whose lines are indented in another way than
    Python allows would end there, without an answer to the notebook.
    """
    manager: Any = getattr(getattr(where, "kernel", None), "lite_transform_manager", None)
    if manager is None:
        return
    # That of the class, so that loading the extension twice changes nothing.
    transform = cast(Callable[[Any, str], Awaitable[str]], cast(Any, type(manager)).transform_cell)

    async def transform_cell(cell: str) -> str:
        return cell if cell.split(maxsplit=1)[:1] == [MAGIC] else await transform(manager, cell)

    manager.transform_cell = transform_cell
