"""A result as one HTML file: its interactive view if it has one, and its static form. The file needs no network and no kernel.

The page has the module and the style of the view, and its record (``display.live.saved``), compressed, in an element that is no
script. A policy in the page forbids every request.
"""

from rh_kernel.display.html import escape
from rh_kernel.display.live.assets import folder, page_script, style
from rh_kernel.display.live.saved import encoded, saved_record
from rh_kernel.display.markup import element
from rh_kernel.display.registry import bundle, live_view
from rh_kernel.session.results import Result

_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


def saved_page(result: Result, title: str) -> str:
    """Return the HTML document, whose heading is ``title``."""
    view = live_view(result)
    attributes = {"class": "rh-saved-static", "tabindex": "0", "role": "region", "aria-label": "picture and table"}
    static = element("div", "", bundle(result)["text/html"], **attributes)
    page_style = (folder() / "saved.css").read_text(encoding="utf-8")
    if view is None:
        return _document(title, page_style, static)
    shown = view_element(static, view.kind, encoded(saved_record(view)))
    body = f'{shown}<script type="module">{inlined_script(page_script(view.kind))}</script>'
    return _document(title, f"{page_style}\n{style(view.kind)}", body)


def view_element(static: str, kind: str, record: str) -> str:
    """Return the element in which ``page_script`` shows a view: its static form as HTML, and its encoded record."""
    return f'<div class="rh-view">{static}<script type="application/json" data-kind="{kind}">{record}</script></div>'


def inlined_script(text: str) -> str:
    """Return JavaScript that cannot end the element that it stands in."""
    return text.replace("</script", r"<\/script").replace("<!--", r"<\!--")


def _document(title: str, styles: str, body: str) -> str:
    shown = escape(title)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{shown}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{styles}\n</style>\n</head>\n<body>\n<main>\n<h1>{shown}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )
