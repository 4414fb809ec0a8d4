"""Results as files for ``%save-view``: an ``.html`` page, or an ``.svg`` picture that stands still or moves."""

from rh_kernel.session.results import GradientMade, Result
from rh_kernel.session.view_files import NoSuchPicture


def encode_view(result: Result, suffix: str, *, title: str, animated: bool = False) -> str:
    """Return the text of a file with this suffix. Raises ``NoSuchPicture``; ``ValueError`` for another suffix."""
    match suffix:
        case ".html":
            from rh_kernel.display.saved_page import saved_page

            return saved_page(result, title)
        case ".svg" if animated:
            return _moving(result)
        case ".svg":
            from rh_kernel.display.saved_picture import saved_picture

            return saved_picture(result, title)
        case _:
            raise ValueError(f"no file of a view ends in {suffix!r}")


def _moving(result: Result) -> str:
    if not isinstance(result, GradientMade):
        raise NoSuchPicture("only the pass of `%gradient P` can be shown as a moving picture")
    from rh_kernel.display.gradients.moving import moving_svg

    return moving_svg(result)
