"""How the printer walks a tree of any depth: each node asks for the documents of its children.

``Marks`` are the annotations a caller puts on subterms, found by going down with the printer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.source.descent import Descent
from rh_kernel.source.span import Span
from rh_kernel.syntax.doc import Annotated, Annotation, Doc, Spanned
from rh_kernel.syntax.printing_names import Names

Printing: TypeAlias = Descent[Doc]
Path: TypeAlias = tuple[int, ...]


@dataclass(slots=True)
class Marks:
    """What is said about a node, and about its descendants by the position of the child they are under."""

    here: Annotation | None = None
    below: "dict[int, Marks]" = field(default_factory=dict[int, "Marks"])

    def child(self, position: int) -> "Marks":
        """What is said about a child and its descendants."""
        return self.below.get(position, UNMARKED)

    @staticmethod
    def of(paths: Mapping[Path, Annotation]) -> "Marks":
        """The annotations at the ends of paths from the root."""
        root = Marks()
        for path, annotation in paths.items():
            node = root
            for position in path:
                node = node.below.setdefault(position, Marks())
            node.here = annotation
        return root


UNMARKED = Marks()


@dataclass(frozen=True, slots=True)
class Page:
    """What a printer carries along: the names of the variables, and from how many entries on arrays are abridged."""

    names: Names
    abridge: int | None


def annotate(doc: Doc, span: Span | None, marks: Marks) -> Doc:
    """``doc`` with its place in the source and what is said about it."""
    if span is not None:
        doc = Annotated(Spanned(span), doc)
    return doc if marks.here is None else Annotated(marks.here, doc)
