"""A session for Python: ``rh.run("…")``, ``rh.heap["w0"]``, ``rh.const("t", V)``, ``rh.data("mine", x=X)``."""

import sys
import textwrap
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from rh_kernel.display.text import visible
from rh_kernel.display.view_files import encode_view
from rh_kernel.session.directives.heap import held_locations
from rh_kernel.session.results import ClusterShown, DeclarationMade, Event, ItemFailed, Notice, Result, Shown
from rh_kernel.session.session import Session, commit, execute, is_same
from rh_kernel.session.signatures import type_text
from rh_kernel.source.diagnostic import Failure, KernelBug
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array
from rh_kernel.training.data import DataSet
from rh_kernel.workspace.errors import Busy, Stopped, Wrong
from rh_kernel.workspace.frames import frame_arrays, unframed
from rh_kernel.workspace.interrupts import Interrupts
from rh_kernel.workspace.ipython_display import shell
from rh_kernel.workspace.outcome import unwritable
from rh_kernel.workspace.outcomes import Derivation, Diagram, Gradient, Outcome, Race, Run, Sweep, Trace, outcome
from rh_kernel.workspace.python_values import ArrayInput, with_cluster, with_constant, with_data

if TYPE_CHECKING:
    from rh_kernel.workspace.growth import Growth
    from rh_kernel.workspace.imports import Imported

K = TypeVar("K", bound=Outcome[Result])
V = TypeVar("V")


class Workspace:
    """The declarations so far and the heap. A program that fails or is interrupted leaves both unchanged.

    ``folder`` is the base of relative paths in programs, by default the current working directory.
    """

    def __init__(self, folder: Path | str | None = None) -> None:
        self._session = Session.start(Path.cwd() if folder is None else Path(folder), encode_view=encode_view)
        self._turn = threading.Lock()

    @property
    def session(self) -> Session:
        """The current session, an immutable value."""
        return self._session

    @property
    def heap(self) -> Mapping[str, Array]:
        """The content of each location that has a name, read-only: programs change it with ``Put``."""
        locations = held_locations(self._session.definitions, self._session.heap)
        return MappingProxyType({name: unwritable(self._session.heap[location]) for name, location in locations.items()})

    @property
    def sweep(self) -> Sweep | None:
        """The last sweep: its runs with their numbers, measures and curves; ``None`` if there was none."""
        done = self._session.sweep
        return None if done is None else Sweep(done)

    def run(self, text: str) -> Run:
        """Run a program: declarations, terms, commands and directives. It takes effect as a whole or not at all.

        Raises ``Wrong`` if an item is wrong or gets stuck, ``KeyboardInterrupt`` if it is interrupted.
        """
        return Run(tuple([outcome(result) for result in self.take(Source("program", textwrap.dedent(text)))]))

    def trace(self, subject: str) -> Trace:
        """Evaluate a term or a command and return every reduction step. Raises as ``run`` does."""
        return self._run_directive("trace", subject, Trace)

    def gradient(self, subject: str, against: str | None = None) -> Gradient:
        """Run a command and return every value computed, forward and backward. Raises as ``run`` does.

        ``against`` is a second command to compare with, run from the same heap; only the first takes effect.
        """
        return self._run_directive("gradient", subject if against is None else f"{subject}\nagainst {against}", Gradient)

    def diagram(self, subject: str) -> Diagram:
        """Return the string diagram of a term, a command or a net. Raises as ``run`` does."""
        return self._run_directive("diagram", subject, Diagram)

    def derivation(self, subject: str) -> Derivation:
        """Return the typing derivation of a term, a command or a name. Raises as ``run`` does."""
        return self._run_directive("derivation", subject, Derivation)

    def race(self, training: str) -> Race:
        """Train with several handlers, ``train P with H1, H2 for …``, and compare them; the heap stays as it is.

        Raises as ``run`` does.
        """
        return self._run_directive("race", training, Race)

    def export(self, net: str, file: Path | str, target: str | None = None) -> Run:
        """Write a net, with its weights, as a function of NumPy, JAX, PyTorch or ONNX. Raises as ``run`` does.

        ``target`` is ``"numpy"``, ``"jax"``, ``"torch"`` or ``"onnx"``; by default the suffix of the file decides.
        """
        return self.run(f'%export {net} to "{file}"{f" as {target}" if target else ""}')

    def growth(self, family: Callable[[int], str], sizes: Iterable[int], *counts: str) -> "Growth":
        """Count operations of the AD systems as programs grow. Declares nothing. Raises ``Wrong``.

        ``family`` maps a size to the text of a ``%%lambda`` cell that ends in ``%ad all f(…)``. A count names a system and
        what to count: ``"chad"`` for its operations, ``"chad visits"``, ``"linear-negation steps"``.
        """
        from rh_kernel.workspace.growth import measured

        return measured(self._session, family, sizes, counts)

    def const(self, name: str, value: ArrayInput) -> Outcome[DeclarationMade]:
        """Declare a constant: a number has type ``Real(1)``, an array its shape, a tuple a product. Raises ``Wrong``."""
        return Outcome(self._change(lambda session: with_constant(session, name, value)))

    def data(self, name: str, frame: object = None, /, **arrays: object) -> Outcome[Notice]:
        """Make ``data("name")`` stand for these arrays, one sample per row. Raises ``Wrong``.

        They are arrays, nested lists, or frames and series of pandas or polars. A whole ``frame`` is like a ``.csv`` of its
        columns: ``x0 x1 … t`` form the arrays ``x`` and ``t``. What can be written to is copied, and so are several columns
        of a frame, which are made into rows; a read-only array of float64, such as a single column, is not, so do not change
        such a frame in place.
        """

        def change(session: Session) -> tuple[Session, DataSet]:
            columns = {} if frame is None else frame_arrays(frame)
            return with_data(session, name, {**columns, **unframed(arrays)})

        found = self._change(change)
        samples = "1 sample" if found.size == 1 else f"{found.size:,} samples"
        types = ", ".join([f"{key} : {A}" for key, A in found.types.items()])
        return Outcome(Notice(f'data("{name}"): {samples} of {types}'))

    def cluster(self, cluster: object) -> Outcome[ClusterShown]:
        """Compute pieces on a cluster or client of ``distributed`` that Python made, as ``%cluster`` does. Raises ``Wrong``.

        ``%cluster off`` disconnects from it; its creator closes it.
        """
        return Outcome(self._change(lambda session: with_cluster(session, cluster)))

    def import_torch(
        self, module: object, example: object, *, batch: bool = True, state_dict: Path | str | None = None
    ) -> "Imported":
        """Read a ``torch.nn.Module`` in memory, and return it as a program for one sample, with its weights. Raises ``Wrong``.

        ``example`` is a tensor, or a tuple of tensors, with which the module can be called: one sample, whose first axis of
        length 1 is left out in the program; with ``batch=False`` the module takes a sample as such. ``.text`` is the program,
        and ``.save("net.rh")`` writes it and the weights. Its last item checks what the module gives for the example.
        ``state_dict`` is a file of tensors, as ``torch.save(module.state_dict(), file)`` writes it, for a copy of the module.
        """
        from rh_kernel.workspace.imports import imported

        file = None if state_dict is None else self._session.folder / state_dict
        return imported(
            self._session.folder, lambda sources: sources.import_torch(module, example, batch=batch, state_dict=file)
        )

    def import_onnx(
        self,
        file: Path | str,
        example: Mapping[str, object] | None = None,
        *,
        batch: bool = True,
        results: Sequence[str] = (),
    ) -> "Imported":
        """Read the model in an ``.onnx`` file, as ``import_torch`` does a module. Raises ``Wrong``.

        ``example`` gives arrays for inputs by their names; for the others numbers are drawn. ``results`` names the results that
        are wanted, by default all.
        """
        from rh_kernel.workspace.imports import imported

        path = self._session.folder / file
        return imported(self._session.folder, lambda sources: sources.import_onnx(path, example, batch=batch, results=results))

    def import_jax(self, function: object, example: object, params: object = None, *, batch: bool = True) -> "Imported":
        """Read a function of JAX, as ``import_torch`` does a module; its parameters are ``params``, if given. Raises ``Wrong``.

        With ``params``, arrays in dictionaries, lists and tuples, the function is called as ``function(params, *example)``, and
        the arrays are locations with their names there; those that it closes over are constants. Without, these are locations.
        """
        from rh_kernel.workspace.imports import imported

        return imported(self._session.folder, lambda sources: sources.import_jax(function, example, params, batch=batch))

    def _change(self, change: Callable[[Session], tuple[Session, V]]) -> V:
        """Replace the session by what ``change`` makes of it, and return what ``change`` adds."""
        interrupts = Interrupts()
        with interrupts.watched(), self.changing() as put:
            try:
                after, given = change(self._session)
            except Failure as failure:
                raise Wrong(*failure.diagnostics) from None
            put(commit(self._session, after))
        if interrupts.asked:
            raise Stopped(kept=True)
        return given

    @contextmanager
    def changing(self) -> Generator[Callable[[Session], None]]:
        """Yield a function that replaces the session.

        While one program runs, others may only read: replacing the session by a different one then raises ``Busy``. Use it only
        inside ``Interrupts.watched``: an interrupt on entry would leave the session busy forever.
        """
        before = self._session
        acquired = self._turn.acquire(blocking=False)

        def put(session: Session) -> None:
            if acquired:
                self._session = session
            elif not is_same(before, session):
                raise Busy

        try:
            yield put
        finally:
            if acquired:
                self._turn.release()

    def __repr__(self) -> str:
        """The declared names with their types, one per line."""
        declared = self._session.definitions.named.values()
        lines = [f"{d.definition.name} : {type_text(d.definition)}" for d in declared if d.span is not None]
        return visible("\n".join(lines)) if lines else "nothing has been declared"

    def take(self, source: Source, listen: Callable[[Event], None] | None = None) -> tuple[Result, ...]:
        """Run a program and return its results; ``listen`` receives each event as it happens.

        Raises ``Wrong``, ``Stopped`` (a ``KeyboardInterrupt``), and ``Busy`` if another program is still running.
        """
        interrupts, found = Interrupts(), list[Result]()
        try:
            with (
                interrupts.watched(),
                self.changing() as put,
                closing(execute(before := self._session, source, announces=listen is not None)) as events,
            ):
                while True:
                    try:
                        event = interrupts.step(events)
                    except StopIteration as end:
                        put(end.value)
                        break
                    if isinstance(event, Shown):
                        found.append(event.result)
                    if listen is not None:
                        interrupts.show(listen, event)
        except KeyboardInterrupt:
            raise Stopped(kept=False) from None
        if interrupts.delivered:
            raise Stopped(kept=self._session is not before)
        diagnostics = [d for result in found if isinstance(result, ItemFailed) for d in result.diagnostics]
        if diagnostics:
            raise Wrong(*diagnostics)
        return tuple(found)

    def _run_directive(self, directive: str, subject: str, kind: type[K]) -> K:
        """Run one directive; lines after the first are indented so that they cannot start items of their own."""
        first, *others = textwrap.dedent(subject).strip().split("\n")
        text = "\n".join([f"%{directive} {first}", *[f"  {line}" for line in others]])
        found = outcome(self.take(Source(directive, text))[-1])
        if not isinstance(found, kind):
            raise KernelBug(f"`%{directive}` gave something else")
        return found


_WORKSPACES: "WeakKeyDictionary[object, Workspace]" = WeakKeyDictionary()


class _Process:
    """The key of the workspace outside notebooks."""


_PROCESS = _Process()


def workspace_of(where: object) -> Workspace:
    """Return the workspace of a shell, creating it if needed."""
    if where not in _WORKSPACES:
        _WORKSPACES[where] = Workspace()
    return _WORKSPACES[where]


def share(where: object, workspace: Workspace) -> None:
    """Make ``workspace`` the workspace of a shell."""
    _WORKSPACES[where] = workspace


def current() -> Workspace:
    """Return the workspace of the current notebook, shared with ``%%rh``; outside notebooks, the one of the process."""
    where = shell() if "IPython" in sys.modules else None
    return workspace_of(_PROCESS if where is None else where)
