"""What elaboration makes of a text has a derivation, at the type that elaboration says: on every program beside these tests."""

from pathlib import Path
from typing import cast

import pytest

from rh_kernel.session.included_files import LIBRARY, declarations
from rh_kernel.session.sweeps.jobs import combinations, with_numbers
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Bound, Call, Command, Defined
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.signature import ValueKind
from rh_kernel.syntax.types import Real
from rh_kernel.typing.definitions import (
    BUILT_IN,
    ConstDefinition,
    Definition,
    Definitions,
    DimDefinition,
    FunDefinition,
    HandlerDefinition,
    LocDefinition,
    LocFamilyDefinition,
    NetDefinition,
    NumberDefinition,
    OpDefinition,
    StateDefinition,
    Written,
)
from rh_kernel.typing.derivation.derive import derive_command, derive_handler, derive_term
from rh_kernel.typing.elaboration.checks import elaborate_equality, elaborate_type_check
from rh_kernel.typing.elaboration.declarations import declare
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm, elaborate_evaluation

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").rglob("*.rh"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_is_elaborated_has_a_derivation(path: Path) -> None:
    known = BUILT_IN
    for item in parse(Source(path.name, path.read_text(encoding="utf-8"))):
        try:
            known = elaborated(known, item)
        except Rejected:
            continue


def elaborated(known: Definitions, item: items.Item | Unparsed) -> Definitions:
    """The definitions after an item, once what the item was elaborated to has been derived."""
    match item:
        case items.Evaluation(e):
            derive_evaluation(elaborate_evaluation(known, e))
            return known
        case items.EqualityCheck():
            equation = elaborate_equality(known, item)
            derive_evaluation(equation.left)
            derive_evaluation(equation.right)
            return known
        case items.TypeCheck():
            elaborate_type_check(known, item)
            return known
        case items.TrainItem() | items.Directive() | items.SectionItem() | Unparsed():
            return known
        case items.IncludeItem():
            for made in declarations(item, LIBRARY):
                known = elaborated(known, made)
            return known
        case items.SweepItem(parameters, swept):
            for values in combinations(parameters):
                inside = with_numbers(known, parameters, values)
                for each in swept:
                    inside = elaborated(inside, each)
            return known
        case declaration:
            definition = declare(known, declaration)
            derive_definition(definition)
            return known.with_(definition, None)


def derive_evaluation(subject: ClosedTerm | ClosedCommand) -> None:
    match subject:
        case ClosedTerm(M, A):
            assert derive_term((), M).type == A
        case ClosedCommand(P, A):
            assert derive_command((), (), P).type == A


def derive_definition(definition: Definition) -> None:
    """The generic judgment for a definition; its dimension variables stand for themselves."""
    match definition:
        case ConstDefinition(_, A, M):
            assert derive_term((), M).type == A
        case LocDefinition(_, location, Written(M)):
            assert derive_term((), M).type == Real(location.shape)
        case LocFamilyDefinition(_, family, Written(M)):
            assert derive_term((), M).type == Real(family.shape)
        case FunDefinition(name, _, _, A, B, body, own):
            assert derive_term((A,), Call(Defined(name, A, B, body, own), Bound(0))).type == B
        case NetDefinition(_, _, statics, _, A, B, body):
            gamma = tuple(p.kind.type for p in statics if isinstance(p.kind, ValueKind))
            assert derive_command(gamma, (A,), cast(Command, body.body)).type == B
        case HandlerDefinition(_, _, parameters, H):
            derive_handler(tuple(A for _, A in parameters), H)
        case (
            DimDefinition() | OpDefinition() | LocDefinition() | LocFamilyDefinition() | StateDefinition() | NumberDefinition()
        ):
            pass
