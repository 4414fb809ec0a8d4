"""Reading a module of PyTorch: ``torch.export`` gives its graph of ATen operations, before any is decomposed."""

import operator
import warnings
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path

import numpy as np

from rh_kernel.interchange.errors import BadModel
from rh_kernel.interchange.model import Model, Numbers
from rh_kernel.interchange.sources import example as examples
from rh_kernel.interchange.sources import markers
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Unsupported
from rh_kernel.interchange.sources.libraries import Untyped, library
from rh_kernel.interchange.sources.pytorch.operations import CONVERSIONS, KEPT, OPERATIONS, REFUSED, VIEWS, is_table
from rh_kernel.interchange.sources.refusals import WRONG, Refusals, shown
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.training.errors import NoSuchFile


def read_torch(module: Untyped, example: Untyped, *, batch: bool = True, state_dict: Path | None = None) -> Model:
    """Read a ``torch.nn.Module`` in memory. Raises ``Rejected``, which names all operations that have no counterpart.

    ``example`` is a tensor or a tuple of tensors, the arguments of a call, for one sample: the first axis of each has the
    length 1, and is left out in the program. With ``batch=False`` the module takes a sample as such. ``state_dict`` is a file
    of weights, which a copy of the module gets; it holds tensors only, and nothing in it is executed.
    """
    torch = library("import_torch", "torch", "torch.export")
    arguments = tuple(example) if isinstance(example, tuple | list) else (example,)
    if not isinstance(module, torch.nn.Module):
        raise Rejected(BadModel(name=type(module).__name__, why="it is not a module of PyTorch", expected="a torch.nn.Module"))
    name = type(module).__name__
    if any(not isinstance(x, torch.Tensor) for x in arguments) or not arguments:
        raise Rejected(BadModel(name=name, why="the example is not a tensor or a tuple of tensors"))
    if state_dict is not None:
        module = _with_weights(torch, module, state_dict)
    reader = _Reader(torch, module, arguments, batch=batch)
    return markers.without_markers(reader.read(name), reader.builder, reader.refusals)


def _with_weights(torch: Untyped, module: Untyped, file: Path) -> Untyped:
    """Return a copy of the module with the weights in a file. Raises ``Rejected`` if it holds anything else."""
    if not file.is_file():
        raise Rejected(NoSuchFile(name=shown(file.name), hint="paths are relative to the folder where Python runs"))
    copy = deepcopy(module)
    try:
        if file.suffix == ".safetensors":
            weights = library("import_torch", "safetensors.torch").load_file(file)
        else:
            weights = torch.load(file, map_location="cpu", weights_only=True)
        copy.load_state_dict(weights)
    except Exception as failure:
        found = shown(str(failure).strip().split("\n")[0])
        expected = "the state_dict of this module, saved by torch.save or as .safetensors"
        why = "it does not hold the weights of the module, or not these alone"
        raise Rejected(BadModel(name=shown(file.name), why=why, found=found, expected=expected)) from None
    return copy


class _Reader:
    def __init__(self, torch: Untyped, module: Untyped, arguments: tuple[Untyped, ...], *, batch: bool) -> None:
        self.torch, self.module, self.arguments, self.batch = torch, module, arguments, batch
        self.builder, self.refusals = Builder(), Refusals()
        self.values: dict[Untyped, Untyped] = {}

    def read(self, name: str) -> Model:
        program, expected = self._exported(name)
        signature, parameters = program.graph_signature, dict(program.named_parameters())
        taken = [spec.arg.name for spec in signature.input_specs if spec.kind.name == "USER_INPUT"]
        if len(taken) != len(self.arguments):
            raise Rejected(BadModel(name=name, why=f"it has {len(taken)} inputs, and the example {len(self.arguments)}"))
        named = [(n, _numbers(x)) for n, x in zip(taken, self.arguments, strict=True)]
        inputs, tensors = examples.inputs(self.builder, named, batch=self.batch)
        known = dict(zip(taken, tensors, strict=True))
        arrays = {**program.state_dict, **program.constants}
        for node in program.graph.nodes:
            if node.op == "placeholder":
                self.values[node] = known.get(node.name) or self._weight(node.name, signature, arrays, parameters)
            elif node.op == "call_function":
                self.values[node] = self._call(node)
                if _is_in_place(node):
                    self.values[node.args[0]] = self.values[node]
            elif node.op != "output":
                self.refusals.add(node.op, node.name, "there is no counterpart", "")
        self.refusals.check()
        (last,) = [node for node in program.graph.nodes if node.op == "output"]
        asked = [
            node
            for node, spec in zip(last.args[0], signature.output_specs, strict=True)
            if spec.kind.name == "USER_OUTPUT" and isinstance(node, self.torch.fx.Node)
        ]
        results = examples.outputs(self.builder, [self.values[node] for node in asked], expected, batch=self.batch)
        sizes = [x.element_size() for x in (*parameters.values(), *self.arguments) if x.is_floating_point()]
        dtypes = [np.dtype(f"f{max(size, 2)}") for size in sizes]
        origin = f"The module {shown(name)} of PyTorch"
        return Model(name, origin, tuple(inputs), tuple(self.builder.nodes), results, examples.tolerance(dtypes))

    def _exported(self, name: str) -> tuple[Untyped, list[Numbers]]:
        """Return the exported program, and the results of the module for the example.

        An operation in place is read as one that gives its first argument another value; where this has views, the program is
        rewritten by ``torch.export``, which decomposes some of its operations.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                program = self.torch.export.export(self.module, self.arguments)
                if any(_is_in_place(node) and _has_views(node.args[0]) for node in program.graph.nodes):
                    program = program.run_decompositions({})
                with self.torch.enable_grad():
                    results = self.module(*self.arguments)
            except Exception as failure:
                why = f"torch.export fails: {shown(str(failure).strip().split(chr(10))[0])}"
                raise Rejected(BadModel(name=name, why=why, hint="the graph may not depend on values")) from None
        leaves = library("import_torch", "torch.utils._pytree").tree_leaves(results)
        return program, [_numbers(leaf) for leaf in leaves if isinstance(leaf, self.torch.Tensor)]

    def _weight(self, node: str, signature: Untyped, arrays: Mapping[str, Untyped], parameters: Mapping[str, Untyped]) -> Known:
        targets = {spec.arg.name: spec.target for spec in signature.input_specs}
        target, content = targets[node], arrays[targets[node]]
        # A parameter that two modules share has the name that it has in the first of them.
        first = next((n for n, p in parameters.items() if p is content or self._is_shared(p, content)), None)
        return Known(_numbers(content), str(first or target), is_learned=first is not None)

    def _is_shared(self, p: Untyped, content: Untyped) -> bool:
        return bool(p.numel()) and p.data_ptr() == content.data_ptr() and p.shape == content.shape

    def _call(self, node: Untyped) -> Untyped:
        if node.target is operator.getitem:
            source, place = node.args
            return self.values[source][place]
        schema = getattr(node.target, "_schema", None)
        name = "" if schema is None else _name(schema)
        arguments = {} if schema is None else self._arguments(schema, node)
        operands = [x for a in arguments.values() for x in (a if isinstance(a, list) else [a])]
        if schema is not None and not any(isinstance(x, Tensor) for x in operands) and not is_table(name, arguments):
            return self._folded(node, name, operands)
        self.builder.place = (name, _place(node))
        try:
            if name not in OPERATIONS:
                why, instead = REFUSED.get(name, ("there is no counterpart", ""))
                raise Unsupported(why, instead)
            return OPERATIONS[self._converted(node, name)](self.builder, arguments)
        except Unsupported as refused:
            self.refusals.add(name or str(node.target), _place(node), refused.why, refused.instead)
            return self._instead(node)
        except WRONG as failure:
            self.refusals.add_wrong(name or str(node.target), _place(node), failure)
            return self._instead(node)

    def _converted(self, node: Untyped, name: str) -> str:
        """Return the name of an operation: ``round_off`` for one that makes whole numbers of others. Raises ``Unsupported``."""
        after = getattr(node.meta.get("val"), "dtype", None)
        if after is self.torch.bool and name == "add":
            raise Unsupported("it adds truth values", "use | for or")
        if after is None or name not in CONVERSIONS:
            return name
        before = node.args[0].meta["val"].dtype
        if after is self.torch.bool and before is not self.torch.bool:
            raise Unsupported("it makes truth values of numbers", "compare with > or <")
        return "round_off" if before.is_floating_point and not after.is_floating_point else name

    def _arguments(self, schema: Untyped, node: Untyped) -> dict[str, Untyped]:
        given = dict(zip([a.name for a in schema.arguments], node.args, strict=False)) | dict(node.kwargs)
        return {a.name: self._value(given.get(a.name, a.default_value)) for a in schema.arguments}

    def _value(self, given: Untyped) -> Untyped:
        if isinstance(given, self.torch.fx.Node):
            return self.values[given]
        return [self._value(x) for x in given] if isinstance(given, list | tuple) else given

    def _folded(self, node: Untyped, name: str, operands: Sequence[Untyped]) -> Untyped:
        """Compute what does not depend on the inputs; a parameter whose entries only move remains one."""

        def computed(first: Known | None = None) -> Untyped:
            """Compute with the numbers of the entries of this parameter instead of its entries, if one is given."""

            def back(given: Untyped) -> Untyped:
                if isinstance(given, self.torch.fx.Node):
                    return back(self.values[given])
                if isinstance(given, Known):
                    array = given.numbers if given is first else given.array
                    return self.torch.from_numpy(np.ascontiguousarray(array).reshape(array.shape))
                return [back(x) for x in given] if isinstance(given, list | tuple) else given

            with self.torch.no_grad():
                return node.target(*[back(x) for x in node.args], **{k: back(x) for k, x in node.kwargs.items()})

        def made(value: Untyped, places: Untyped) -> Untyped:
            if isinstance(value, self.torch.Tensor):
                if learned is None:
                    return Known(_numbers(value), node.name, is_learned=False)
                moved = learned.numbers if name in CONVERSIONS else _numbers(places)
                return Known(_numbers(value), learned.name, is_learned=True, places=moved)
            return [made(x, y) for x, y in zip(value, places, strict=True)] if isinstance(value, list | tuple) else value

        first, *others = [x for x in operands if isinstance(x, Known)] or [None]
        is_moved = first is not None and first.is_learned and name in KEPT and not any(x and x.is_learned for x in others)
        learned = first if is_moved else None
        result = computed()
        return made(result, computed(learned) if learned is not None and name not in CONVERSIONS else result)

    def _instead(self, node: Untyped) -> Untyped:
        """Return a value in the place of the result of a refused operation, so that the others are read too."""

        def made(value: Untyped) -> Operand | list[Untyped]:
            if isinstance(value, list | tuple):
                return [made(x) for x in value]
            shape = tuple([int(n) for n in getattr(value, "shape", ())])
            batch = 0 if self.batch and shape[:1] == (1,) else None
            there = shape[1:] if batch == 0 else shape
            return Tensor(self.builder.variable(there or (1,)), shape, batch)

        return made(node.meta.get("val"))


def _is_in_place(node: Untyped) -> bool:
    schema = getattr(node.target, "_schema", None)
    return schema is not None and bool(schema.is_mutable)


def _has_views(node: Untyped) -> bool:
    """Whether a value shares its entries with another."""
    others = [node, *getattr(node, "users", ())]
    return any(_name(getattr(n.target, "_schema", None)) in VIEWS or n.target is operator.getitem for n in others)


def _name(schema: Untyped) -> str:
    """Return the name of an operation; of one in place, that of the one which is not."""
    if schema is None:
        return ""
    name = str(schema.name).removeprefix("aten::")
    return name.removesuffix("_") if schema.is_mutable else name


def _place(node: Untyped) -> str:
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    return str(stack[-1][0] or node.name) if stack else str(node.name)


def _numbers(x: Untyped) -> Numbers:
    x = x.detach().cpu()
    if str(x.dtype) == "torch.bfloat16":
        x = x.float()
    return x.numpy().copy()
