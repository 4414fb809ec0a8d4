"""The smallest term or command at a position of a cell, with its type from its derivation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rh_kernel.kernel.completion.words import SMALL
from rh_kernel.session.directives.derivation import derivations
from rh_kernel.session.sweeps.jobs import combinations, with_numbers
from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Bound, Proj
from rh_kernel.syntax.parsing.lexer import chunks
from rh_kernel.syntax.parsing.parser import Unparsed, parse_item
from rh_kernel.syntax.parsing.tokens import Kind, Token
from rh_kernel.typing.definitions import Definitions
from rh_kernel.typing.derivation.derivations import Context, Derivation, assumptions

_LONGEST = 40


@dataclass(frozen=True, slots=True)
class TermAtCursor:
    """``text : type``; where a variable is bound or used, ``text`` is its name."""

    text: str
    type: str
    is_variable: bool

    def __str__(self) -> str:
        words = " ".join(self.text.split())
        return f"{words if len(words) <= _LONGEST else words[: _LONGEST - 1] + '…'} : {self.type}"


def term_at(definitions: Definitions, source: Source, token: Token) -> TermAtCursor | None:
    """Return the term at ``token``; ``None`` if its item has an error. ``definitions`` include those of the cell ``source``."""
    chunk = next((chunk for chunk in chunks(source) if chunk.start <= token.start < chunk.end), None)
    item = None if chunk is None else parse_item(chunk)
    if item is None or isinstance(item, Unparsed):
        return None
    if isinstance(item, items.SweepItem):
        definitions = with_numbers(definitions, item.parameters, combinations(item.parameters)[0])
    bounded = replace(definitions, nodes=SMALL)
    try:
        nodes = [node for e in _expressions(definitions, source, item) for d in derivations(bounded, e) for node in _nodes(d)]
    except (Failure, MemoryError):
        return None
    written = [(span, node) for node in nodes if (span := node.subject.span) is not None and span.source == source]
    around = [(span, node) for span, node in written if span.start <= token.start and token.end <= span.end]
    if not around:
        return _parameter(written, token) or _used(written, token, token.end)
    span, node = min(around, key=lambda found: (found[0].end - found[0].start, not isinstance(found[1].subject, Bound)))
    if (span.start, span.end) == (token.start, token.end):
        return TermAtCursor(token.text, str(node.type), isinstance(node.subject, Bound | Proj))
    inside = [(there, found) for there, found in written if there.end <= span.end]
    behind = [start.start for premise in node.premises if (start := premise.subject.span) is not None]
    used = _used(inside, token, max([token.end, *behind]))
    return _bound(node, token) or used or TermAtCursor(span.text, str(node.type), is_variable=False)


def _expressions(definitions: Definitions, source: Source, item: items.Item) -> list[s.Expr]:
    """The expressions of an item that have derivations: what it evaluates, or the name that it declares with a body."""
    match item:
        case items.Evaluation(e):
            return [e]
        case items.Directive(argument=e, against=other):
            return [found for found in (e, other) if found is not None]
        case items.EqualityCheck(M, N):
            return [M, N]
        case items.TypeCheck(e):
            return [e]
        case items.NetDeclaration(name=name) | items.FunDeclaration(name=name) | items.HandlerDeclaration(name=name):
            declared = definitions.named.get(name.text)
            is_this = declared is not None and declared.span is not None and declared.span.source == source
            return [s.Var(name.text, span=name.span)] if is_this else []
        case items.ConstDeclaration(value=e):
            return [e]
        case items.DimDeclaration() | items.LocDeclaration() | items.OpDeclaration() | items.TrainItem() | items.IncludeItem():
            return []
        case items.SweepItem(items=swept):
            return [e for each in swept for e in _expressions(definitions, source, each)]
        case items.SectionItem():
            return []


def _nodes(root: Derivation) -> Iterator[Derivation]:
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        todo += node.premises


def _parameter(written: Sequence[tuple[Span, Derivation]], token: Token) -> TermAtCursor | None:
    """The parameter that ``token`` declares, found among the assumptions of the next judgment."""
    following = [(span.start, n) for n, (span, _) in enumerate(written) if span.start >= token.end]
    return None if not following else _assumed(written[min(following)[1]][1].context, 0, token)


def _bound(node: Derivation, token: Token) -> TermAtCursor | None:
    """The variable that ``token`` binds in the subject of ``node``: a new assumption of a premise to its right.

    A pattern is elaborated into several binders without source spans; these are skipped.
    """
    outside, todo = len(assumptions(node.context)), [node]
    candidates: list[tuple[int, TermAtCursor]] = []
    while todo:
        for premise in todo.pop().premises:
            span = premise.subject.span
            if span is None or span == node.subject.span:
                todo.append(premise)
            elif span.start >= token.end and (found := _assumed(premise.context, outside, token)) is not None:
                candidates.append((span.start, found))
    return min(candidates, key=lambda candidate: candidate[0])[1] if candidates else None


def _used(written: Sequence[tuple[Span, Derivation]], token: Token, begins: int) -> TermAtCursor | None:
    """The variable that ``token`` binds in a pattern, by its first use from ``begins`` on."""
    uses = [
        (span.start, str(found.type))
        for span, found in written
        if isinstance(found.subject, Bound | Proj) and span.text == token.text and span.start >= begins
    ]
    return TermAtCursor(token.text, min(uses)[1], is_variable=True) if uses and token.kind is Kind.NAME else None


def _assumed(cx: Context, outside: int, token: Token) -> TermAtCursor | None:
    """The variable named like ``token`` among the assumptions, without the first ``outside`` of them."""
    for assumption in reversed(assumptions(cx)[outside:]):
        if assumption is not None and assumption.name == token.text:
            answer = "" if assumption.answer is None else f" ⇝ {assumption.answer}"
            return TermAtCursor(token.text, f"{assumption.type}{answer}", is_variable=True)
    return None
