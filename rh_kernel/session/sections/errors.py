"""Errors common to all sections: programs that are nested too deeply, names whose declarations have failed."""

from collections.abc import Generator
from contextlib import contextmanager

from rh_kernel.session.actions import AnalysisContext
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.errors import TooDeep
from rh_kernel.syntax.parsing.cursor import DEEPEST
from rh_kernel.typing.errors import DependsOnError, UnknownName


@contextmanager
def reject_deep_nesting(span: Span, hint: str) -> Generator[None]:
    """Turn ``RecursionError`` within the block into ``Rejected`` at ``span``."""
    try:
        yield
    except RecursionError:
        raise Rejected(TooDeep(span=span, limit=DEEPEST, hint=hint)) from None


@contextmanager
def explain_failed_names(section: str, context: AnalysisContext) -> Generator[None]:
    """Within the block, report a name that is unknown because its declaration has an error as such."""
    try:
        yield
    except Rejected as rejected:
        raise Rejected(*[_explained(d, section, context) for d in rejected.diagnostics]) from None


def _explained(d: Diagnostic, section: str, context: AnalysisContext) -> Diagnostic:
    if isinstance(d, UnknownName) and f"{section} {d.name}" in context.definitions.failed:
        return DependsOnError(span=d.span, name=d.name, hint="fix its declaration first")
    return d
