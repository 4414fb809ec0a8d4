"""The one printer: types, terms, commands and handlers of the core as annotated documents and as text (LANGUAGE §1).

A path to a subtree is the tuple of child positions from the root, in the order in which a form's fields hold terms and
commands: ``W.rd(x. N)(V)`` has W at 0, N at 1, V at 2. Handlers are not gone into.
"""

from collections.abc import Iterator, Mapping, Sequence

from rh_kernel.source.descent import descend
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Defined,
    Function,
    Handle,
    Handler,
    Let,
    Node,
    Operation,
    OrdinaryHandler,
    Perform,
    Plus,
    Primitive,
    Proj,
    R,
    Rd,
    RdOf,
    Resume,
    Return,
    ReverseHandler,
    RevHandle,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.doc import Annotation, Doc, plain
from rh_kernel.syntax.printing_commands import command, handler, operation
from rh_kernel.syntax.printing_constants import type_doc, type_text
from rh_kernel.syntax.printing_names import Names
from rh_kernel.syntax.printing_steps import Marks, Page, Path
from rh_kernel.syntax.printing_terms import Level, term

__all__ = ["Path", "command_doc", "handler_doc", "operation_doc", "show", "symbols", "term_doc", "type_doc", "type_text"]

NO_MARKS: Mapping[Path, Annotation] = {}


def term_doc(
    M: Term, names: Sequence[str] = (), marks: Mapping[Path, Annotation] = NO_MARKS, abridge: int | None = None
) -> Doc:
    """``M``, whose free variables are called ``names`` (the last is index 0), with ``marks`` on its subterms.

    With ``abridge`` arrays and tuples of more entries are printed in short, and handlers without a name folded.
    """
    return descend(term(_page(M, names, abridge), M, Level.OPEN, Marks.of(marks)))


def command_doc(
    P: Command, names: Sequence[str] = (), marks: Mapping[Path, Annotation] = NO_MARKS, abridge: int | None = None
) -> Doc:
    """``P``; for the parameters see ``term_doc``."""
    return descend(command(_page(P, names, abridge), P, Marks.of(marks)))


def handler_doc(H: Handler, names: Sequence[str] = (), abridge: int | None = None) -> Doc:
    """``{ return x → P ; … }``, whether or not H has a name."""
    return descend(handler(_page(H, names, abridge), H))


def operation_doc(op: Operation, names: Sequence[str] = (), abridge: int | None = None) -> Doc:
    """``FC[w0]``"""
    return descend(operation(_page(op, names, abridge), op))


def show(
    node: Term | Command | Handler | Operation,
    width: float = 100,
    abridge: int | None = None,
    names: Sequence[str] = (),
) -> str:
    """What one writes on the board for ``node``, in lines of ``width`` columns where they can be broken."""
    match node:
        case ReverseHandler() | OrdinaryHandler():
            doc = handler_doc(node, names, abridge)
        case Operation():
            doc = operation_doc(node, names, abridge)
        case Return() | Perform() | Bind() | RevHandle() | RH() | Handle() | Resume():
            doc = command_doc(node, names, abridge=abridge)
        case Bound() | Const() | Zero() | Call() | Plus() | Tuple() | Proj() | Let() | Rd() | R():
            doc = term_doc(node, names, abridge=abridge)
    return plain(doc, width)


def _page(node: Node, names: Sequence[str], abridge: int | None) -> Page:
    # A variable must not be called like a function that is used in its scope, so it is called like none in sight.
    visible = Names(symbols(node))
    taken: set[str] = set()
    for name in names:
        visible.push(name if name not in taken else visible.fresh(name, node.loose, taken))
        taken.add(name)
    return Page(visible, abridge)


def symbols(root: Node) -> Iterator[str]:
    """The names of the functions and operations that ``root`` uses: no variable in it is called like one of them."""
    nodes: list[Node] = [root]
    while nodes:
        node = nodes.pop()
        match node:
            case Bound() | Const() | Zero():
                pass
            case Call(f, M):
                yield _symbol(f)
                nodes.append(M)
            case Plus(M, N):
                nodes += (M, N)
            case Tuple(items):
                nodes += items
            case Proj(_, _, M) | Return(M) | Resume(_, _, M):
                nodes.append(M)
            case Let(M, scope) | Bind(M, scope):
                nodes += (M, scope.body)
            case Rd(W, scope, V) | R(W, scope, V):
                nodes += (W, scope.body, V)
            case Operation(family, indices):
                yield family.name
                nodes += [i for i in indices if isinstance(i, Node)]
            case Perform(op, M):
                nodes += (op, M)
            case RevHandle(M, scope, H) | RH(M, scope, H):
                nodes += (M, scope.body, H)
            case Handle(P, H):
                nodes += (P, H)
            case ReverseHandler(_, returns, clauses):
                nodes.append(returns.body)
                for c in clauses:
                    nodes += (c.forward.body, c.backward.body)
            case OrdinaryHandler(_, _, returns, clauses):
                nodes.append(returns.body)
                nodes += [c.scope.body for c in clauses]
            case Node():
                raise TypeError(f"{type(node).__name__} is not printed by itself")


def _symbol(f: Function) -> str:
    while isinstance(f, RdOf):
        f = f.of
    match f:
        case Primitive(name) | Defined(name):
            return name
