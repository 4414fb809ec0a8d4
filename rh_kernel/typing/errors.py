"""The type errors (RH1xx): one dataclass for each diagnostic.

The docstring of each class is a text with that error.
"""

from typing import ClassVar

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_kw_only


@frozen_kw_only
class UnknownName(Diagnostic):
    """``let y <- 2 in y + z``"""

    code, title = "RH101", "Unknown name"
    label = "`{name}` is not defined"
    name: str


@frozen_kw_only
class TypesDiffer(Diagnostic):
    """``const t : Real(3) = [0.5, 0.5]``"""

    code, title = "RH102", "Type mismatch"
    label = "{what} has the wrong type"
    what: str = "this"


@frozen_kw_only
class OperandsDiffer(Diagnostic):
    """``[1, 2] + [1, 2, 3]``"""

    code, title = "RH103", "Incompatible operands"
    label = "{why}"
    why: str


@frozen_kw_only
class WrongKindOfName(Diagnostic):
    """``let f <- relu in f(2)``"""

    code, title = "RH104", "Wrong kind of name"
    label = "`{name}` is {is_a}, and cannot be used as {wanted}"
    name: str
    is_a: str
    wanted: str


@frozen_kw_only
class WrongNumberOfArguments(Diagnostic):
    """``relu(1, 2)``"""

    code, title = "RH105", "Wrong number of arguments"
    label = "`{name}` takes {wanted}, but got {given}"
    name: str
    wanted: str
    given: str


@frozen_kw_only
class WrongNumberOfIndices(Diagnostic):
    """``relu[2](x)``"""

    code, title = "RH106", "Wrong number of indices"
    label = "`{name}` takes {wanted} in square brackets, but got {given}"
    name: str
    wanted: str
    given: str


@frozen_kw_only
class WrongIndex(Diagnostic):
    """``FC[3](x)``"""

    code, title = "RH107", "Wrong kind of index"
    label = "{why}"
    why: str


@frozen_kw_only
class IndexOutOfRange(Diagnostic):
    """``loc ws[2] : Real = zeros``, and then ``Get[ws[2]]()``"""

    code, title = "RH141", "Index out of range"
    label = "`{family}` has no location with this index"
    family: str


@frozen_kw_only
class StateChanges(Diagnostic):
    """``repeat i < 3 from s = [1, 2] do return concat(s, s)``"""

    code, title = "RH142", "The state changes its type"
    label = "{what}"
    what: str


@frozen_kw_only
class LostUpdate(Diagnostic):
    """``let w <= Get[l]() in return (w @ x, (w, x)) | … Put[l](w - outer(y, x))`` where a location is used twice; a warning"""

    code, title = "RH143", "Lost update"
    label = "{where}, and each `Put` starts from the `{name}` of the way forward: all updates but one are lost"
    is_warning: ClassVar[bool] = True
    where: str
    name: str


@frozen_kw_only
class CommandInTerm(Diagnostic):
    """``relu(return 2)``"""

    code, title = "RH108", "A command where a term is expected"
    label = "{what} is a command: it may have effects, so it cannot be part of a term"
    what: str


@frozen_kw_only
class TermInCommand(Diagnostic):
    """``let x <= 2 + 3 in return x``"""

    code, title = "RH109", "A term where a command is expected"
    label = "{what} is a pure term, but a command is expected here"
    what: str


@frozen_kw_only
class PatternDoesNotFit(Diagnostic):
    """``let (a, b) <- [1, 2] in a``"""

    code, title = "RH110", "Pattern does not fit"
    label = "a pattern of {wanted} names does not match this value"
    wanted: int


@frozen_kw_only
class NoSuchComponent(Diagnostic):
    """``(1, 2).3``"""

    code, title = "RH111", "No such component"
    label = "component {index} was asked for"
    index: int


@frozen_kw_only
class OutOfReach(Diagnostic):
    """``let a <- 2 in rev handle (1) <x>. return a * x with h``"""

    code, title = "RH112", "Variable out of scope"
    label = "`{name}` cannot be used {where}"
    name: str
    where: str


@frozen_kw_only
class HandlerWithoutReturn(Diagnostic):
    """``handle P with { FC[l](x), k -> k(x) }``"""

    code, title = "RH113", "Handler without a return clause"
    label = "this handler has no `return` clause"


@frozen_kw_only
class ClauseTwice(Diagnostic):
    """``handle P with { return x -> return x ; return y -> return y }``"""

    code, title = "RH114", "Duplicate clause"
    label = "this handler already has a clause for `{name}`"
    name: str


@frozen_kw_only
class ClauseOfOtherKind(Diagnostic):
    """``rev handle (1) <x>. R with { return x -> return x ; FC[l](x), k -> k(x) }``"""

    code, title = "RH115", "Wrong kind of clause"
    label = "this clause belongs in {is_a}, and this is {inside}"
    is_a: str
    inside: str


@frozen_kw_only
class HandlerOfOtherKind(Diagnostic):
    """``handle P with sgd(0.1, t)``"""

    code, title = "RH116", "Wrong kind of handler"
    label = "{construct} needs {wanted}, and `{name}` is {is_a}"
    construct: str
    wanted: str
    name: str
    is_a: str


@frozen_kw_only
class BadDimension(Diagnostic):
    """``const t : Real(2 - 3) = [1]``"""

    code, title = "RH117", "Invalid dimension"
    label = "{what}"
    what: str
    expected: str = "a whole number from 0 on"


@frozen_kw_only
class NotADimension(Diagnostic):
    """``dim n = 2.5``"""

    code, title = "RH118", "Not a dimension"
    label = "{why}"
    why: str


@frozen_kw_only
class Undetermined(Diagnostic):
    """``let x <= Noise() in return 1``"""

    code, title = "RH119", "Undetermined dimension"
    label = "{what} cannot be inferred"
    what: str


@frozen_kw_only
class DependsOnError(Diagnostic):
    """``2 * a, after const a : Real(3) = [1, 2]``"""

    code, title = "RH120", "Depends on an item with an error"
    label = "`{name}` was not declared, because its declaration has an error"
    name: str


@frozen_kw_only
class NameTwice(Diagnostic):
    """``let (x, x) <- (1, 2) in x``"""

    code, title = "RH121", "Duplicate name"
    label = "`{name}` is bound twice here"
    name: str


@frozen_kw_only
class BadArray(Diagnostic):
    """``[[1, 2], [3]]``"""

    code, title = "RH122", "Not an array"
    label = "{why}"
    why: str


@frozen_kw_only
class BadInitial(Diagnostic):
    """``loc w : Real(3, 2) = normal(0.5)``"""

    code, title = "RH123", "Invalid initial content"
    label = "{why}"
    why: str


@frozen_kw_only
class BuiltInName(Diagnostic):
    """``op Get[l : Loc(n)] : 1 -> Real(n)``"""

    code, title = "RH124", "Built-in name"
    label = "`{name}` is built in and cannot be declared again"
    name: str


@frozen_kw_only
class NotDifferentiated(Diagnostic):
    """``rd[2](1, 1)``"""

    code, title = "RH125", "No derivative to take"
    label = "`rd[…]` needs a function symbol, and this is not one"


@frozen_kw_only
class BadTraining(Diagnostic):
    """``train P for x in data("xor") epochs 0``"""

    code, title = "RH126", "Training cannot start"
    label = "{why}"
    why: str


@frozen_kw_only
class BadCheck(Diagnostic):
    """``check 1 == 2 within x``"""

    code, title = "RH130", "Not a check"
    label = "{why}"
    why: str


@frozen_kw_only
class SizesDiffer(Diagnostic):
    """``reshape[3, 2]([1, 2, 3, 4])``"""

    code, title = "RH127", "Wrong number of entries"
    label = "`reshape` cannot change the number of entries"


@frozen_kw_only
class BackwardInOrdinary(Diagnostic):
    """``FC[l](x), k -> let y <= k(w @ x) in return w^T @ y``"""

    code, title = "RH128", "Backpropagation in an ordinary handler"
    label = "`{continuation}` and the clause for `{operation}` must return {wanted} (RH §2.2.1), but here they return {given}"
    continuation: str
    operation: str
    wanted: str
    given: str


@frozen_kw_only
class AnswerDepends(Diagnostic):
    """``handle P with { return x -> return x ; FC[l](x), k -> return x }``"""

    code, title = "RH129", "Result depends on the operation's size"
    label = "the result of a handler must have one type, but with this clause it depends on the size of `{operation}`"
    operation: str
