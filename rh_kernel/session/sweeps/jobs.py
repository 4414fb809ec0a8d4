"""Jobs: all that the runs of a sweep need besides their numbers, as bytes that other processes can read.

A job holds records of ours and arrays, and no code of the user's. So its reader accepts nothing else: it makes records and
enumerations of this package, arrays and paths, and refuses bytes that name any other class or function.
"""

import copyreg
import io
import pickle
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from enum import Enum
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from rh_kernel.session.settings import Settings
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.source.tables import Table
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.surface_items import SweepParameter, SweptItem
from rh_kernel.typing.definitions import Definitions, NumberDefinition

Values: TypeAlias = tuple[tuple[str, float], ...]
"""The numbers of one run, by name; whole ones are ``int`` if they were written so."""

_STACK, _DEPTH = 256 << 20, 200_000
"""The bytes of stack and the depth of recursion with which declarations are pickled: a chain of lets nests as it is long."""

_PICKLING = threading.Lock()


@frozen
class Job:
    """The items of a sweep, and the session that each of its runs begins with.

    ``threads`` is how many threads a matrix product takes in the kernel, since their number decides the last digits.
    """

    items: tuple[SweptItem, ...]
    folder: Path
    definitions: Definitions
    heap: Mapping[Location, Array]
    initial: Mapping[Location, Array]
    given: Mapping[str, Mapping[str, Array]]
    settings: Settings
    threads: int


def combinations(parameters: Sequence[SweepParameter]) -> tuple[Values, ...]:
    """The numbers of all runs in order: the last name varies fastest."""
    names = [parameter.name.text for parameter in parameters]
    return tuple([tuple(zip(names, row, strict=True)) for row in product(*[p.values for p in parameters])])


def with_numbers(definitions: Definitions, parameters: Sequence[SweepParameter], values: Values) -> Definitions:
    """The definitions in which the run with these numbers is checked."""
    places: dict[str, Span] = {parameter.name.text: parameter.name.span for parameter in parameters}
    return _with(definitions, values, places)


def of_run(job: Job, values: Values) -> Definitions:
    """The definitions with which the run with these numbers begins."""
    return _with(job.definitions, values, {})


def _with(definitions: Definitions, values: Values, places: Mapping[str, Span]) -> Definitions:
    for name, value in values:
        definitions = definitions.with_(NumberDefinition(name, value), places.get(name), text=f"{name} = {value}")
    return definitions


def text_of(values: Values) -> str:
    """``a = 0.1, seed = 3``"""
    return ", ".join([f"{name} = {value}" for name, value in values])


def packed(job: Job) -> bytes:
    """Return the job as bytes, without the cluster. Raises ``RecursionError`` if its declarations are nested too deeply."""
    job = replace(job, settings=replace(job.settings, cluster=None))
    with _deep_stack(), ThreadPoolExecutor(1) as thread:
        return thread.submit(_written, job).result()


def unpacked(data: bytes) -> Job:
    """Return the job that ``packed`` has packed; its arrays are read-only. Raises ``UnpicklingError`` for other bytes."""
    job = _JobReader(io.BytesIO(data)).load()
    if not isinstance(job, Job):
        raise pickle.UnpicklingError("this is no job of a sweep")
    given = {name: _read_only(arrays) for name, arrays in job.given.items()}
    return Job(
        job.items,
        job.folder,
        job.definitions,
        _read_only(job.heap),
        _read_only(job.initial),
        MappingProxyType(given),
        job.settings,
        job.threads,
    )


def _written(job: Job) -> bytes:
    data = io.BytesIO()
    _JobWriter(data, 5).dump(job)
    return data.getvalue()


class _JobWriter(pickle.Pickler):
    """Writes enumerations by their values. Python 3.11.0 to 3.11.3 would write a call of ``getattr``, which no job contains."""

    def reducer_override(self, obj: object, /) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return the class and value of a member of an enumeration."""
        return (type(obj), (obj.value,)) if isinstance(obj, Enum) else NotImplemented


class _JobReader(pickle.Unpickler):
    """Reads what jobs consist of: records and enumerations of this package, tables, arrays, and paths."""

    def find_class(self, module_name: str, global_name: str, /) -> object:
        """Return a class or function that makes a part of a job. Raises ``UnpicklingError`` for any other one."""
        is_ours = module_name.startswith(_PACKAGE)
        if is_ours or (module_name, global_name) in _OTHERS:
            found: object = super().find_class(module_name, global_name)
            if not is_ours or found is _mapping or _is_record(found):
                return found
        raise pickle.UnpicklingError(f"a job of a sweep contains no {module_name}.{global_name}")


_PACKAGE = "rh_kernel."

_OTHERS = {
    ("builtins", "frozenset"),
    ("builtins", "set"),
    *[(f"numpy.{core}.multiarray", "_reconstruct") for core in ("core", "_core")],
    *[(f"numpy.{core}.numeric", "_frombuffer") for core in ("core", "_core")],
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    *[(module, name) for module in ("pathlib", "pathlib._local") for name in ("PosixPath", "WindowsPath")],
}
"""What makes sets, arrays and paths, by module and name."""


def _is_record(found: object) -> bool:
    """Whether this is a class whose instances are data: a record, an enumeration or a ``Table``."""
    if not isinstance(found, type):
        return False
    made: type[object] = found
    return issubclass(made, Enum | Table) or is_dataclass(made)


def _read_only(arrays: Mapping[Any, Array]) -> Mapping[Any, Array]:
    """Copies, since an unpickled array may be unaligned, and is writeable."""
    copies = {key: np.array(array) for key, array in arrays.items()}
    for copy in copies.values():
        copy.setflags(write=False)
    return MappingProxyType(copies)


@contextmanager
def _deep_stack() -> Generator[None]:
    """Let a thread that is started within the block recurse deeply."""
    with _PICKLING:
        size, depth = threading.stack_size(_STACK), sys.getrecursionlimit()
        sys.setrecursionlimit(max(depth, _DEPTH))
        try:
            yield
        finally:
            sys.setrecursionlimit(depth)
            threading.stack_size(size)


def _mapping(entries: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(entries)


def _pickled(mapping: MappingProxyType[Any, Any]) -> tuple[Callable[..., MappingProxyType[Any, Any]], tuple[dict[Any, Any]]]:
    return _mapping, (dict(mapping),)


copyreg.pickle(MappingProxyType, _pickled)
