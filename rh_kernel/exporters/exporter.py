"""``jupyter nbconvert --to rh_html lesson.ipynb``: one self-contained HTML file, with its styles and pictures inlined."""

from collections.abc import Callable, Generator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.exporters.html import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from traitlets import Bool, default
from traitlets.config import Config

from rh_kernel.exporters.highlighting import LANGUAGE, cell_html, highlighted
from rh_kernel.exporters.mathematics import UnsupportedFormula, to_mathml
from rh_kernel.exporters.sanitizer import no_page, sanitize
from rh_kernel.exporters.saved_views import view_policy, view_record, view_script, view_style
from rh_kernel.exporters.static_pages import DISPLAY_PRIORITY, Notebook, picture_loader, without_live_outputs

TEMPLATE = "rh_html"


class Renderer(IPythonRenderer):
    """Renders Markdown as HTML, with mathematics as MathML."""

    def block_math(self, body: str) -> str:
        """``$$ … $$``"""
        return formula(body, display=True)

    def inline_math(self, body: str) -> str:
        """``$ … $``"""
        return formula(body, display=False)

    def latex_environment(self, name: str, body: str) -> str:
        """A top-level TeX environment."""
        return formula(rf"\begin{{{name}}}{body}\end{{{name}}}", display=True)

    def block_code(self, code: str, info: str | None = None) -> str:
        """A fenced code block."""
        is_ours = info is not None and info.split()[:1] == [LANGUAGE]
        return highlighted(code) if is_ours else super().block_code(code, info)

    def block_mermaidjs(self, code: str) -> str:
        """A Mermaid diagram, which only a script could draw: show its source."""
        return f"<pre>{self.escape_html(code.strip())}</pre>"


class RHHTMLExporter(HTMLExporter):
    """Exports notebooks as self-contained pages: widgets as saved views over their static forms, mathematics as MathML."""

    export_from_notebook = "HTML for offline use"
    renderer: type[Renderer] = Renderer
    interactive = Bool(default_value=True, help="show saved views, by a script in the page").tag(config=True)

    @default("template_name")
    def _template_of_ours(self) -> str:
        return TEMPLATE

    @default("extra_template_basedirs")
    def _folder_of_ours(self) -> list[str]:
        return [str(Path(str(files("rh_kernel.exporters"))) / "templates")]

    @property
    def default_config(self) -> Config:
        """The MIME types that a page shows, best first."""
        ours = Config({"NbConvertBase": {"display_data_priority": [*DISPLAY_PRIORITY]}})
        config = cast(Config, super().default_config.copy())
        config.merge(ours)
        return config

    def page(self, address: str) -> str | None:
        """Resolve a link to another page; a single page has none."""
        return no_page(address)

    def pictures(self, folder: Path) -> Callable[[str], str | None]:
        """Return a function that reads the pictures of a notebook in ``folder``, which has to contain them."""
        return picture_loader(folder)

    def default_filters(self) -> Generator[tuple[str, Any]]:
        """The filters of nbconvert, and those that sanitize the content of a notebook."""
        yield from super().default_filters()
        yield ("markdown2html", self.markdown2html)
        yield ("sanitize", sanitize)
        yield ("latex2html", latex)
        yield ("program2html", cell_html)
        yield from {"view_record": view_record, "view_style": view_style}.items()
        yield from {"view_script": view_script, "view_policy": view_policy}.items()

    @pass_context
    def markdown2html(self, context: Context, source: str) -> str:
        """Convert Markdown to sanitized HTML."""
        cell = context.get("cell", {})
        renderer = self.renderer(
            escape=False,
            attachments=cell.get("attachments", {}),
            anchor_link_text=self.anchor_link_text,
            exclude_anchor_links=self.exclude_anchor_links,
        )
        folder = Path(context.get("resources", {}).get("metadata", {}).get("path", ""))
        return sanitize(MarkdownWithMath(renderer=renderer).render(source), self.pictures(folder), self.page)

    def from_notebook_node(
        self, nb: Notebook, resources: dict[str, Any] | None = None, **options: object
    ) -> tuple[str, dict[str, Any]]:
        """Return the page and nbconvert's resources."""
        return super().from_notebook_node(without_live_outputs(nb, keeps_views=self.interactive), resources, **options)


def formula(source: str, *, display: bool) -> str:
    """Convert a formula to MathML; if that fails, show its source."""
    try:
        return to_mathml(source, display=display)
    except UnsupportedFormula:
        tag = "pre" if display else "code"
        return f'<{tag} class="rh-tex">{escape(source.strip())}</{tag}>'


def latex(source: str) -> str:
    """Convert an output in TeX, removing its dollar signs."""
    text = source.strip()
    for mark, display in (("$$", True), ("$", False)):
        if text.startswith(mark) and text.endswith(mark) and len(text) > 2 * len(mark):
            return formula(text.removeprefix(mark).removesuffix(mark), display=display)
    return formula(text, display=True)
