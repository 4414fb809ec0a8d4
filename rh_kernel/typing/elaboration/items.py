"""Elaboration of evaluations ``◇ ⊢ M : A`` and ``◇ ; ◇ ⊢ P : A``, and of training runs (LANGUAGE §6)."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Command, Term
from rh_kernel.syntax.surface_traversal import free_names
from rh_kernel.syntax.types import SCALAR, Type
from rh_kernel.typing.context import Context, Entry, Zone
from rh_kernel.typing.definitions import Definitions, NetDefinition, OpDefinition
from rh_kernel.typing.diagnostics.hints import NO_EXPECTATION, Expectation
from rh_kernel.typing.elaboration.commands import Commands
from rh_kernel.typing.elaboration.declarations import whole_number
from rh_kernel.typing.elaboration.error_recovery import ErrorCollector
from rh_kernel.typing.elaboration.zonking import completed, zonk_type
from rh_kernel.typing.errors import BadTraining, TermInCommand
from rh_kernel.typing.unification.unify import Unifier

SampleTypes = Callable[[str, Span], Mapping[str, Type]]
"""Maps the name of a data set and its span to the types of a sample's components. Raises ``Rejected``."""


@frozen
class ClosedTerm:
    """``◇ ⊢ M : A``"""

    term: Term
    type: Type


@frozen
class ClosedCommand:
    """``◇ ; ◇ ⊢ P : A``"""

    command: Command
    type: Type


@frozen
class MeasureRun:
    """``measure P on D``: the sample's variables are free in P, the last one is index 0; the type of P is ``Real(1)``.

    ``text`` is its name, or if it has none its source: P, and D if given.
    """

    command: Command
    data: str
    text: str


@frozen
class SampledCommand:
    """``P for (x, t) in D`` in a directive: the sample's variables are free in P : A, the last one is index 0.

    ``sample`` has the names and types of the pattern, ``used`` those of its names that P depends on, ``text`` is P as written.
    """

    command: Command
    type: Type
    sample: tuple[tuple[str, Type], ...]
    used: frozenset[str]
    data: str
    text: str

    @property
    def unused(self) -> tuple[str, ...]:
        """The names of the pattern that P does not depend on."""
        return tuple([name for name, _ in self.sample if name not in self.used])


@frozen
class TrainingRun:
    """``train P for (x, t) in D …``: the sample's variables are free in P, the last one is index 0.

    ``sample`` has their names and types. Each batch is computed in ``pieces`` pieces. ``shuffle`` is
    the seed, or ``None`` to keep the order of the data. ``surfaces`` are drawn over the plane of two numbers of a sample.
    """

    command: Command
    sample: tuple[tuple[str, Type], ...]
    data: str
    epochs: int
    batch: int
    pieces: int
    shuffle: int | None
    measures: tuple[MeasureRun, ...]
    surfaces: tuple[SampledCommand, ...] = ()


def elaborate_evaluation(definitions: Definitions, e: s.Expr, A: Type | None = None) -> ClosedTerm | ClosedCommand:
    """Elaborate a closed term or command, of type A if that is given. Raises ``Rejected``."""
    commands = Commands(Unifier())
    cx = Context(definitions)
    if is_command(definitions, e):
        P, B = commands.elaborate(cx, e, A)
        P = completed(commands.unifier, P, e.span)
        return ClosedCommand(P, zonk_type(commands.unifier, B))
    M, B = commands.terms.infer(cx, e) if A is None else (commands.terms.check(cx, e, A), A)
    M = completed(commands.unifier, M, e.span)
    return ClosedTerm(M, zonk_type(commands.unifier, B))


def is_command(definitions: Definitions, e: s.Expr) -> bool:
    """Whether ``e`` must be a command, judged by its outermost form and the definition of the name it applies."""
    while isinstance(e, s.LetExpr):
        if e.arrow is s.Arrow.COMMAND:
            return True
        e = e.body
    match e:
        case s.ReturnExpr() | s.RevHandleExpr() | s.HandleExpr() | s.ResumeExpr() | s.ScanExpr() | s.RepeatExpr():
            return True
        case s.Apply(head):
            return isinstance(definitions.get(head.text), OpDefinition | NetDefinition)
        case s.IfExpr(_, then, otherwise):
            return is_command(definitions, then) or is_command(definitions, otherwise)
        case _:
            return False


def elaborate_training(definitions: Definitions, item: items.TrainItem, sample_types: SampleTypes) -> TrainingRun:
    """Elaborate a training run; the types of the sample are those of the data. Raises ``Rejected``."""
    names = _names(item.pattern)
    sample = _sample(names, item.data, sample_types)
    cx = Context(definitions)
    siblings, numbers, found = ErrorCollector(Unifier()), list[int | None](), list[Command]()
    with siblings:
        try:
            found.append(_under_sample(cx, sample, [pattern.span for pattern in names], item.command, None, NO_EXPECTATION)[0])
        except Rejected as failure:
            raise _explain_trainable(failure, item) from None
    measures: list[MeasureRun] = []
    for measure in item.measures:
        with siblings:
            measures.append(_measure(cx, names, item, measure, sample_types))
    surfaces: list[SampledCommand] = []
    for surface in item.surfaces:
        with siblings:
            surfaces.append(elaborate_sampled(definitions, surface, item.pattern, item.data, sample_types))
    options = (
        (_positive, item.epochs, 1),
        (_positive, item.batch, 1),
        (_positive, item.pieces, 1),
        (_count, item.shuffle, None),
    )
    for read, written, otherwise in options:
        with siblings:
            numbers.append(otherwise if written is None else read(cx, written))
    siblings.raise_errors()
    epochs, batch, pieces, shuffle = numbers
    return TrainingRun(
        found[0], sample, item.data.name, epochs or 1, batch or 1, pieces or 1, shuffle, tuple(measures), tuple(surfaces)
    )


def elaborate_sampled(
    definitions: Definitions, e: s.Expr, pattern: s.Pattern, data: items.DataExpr, sample_types: SampleTypes
) -> SampledCommand:
    """Elaborate ``e for pattern in data``, where a term M is the command ``return M``. Raises ``Rejected``."""
    names = _names(pattern)
    sample = _sample(names, data, sample_types)
    e = e if is_command(definitions, e) else s.ReturnExpr(e, span=e.span)
    P, A = _under_sample(Context(definitions), sample, [name.span for name in names], e, None, NO_EXPECTATION)
    used = frozenset([name for name, _ in sample]) & free_names(items.Evaluation(e, span=e.span))
    return SampledCommand(P, A, sample, used, data.name, e.span.text)


def _measure(
    cx: Context,
    names: tuple[s.NamePattern, ...],
    item: items.TrainItem,
    measure: items.Measure,
    sample_types: SampleTypes,
) -> MeasureRun:
    data = measure.data or item.data
    other = _sample(names, data, sample_types)
    asked = Expectation(
        "the result of a measure", "a measure returns one number for each sample, for example `dot(y - t, y - t)`"
    )
    places = [pattern.span if measure.data is None else data.span for pattern in names]
    Q, _ = _under_sample(cx, other, places, measure.command, SCALAR, asked)
    where = "" if measure.data is None else f' on data("{data.name}")'
    return MeasureRun(Q, data.name, measure.name or measure.command.span.text + where)


def _under_sample(
    cx: Context, sample: tuple[tuple[str, Type], ...], places: list[Span], e: s.Expr, A: Type | None, asked: Expectation
) -> tuple[Command, Type]:
    commands = Commands(Unifier())
    cx = cx.bind(*(Entry(name, B, Zone.GAMMA, span=span) for (name, B), span in zip(sample, places, strict=True)))
    P, C = commands.elaborate(cx, e, A, asked)
    P = completed(commands.unifier, P, e.span)
    return P, zonk_type(commands.unifier, C)


def sample_names(pattern: s.Pattern) -> tuple[str, ...]:
    """Return the names in the pattern of a sample, whether or not it is a valid one."""
    parts = pattern.items if isinstance(pattern, s.TuplePattern) else (pattern,)
    return tuple([part.name for part in parts if isinstance(part, s.NamePattern)])


def _names(pattern: s.Pattern) -> tuple[s.NamePattern, ...]:
    match pattern:
        case s.NamePattern():
            return (pattern,)
        case s.TuplePattern(items):
            names = tuple(item for item in items if isinstance(item, s.NamePattern))
            if len(names) != len(items) or len({n.name for n in names}) != len(names):
                why = "the pattern of a sample must be different names, one for each array of the data"
                found, hint = f"`{pattern.span.text}`", "take arrays apart in the command, with `let`"
                expected = "only names, `(x, t)`"
                raise Rejected(BadTraining(span=pattern.span, why=why, found=found, expected=expected, hint=hint))
            return names


def _sample(names: tuple[s.NamePattern, ...], data: items.DataExpr, sample_types: SampleTypes) -> tuple[tuple[str, Type], ...]:
    types = sample_types(data.name, data.span)
    for pattern in names:
        if pattern.name not in types:
            why = f"the data has no array `{pattern.name}`"
            have = ", ".join(types)
            hint = "the names of the pattern are the names of the data's arrays"
            raise Rejected(BadTraining(span=pattern.span, why=why, found=f"the arrays {have}", hint=hint))
    return tuple((pattern.name, types[pattern.name]) for pattern in names)


def _positive(cx: Context, e: s.Expr) -> int:
    value = _count(cx, e, 1)
    if value < 1:
        why, expected = "there is nothing to do", "a whole number from 1 on"
        hint = "the default is `epochs 1 batch 1 pieces 1`"
        raise Rejected(BadTraining(span=e.span, why=why, found=str(value), expected=expected, hint=hint))
    return value


def _count(cx: Context, e: s.Expr, least: int = 0) -> int:
    match e:
        case s.Number(text) | s.Negate(s.Number(text)) if isinstance(e, s.Negate) or not text.isdecimal():
            why = f"less than {least}" if text.isdecimal() else "not a whole number"
            expected = f"a whole number from {least} on"
            hint = "use a whole number"
            raise Rejected(BadTraining(span=e.span, why=f"`{e.span.text}` is {why}", expected=expected, hint=hint))
        case _:
            return whole_number(cx, e)


def _explain_trainable(failure: Rejected, item: items.TrainItem) -> Rejected:
    """Add a hint about what can be trained, if the whole trained expression is a term."""
    hint = "training runs a command, such as `rev handle (x) <u>. mlp(u) with sgd(0.1, t)`"
    amended = (
        replace(d, hint=hint, fix=None) if isinstance(d, TermInCommand) and d.span == item.command.span else d
        for d in failure.diagnostics
    )
    return Rejected(*amended)
