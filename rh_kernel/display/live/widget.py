"""A view in a page: an anywidget that carries questions to the view and its answers back.

Notebooks show it in one output and the static form of the same result in the next one. A page that finds both shows the first;
one that meets them later without the kernel, or does not trust them, shows the second.
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
from rh_kernel.display.live.front_end import script, style
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
    """The widget of a view. ``kept`` is what the page wants to find again when it is loaded anew, such as the step it is at."""

    kind = traitlets.Unicode().tag(sync=True)
    opening = traitlets.Dict().tag(sync=True)
    kept = traitlets.Dict().tag(sync=True)

    def __init__(self, view: View) -> None:
        super().__init__(kind=view.kind, opening=view.opening())
        self._view = view
        cast(Callable[..., None], self.on_msg)(self._asked)
        cast(Any, self.comm).on_close(self._closed_by_page)

    def _closed_by_page(self, _message: object) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        """Whether the page and the kernel can still talk to each other."""
        return self.comm is not None

    def close(self) -> None:
        """Close the widget with its layout, which is a widget with a comm of its own."""
        if self.is_open:
            super().close()
            cast(Any, self.layout).close()

    def _asked(self, _widget: object, content: object, _buffers: object) -> None:
        """Answer ``{"id", "question"}``; what is neither comes from no page of ours."""
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
        except Exception as exception:  # a fault of ours must not leave the page waiting
            return {"refused": fault(exception, version("rh_kernel")).summary}

    def beside(self, static: Bundle) -> tuple[Bundle, Bundle]:
        """The two outputs that show the widget, or where there is none the static form."""
        shown = {MIME: {"version_major": 2, "version_minor": 1, "model_id": self.model_id}, "text/html": ""}
        return shown, {**static, "text/html": _EITHER + element("div", "", static["text/html"], **{"class": "rh-static"})}


@cache
def _class(kind: str) -> type[Live]:
    """The widgets of one kind: a page keeps one style sheet for each class."""
    return type(f"Live{kind.capitalize()}", (Live,), {"_esm": script(kind), "_css": style(kind)})


def live(view: View) -> Live:
    """A widget for a view; pages that ask for all widgets are told of it from now on."""
    register_comm_target()
    return _class(view.kind)(view)
