"""The syntax errors RH001 to RH020 (LANGUAGE §7). The docstring of each class is a text with that error."""

from typing import ClassVar

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_kw_only


@frozen_kw_only
class UnknownCharacter(Diagnostic):
    """``let x <- y ? 1 in x``"""

    code: ClassVar[str] = "RH001"
    title: ClassVar[str] = "Unknown character"
    label: ClassVar[str] = "{found} has no meaning in the language"


@frozen_kw_only
class UnterminatedString(Diagnostic):
    """``loc w : Real(2) = load("w.npy)``"""

    code: ClassVar[str] = "RH002"
    title: ClassVar[str] = "Unterminated string"
    label: ClassVar[str] = "this string has no closing quote on its line"


@frozen_kw_only
class MalformedNumber(Diagnostic):
    """``const t = .5``"""

    code: ClassVar[str] = "RH003"
    title: ClassVar[str] = "Malformed number"
    label: ClassVar[str] = "{found} is not a valid number"


@frozen_kw_only
class Unexpected(Diagnostic):
    """``f(x y)``"""

    code: ClassVar[str] = "RH004"
    title: ClassVar[str] = "Unexpected token"
    label: ClassVar[str] = "found {found}, expected {expected}"


@frozen_kw_only
class UnexpectedEnd(Diagnostic):
    """``const t = 1 +``"""

    code: ClassVar[str] = "RH005"
    title: ClassVar[str] = "Unexpected end"
    label: ClassVar[str] = "the item ends here, expected {expected}"


@frozen_kw_only
class UnclosedBracket(Diagnostic):
    """``let y <- f(x in y``"""

    code: ClassVar[str] = "RH006"
    title: ClassVar[str] = "Unclosed bracket"
    label: ClassVar[str] = "found {found}, but `{opening}` is still open: expected {expected}"

    opening: str


@frozen_kw_only
class MismatchedBracket(Diagnostic):
    """``f((x, y]``"""

    code: ClassVar[str] = "RH007"
    title: ClassVar[str] = "Brackets do not match"
    label: ClassVar[str] = "found {found}, expected {expected}"


@frozen_kw_only
class NotAName(Diagnostic):
    """``let in <- 1 in in``"""

    code: ClassVar[str] = "RH008"
    title: ClassVar[str] = "Not a name"
    label: ClassVar[str] = "found {found}, expected {expected}"


@frozen_kw_only
class WrongArrow(Diagnostic):
    """``let x = 1 in x``"""

    code: ClassVar[str] = "RH009"
    title: ClassVar[str] = "Wrong arrow"
    label: ClassVar[str] = "found {found}, expected {expected}"


@frozen_kw_only
class MissingIn(Diagnostic):
    """``let x <- 1``"""

    code: ClassVar[str] = "RH010"
    title: ClassVar[str] = "A `let` without its `in`"
    label: ClassVar[str] = "found {found}, expected the `in` of this `let`"


@frozen_kw_only
class MissingWith(Diagnostic):
    """``rev handle (v) <x>. mlp(x)``"""

    code: ClassVar[str] = "RH011"
    title: ClassVar[str] = "A handled command without a handler"
    label: ClassVar[str] = "found {found}, expected `with` and a handler"


@frozen_kw_only
class MissingDot(Diagnostic):
    """``rev handle (v) <x> mlp(x) with sgd``"""

    code: ClassVar[str] = "RH012"
    title: ClassVar[str] = "Missing dot"
    label: ClassVar[str] = "found {found}, expected `.` after the bound variables"


@frozen_kw_only
class MissingBackward(Diagnostic):
    """``handler h = { return x -> return x  FC[l](x) -> return (x, x) }``"""

    code: ClassVar[str] = "RH013"
    title: ClassVar[str] = "A clause without its backward part"
    label: ClassVar[str] = "the clause for `{operation}` has no backward part: found {found}, expected `|`"

    operation: str


@frozen_kw_only
class IndentedItem(Diagnostic):
    """``␣␣dim n = 3`` as the first line"""

    code: ClassVar[str] = "RH014"
    title: ClassVar[str] = "The first line is indented"
    label: ClassVar[str] = "this line is indented, so it continues an item, but there is none above it"


@frozen_kw_only
class UnknownDeclaration(Diagnostic):
    """``nett mlp(x : Real) = return x``"""

    code: ClassVar[str] = "RH015"
    title: ClassVar[str] = "Unknown declaration"
    label: ClassVar[str] = "`{word}` does not begin a declaration, expected one of {expected}"

    word: str


@frozen_kw_only
class TooDeep(Diagnostic):
    """``((((…))))``, more than 200 of them"""

    code: ClassVar[str] = "RH016"
    title: ClassVar[str] = "Nested too deeply"
    label: ClassVar[str] = "more than {limit} levels or operators in one expression"

    limit: int


@frozen_kw_only
class ForeignSyntax(Diagnostic):
    """``x == y``"""

    code: ClassVar[str] = "RH017"
    title: ClassVar[str] = "Not in this language"
    label: ClassVar[str] = "the language has no {found}"


@frozen_kw_only
class RepeatedOption(Diagnostic):
    """``train mlp(x) for x in data("xor") epochs 1 epochs 2``"""

    code: ClassVar[str] = "RH018"
    title: ClassVar[str] = "Duplicate option"
    label: ClassVar[str] = "{found} is already set"


@frozen_kw_only
class MisplacedPython(Diagnostic):
    """``%%python`` below the first line of a cell, or in a file"""

    code: ClassVar[str] = "RH019"
    title: ClassVar[str] = "Misplaced Python"
    label: ClassVar[str] = "{found} must be alone on the first line of a notebook cell; the whole cell is then Python"


@frozen_kw_only
class CodeMissing(Diagnostic):
    """``fun sq(x : Real) : Real = YOUR_CODE_HERE``"""

    code: ClassVar[str] = "RH020"
    title: ClassVar[str] = "Code missing"
    label: ClassVar[str] = "replace this by your own code"
