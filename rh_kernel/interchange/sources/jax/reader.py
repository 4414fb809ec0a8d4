"""Reading a function of JAX by its jaxpr, with the calls in it inlined."""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from rh_kernel.interchange.errors import BadModel
from rh_kernel.interchange.model import Model, Numbers
from rh_kernel.interchange.sources import example as examples
from rh_kernel.interchange.sources import markers, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Unsupported
from rh_kernel.interchange.sources.jax.equations import Equation, Slot, operand
from rh_kernel.interchange.sources.jax.gather import takes_rows
from rh_kernel.interchange.sources.jax.operations import CONVERSIONS, KEPT, OPERATIONS, REFUSED
from rh_kernel.interchange.sources.jax.patterns import PATTERNS, is_softplus
from rh_kernel.interchange.sources.libraries import Untyped, library
from rh_kernel.interchange.sources.loops import Loop, Side, looped
from rh_kernel.interchange.sources.refusals import WRONG, Refusals, shown
from rh_kernel.source.diagnostic import Rejected

_INLINED = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "remat": "jaxpr",
    "remat2": "jaxpr",
    "checkpoint": "jaxpr",
}
"""The primitives that call a function, and where they have it."""


def read_jax(function: Callable[..., Untyped], example: Untyped, params: Untyped = None, *, batch: bool = True) -> Model:
    """Read a function of JAX. Raises ``Rejected``, which names all primitives that have no counterpart.

    ``example`` is an array or a tuple of arrays, for one sample: the first axis of each has the length 1, and is left out in
    the program. With ``batch=False`` the function takes a sample as such. With ``params``, a tree of arrays, the function is
    called with them in front of the example, and arrays that it closes over are constants.
    """
    jax = library("import_jax", "jax")
    arguments = tuple(example) if isinstance(example, tuple | list) else (example,)
    name = getattr(function, "__name__", "model")
    return _Reader(jax, function, arguments, params, batch=batch).read(name if name.isidentifier() else "model")


class _Reader:
    def __init__(
        self, jax: Untyped, function: Callable[..., Untyped], arguments: tuple[Untyped, ...], params: Untyped, *, batch: bool
    ) -> None:
        self.jax, self.function, self.arguments, self.params, self.batch = jax, function, arguments, params, batch
        self.builder, self.refusals = Builder(), Refusals()
        self.values: dict[Untyped, Slot] = {}
        self.producers: dict[Untyped, Equation] = {}
        self.closed: dict[int, Known] = {}
        """The arrays that the function closes over, by their identities"""

    def read(self, name: str) -> Model:
        leaves, paths = self._parameters()
        closed, expected = self._traced(name)
        jaxpr = closed.jaxpr
        named = self._closure()
        for var, content in zip(jaxpr.constvars, closed.consts, strict=True):
            self.values[var] = self._closed_over(content, named.get(id(content), ""))
        for var, leaf, path in zip(jaxpr.invars, leaves, paths, strict=False):
            self.values[var] = _parameter(leaf, path)
        inputs_of_jaxpr = jaxpr.invars[len(leaves) :]
        given = [(f"x{k or ''}", np.asarray(x)) for k, x in enumerate(self.arguments)]
        inputs, tensors_of_inputs = examples.inputs(self.builder, self._names(given), batch=self.batch)
        self.values.update(zip(inputs_of_jaxpr, tensors_of_inputs, strict=True))
        fresh = _Renamed({})
        for equation in self._equations(jaxpr, fresh):
            self._read(equation)
        results = [self._full(self._slot(var), var.aval.shape) for var in [fresh(var) for var in jaxpr.outvars]]
        if None in results:
            self.refusals.add("comparison", "results", "it depends on whether values are equal", "compare with > or <")
        self.refusals.check()
        outputs = examples.outputs(self.builder, [x for x in results if x is not None], expected, batch=self.batch)
        dtypes = [np.asarray(x).dtype for x in (*leaves, *self.arguments, *expected)]
        nodes = tuple(self.builder.nodes)
        model = Model(name, f"The function {shown(name)} of JAX", tuple(inputs), nodes, outputs, examples.tolerance(dtypes))
        return markers.without_markers(model, self.builder, self.refusals)

    def _parameters(self) -> tuple[list[Untyped], list[str]]:
        pairs = self.jax.tree_util.tree_flatten_with_path(self.params)[0]
        return [leaf for _, leaf in pairs], [self.jax.tree_util.keystr(path, simple=True, separator=".") for path, _ in pairs]

    def _traced(self, name: str) -> tuple[Untyped, list[Numbers]]:
        arguments = self.arguments if self.params is None else (self.params, *self.arguments)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                closed = self.jax.make_jaxpr(self.function)(*arguments)
                results = self.function(*arguments)
            except Exception as failure:
                why = f"it cannot be traced: {shown(str(failure).strip().split(chr(10))[0])}"
                raise Rejected(BadModel(name=shown(name), why=why)) from None
        return closed, [np.asarray(leaf) for leaf in self.jax.tree_util.tree_leaves(results)]

    def _closure(self) -> Mapping[int, str]:
        """Return the names of the arrays that the function closes over, by their identities."""
        try:
            found = inspect.getclosurevars(self.function)
        except TypeError:
            return {}
        names: dict[int, str] = {}
        for name, tree in {**found.globals, **found.nonlocals}.items():
            if isinstance(tree, dict | list | tuple) or hasattr(tree, "shape"):
                for path, leaf in self.jax.tree_util.tree_flatten_with_path(tree)[0]:
                    names[id(leaf)] = f"{name}.{self.jax.tree_util.keystr(path, simple=True, separator='.')}".rstrip(".")
        return names

    def _closed_over(self, content: Untyped, name: str = "") -> Known:
        """Return an array that the function closes over: a parameter if no others are given, or else a constant."""
        found = self.closed.get(id(content))
        if found is None:
            array = np.asarray(content)
            is_learned = self.params is None and array.size > 1 and bool(np.issubdtype(array.dtype, np.floating))
            number = f"_{len(self.closed) + 1}" if self.closed else ""
            found = Known(array, name or f"{'weight' if is_learned else 'constant'}{number}", is_learned)
            self.closed[id(content)] = found
        return found

    def _names(self, given: Sequence[tuple[str, Numbers]]) -> list[tuple[str, Numbers]]:
        """Return the examples with the names that the parameters of the function have."""
        try:
            parameters = list(inspect.signature(self.function).parameters)
        except (TypeError, ValueError):
            return list(given)
        parameters = parameters if self.params is None else parameters[1:]
        return [(n if k >= len(parameters) else parameters[k], x) for k, (n, x) in enumerate(given)]

    def _equations(self, body: Untyped, fresh: "_Renamed") -> Iterator[Equation]:
        """Yield the equations of a function, and of those that it calls; variables get new names for each call."""
        for eqn in body.eqns:
            arguments = tuple([fresh(var) for var in eqn.invars])
            if eqn.primitive.name in _INLINED and not is_softplus(eqn):
                inner = eqn.params[_INLINED[eqn.primitive.name]]
                called = getattr(inner, "jaxpr", inner)
                consts = getattr(inner, "consts", ())
                self.values.update({v: self._closed_over(c) for v, c in zip(called.constvars, consts, strict=True)})
                deeper = _Renamed(dict(zip(called.invars, arguments, strict=True)))
                yield from self._equations(called, deeper)
                fresh.names.update(zip(eqn.outvars, [deeper(var) for var in called.outvars], strict=True))
            else:
                results = tuple([_Fresh(var.aval) for var in eqn.outvars])
                fresh.names.update(zip(eqn.outvars, results, strict=True))
                name = "logaddexp" if is_softplus(eqn) else eqn.primitive.name
                yield Equation(name, eqn.primitive, arguments, results, eqn.params)

    def _slot(self, var: Untyped) -> Slot:
        if hasattr(var, "val"):
            return Known(np.asarray(var.val), "number", is_learned=False)
        return self.values.get(var)

    def _full(self, x: Slot, shape: Sequence[int]) -> Slot:
        """Return a value in its whole shape: broadcasting is left to the operation that needs it."""
        if x is None or x.shape == tuple(shape):
            return x
        if isinstance(x, Known):
            return x.moved(lambda array: np.broadcast_to(array, tuple(shape)))
        return tensors.expand(self.builder, x, tuple(shape))

    def _read(self, equation: Equation) -> None:
        for var in equation.results:
            self.producers[var] = equation
        slots = [self._slot(var) for var in equation.arguments]
        self.builder.place = place = (equation.name, f"equation {len(self.producers)}")
        found: Sequence[Slot]
        try:
            found = self._results(equation, slots)
        except Unsupported as refused:
            self.refusals.add(*place, refused.why, refused.instead)
            found = [self._instead(var.aval.shape) for var in equation.results]
        except WRONG as failure:
            self.refusals.add_wrong(*place, failure)
            found = [self._instead(var.aval.shape) for var in equation.results]
        self.values.update(zip(equation.results, found, strict=True))

    def _results(self, equation: Equation, slots: Sequence[Slot]) -> Sequence[Slot]:
        if equation.name == "scan":
            return self._looped(equation, slots)
        known = [x for x in slots if isinstance(x, Known)]
        if (
            len(known) == len(slots)
            and equation.name not in ("broadcast_in_dim", "logaddexp")
            and not _is_table(equation, known)
        ):
            return self._folded(equation, known)
        for pattern in PATTERNS.get(equation.name, ()):
            found = pattern(self.builder, equation, self.producers, self._slot)
            if found is not None:
                return [found]
        if equation.name not in OPERATIONS:
            raise Unsupported(*REFUSED.get(equation.name, ("there is no counterpart", "")))
        operation, is_lazy = OPERATIONS[equation.name]
        if not is_lazy:
            slots = [self._full(x, v.aval.shape) for x, v in zip(slots, equation.arguments, strict=True)]
        result = operation(self.builder, equation, slots)
        return result if isinstance(result, list) else [result]

    def _looped(self, equation: Equation, slots: Sequence[Slot]) -> Sequence[Slot]:
        """Read a ``scan``: its body is inlined for each round that is written."""
        p = equation.params
        given = [self._full(x, v.aval.shape) for x, v in zip(slots, equation.arguments, strict=True)]
        operands = [operand(x) for x in given]
        outside, side = p["num_consts"], Side(is_backward=p["reverse"])
        first = outside + p["num_carry"]
        closed = p["jaxpr"]
        body, consts = closed.jaxpr, [self._closed_over(c) for c in closed.consts]
        carried, results = p["num_carry"], (side,) * (len(body.outvars) - p["num_carry"])

        def one(states: Sequence[Operand], rows: Sequence[Operand]) -> tuple[Sequence[Operand], Sequence[Operand]]:
            variables = [*body.constvars, *body.invars]
            fresh = _Renamed({v: _Fresh(v.aval) for v in variables})
            values = (*consts, *operands[:outside], *states, *rows)
            self.values.update({fresh(v): x for v, x in zip(variables, values, strict=True)})
            for inner in self._equations(body, fresh):
                self._read(inner)
            made = [operand(self._full(self._slot(fresh(v)), v.aval.shape)) for v in body.outvars]
            return made[:carried], made[carried:]

        rows = tuple([(x, side) for x in operands[first:]])
        return looped(self.builder, Loop(p["length"], tuple(operands[outside:first]), rows, results, one), batch=self.batch)

    def _folded(self, equation: Equation, known: Sequence[Known]) -> list[Slot]:
        """Compute what does not depend on the inputs; a parameter whose entries only move remains one."""

        def results(*operands: Numbers) -> list[Numbers]:
            values = equation.primitive.bind(*[self.jax.numpy.asarray(a) for a in operands], **equation.params)
            return [np.asarray(v) for v in (values if equation.primitive.multiple_results else [values])]

        whole = [
            x.moved(lambda array, v=v: np.broadcast_to(array, v.aval.shape))
            for x, v in zip(known, equation.arguments, strict=True)
        ]
        arrays = results(*[x.array for x in whole])
        if equation.name not in KEPT or not known[0].is_learned:
            return [Known(array, "constant", is_learned=False) for array in arrays]
        first, *others = whole
        moved = [first.numbers] if equation.name in CONVERSIONS else results(first.numbers, *[x.array for x in others])
        return [Known(array, first.name, is_learned=True, places=places) for array, places in zip(arrays, moved, strict=True)]

    def _instead(self, shape: Sequence[int]) -> Tensor:
        shape = tuple(shape)
        batch = 0 if self.batch and shape[:1] == (1,) else None
        return Tensor(self.builder.variable((shape[1:] if batch == 0 else shape) or (1,)), shape, batch)


class _Fresh:
    """A variable of a function, for one of its calls."""

    def __init__(self, aval: Untyped) -> None:
        self.aval = aval


class _Renamed:
    """The variables of a function, for one of its calls."""

    def __init__(self, names: dict[Untyped, Untyped]) -> None:
        self.names = names

    def __call__(self, var: Untyped) -> Untyped:
        """Return what a variable of the function stands for."""
        return var if hasattr(var, "val") else self.names.get(var, var)


def _parameter(leaf: Untyped, name: str) -> Known:
    """Return a parameter; numbers of Python among the parameters, such as sizes and rates, are constants."""
    array = np.asarray(leaf)
    return Known(array, name, is_learned=hasattr(leaf, "shape") and bool(np.issubdtype(array.dtype, np.floating)))


def _is_table(equation: Equation, known: Sequence[Known]) -> bool:
    """Whether an equation takes rows of a matrix of parameters at constant places."""
    return equation.name == "gather" and known[0].is_weight and takes_rows(equation, *known)
