"""Diagnostics for EFF (RH51x–RH54x). The docstring of each class is a text that raises it."""

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_kw_only


@frozen_kw_only
class LevelsConfused(Diagnostic):
    """``d {x -> t x (d {y -> p x y} (c 1))} (c 1)``"""

    code, title = "RH510", "Levels confused"
    label = "{subject} of level {level}, but here {needed} needed"
    subject: str
    level: str
    needed: str


@frozen_kw_only
class UnhandledEffect(Diagnostic):
    """``t 2 3``"""

    code, title = "RH511", "Unhandled effect"
    label = "`{operation}` of the effect {effect} is performed {where}, and no enclosing handler handles it"
    operation: str
    effect: str
    where: str


@frozen_kw_only
class EffectNotAllowed(Diagnostic):
    """``fun f (x : Float) : Float = print "x"; x``"""

    code, title = "RH512", "Effect not in the row"
    label = "{subject} needs {effect}, which the row here does not have"
    subject: str
    effect: str


@frozen_kw_only
class NotGeneralEnough(Diagnostic):
    """``fun f (x : a) : a = x + 1``"""

    code, title = "RH513", "Not general enough"
    label = "`{variable}` stands for any type, but {subject} needs it to be {type}"
    variable: str
    subject: str
    type: str


@frozen_kw_only
class EscapingType(Diagnostic):
    """``handle raise! + 1 with { return x -> x | <raise -> k> -> k 0 }``, after ``effect Raise = raise : a``"""

    code, title = "RH514", "Type escapes its clause"
    label = "`{operation}` returns whatever type its caller wants, but the clause fixes one"
    operation: str


@frozen_kw_only
class InfiniteType(Diagnostic):
    """``{x -> x x}``"""

    code, title = "RH515", "Infinite type"
    label = "the type of {subject} would contain itself"
    subject: str


@frozen_kw_only
class NotApplicable(Diagnostic):
    """``let x = 2.0 in x 3``"""

    code, title = "RH516", "Not a function"
    label = "{subject} has type {type}, so it cannot be {done}"
    subject: str
    type: str
    done: str


@frozen_kw_only
class NoSuchInstance(Diagnostic):
    """``fun f (x : a) : [] a = <Smooth> x``"""

    code, title = "RH517", "Adaptor does not fit the row"
    label = "the adaptor needs {wanted} of {effect}, but the row here is {row}"
    wanted: str
    effect: str
    row: str


@frozen_kw_only
class RowsDiffer(Diagnostic):
    """``fun f (g : {[State Int] Int}) : [State Int, Exception] Int = g!``"""

    code, title = "RH518", "Row mismatch"
    label = "{subject} needs the row {found}, but here the row is {expected}"
    subject: str


@frozen_kw_only
class MissingClauses(Diagnostic):
    """``handle get! with { <put s -> k> -> k () }``, after ``effect State s = get : s | put : s -> Unit``"""

    code, title = "RH520", "Missing clauses"
    label = "this handler of {effect} has no clause for {operations}"
    effect: str
    operations: str


@frozen_kw_only
class MissingBranches(Diagnostic):
    """``match [1] | x :: y :: rest -> x``"""

    code, title = "RH521", "Missing branches"
    label = "{subject} `{value}`"
    subject: str
    value: str


@frozen_kw_only
class UselessBranch(Diagnostic):
    """``match Just 1 | Just _ -> 1 | Nothing -> 2 | _ -> 3``"""

    code, title = "RH522", "Unreachable branch"
    label = "everything that `{pattern}` matches is matched by an earlier branch"
    pattern: str


@frozen_kw_only
class DivisionByZero(Diagnostic):
    """``div 1 0``"""

    code, title = "RH530", "Division by zero"
    label = "{function} divides {dividend} by zero"
    function: str
    dividend: int


@frozen_kw_only
class GivenUp(Diagnostic):
    """``match Nothing | Just x -> x | Nothing -> fail "there is nothing"``"""

    code, title = "RH531", "Program failed"
    label = "{reason}"
    reason: str


@frozen_kw_only
class IndexOutside(Diagnostic):
    """``fetch (array [1, 2]) 2``"""

    code, title = "RH533", "Index out of range"
    label = "there is no entry {index} in an array of {size}"
    index: int
    size: int


@frozen_kw_only
class TensorsDoNotFit(Diagnostic):
    """``tensor_plus (tensor [1]) (tensor [1, 2])``"""

    code, title = "RH540", "Incompatible tensors"
    label = "{function}: {why}"
    function: str
    why: str
