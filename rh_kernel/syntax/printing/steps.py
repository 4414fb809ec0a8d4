"""How the printer walks a tree of any depth: each node asks for the documents of its children.

``Marks`` are the annotations a caller puts on subterms, found by going down with the printer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.source.descent import Descent
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Node
from rh_kernel.syntax.printing.doc import Annotated, Annotation, Doc, Shared, Spanned
from rh_kernel.syntax.printing.memory import Shelf
from rh_kernel.syntax.printing.names import Names

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


@frozen
class Brevity:
    """What is printed in short.

    Arrays of more than ``entries`` are shown by their types, entries to so many ``digits``; of tuples so many ``items`` are
    shown; a handler without a name is folded if it ``folds``.
    """

    entries: int | None = None
    items: int | None = None
    folds: bool = False
    digits: int | None = None

    @staticmethod
    def at(size: int | None, digits: int | None = None) -> "Brevity":
        """Arrays and tuples of more than ``size`` entries in short, and handlers folded; with ``None`` nothing is."""
        return EXACT if size is None else Brevity(size, size, folds=True, digits=digits)


EXACT = Brevity()


@frozen
class Page:
    """What a printer carries along: the names of the variables, what is printed in short, and what was printed before."""

    names: Names
    brevity: Brevity = EXACT
    shelf: Shelf | None = None


def annotate(doc: Doc, span: Span | None, marks: Marks) -> Doc:
    """``doc`` with its place in the source and what is said about it."""
    if span is not None:
        doc = Annotated(Spanned(span), doc)
    return doc if marks.here is None else Annotated(marks.here, doc)


def written(page: Page, node: Node, marks: Marks, writing: Printing) -> Printing:
    """``node`` as ``writing`` gives it, annotated; where nothing in it is marked, as it was written before."""
    shelf = page.shelf if marks is UNMARKED else None
    found = None if shelf is None else shelf.docs.find(node, page.names)
    if found is not None:
        return found
    counted = len(page.names.counted)
    doc = yield from writing
    doc = annotate(doc, node.span, marks)
    if shelf is not None:
        doc = Shared(doc)
        shelf.docs.keep(node, page.names, counted, doc)
    return doc
