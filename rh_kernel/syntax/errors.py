"""The syntax errors RH001 to RH021 (LANGUAGE §7). The docstring of each class is a text with that error."""

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_kw_only


@frozen_kw_only
class UnknownCharacter(Diagnostic):
    """``let x <- y ? 1 in x``"""

    code, title = "RH001", "Unknown character"
    label = "{found} has no meaning in the language"


@frozen_kw_only
class UnterminatedString(Diagnostic):
    """``loc w : Real(2) = load("w.npy)``"""

    code, title = "RH002", "Unterminated string"
    label = "this string has no closing quote on its line"


@frozen_kw_only
class MalformedNumber(Diagnostic):
    """``const t = .5``"""

    code, title = "RH003", "Malformed number"
    label = "{found} is not a valid number"


@frozen_kw_only
class Unexpected(Diagnostic):
    """``f(x y)``"""

    code, title = "RH004", "Unexpected token"
    label = "found {found}, expected {expected}"


@frozen_kw_only
class UnexpectedEnd(Diagnostic):
    """``const t = 1 +``"""

    code, title = "RH005", "Unexpected end"
    label = "the item ends here, expected {expected}"


@frozen_kw_only
class UnclosedBracket(Diagnostic):
    """``let y <- f(x in y``"""

    code, title = "RH006", "Unclosed bracket"
    label = "found {found}, but `{opening}` is still open: expected {expected}"
    opening: str


@frozen_kw_only
class MismatchedBracket(Diagnostic):
    """``f((x, y]``"""

    code, title = "RH007", "Brackets do not match"
    label = "found {found}, expected {expected}"


@frozen_kw_only
class NotAName(Diagnostic):
    """``let in <- 1 in in``"""

    code, title = "RH008", "Not a name"
    label = "found {found}, expected {expected}"


@frozen_kw_only
class WrongArrow(Diagnostic):
    """``let x = 1 in x``"""

    code, title = "RH009", "Wrong arrow"
    label = "found {found}, expected {expected}"


@frozen_kw_only
class MissingIn(Diagnostic):
    """``let x <- 1``"""

    code, title = "RH010", "A `let` without its `in`"
    label = "found {found}, expected the `in` of this `let`"


@frozen_kw_only
class MissingWith(Diagnostic):
    """``rev handle (v) <x>. mlp(x)``"""

    code, title = "RH011", "A handled command without a handler"
    label = "found {found}, expected `with` and a handler"


@frozen_kw_only
class MissingDot(Diagnostic):
    """``rev handle (v) <x> mlp(x) with sgd``"""

    code, title = "RH012", "Missing dot"
    label = "found {found}, expected `.` after the bound variables"


@frozen_kw_only
class MissingBackward(Diagnostic):
    """``handler h = { return x -> return x  FC[l](x) -> return (x, x) }``"""

    code, title = "RH013", "A clause without its backward part"
    label = "the clause for `{operation}` has no backward part: found {found}, expected `|`"
    operation: str


@frozen_kw_only
class IndentedItem(Diagnostic):
    """``␣␣dim n = 3`` as the first line"""

    code, title = "RH014", "The first line is indented"
    label = "this line is indented, so it continues an item, but there is none above it"


@frozen_kw_only
class UnknownDeclaration(Diagnostic):
    """``nett mlp(x : Real) = return x``"""

    code, title = "RH015", "Unknown declaration"
    label = "`{word}` does not begin a declaration, expected one of {expected}"
    word: str


@frozen_kw_only
class TooDeep(Diagnostic):
    """``((((…))))``, more than 200 of them"""

    code, title = "RH016", "Nested too deeply"
    label = "more than {limit} levels or operators in one expression"
    limit: int


@frozen_kw_only
class ForeignSyntax(Diagnostic):
    """``x == y``"""

    code, title = "RH017", "Not in this language"
    label = "the language has no {found}"


@frozen_kw_only
class RepeatedOption(Diagnostic):
    """``train mlp(x) for x in data("xor") epochs 1 epochs 2``"""

    code, title = "RH018", "Duplicate option"
    label = "{found} is already set"


@frozen_kw_only
class MisplacedPython(Diagnostic):
    """``%%python`` below the first line of a cell, or in a file"""

    code, title = "RH019", "Misplaced Python"
    label = "{found} must be alone on the first line of a notebook cell; the whole cell is then Python"


@frozen_kw_only
class InvalidSweep(Diagnostic):
    """``sweep a in []``"""

    code, title = "RH021", "Invalid sweep"
    label = "{why}"
    why: str


@frozen_kw_only
class CodeMissing(Diagnostic):
    """``fun sq(x : Real) : Real = YOUR_CODE_HERE``"""

    code, title = "RH020", "Code missing"
    label = "replace this by your own code"
