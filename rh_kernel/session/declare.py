"""Declarations, and the initial content of a location as an array (LANGUAGE §3)."""

import math
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import run
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.primitives.values import to_array
from rh_kernel.session.actions import Action, Run, State
from rh_kernel.session.errors import CannotLoad
from rh_kernel.session.limits.budget import byte_limit, check_size, limits
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import Change, DeclarationMade, Result, Shown, Working
from rh_kernel.session.settings import Settings
from rh_kernel.session.signatures import type_text
from rh_kernel.session.storage import has_names, read
from rh_kernel.source.diagnostic import KernelBug, Rejected
from rh_kernel.source.interruptible import when_large
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.source.tables import table
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Real, concrete_shape
from rh_kernel.training.data import is_file
from rh_kernel.training.reading.npy import SingleArray, is_archive
from rh_kernel.training.reading.reader import Blocks, Damaged, error_text
from rh_kernel.typing.definitions import (
    Definition,
    Drawn,
    FunDefinition,
    Initial,
    Loaded,
    LocDefinition,
    LocFamilyDefinition,
    Written,
    kind_of,
    locations_of,
)


@frozen
class Declare(Action):
    """A declaration, already among the definitions; ``type`` and ``content`` are the spans of its two sides."""

    definition: Definition
    type: Span
    content: Span

    def summary(self, text: str) -> Result:
        """Return the type."""
        return DeclarationMade(self.definition.name, kind_of(self.definition), type_text(self.definition))

    def run(self, number: int, state: State) -> Run:
        """Compute the initial content of a location."""
        definition = self.definition
        contents = yield from self.contents(state)
        changes = tuple([Change(location, None, content) for location, content in contents.items()])
        kind = kind_of(definition)
        if isinstance(definition, FunDefinition) and definition.name in SYMBOLS:
            kind += " in the place of the one that comes with the language"
        yield Shown(number, DeclarationMade(definition.name, kind, type_text(definition), changes))
        return with_contents(state, contents)

    def contents(self, state: State) -> Generator[Working, None, Mapping[Location, Array]]:
        """Return the initial contents of the declared locations. Raises ``Failure``."""
        definition = self.definition
        if not isinstance(definition, LocDefinition | LocFamilyDefinition):
            return {}
        return (yield from working(self._contents(definition, state), "making the initial content"))

    def _contents(self, definition: LocDefinition | LocFamilyDefinition, state: State) -> Blocks[Mapping[Location, Array]]:
        """Return the initial content of each location, read-only arrays; a file is read in blocks.

        Raises ``Rejected`` for a file that does not fit, ``Stuck`` for arrays that are too large or a term without a value.
        """
        name, locations = definition.name, locations_of(definition)
        A = Real(definition.location.shape if isinstance(definition, LocDefinition) else definition.family.shape)
        shape = concrete_shape(A)
        if shape is None:
            raise KernelBug(f"the location {name} has the open type {A}")
        number = "" if isinstance(definition, LocDefinition) else f"{len(locations)} locations "
        check_size(math.prod(shape) * len(locations), f"{number}`{name}` of type {A}", self.type, state.settings)
        match definition, definition.initial:
            case LocFamilyDefinition(), Drawn() as drawn:
                return {
                    location: _read_only(when_large(math.prod(shape), partial(_draw, drawn, shape, (drawn.seed, i))))
                    for i, location in enumerate(locations)
                }
            case _, Loaded(path) if has_names(Path(path)):
                return (yield from _named(state, path, locations, self.content))
            case _, initial:
                array = yield from _initial_content(initial, shape, state.folder, self.content, state.settings)
                return dict.fromkeys(locations, array)


def with_contents(state: State, contents: Mapping[Location, Array]) -> State:
    """Return the state with new locations."""
    heap, initial = table(state.heap), table(state.initial)
    for location, content in contents.items():
        heap, initial = heap.with_(location, content), initial.with_(location, content)
    return replace(state, heap=heap, initial=initial) if contents else state


def _initial_content(
    initial: Initial, shape: tuple[int, ...], folder: Path, content: Span, settings: Settings
) -> Blocks[Array]:
    """Return the content as a read-only array; a file is read in blocks. ``content`` is the span of its declaration."""
    match initial:
        case Written(term):
            array = to_array(run(term, Heap(), limits(settings)).value)
        case Drawn() as drawn:
            array = when_large(math.prod(shape), partial(_draw, drawn, shape, drawn.seed))
        case Loaded(path):
            array = yield from _load(folder / path, path, shape, content)
    return _read_only(array)


def _read_only(array: Array) -> Array:
    array.setflags(write=False)
    return array


def _draw(drawn: Drawn, shape: tuple[int, ...], seed: int | tuple[int, int]) -> Array:
    """Draw an array with the generator of this seed; for the i-th location of a family that is ``(seed, i)``."""
    match drawn.how, drawn.numbers:
        case "zeros", ():
            return np.zeros(shape)
        case "ones", ():
            return np.ones(shape)
        case "eye", ():
            return np.eye(shape[0], shape[1])
        case "normal", (deviation,):
            return np.random.default_rng(seed).normal(0.0, abs(deviation), shape)
        case "uniform", (low, high):
            rng = np.random.default_rng(seed)
            if math.isfinite(high - low):
                return rng.uniform(low, high, shape)
            u = rng.uniform(0.0, 1.0, shape)
            return low * (1 - u) + high * u
        case "glorot", ():
            bound = math.sqrt(6.0 / max(shape[0] + shape[-1], 1))
            return np.random.default_rng(seed).uniform(-bound, bound, shape)
        case how, _:
            raise KernelBug(f"there is no initial content `{how}`")


def _named(state: State, written: str, locations: Sequence[Location], span: Span) -> Blocks[Mapping[Location, Array]]:
    """Return the arrays that have the names of the locations, read-only, from a file of arrays by name. Raises ``Rejected``."""
    named, limit = {location.name: location for location in locations}, byte_limit(state.settings)
    restored = yield from read(state.folder / written, state.files, named, limit, span, CannotLoad)
    return {named[name]: _read_only(array) for name, array in restored.changes.items()}


def _load(file: Path, written: str, shape: tuple[int, ...], span: Span) -> Blocks[Array]:
    """Return the array in an ``.npy`` file, read only if its header says that it fits. Raises ``Rejected``."""

    def refuse(why: str, hint: str = "", found: str = "", expected: str = "") -> Rejected:
        return Rejected(CannotLoad(span=span, why=why, hint=hint, found=found, expected=expected))

    if not is_file(file):
        raise refuse(f'there is no file "{written}"', hint="paths are relative to the notebook or file")
    try:
        if is_archive(file):
            raise refuse(f'"{written}" contains several arrays', hint="save one array with numpy.save")
        with closing(SingleArray(file)) as reader:
            (name,) = reader.names
            header = reader.header(name)
            if not header.is_real:
                raise refuse(f'"{written}" does not contain real numbers', found=header.entries)
            if header.shape != shape:
                found, expected = (f"Real({', '.join([str(n) for n in s])})" for s in (header.shape, shape))
                raise refuse(f'the array in "{written}" has the wrong shape', found=found, expected=expected)
            return (yield from reader.read([name]))[name]
    except (Damaged, OSError) as failure:
        hint = "write it with numpy.save, without Python objects"
        raise refuse(f'"{written}" is not an array saved as .npy', hint=hint, found=error_text(failure)) from None
