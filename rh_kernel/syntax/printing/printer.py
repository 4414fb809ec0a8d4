"""The only printer: types, terms, commands and handlers of the core as annotated documents and as text (LANGUAGE §1).

The path to a subtree is the tuple of child positions from the root, in the order of the fields that hold terms and commands:
``W.rd(x. N)(V)`` has W at 0, N at 1, V at 2. Paths do not go into handlers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rh_kernel.source.trampoline import descend
from rh_kernel.syntax.core import Command, Handler, If, IfCommand, Node, Operation, Term, Tuple
from rh_kernel.syntax.printing.commands import command, handler, operation
from rh_kernel.syntax.printing.conditionals import condition_doc
from rh_kernel.syntax.printing.constants import type_doc, type_text
from rh_kernel.syntax.printing.doc import Annotation, Doc, plain
from rh_kernel.syntax.printing.memo import PrintCache
from rh_kernel.syntax.printing.names import Names
from rh_kernel.syntax.printing.notation import Notation
from rh_kernel.syntax.printing.steps import EXACT, UNMARKED, Abbreviation, Marks, Path, PrinterState
from rh_kernel.syntax.printing.symbols import symbols
from rh_kernel.syntax.printing.terms import Level, term

__all__ = [
    "EXACT",
    "Abbreviation",
    "Path",
    "PrintCache",
    "command_doc",
    "handler_doc",
    "operation_doc",
    "show",
    "show_condition",
    "symbols",
    "term_doc",
    "type_doc",
    "type_text",
]

NO_MARKS: Mapping[Path, Annotation] = {}


def term_doc(
    M: Term,
    names: Sequence[str] = (),
    marks: Mapping[Path, Annotation] = NO_MARKS,
    brevity: Abbreviation = EXACT,
    memory: PrintCache | None = None,
) -> Doc:
    """Print ``M``, whose free variables are called ``names`` (the last is index 0), with ``marks`` on its subterms.

    The documents of one trace share a ``memory``, so that common subterms are printed once.
    """
    return descend(term(_page(M, names, brevity, memory), M, Level.OPEN, _marks(marks)))


def command_doc(
    P: Command,
    names: Sequence[str] = (),
    marks: Mapping[Path, Annotation] = NO_MARKS,
    brevity: Abbreviation = EXACT,
    memory: PrintCache | None = None,
) -> Doc:
    """Print ``P``; the parameters are those of ``term_doc``."""
    return descend(command(_page(P, names, brevity, memory), P, _marks(marks)))


def handler_doc(H: Handler, names: Sequence[str] = (), brevity: Abbreviation = EXACT) -> Doc:
    """Print ``{ return x → P ; … }``, whether or not H has a name."""
    return descend(handler(_page(H, names, brevity), H))


def operation_doc(op: Operation, names: Sequence[str] = (), brevity: Abbreviation = EXACT) -> Doc:
    """``FC[w0]``"""
    return descend(operation(_page(op, names, brevity), op))


def show(
    node: Term | Command | Handler | Operation,
    width: float = 100,
    abridge: int | None = None,
    names: Sequence[str] = (),
    notation: Notation = Notation.PAPER,
) -> str:
    """Print ``node`` as text, in lines of ``width`` columns where it can be broken.

    With ``abridge``, larger arrays and tuples are abbreviated, and handlers without a name are folded.
    """
    brevity = replace(Abbreviation.at(abridge), notation=notation)
    if isinstance(node, Term):
        doc = term_doc(node, names, brevity=brevity)
    elif isinstance(node, Command):
        doc = command_doc(node, names, brevity=brevity)
    elif isinstance(node, Operation):
        doc = operation_doc(node, names, brevity)
    else:
        doc = handler_doc(node, names, brevity)
    return plain(doc, width)


def show_condition(M: If | IfCommand, abridge: int | None = None, names: Sequence[str] = ()) -> str:
    """Print the condition of a conditional on one line, in the scope of ``names``."""
    items = M.operands.items if isinstance(M.operands, Tuple) else (M.operands,)
    brevity = Abbreviation.at(abridge)
    operands = [term_doc(L, names, brevity=brevity) for L in items]
    return " ".join(plain(condition_doc(M.condition, operands), float("inf")).split())


def _page(node: Node, names: Sequence[str], brevity: Abbreviation, memory: PrintCache | None = None) -> PrinterState:
    # No variable may be called like a function used in its scope, so none is called like any function in the document.
    cache = None if memory is None else memory.of_style(brevity)
    visible = Names(symbols(node)) if memory is None or cache is None else cache.names(memory.symbols.of(node))
    taken: set[str] = set()
    for name in names:
        visible.push(name if name not in taken else visible.fresh(name, node.loose, taken))
        taken.add(name)
    return PrinterState(visible, brevity, cache)


def _marks(marks: Mapping[Path, Annotation]) -> Marks:
    return Marks.of(marks) if marks else UNMARKED
