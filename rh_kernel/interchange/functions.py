"""A compiled command as a function of array expressions, from a batch of inputs to results and new weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.program import (
    Alias,
    Equation,
    Loop,
    MeanOverBatch,
    OuterMean,
    Part,
    ProductMean,
    Program,
    Register,
    Smooth,
)
from rh_kernel.arrays.rewrites.decompositions import expanded
from rh_kernel.interchange.errors import NoTranslation
from rh_kernel.interchange.names import Names
from rh_kernel.loops.ir import Extent
from rh_kernel.loops.trees import Tree, leaves, map_tree
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives.array_operators import Expr
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.builtin import DRAWS
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.signature import Location


@frozen
class Parameter:
    """A parameter of the function, or a weight: its name there, what it is called in RH, and the shape of a sample."""

    name: str
    written: str
    shape: Extent
    batched: bool

    @property
    def variable(self) -> Expr:
        """The variable."""
        return ae.variable(self.name, self.shape, batched=self.batched)


@frozen
class Weight:
    """A weight with its location, of which it is the content."""

    parameter: Parameter
    location: Location


@dataclass(frozen=True, slots=True, eq=False)
class Let:
    """A variable for an expression that a loop uses, so that it is computed before it."""

    variable: Expr
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """So many rounds of a body, which is a function of carried values, of rows, and of what is around it.

    ``carried`` are the variables of the body for values that are carried along, with their first values; ``rows`` those for the
    rows of arrays, along their first axis, with these arrays. ``following`` are the carried values for the next round, and
    ``emitted`` the values of each round that are stacked along a new first axis. ``results`` are the variables, after the
    loop, of the carried values, the same as in the body, and then of the stacked ones.
    """

    count: int
    backward: bool
    carried: tuple[tuple[Expr, Expr], ...]
    rows: tuple[tuple[Expr, Expr], ...]
    body: "tuple[Line, ...]"
    following: tuple[Expr, ...]
    emitted: tuple[Expr, ...]
    results: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """An expression, which is computed here or, if it is used once, where it is used; ``span`` is the command that says so."""

    value: Expr
    span: Span | None


Line: TypeAlias = Computed | Let | Rounds
"""What is computed next"""


@dataclass(frozen=True, slots=True, eq=False)
class ArrayFunction:
    """A function of array expressions.

    ``result`` is a tree of expressions that mirrors its type, ``writes`` are the new contents of weights.
    """

    name: str
    parameters: tuple[Parameter, ...]
    weights: tuple[Weight, ...]
    lines: tuple[Line, ...]
    result: "Tree[Expr]"
    writes: tuple[tuple[Weight, Expr], ...]


def function_of(name: str, program: Program, inputs: Sequence[str]) -> ArrayFunction:
    """Return the function that a translated command is, on a batch; ``inputs`` are names for its inputs but the draws.

    The new weights are the means over the samples (LANGUAGE §6). Checks of row numbers and of smoothness are left out. Raises
    ``Rejected`` if a symbol has no translation, and ``Stuck`` for a mean over samples that may not all get there.
    """
    program = expanded(batched(program))
    writes = [(location, r) for location, r in program.writes if location != DRAWS]
    names = Names()
    names.new(name)
    named = [(r, inputs[i] if i < len(inputs) else text) for i, (r, text) in enumerate(program.named_inputs)]
    parameters = tuple([_parameter(names, program, r, text) for r, text in named])
    weights: dict[Location, Weight] = {}
    env: dict[Register, Expr] = {r: p.variable for (r, _), p in zip(named, parameters, strict=True)}
    for r, location in (*program.reads, *[(r, location) for location, r in writes]):
        if location not in weights:
            parameter = Parameter(names.new(location.name), location.name, program.shapes[r], batched=False)
            weights[location] = Weight(parameter, location)
    env.update({r: weights[location].parameter.variable for r, location in program.reads})
    lines = _lines(program, env, names)
    samples = next((env[r] for r, _ in named if program.batched[r]), None)
    return ArrayFunction(
        name,
        parameters,
        tuple(weights.values()),
        lines,
        map_tree(program.result, lambda r: env[r] if samples is None else ae.for_each(env[r], samples)),
        tuple([(weights[location], env[r]) for location, r in writes]),
    )


def _parameter(names: Names, program: Program, r: Register, text: str) -> Parameter:
    return Parameter(names.new(text), text, program.shapes[r], program.batched[r])


def _lines(program: Program, env: dict[Register, Expr], names: Names) -> tuple[Line, ...]:
    """Translate the equations, and add their results to the environment."""
    env.update({r: ae.constant(array) for r, array in program.constants})
    lines: list[Line] = []
    for equation in program.equations:
        arguments = [env[a] for a in equation.arguments if a in env]
        match equation.operator:
            case Loop() as f if not f.arity[0] and _is_map(f, arguments):
                inner, results = _mapped(f, _with_rows(f, arguments), names)
                lines += inner
                _add_results(program, equation, results, env)
            case Loop() as f:
                shared = sum(f.arity)
                arguments = _with_rows(f, arguments)
                lets = [_let(x, names) for x in arguments[shared:]]
                lines += [let for let in lets if let.variable is not let.value]
                rounds = _rounds(f, [*arguments[:shared], *[let.variable for let in lets]], names)
                lines.append(rounds)
                _add_results(program, equation, rounds.results, env)
            case Part() | Smooth():
                pass
            case operator:
                found = _applied(operator, arguments)
                env[equation.result] = found
                lines.append(Computed(found, equation.span))
    return tuple(lines)


def _add_results(program: Program, loop: Equation, results: Sequence[Expr], env: dict[Register, Expr]) -> None:
    for equation in program.equations:
        if isinstance(equation.operator, Part) and equation.arguments == (loop.result,):
            env[equation.result] = results[equation.operator.number]


def _applied(f: Primitive | Alias | MeanOverBatch | OuterMean | ProductMean, arguments: Sequence[Expr]) -> Expr:
    match f:
        case Primitive():
            translation = SYMBOLS[f.name].translation
            if translation is None:
                raise Rejected(NoTranslation(symbol=f.name))
            return translation(f, *arguments)
        case Alias():
            return arguments[0]
        case MeanOverBatch():
            return ae.mean_over_batch(arguments[0])
        case OuterMean() | ProductMean():
            y, x = arguments
            return ae.mean_product(y, x)


def _is_map(f: Loop, arguments: Sequence[Expr]) -> bool:
    """Whether the rounds can be computed like the samples of a batch: no value that they share depends on the sample."""
    return not any(x.batched for x in arguments[f.arity[1] :]) and not f.body.joins_batch and not _carries(f.body)


def _carries(body: Program) -> bool:
    """Whether a loop in a body carries a value along."""
    return any(bool(e.operator.arity[0]) or _carries(e.operator.body) for e in body.equations if isinstance(e.operator, Loop))


def _mapped(f: Loop, arguments: Sequence[Expr], names: Names) -> tuple[tuple[Line, ...], list[Expr]]:
    """The lines and the stacked results of a loop whose rounds are independent, computed on a batch of all rows."""
    body, rows = f.body, f.arity[1]
    inputs = leaves(body.inputs)
    batched = any(x.batched for x in arguments[:rows])
    like = next((x for x in arguments[:rows] if x.batched), None)
    env: dict[Register, Expr] = dict(zip(inputs[rows:], arguments[rows:], strict=True))
    for r, x in zip(inputs, arguments[:rows], strict=False):
        env[r] = ae.as_samples(x if like is None else ae.for_each(x, like))
    lines = _lines(body, env, names)
    some = env[inputs[0]] if rows else None
    found: list[Expr] = []
    for r in leaves(body.result):
        each = env[r] if some is None else ae.for_each(env[r], some)
        found.append(ae.as_rows(each, f.rounds, batched=batched) if each.batched else ae.expand(each, (f.rounds, *each.shape)))
    return lines, found


def _with_rows(f: Loop, arguments: Sequence[Expr]) -> Sequence[Expr]:
    """The arguments of a loop, in which each row has the shape that the body wants: a row of a vector is one of length 1."""
    first, last = f.arity[0], sum(f.arity)
    given = zip(leaves(f.body.inputs)[first:last], arguments[first:last], strict=True)
    wholes = [ae.reshape(x, (f.rounds, *f.body.shapes[r])) for r, x in given]
    return [*arguments[:first], *wholes, *arguments[last:]]


def _let(x: Expr, names: Names) -> Let:
    if isinstance(x.op, ao.Variable | ao.Constant):
        return Let(x, x)
    return Let(ae.variable(names.new("shared"), x.shape, batched=x.batched), x)


def _rounds(f: Loop, arguments: Sequence[Expr], names: Names) -> Rounds:
    body = f.body
    carried, rows = f.arity
    inputs = leaves(body.inputs)
    env: dict[Register, Expr] = dict(zip(inputs[carried + rows :], arguments[carried + rows :], strict=True))
    for r in inputs[:carried]:
        env[r] = ae.variable(names.new("state"), body.shapes[r], batched=body.batched[r])
    for r, x in zip(inputs[carried:], arguments[carried : carried + rows], strict=False):
        env[r] = ae.variable(names.new("row"), body.shapes[r], batched=x.batched)
    lines = _lines(body, env, names)
    found = [env[r] for r in leaves(body.result)]
    # A value that depends on the sample after some round has an axis of samples from the start.
    like = next((x for x in (*arguments, *env.values()) if x.batched), None)
    first, following = [
        tuple([x if like is None or not env[r].batched else ae.for_each(x, like) for r, x in zip(inputs, values, strict=False)])
        for values in (arguments[:carried], found[:carried])
    ]
    results = [env[r] for r in inputs[:carried]]
    results += [ae.variable(names.new("kept"), (f.rounds, *x.shape), batched=x.batched) for x in found[carried:]]
    return Rounds(
        f.rounds,
        f.backward,
        tuple(zip([env[r] for r in inputs[:carried]], first, strict=True)),
        tuple(zip([env[r] for r in inputs[carried : carried + rows]], arguments[carried : carried + rows], strict=True)),
        lines,
        following,
        tuple(found[carried:]),
        tuple(results),
    )
