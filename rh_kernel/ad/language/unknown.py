"""What is said of a name that means nothing in a ``%%lambda`` section."""

from collections.abc import Collection

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.typing.diagnostics.suggestions import nearest
from rh_kernel.typing.errors import UnknownName


def unknown(name: str, span: Span, known: Collection[str]) -> Rejected:
    """The complaint about ``name``, with the nearest of those that are known."""
    near = nearest(name, known, ())
    hint = f"did you mean `{near}`?" if near else "a function is declared by fun f(x : Real) : Real = M, below a line %%lambda"
    return Rejected(UnknownName(span=span, name=name, hint=hint))
