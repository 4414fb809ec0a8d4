"""A session that goes on, for Python: ``rh.run("…")``, ``rh.heap["w0"]``, ``rh.const("t", V)``, ``rh.data("mine", x=X)``."""

import sys
import textwrap
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

import numpy.typing as npt

from rh_kernel.display.text import visible
from rh_kernel.session.describing import type_text
from rh_kernel.session.results import DeclarationMade, Event, ItemFailed, Notice, Result, Shown
from rh_kernel.session.session import Session, commit, execute, is_same
from rh_kernel.source.diagnostic import Failure, KernelBug
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array
from rh_kernel.typing.definitions import LocDefinition
from rh_kernel.workspace.errors import Busy, Stopped, Wrong
from rh_kernel.workspace.giving import Given, with_constant, with_data
from rh_kernel.workspace.interrupts import Interrupts
from rh_kernel.workspace.outcome import unwritable
from rh_kernel.workspace.outcomes import AnyOutcome, Derivation, Diagram, Gradient, Outcome, Run, Trace, outcome
from rh_kernel.workspace.showing import shell

if TYPE_CHECKING:
    from rh_kernel.workspace.growth import Growth

K = TypeVar("K", bound=AnyOutcome)
V = TypeVar("V")


class Workspace:
    """What has been declared, and the heap. A program that is wrong, or is stopped, leaves it as it was.

    ``folder`` is where the paths in programs start from: the folder that Python works in, unless another is named.
    """

    def __init__(self, folder: Path | str | None = None) -> None:
        self._session = Session.start(Path.cwd() if folder is None else Path(folder))
        self._turn = threading.Lock()

    @property
    def session(self) -> Session:
        """The session as it is now: a value that later programs do not change."""
        return self._session

    @property
    def heap(self) -> Mapping[str, Array]:
        """What each location that a name stands for holds now; nobody may write to it, ``Put`` does that."""
        named = [d.definition for d in self._session.definitions.named.values()]
        locations = [d for d in named if isinstance(d, LocDefinition)]
        return MappingProxyType({d.name: unwritable(self._session.heap[d.location]) for d in locations})

    def run(self, text: str) -> Run:
        """Run a program: declarations, terms and commands, directives. It takes effect as a whole or not at all.

        Raises ``Wrong`` if something in it is wrong or gets stuck, ``KeyboardInterrupt`` if it is interrupted.
        """
        return Run(tuple([outcome(result) for result in self.take(Source("program", textwrap.dedent(text)))]))

    def trace(self, subject: str) -> Trace:
        """Every reduction step of a term or a command, which is evaluated in this way. Raises as ``run`` does."""
        return self._directed("trace", subject, Trace)

    def gradient(self, subject: str, against: str | None = None) -> Gradient:
        """The pass of a command as data: every value that it computed, forward and backward. Raises as ``run`` does.

        ``against`` is a second command to compare it with, from the same heap; only the first takes effect.
        """
        return self._directed("gradient", subject if against is None else f"{subject}\nagainst {against}", Gradient)

    def diagram(self, subject: str) -> Diagram:
        """The string diagram of a term, a command or a net. Raises as ``run`` does."""
        return self._directed("diagram", subject, Diagram)

    def derivation(self, subject: str) -> Derivation:
        """The typing derivation of a term, a command or a name. Raises as ``run`` does."""
        return self._directed("derivation", subject, Derivation)

    def growth(self, family: Callable[[int], str], sizes: Iterable[int], *counts: str) -> "Growth":
        """How counts of the laboratory's systems grow with the size of a program. Nothing is declared. Raises ``Wrong``.

        ``family`` gives for a size the text of a ``%%lambda`` cell that ends in ``%ad all f(…)``. A count is a system and what
        it counts: ``"chad"`` for its operations, ``"chad visits"``, ``"linear-negation steps"``.
        """
        from rh_kernel.workspace.growth import measured

        return measured(self._session, family, sizes, counts)

    def const(self, name: str, value: Given) -> Outcome[DeclarationMade]:
        """Declare a constant: a number has type ``Real(1)``, an array its shape, a tuple a product. Raises ``Wrong``."""
        return Outcome(self._given(lambda session: with_constant(session, name, value)))

    def data(self, name: str, **arrays: npt.ArrayLike) -> Outcome[Notice]:
        """Make ``data("name")`` stand for these arrays, one sample a row. They are copied. Raises ``Wrong``."""
        found = self._given(lambda session: with_data(session, name, arrays))
        samples = "1 sample" if found.size == 1 else f"{found.size:,} samples"
        types = ", ".join([f"{key} : {A}" for key, A in found.types.items()])
        return Outcome(Notice(f'data("{name}"): {samples} of {types}'))

    def _given(self, change: Callable[[Session], tuple[Session, V]]) -> V:
        """What was given, after the session has it."""
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
        """Gives what puts another session in the place of this one.

        While one program is at work others can only look: to put a session that differs then raises ``Busy``. Interrupts are to
        be watched around it: one that struck on the way in would leave the session busy for ever.
        """
        before = self._session
        alone = self._turn.acquire(blocking=False)

        def put(session: Session) -> None:
            if alone:
                self._session = session
            elif not is_same(before, session):
                raise Busy

        try:
            yield put
        finally:
            if alone:
                self._turn.release()

    def __repr__(self) -> str:
        """What has been declared, a line for each name."""
        declared = self._session.definitions.named.values()
        lines = [f"{d.definition.name} : {type_text(d.definition)}" for d in declared if d.span is not None]
        return visible("\n".join(lines)) if lines else "nothing has been declared"

    def take(self, source: Source, listen: Callable[[Event], None] | None = None) -> tuple[Result, ...]:
        """The results of a program; ``listen`` hears each event as it happens.

        Raises ``Wrong``, ``Stopped``, which is a ``KeyboardInterrupt``, and ``Busy`` if another program is not at its end.
        """
        interrupts, found = Interrupts(), list[Result]()
        try:
            with interrupts.watched(), self.changing() as put, closing(execute(before := self._session, source)) as events:
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

    def _directed(self, directive: str, subject: str, kind: type[K]) -> K:
        """The outcome of a directive; lines after the first are indented, so that they can be no items of their own."""
        first, *others = textwrap.dedent(subject).strip().split("\n")
        text = "\n".join([f"%{directive} {first}", *[f"  {line}" for line in others]])
        found = outcome(self.take(Source(directive, text))[-1])
        if not isinstance(found, kind):
            raise KernelBug(f"`%{directive}` gave something else")
        return found


_WORKSPACES: "WeakKeyDictionary[object, Workspace]" = WeakKeyDictionary()


class _Process:
    """What has the workspace of a program that is not a notebook."""


_PROCESS = _Process()


def workspace_of(where: object) -> Workspace:
    """The workspace of a shell."""
    if where not in _WORKSPACES:
        _WORKSPACES[where] = Workspace()
    return _WORKSPACES[where]


def share(where: object, workspace: Workspace) -> None:
    """From now on ``workspace`` is that of a shell."""
    _WORKSPACES[where] = workspace


def current() -> Workspace:
    """The workspace of the notebook that one is in, which ``%%rh`` uses too; outside of notebooks there is one a process."""
    where = shell() if "IPython" in sys.modules else None
    return workspace_of(_PROCESS if where is None else where)
