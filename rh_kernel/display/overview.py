"""The view of the overview that ``%help`` gives: directives in a table, and function symbols in their families."""

from rh_kernel.display.html import escape
from rh_kernel.display.items import NOTICE
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, element, span, table
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.session.results import Overview
from rh_kernel.syntax.printing.doc import Role

_HEAD = "font-weight:bold;margin-top:8px"


def _html(overview: Overview) -> str:
    directives = table([[code(call, Role.KEYWORD), escape(text)] for call, text in overview.directives], ["", ""], "lw")
    families = [[escape(title), _names(names)] for title, names in overview.symbols]
    symbols = box(_HEAD, escape("Function symbols")) + table(families, ["", ""], "lw")
    return box(_HEAD, escape("Directives")) + directives + symbols + span(FAINT, "%help softmax tells more about a name")


def _names(names: tuple[tuple[str, str], ...]) -> str:
    style = f"{MONOSPACE};display:inline-block;margin-right:1em"
    return " ".join([element("span", style, escape(name), title=signature) for name, signature in names])


OVERVIEW = ResultView(Overview, text=NOTICE.text, rich=as_html(_html), records=NOTICE.records)
