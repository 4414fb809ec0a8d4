"""The type errors (RH1xx): one dataclass for each diagnostic.

The docstring of each class is a text with that error.
"""

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_by_name


@frozen_by_name
class UnknownName(Diagnostic):
    """``let y <- 2 in y + z``"""

    code, title = "RH101", "Unknown name"
    label = "`{name}` is not defined"
    name: str


@frozen_by_name
class TypesDiffer(Diagnostic):
    """``const t : Real(3) = [0.5, 0.5]``"""

    code, title = "RH102", "Types differ"
    label = "{what} has another type than is asked for here"
    what: str = "this"


@frozen_by_name
class OperandsDiffer(Diagnostic):
    """``[1, 2] + [1, 2, 3]``"""

    code, title = "RH103", "Operands do not fit"
    label = "{why}"
    why: str


@frozen_by_name
class WrongKindOfName(Diagnostic):
    """``let f <- relu in f(2)``"""

    code, title = "RH104", "Another kind of thing"
    label = "`{name}` is {is_a}, and cannot be used as {wanted}"
    name: str
    is_a: str
    wanted: str


@frozen_by_name
class WrongNumberOfArguments(Diagnostic):
    """``relu(1, 2)``"""

    code, title = "RH105", "Wrong number of arguments"
    label = "`{name}` takes {wanted}, and is given {given}"
    name: str
    wanted: str
    given: str


@frozen_by_name
class WrongNumberOfIndices(Diagnostic):
    """``relu[2](x)``"""

    code, title = "RH106", "Wrong number of indices"
    label = "`{name}` takes {wanted} in square brackets, and is given {given}"
    name: str
    wanted: str
    given: str


@frozen_by_name
class WrongIndex(Diagnostic):
    """``FC[3](x)``"""

    code, title = "RH107", "Index of another kind"
    label = "{why}"
    why: str


@frozen_by_name
class CommandInTerm(Diagnostic):
    """``relu(return 2)``"""

    code, title = "RH108", "A command where a term is expected"
    label = "{what} is a command: it may have effects, so it cannot stand inside a term"
    what: str


@frozen_by_name
class TermInCommand(Diagnostic):
    """``let x <= 2 + 3 in return x``"""

    code, title = "RH109", "A term where a command is expected"
    label = "{what} is a pure term, and a command is expected here"
    what: str


@frozen_by_name
class PatternDoesNotFit(Diagnostic):
    """``let (a, b) <- [1, 2] in a``"""

    code, title = "RH110", "Pattern does not fit"
    label = "a pattern of {wanted} names cannot take this value apart"
    wanted: int


@frozen_by_name
class NoSuchComponent(Diagnostic):
    """``(1, 2).3``"""

    code, title = "RH111", "No such component"
    label = "component {index} was asked for"
    index: int


@frozen_by_name
class OutOfReach(Diagnostic):
    """``let a <- 2 in rev handle (1) <x>. return a * x with h``"""

    code, title = "RH112", "Variable out of reach"
    label = "`{name}` cannot be used {where}"
    name: str
    where: str


@frozen_by_name
class HandlerWithoutReturn(Diagnostic):
    """``handle P with { FC[l](x), k -> k(x) }``"""

    code, title = "RH113", "Handler without a return clause"
    label = "this handler does not say what happens to the result"


@frozen_by_name
class ClauseTwice(Diagnostic):
    """``handle P with { return x -> return x ; return y -> return y }``"""

    code, title = "RH114", "Clause given twice"
    label = "a clause for `{name}` stands here already"
    name: str


@frozen_by_name
class ClauseOfOtherKind(Diagnostic):
    """``rev handle (1) <x>. R with { return x -> return x ; FC[l](x), k -> k(x) }``"""

    code, title = "RH115", "Clause of the other kind of handler"
    label = "this is a clause of {is_a}, inside {inside}"
    is_a: str
    inside: str


@frozen_by_name
class HandlerOfOtherKind(Diagnostic):
    """``handle P with sgd(0.1, t)``"""

    code, title = "RH116", "The other kind of handler"
    label = "{construct} needs {wanted}, and `{name}` is {is_a}"
    construct: str
    wanted: str
    name: str
    is_a: str


@frozen_by_name
class BadDimension(Diagnostic):
    """``const t : Real(2 - 3) = [1]``"""

    code, title = "RH117", "Impossible dimension"
    label = "{what}"
    what: str
    expected: str = "a whole number from 0 on"


@frozen_by_name
class NotADimension(Diagnostic):
    """``dim n = 2.5``"""

    code, title = "RH118", "Not a dimension"
    label = "{why}"
    why: str


@frozen_by_name
class Undetermined(Diagnostic):
    """``let x <= Noise() in return 1``"""

    code, title = "RH119", "Undetermined dimension"
    label = "{what} cannot be found from what is written here"
    what: str


@frozen_by_name
class DependsOnError(Diagnostic):
    """``2 * a, after const a : Real(3) = [1, 2]``"""

    code, title = "RH120", "Depends on an item with an error"
    label = "`{name}` was not declared, because its declaration has an error"
    name: str


@frozen_by_name
class NameTwice(Diagnostic):
    """``let (x, x) <- (1, 2) in x``"""

    code, title = "RH121", "Name given twice"
    label = "`{name}` is bound twice here"
    name: str


@frozen_by_name
class BadArray(Diagnostic):
    """``[[1, 2], [3]]``"""

    code, title = "RH122", "Not an array"
    label = "{why}"
    why: str


@frozen_by_name
class BadInitial(Diagnostic):
    """``loc w : Real(3, 2) = normal(0.5)``"""

    code, title = "RH123", "Initial content does not fit"
    label = "{why}"
    why: str


@frozen_by_name
class BuiltInName(Diagnostic):
    """``op Get[l : Loc(n)] : 1 -> Real(n)``"""

    code, title = "RH124", "Name is taken by the language"
    label = "`{name}` is built in and cannot be declared again"
    name: str


@frozen_by_name
class NotDifferentiated(Diagnostic):
    """``rd[2](1, 1)``"""

    code, title = "RH125", "No derivative to take"
    label = "`rd[…]` takes the derivative of a function symbol, and this is none"


@frozen_by_name
class BadTraining(Diagnostic):
    """``train P for x in data("xor") epochs 0``"""

    code, title = "RH126", "Training cannot start"
    label = "{why}"
    why: str


@frozen_by_name
class BadCheck(Diagnostic):
    """``check 1 == 2 within x``"""

    code, title = "RH130", "Not a check"
    label = "{why}"
    why: str


@frozen_by_name
class SizesDiffer(Diagnostic):
    """``reshape[3, 2]([1, 2, 3, 4])``"""

    code, title = "RH127", "Numbers of entries differ"
    label = "`reshape` keeps the entries, and here their number changes"


@frozen_by_name
class BackwardInOrdinary(Diagnostic):
    """``FC[l](x), k -> let y <= k(w @ x) in return w^T @ y``"""

    code, title = "RH128", "Backpropagation in an ordinary handler"
    label = "`{continuation}` and the clause for `{operation}` have to give {wanted} (RH §2.2.1), and here they give {given}"
    continuation: str
    operation: str
    wanted: str
    given: str


@frozen_by_name
class AnswerDepends(Diagnostic):
    """``handle P with { return x -> return x ; FC[l](x), k -> return x }``"""

    code, title = "RH129", "Result depends on the operation's size"
    label = "a handler gives results of one type, and with this clause the type would change with the size of `{operation}`"
    operation: str
