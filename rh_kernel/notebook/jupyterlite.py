"""``%%rh`` in JupyterLite, where the kernel runs in the browser page."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from rh_kernel.notebook.completion import MAGIC


def skip_cell_transform(where: object) -> None:
    """Stop JupyterLite's kernel from transforming ``%%rh`` cells.

    It looks for ``%pip`` in every cell and parses the cell as Python to find it; an RH cell with indentation that Python does
    not allow would fail there, and the notebook would get no reply.
    """
    manager: Any = getattr(getattr(where, "kernel", None), "lite_transform_manager", None)
    if manager is None:
        return
    # Wrap the method of the class, so that loading the extension twice changes nothing.
    transform = cast(Callable[[Any, str], Awaitable[str]], cast(Any, type(manager)).transform_cell)

    async def transform_cell(cell: str) -> str:
        return cell if cell.split(maxsplit=1)[:1] == [MAGIC] else await transform(manager, cell)

    manager.transform_cell = transform_cell
