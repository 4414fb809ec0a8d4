"""``%save-view``: write the view of the last result to a file, as a page or as a picture."""

import difflib
from dataclasses import replace
from pathlib import Path

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.errors import CannotSave
from rh_kernel.session.results import Notice, Shown, Working
from rh_kernel.session.storage import written
from rh_kernel.session.view_files import SUFFIXES, NoSuchPicture
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.training.reading.formats import one_of

USAGE = "file [animated]"
ANIMATED = "animated"
_EXAMPLE = 'for example `%save-view "pass.html"`'


@frozen
class SaveView(Action):
    """``%save-view "pass.html"``"""

    target: Path
    animated: bool
    span: Span

    def run(self, number: int, state: State) -> Run:
        """Write a scratch file, which replaces the target when the cell ends. Raises ``Rejected``."""
        yield Working("saving the view")
        text = self._text(state).encode()
        file = written(self.target, self.span, lambda file: file.write(text), _expected())
        try:
            yield Shown(number, Notice(f"the view is saved to {self.target.name} ({_size(len(text))})"))
        except BaseException:
            file.delete()
            raise
        return replace(state, files=(*state.files, file))

    def _text(self, state: State) -> str:
        if state.encode_view is None:
            why, hint = "views cannot be saved here", "put `%save-view` into a cell or a file of its own"
            raise Rejected(CannotSave(span=self.span, why=why, hint=hint))
        if state.shown is None:
            why, hint = "there is no view yet", "run a line such as `%gradient P` or `%diagram P` first"
            raise Rejected(CannotSave(span=self.span, why=why, hint=hint))
        result, title = state.shown
        try:
            return state.encode_view(result, self.target.suffix.lower(), title=title, animated=self.animated)
        except NoSuchPicture as problem:
            hint = 'save it as a page or a still picture: `%save-view "view.html"`, `%save-view "view.svg"`'
            raise Rejected(CannotSave(span=self.span, why=str(problem), hint=hint)) from None


def _size(count: int) -> str:
    return f"{count / 1000:,.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:,.1f} MB"


def _expected() -> str:
    return f"a file that ends in {one_of(SUFFIXES)}"


def _analyze(item: items.Directive, context: AnalysisContext) -> SaveView:
    match item.words:
        case (file,):
            animated = False
        case (file, word) if word == ANIMATED:
            animated = True
        case (_, word):
            hint = f"did you mean `{ANIMATED}`?" if difflib.get_close_matches(word, [ANIMATED]) else _EXAMPLE
            raise invalid_arguments("save-view", item.span, f"`{ANIMATED}` or nothing behind the file", f"`{word}`", hint)
        case words:
            found = f"`{' '.join(words)}`" if words else "nothing"
            raise invalid_arguments("save-view", item.span, "the name of one file", found, _EXAMPLE)
    suffix = Path(file).suffix.lower()
    if suffix not in SUFFIXES:
        raise invalid_arguments("save-view", item.span, _expected(), f"`{file}`", _EXAMPLE)
    if animated and suffix != ".svg":
        hint = "a page can be played as it is"
        raise invalid_arguments("save-view", item.span, "an .svg file for a moving picture", f"`{file}`", hint)
    return SaveView(context.folder / file, animated, item.span)


DIRECTIVE = Directive(
    "save-view",
    USAGE,
    "write the last view to an .html page that works offline, or to an .svg picture",
    _analyze,
    suffixes=SUFFIXES,
    order=225,
    example="""
op Double : Real -> Real
%gradient rev handle (3) <x>. Double(x) with {
  return y -> return y
  Double(x) -> return (2 * x, ()) | y, z -> return 2 * y
}
%save-view "pass.html"
%save-view "pass.svg" animated
""",
    runs_example=False,
    details="""
What is saved is the last result that is more than a message: of a line above, or of an earlier cell. An `.html` file is the
interactive view itself, in one file, be it a stepper, a diagram, a recorded training run or a confusion matrix: it needs no
network, no kernel and no Jupyter, so it can be sent by mail, put on a slide, or shown on a phone. It is light or dark as its
reader prefers, and has the still picture and the table, too. What only the kernel knows is not in it: the types of subterms of
a long trace, and what exceeds 8 MB. `pass.html#step=12` opens a trace, a pass or a training run at that step, box or state.
`jupyter nbconvert --to rh_html` makes such a page of a whole notebook.

An `.svg` file is the still picture. With `animated` it is a pass that plays by itself, box by box, forward and back; where the
reader prefers reduced motion it stands still and shows the end. In Python, `rh.gradient("…").save("pass.html")` does the same.
""",
)
