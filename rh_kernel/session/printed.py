"""What items print while they run: their results have it, and some views show it elsewhere."""

from dataclasses import replace

from rh_kernel.session.results import Counted, Result, Returned


def printed_by(result: Result) -> tuple[str, ...]:
    """Return the lines that an item printed before it returned this result."""
    match result:
        case Returned(printed=lines) | Counted(returned=Returned(printed=lines)):
            return lines
        case _:
            return ()


def apart_from_printed(result: Result) -> Result:
    """Return the result without the lines that the item printed, for where these are shown separately."""
    match result:
        case Returned():
            return replace(result, printed=())
        case Counted(returned):
            return replace(result, returned=replace(returned, printed=()))
        case _:
            return result
