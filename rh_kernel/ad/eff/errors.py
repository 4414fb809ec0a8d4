"""What is refused of EFF's programs: one dataclass per complaint (RH51x). The docstring of each is a text that has it."""

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_by_name


@frozen_by_name
class LevelsConfused(Diagnostic):
    """``d {x -> t x (d {y -> p x y} (c 1))} (c 1)``"""

    code, title = "RH510", "Levels confused"
    label = "{subject} of the level {level}, but here {needed} needed"
    subject: str
    level: str
    needed: str


@frozen_by_name
class UnhandledEffect(Diagnostic):
    """``t 2 3``"""

    code, title = "RH511", "Effect that nothing handles"
    label = "`{operation}` of the effect {effect} is performed {where}, and nothing around handles it"
    operation: str
    effect: str
    where: str


@frozen_by_name
class EffectNotAllowed(Diagnostic):
    """``fun f (x : Float) : Float = print "x"; x``"""

    code, title = "RH512", "Effect outside of the row"
    label = "{subject} needs {effect}, which the row here does not have"
    subject: str
    effect: str


@frozen_by_name
class NotGeneralEnough(Diagnostic):
    """``fun f (x : a) : a = x + 1``"""

    code, title = "RH513", "Less general than it should be"
    label = "`{variable}` stands for any type, but {subject} would be possible here only if it were {type}"
    variable: str
    subject: str
    type: str


@frozen_by_name
class EscapingType(Diagnostic):
    """``handle raise! + 1 with { return x -> x | <raise -> k> -> k 0 }``, after ``effect Raise = raise : a``"""

    code, title = "RH514", "Type leaves its clause"
    label = "`{operation}` gives whatever type its caller wants, but the clause would tie it to one"
    operation: str


@frozen_by_name
class InfiniteType(Diagnostic):
    """``{x -> x x}``"""

    code, title = "RH515", "Type inside itself"
    label = "{subject} would have a type that is a part of itself"
    subject: str


@frozen_by_name
class NotApplicable(Diagnostic):
    """``let x = 2.0 in x 3``"""

    code, title = "RH516", "Not a function"
    label = "{subject} is of type {type}, so it cannot be {done}"
    subject: str
    type: str
    done: str


@frozen_by_name
class NoSuchInstance(Diagnostic):
    """``fun f (x : a) : [] a = <Smooth> x``"""

    code, title = "RH517", "Adaptor of too many instances"
    label = "the adaptor speaks of {wanted} of {effect}, and the row here is {row}"
    wanted: str
    effect: str
    row: str


@frozen_by_name
class RowsDiffer(Diagnostic):
    """``fun f (g : {[State Int] Int}) : [State Int, Exception] Int = g!``"""

    code, title = "RH518", "Rows differ"
    label = "{subject} runs where the row is {found}, and here it is {expected}"
    subject: str


@frozen_by_name
class MissingClauses(Diagnostic):
    """``handle get! with { <put s -> k> -> k () }``, after ``effect State s = get : s | put : s -> Unit``"""

    code, title = "RH520", "Clauses are missing"
    label = "this handler of {effect} has no clause for {operations}"
    effect: str
    operations: str


@frozen_by_name
class MissingBranches(Diagnostic):
    """``match [1] | x :: y :: rest -> x``"""

    code, title = "RH521", "Branches are missing"
    label = "{subject} `{value}`"
    subject: str
    value: str


@frozen_by_name
class UselessBranch(Diagnostic):
    """``match Just 1 | Just _ -> 1 | Nothing -> 2 | _ -> 3``"""

    code, title = "RH522", "Branch that nothing comes to"
    label = "what `{pattern}` fits is taken by the branches before"
    pattern: str


@frozen_by_name
class DivisionByZero(Diagnostic):
    """``div 1 0``"""

    code, title = "RH530", "Division by zero"
    label = "{function} divides {dividend} by zero"
    function: str
    dividend: int


@frozen_by_name
class GivenUp(Diagnostic):
    """``match Nothing | Just x -> x | Nothing -> fail "there is nothing"``"""

    code, title = "RH531", "Given up"
    label = "{reason}"
    reason: str


@frozen_by_name
class IndexOutside(Diagnostic):
    """``fetch (array [1, 2]) 2``"""

    code, title = "RH533", "No such entry"
    label = "there is no entry {index} in an array of {size}"
    index: int
    size: int


@frozen_by_name
class TensorsDoNotFit(Diagnostic):
    """``tensor_plus (tensor [1]) (tensor [1, 2])``"""

    code, title = "RH540", "Tensors that do not fit"
    label = "{function}: {why}"
    function: str
    why: str
