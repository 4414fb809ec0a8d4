"""How the printer traverses trees of any depth: the generator of each node yields those of its children.

``Marks`` are the annotations that a caller puts on subterms, passed down together with the nodes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.source.trampoline import Descent
from rh_kernel.syntax.core import Node
from rh_kernel.syntax.printing.doc import Annotated, Annotation, Doc, Shared, Spanned
from rh_kernel.syntax.printing.memo import StyleCache
from rh_kernel.syntax.printing.names import Names
from rh_kernel.syntax.printing.notation import Notation

Printing: TypeAlias = Descent[Doc]
Path: TypeAlias = tuple[int, ...]


@dataclass(slots=True)
class Marks:
    """The annotation of a node, and those of its descendants by child position."""

    here: Annotation | None = None
    below: "dict[int, Marks]" = field(default_factory=dict[int, "Marks"])

    def child(self, position: int) -> "Marks":
        """The marks of a child and its descendants."""
        return self.below.get(position, UNMARKED)

    @staticmethod
    def of(paths: Mapping[Path, Annotation]) -> "Marks":
        """Build marks from annotations at paths from the root."""
        root = Marks()
        for path, annotation in paths.items():
            node = root
            for position in path:
                node = node.below.setdefault(position, Marks())
            node.here = annotation
        return root


UNMARKED = Marks()


@frozen
class Abbreviation:
    """What is abbreviated in print, and the notation.

    Arrays with more than ``entries`` entries are shown by their types, entries with ``digits`` significant digits, tuples by
    their first ``items`` components; if ``folds``, handlers without a name are folded.
    """

    entries: int | None = None
    items: int | None = None
    folds: bool = False
    digits: int | None = None
    notation: Notation = Notation.PAPER

    @staticmethod
    def at(size: int | None, digits: int | None = None) -> "Abbreviation":
        """Abbreviate arrays and tuples of more than ``size`` entries and fold handlers; with ``None`` abbreviate nothing."""
        return EXACT if size is None else Abbreviation(size, size, folds=True, digits=digits)


EXACT = Abbreviation()


@frozen
class PrinterState:
    """The state of the printer: the names of the variables, what is abbreviated, and the cache."""

    names: Names
    brevity: Abbreviation = EXACT
    cache: StyleCache | None = None


def annotate(doc: Doc, span: Span | None, marks: Marks) -> Doc:
    """Annotate ``doc`` with its source span and its mark."""
    if span is not None:
        doc = Annotated(Spanned(span), doc)
    return doc if marks.here is None else Annotated(marks.here, doc)


def written(page: PrinterState, node: Node, marks: Marks, writing: Printing) -> Printing:
    """Annotate the document that ``writing`` produces for ``node``; an unmarked node is taken from the cache."""
    cache = page.cache if marks is UNMARKED else None
    found = None if cache is None else cache.docs.find(node, page.names)
    if found is not None:
        return found
    counted = len(page.names.counted)
    doc = yield from writing
    doc = annotate(doc, node.span, marks)
    if cache is not None:
        doc = Shared(doc)
        cache.docs.keep(node, page.names, counted, doc)
    return doc
