"""The systems ``linear-negation`` and ``tape``."""

from collections.abc import Callable, Iterable, Iterator

from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.evaluation import OpCounter, run
from rh_kernel.ad.language.printing import program as program_doc
from rh_kernel.ad.language.scalars import quietly
from rh_kernel.ad.language.unrolling import has_arrays, unrolled
from rh_kernel.ad.language.values import Value, numbers, of_numbers
from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation import gradient as corollary
from rh_kernel.ad.linear_negation import hypergraph, jvp, reverse
from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.extraction import Extracted, extract
from rh_kernel.ad.linear_negation.ground import bp, let_form
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.normal_form import normalize
from rh_kernel.ad.linear_negation.printing import document, of_state, typed
from rh_kernel.ad.linear_negation.refusal import refusing_as
from rh_kernel.ad.linear_negation.rules import EARLIEST, NO_FACTORING, Strategy
from rh_kernel.ad.linear_negation.source import translate
from rh_kernel.ad.system import JvpResult, Point, Stage, Step, System, VjpResult
from rh_kernel.syntax.printing.doc import HARD, Doc, Text, join


def _flat(V: Value) -> tuple[float, ...]:
    return tuple(numbers(V))


def _primal(program: Program, point: Point) -> int:
    counter = OpCounter()
    run(program, point, counter)
    return counter.operations


def _result(program: Program, flat: Iterable[float]) -> Value:
    return of_numbers(program.result, iter(flat))


def _arguments(program: Program, flat: Iterable[float]) -> Point:
    stream = iter(flat)
    return tuple(of_numbers(A, stream) for _, A in program.parameters)


def _problem(program: Program, point: Point, cotangent: Value) -> corollary.Problem:
    return corollary.problem(translate(program), _flat(point), _flat(cotangent))


def _reverse(program: Program, point: Point, cotangent: Value) -> VjpResult:
    """Reduce the corollary's term by strategy S."""
    with quietly():
        problem = _problem(program, point, cotangent)
        found = corollary.reduce(problem)
        extracted = extract(translate(program), _flat(point))
    rules = sorted(found.rules.items(), key=lambda item: item[0].value)
    return VjpResult(
        _result(program, found.value),
        _arguments(program, found.gradient),
        _primal(program, point),
        found.operations,
        corollary.code_size(problem),
        (("steps", found.steps), ("m", extracted.steps), ("|G|", extracted.size), *((rule.value, n) for rule, n in rules)),
    )


def _steps_by(strategy: Strategy) -> Callable[[Program, Point, Value], int]:
    """The number of steps to the gradient by another strategy."""

    def steps(program: Program, point: Point, cotangent: Value) -> int:
        with quietly():
            return corollary.reduce(_problem(program, point, cotangent), strategy).steps

    return steps


def _forward(program: Program, point: Point, tangent: Point) -> JvpResult:
    """Evaluate ``F(t)`` by value."""
    with quietly():
        found = jvp.push(translate(program), _flat(point), _flat(tangent))
    return JvpResult(
        _result(program, found.value),
        _result(program, found.tangent),
        _primal(program, point),
        found.operations,
        found.size,
        (("steps", found.steps),),
    )


def _sources(program: Program) -> list[Stage]:
    without = [Stage("unrolled", program_doc(unrolled(program)))] if has_arrays(program) else []
    source = translate(program)
    return [*without, Stage("source", typed(source.term, source.inputs, source.result))]


def _stages(program: Program) -> tuple[Stage, ...]:
    source = translate(program)
    with quietly():
        symbolic = normalize(source)
    inputs = [(x, reverse.reversed_type(A)) for x, A in source.inputs]
    transformed = reverse.transform(source.term, source.supply())
    return (
        *_sources(program),
        Stage("transformed", typed(transformed, inputs, reverse.reversed_type(source.result))),
        Stage("simplified", document(symbolic.term)),
    )


def _steps(program: Program, point: Point, cotangent: Value) -> Iterator[Step]:
    """Reduce by strategy S, step by step."""
    found = corollary.Run(_problem(program, point, cotangent))
    yield Step("", of_state(found.reduction.state))
    with quietly():
        for event in found.all():
            yield Step(event.rule.value, of_state(found.reduction.state, event.made))


def _on_graph(
    algorithm: Callable[[hypergraph.Graph], hypergraph.Memory], program: Program, point: Point
) -> tuple[Extracted, hypergraph.Graph, hypergraph.Memory, Value]:
    """Run an algorithm on the graph of a program; return its memory and the value of the program, too."""
    with quietly():
        with refusing_as("tape"):
            extracted = extract(translate(program), _flat(point))
        g = hypergraph.graph(extracted)
        memory = algorithm(g)
    return extracted, g, memory, _result(program, [memory.primal[i] for i in g.outputs])


def _tape(program: Program, point: Point, cotangent: Value) -> VjpResult:
    """Backpropagation on the graph of a program."""
    extracted, g, memory, value = _on_graph(
        lambda g: hypergraph.backpropagate(g, _flat(point), _flat(cotangent)), program, point
    )
    return VjpResult(
        value,
        _arguments(program, [r or 0.0 for r in memory.other[: g.inputs]]),
        _primal(program, point),
        extracted.operations + memory.operations,
        g.size,
        _tape_counters(extracted, memory),
    )


def _tape_forward(program: Program, point: Point, tangent: Point) -> JvpResult:
    """Forward mode on the graph of a program."""
    extracted, g, memory, value = _on_graph(lambda g: hypergraph.forward(g, _flat(point), _flat(tangent)), program, point)
    return JvpResult(
        value,
        _result(program, [memory.other[i] or 0.0 for i in g.outputs]),
        _primal(program, point),
        extracted.operations + memory.operations,
        g.size,
        _tape_counters(extracted, memory),
    )


def _tape_counters(extracted: Extracted, memory: hypergraph.Memory) -> tuple[tuple[str, int], ...]:
    return ("m", extracted.steps), ("|G|", extracted.size), ("visits", memory.visits)


def _tape_stages(program: Program) -> tuple[Stage, ...]:
    with refusing_as("tape"):
        extracted = extract(translate(program))
    result = c.tuple_of(extracted.results) if extracted.results else c.Nil()
    stages = [
        *_sources(program),
        Stage("ground", document(c.block(extracted.stack, result))),
        Stage("graph", _lines(hypergraph.dot(hypergraph.graph(extracted)))),
    ]
    if len(extracted.results) == 1:
        G = extracted.term
        supply = NameSupply({*names(G), *extracted.inputs})
        a = supply.fresh("a")
        backward = bp(let_form(G, supply), extracted.inputs, a, supply)
        graph = hypergraph.backward_graph(backward, extracted.inputs, a)
        stages.append(Stage("transformed", document(backward.term(extracted.inputs))))
        stages.append(Stage("graph of the transformed", _lines(hypergraph.dot(graph))))
    return tuple(stages)


def _lines(text: str) -> Doc:
    return join(HARD, map(Text, text.splitlines()))


_PAPER = "Brunel, Mazza and Pagani 2020"

SYSTEMS: tuple[System, ...] = (
    System(
        "linear-negation",
        "λ-calculus with linear negation, by linear factoring",
        _PAPER,
        _reverse,
        _forward,
        _stages,
        _steps,
        (("steps without factoring", _steps_by(NO_FACTORING)), ("steps, earliest call first", _steps_by(EARLIEST))),
        unrolls=True,
    ),
    System(
        "tape",
        "the computational graph, and backpropagation on it",
        f"{_PAPER}, §2",
        _tape,
        _tape_forward,
        _tape_stages,
        unrolls=True,
    ),
)
