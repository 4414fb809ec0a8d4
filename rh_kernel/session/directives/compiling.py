"""``%compile``: the program of a term or command, what each pass makes of it, and what each step of its plan takes."""

from collections.abc import Generator, Mapping

from rh_kernel.arrays.choosing import backend_for
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.passes import Pass, passes
from rh_kernel.arrays.planning.profiling import Profile, profile
from rh_kernel.arrays.program import Program
from rh_kernel.arrays.running import machine
from rh_kernel.session.evaluating import span_of, translated
from rh_kernel.session.limits.budget import check_size
from rh_kernel.session.plans import Compile
from rh_kernel.session.results import ProgramMade, Working
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.stuck import placed


def made(plan: Compile, heap: Mapping[Location, Array], settings: Settings) -> Generator[Working, None, ProgramMade]:
    """What ``%compile`` shows. A profile runs on a copy of the heap. Raises ``Stuck``, with a place, as evaluation does."""
    yield Working()
    subject = plan.subject
    backend = backend_for(settings.device)
    found = passes(translated(subject, settings), precision=settings.precision, matrices=backend.wants_matrices)
    program = next((p.form for p in found if p.made_by is Pass.SIMPLIFIED), None)
    if not isinstance(program, Program):
        raise KernelBug("a pass left no program")
    if plan.shows != "profile":
        return ProgramMade(program, subject.type, found, in_full=plan.shows == "passes")
    ready = machine(program, heap, settings.precision, backend)
    check_size(ready.plan().size, "what is computed here", span_of(subject), settings)
    try:
        times = yield from _working(profile(ready))
    except Stuck as failure:
        raise placed(failure, span_of(subject)) from None
    place = "NumPy" if isinstance(backend, NumPy) else "the graphics card"
    return ProgramMade(program, subject.type, found, profile=times, place=place)


def _working(measuring: Generator[None, None, Profile]) -> Generator[Working, None, Profile]:
    """The profile, with a chance to be interrupted behind each step."""
    while True:
        try:
            next(measuring)
        except StopIteration as end:
            return end.value
        yield Working()
