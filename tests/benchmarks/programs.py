"""The training step of a problem as a program of arrays, for back ends that are given programs and not texts."""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.options import CompileOptions
from rh_kernel.arrays.program import Program
from rh_kernel.session.results import ItemFailed, Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Command
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.surface_items import TrainItem
from rh_kernel.syntax.types import real
from rh_kernel.typing.definitions import LocDefinition
from rh_kernel.typing.elaboration.items import elaborate_training
from tests.benchmarks import texts
from tests.benchmarks.problems import Problem


@frozen
class Written:
    """The command of a step on one sample, and the locations of its weights in the order of the net."""

    problem: Problem
    command: Command
    locations: tuple[Location, ...]

    @staticmethod
    def of(problem: Problem) -> "Written":
        """The step as the text of the problem has it. Raises ``ValueError`` if that has an error."""
        run = execute(Session.start(Path.cwd()), Source("bench", texts.declarations(problem.net, lambda _: "zeros")))
        definitions = _end(run).definitions
        types = dict(zip("xt", [real(*shape) for shape in problem.net.ends], strict=True))
        (item,) = parse(Source("bench", texts.training(problem)))
        assert isinstance(item, TrainItem)
        command = elaborate_training(definitions, item, lambda _name, _span: types).command
        places = [d.definition.location for d in definitions.named.values() if isinstance(d.definition, LocDefinition)]
        of = {location.name: location for location in places}
        return Written(problem, command, tuple([of[name] for name in texts.names(problem.net)]))

    def compiled(self, options: CompileOptions | None = None) -> Program:
        """The program of one sample, without its result."""
        types = tuple([real(*shape) for shape in self.problem.net.ends])
        found = compile_command(self.command, types, ("x", "t"), options or CompileOptions())
        return replace(found, result=())


def _end(run: Generator[Any, None, Session]) -> Session:
    """What a run returns. Raises ``ValueError`` if one of its items has an error."""
    while True:
        try:
            event = next(run)
        except StopIteration as end:
            return end.value
        if isinstance(event, Shown) and isinstance(event.result, ItemFailed):
            raise ValueError(str(event.result.diagnostics))
