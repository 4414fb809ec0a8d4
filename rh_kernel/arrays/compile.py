"""Compile ``Γ ; Δ ⊢ P : A`` to a straight-line program from Γ, Δ and the heap to A and the heap."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from rh_kernel.arrays.draws import Drawn
from rh_kernel.arrays.optimise import optimise
from rh_kernel.arrays.options import DEFAULT, CompileOptions
from rh_kernel.arrays.program import Program, Register, Registers
from rh_kernel.arrays.rewrites.checkpointing import checkpointed
from rh_kernel.arrays.stacks import overlap
from rh_kernel.arrays.symbolic.builder import Builder
from rh_kernel.arrays.symbolic.commands import Machine
from rh_kernel.arrays.symbolic.rolled import NotRolledError, equations
from rh_kernel.arrays.symbolic.tape import EMPTY, NO_NAMES, Environment
from rh_kernel.arrays.symbolic.terms import evaluate
from rh_kernel.arrays.symbolic.values import Slot, Symbolic
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.syntax.builtin import DRAWS
from rh_kernel.syntax.core import Command, Term
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type


@gc_paused()
def compile_command(
    P: Command,
    inputs: tuple[Type, ...] = (),
    names: tuple[str, ...] = (),
    options: CompileOptions = DEFAULT,
) -> Program:
    """Compile P; its loose indices are the ``inputs``, index 0 the last of them, which ``names`` names.

    The program is valid for all values of the inputs and all contents of the heap. Raises ``Stuck`` if an operation has no
    handler, or if there would be too many equations; ``KernelBug`` if P still depends on a dimension or location variable.
    """
    return optimise(translate(P, inputs, names, options))


@gc_paused()
def compile_term(
    M: Term,
    inputs: tuple[Type, ...] = (),
    names: tuple[str, ...] = (),
    options: CompileOptions = DEFAULT,
) -> Program:
    """Compile M, whose loose indices are the ``inputs``, as ``compile_command`` does; the program does not touch the heap."""
    return optimise(translate_term(M, inputs, names, options))


@gc_paused()
def translate(
    P: Command,
    inputs: tuple[Type, ...] = (),
    names: tuple[str, ...] = (),
    options: CompileOptions = DEFAULT,
) -> Program:
    """Translate P by symbolic execution alone: the program still has aliases, repetitions and unused equations."""
    try:
        return _translated(P, inputs, names, Builder(options))
    except NotRolledError:
        return _translated(P, inputs, names, Builder(replace(options, fewest=None)))


def _translated(P: Command, inputs: tuple[Type, ...], names: tuple[str, ...], b: Builder) -> Program:
    trees, rho = _inputs(inputs, b)
    machine = Machine(b)
    V = machine.run(P, rho)
    changed = [(location, W) for location, W in machine.heap.items() if machine.read.get(location) != W]
    if overlap([*machine.read, *machine.heap]):
        raise NotRolledError
    made = machine.draws.made
    if made is not None:
        changed.append((DRAWS, made))
    return _program(b, names, trees, V, tuple(changed), machine.draws.inputs)


@gc_paused()
def translate_term(
    M: Term,
    inputs: tuple[Type, ...] = (),
    names: tuple[str, ...] = (),
    options: CompileOptions = DEFAULT,
) -> Program:
    """Translate M by symbolic execution alone."""
    try:
        return _translated_term(M, inputs, names, Builder(options))
    except NotRolledError:
        return _translated_term(M, inputs, names, Builder(replace(options, fewest=None)))


def _translated_term(M: Term, inputs: tuple[Type, ...], names: tuple[str, ...], b: Builder) -> Program:
    trees, rho = _inputs(inputs, b)
    return _program(b, names, trees, evaluate(M, rho, b), ())


def _inputs(types: tuple[Type, ...], b: Builder) -> tuple[tuple[Registers, ...], Environment]:
    rho: Environment = EMPTY
    trees: list[Registers] = []
    for A in types:
        tree, V = b.input(A)
        trees.append(tree)
        rho = (V, rho, NO_NAMES)
    return tuple(trees), rho


def _program(
    b: Builder,
    names: tuple[str, ...],
    inputs: tuple[Registers, ...],
    V: Symbolic,
    heap: tuple[tuple[Location, Symbolic], ...],
    draws: Mapping[Drawn, Slot] = MappingProxyType({}),
) -> Program:
    # They refer to the builder, and are no longer needed.
    b.evaluators.clear()
    result = b.materialise(V)
    writes = tuple([(location, _register(b, W)) for location, W in heap])
    lines = equations(b.equations, b.shapes)
    program = Program(
        (*(names or [f"x{i + 1}" for i in range(len(inputs))]), *[each.name for each in draws]),
        (*inputs, *[slot.register for slot in draws.values()]),
        tuple(b.constants),
        tuple(b.reads),
        tuple(lines),
        result,
        writes,
        tuple(b.shapes),
        (False,) * len(b.shapes),
        tuple(draws),
    )
    return checkpointed(program, b.options)


def _register(b: Builder, W: Symbolic) -> Register:
    register = b.materialise(W)
    if isinstance(register, tuple):
        raise KernelBug("a location holds one array")
    return register
