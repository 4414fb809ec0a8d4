"""The invariants of array programs."""

from rh_kernel.arrays.program import Loop, Part, Program, Register, extent_of, joins_batch
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.schemes import extent
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.types import Real


def validate(program: Program) -> Program:
    """Return the program. Raises ``KernelBug`` unless each register is assigned once, before its uses, at its shape."""
    assigned: set[Register] = set()

    def assign(r: Register) -> None:
        if r in assigned or not 0 <= r < len(program.shapes):
            raise KernelBug(f"register {r} is assigned twice, or is none")
        assigned.add(r)

    def use(r: Register) -> None:
        if r not in assigned:
            raise KernelBug(f"register {r} is used before it is assigned")

    for tree in program.inputs:
        for r in leaves(tree):
            assign(r)
    for r, array in program.constants:
        assign(r)
        if array.shape != program.shapes[r]:
            raise KernelBug(f"constant {r} has another shape than its register")
    for r, _ in program.reads:
        assign(r)
    for equation in program.equations:
        for r in equation.arguments:
            use(r)
        assign(equation.result)
        if extent_of(equation.operator) != program.shapes[equation.result]:
            raise KernelBug(f"register {equation.result} has another shape than its equation")
        if isinstance(equation.operator, Loop):
            validate(equation.operator.body)
            given = tuple([equation.operator.body.shapes[r] for r in leaves(equation.operator.body.inputs)])
            if len(given) != len(equation.arguments):
                raise KernelBug(f"loop {equation.result} has another number of arguments than its body has inputs")
            continue
        if isinstance(equation.operator, Part):
            continue
        samples = any(program.batched[r] for r in equation.arguments) and not joins_batch(equation.operator)
        if samples != program.batched[equation.result]:
            raise KernelBug(f"register {equation.result} disagrees with its equation on the batch")
    for r in leaves(program.result):
        use(r)
    for location, r in program.writes:
        use(r)
        if program.batched[r] or extent(Real(location.shape)) != program.shapes[r]:
            raise KernelBug(f"{location.name} is given an array of another shape")
    return program
