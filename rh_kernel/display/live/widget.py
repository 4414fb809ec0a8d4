"""The anywidget of a view: passes questions from the page to the view, and its answers back.

A result is output twice: as a widget, then as static HTML. A style rule hides the static form if both are present; without the
kernel, or in an untrusted notebook, only the static form is there.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from typing import Any, TypeAlias, cast

import anywidget
import traitlets
from ipywidgets import register_comm_target

from rh_kernel.display.data import Record
from rh_kernel.display.fault import fault
from rh_kernel.display.live.assets import script, style
from rh_kernel.display.live.view import Unanswerable, View
from rh_kernel.display.markup import element

Bundle: TypeAlias = Mapping[str, Any]

MIME = "application/vnd.jupyter.widget-view+json"

_EITHER = """\
<style>
.jp-OutputArea-child:has(.rh-live) + .jp-OutputArea-child:has(.rh-static) { display: none; }
.jp-OutputArea-child:not(:has(.rh-live)):has(+ .jp-OutputArea-child .rh-static) { display: none; }
</style>"""


class Live(anywidget.AnyWidget):
    """The widget of a view. ``kept`` is state of the page, such as the current step, that survives a reload.

    ``mark`` says of a view that depends on a knob whether it shows the current values; it is empty for others.
    """

    kind = traitlets.Unicode().tag(sync=True)
    opening = traitlets.Dict().tag(sync=True)
    kept = traitlets.Dict().tag(sync=True)
    mark = traitlets.Dict().tag(sync=True)

    def __init__(self, view: View) -> None:
        super().__init__(kind=view.kind, opening=view.opening())
        self._view = view
        cast(Callable[..., None], self.on_msg)(self._asked)
        cast(Any, self.comm).on_close(self._closed_by_page)

    def _closed_by_page(self, _message: object) -> None:
        self.close()

    def show(self, view: View) -> None:
        """Show another view of the same kind in the same place; the page keeps what the user has chosen."""
        self._view = view
        cast(Any, self).opening = view.opening()

    @property
    def is_open(self) -> bool:
        """Whether the comm to the page is open."""
        return self.comm is not None

    def close(self) -> None:
        """Close the widget and its layout, a widget with a comm of its own."""
        if self.is_open:
            super().close()
            cast(Any, self.layout).close()

    def _asked(self, _widget: object, content: object, _buffers: object) -> None:
        """Answer ``{"id", "question"}``; ignore anything else."""
        if not isinstance(content, dict):
            return
        message = cast(dict[str, Any], content)
        question = message.get("question")
        if isinstance(question, dict):
            self.send({"id": message.get("id"), **self._answer(cast(Record, question))})

    def _answer(self, question: Record) -> dict[str, Any]:
        try:
            return {"answer": self._view.answer(question)}
        except Unanswerable as why:
            return {"refused": str(why)}
        except Exception as exception:  # an internal error must not leave the page waiting
            return {"refused": fault(exception, version("rh_kernel")).summary}

    def beside(self, static: Bundle) -> tuple[Bundle, Bundle]:
        """Return two outputs: the widget, and the static form for pages without widgets."""
        shown = {MIME: {"version_major": 2, "version_minor": 1, "model_id": self.model_id}, "text/html": ""}
        return shown, {**static, "text/html": _EITHER + element("div", "", static["text/html"], **{"class": "rh-static"})}


@cache
def _class(kind: str) -> type[Live]:
    """Return the widget class of a kind; the page keeps one style sheet for each class."""
    return type(f"Live{kind.capitalize()}", (Live,), {"_esm": script(kind), "_css": style(kind)})


def live(view: View) -> Live:
    """Return a widget for a view, after making sure that pages asking for all widgets get an answer."""
    register_comm_target()
    return _class(view.kind)(view)
