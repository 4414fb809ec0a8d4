"""``%export``: write a net, with its weights, as a function of NumPy, JAX, PyTorch or ONNX."""

import difflib
from dataclasses import replace
from pathlib import Path

from rh_kernel.interchange.targets.registry import TARGETS
from rh_kernel.interchange.targets.target import Target
from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.limits.budget import compile_options
from rh_kernel.session.results import Notice, Shown, Working
from rh_kernel.session.signatures import signature
from rh_kernel.session.storage import ScratchFile, written
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.training.reading.formats import one_of
from rh_kernel.typing.definitions import FunDefinition, NetDefinition

USAGE = "net to file [as numpy|jax|torch]"


@frozen
class Export(Action):
    """``%export predict to "predict.py" as numpy``"""

    net: NetDefinition | FunDefinition
    target: Target
    file: Path
    span: Span

    def run(self, number: int, state: State) -> Run:
        """Write scratch files, which replace their targets when the cell ends. Raises ``Failure``."""
        from rh_kernel.interchange.export import files_of

        yield Working("exporting")
        settings, head = state.settings, signature(self.net)
        options = compile_options(settings)
        made = files_of(self.net, self.target, state.heap, settings.precision, options, head, self.span)
        files: list[ScratchFile] = []
        try:
            for suffix, data in made.items():
                place = self.file.with_suffix(suffix)
                files.append(written(place, self.span, lambda file, data=data: file.write(data), _expected()))
            names = " and ".join([file.target.name for file in files])
            remark = f", {self.target.remark}" if self.target.remark else ""
            yield Shown(number, Notice(f"{self.net.name} exported to {names}, for {self.target.title}{remark}"))
        except BaseException:
            for file in files:
                file.delete()
            raise
        return replace(state, files=(*state.files, *files))


SUFFIXES = tuple(dict.fromkeys([target.suffix for target in TARGETS]))


def _expected() -> str:
    return f"a file that ends in {one_of(SUFFIXES)}"


def exporting(name: str, file: Path, chosen: str | None, context: AnalysisContext, span: Span) -> Export:
    """Return the export of a net or function to a file, for the target of that name or else by the suffix of the file.

    Raises ``Rejected`` at ``span`` if there is no such net, or no such target.
    """
    target = _by_suffix(file, span) if chosen is None else _by_name(chosen, file, span)
    return Export(_net(name, context, span), target, context.folder / file, span)


def _analyze(item: items.Directive, context: AnalysisContext) -> Export:
    match item.words:
        case (name, "to", file):
            return exporting(name, Path(file), None, context, item.span)
        case (name, "to", file, "as", chosen):
            return exporting(name, Path(file), chosen, context, item.span)
        case words:
            found = f"`{' '.join(words)}`" if words else "nothing"
            raise _invalid(item.span, f"`{USAGE}`", found, 'for example `%export predict to "predict.py"`')


def _invalid(span: Span, wanted: str, found: str, hint: str = "") -> Rejected:
    return invalid_arguments("export", span, wanted, found, hint)


def _by_suffix(file: Path, span: Span) -> Target:
    for target in TARGETS:
        if file.suffix == target.suffix:
            return target
    raise _invalid(span, _expected(), f"`{file.name}`", 'for example `%export predict to "predict.py"`')


def _by_name(name: str, file: Path, span: Span) -> Target:
    for target in TARGETS:
        if target.name == name:
            if file.suffix == target.suffix:
                return target
            hint = f"give the file a name that ends in {target.suffix}"
            raise _invalid(span, f"a {target.suffix} file for {target.title}", f"`{file.name}`", hint)
    known = [target.name for target in TARGETS if target.suffix == file.suffix] or [target.name for target in TARGETS]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean `as {near[0]}`?" if near else f"for example `as {known[0]}`"
    raise _invalid(span, f"{one_of([f'`{each}`' for each in known])} behind `as`", f"`{name}`", hint)


def _net(name: str, context: AnalysisContext, span: Span) -> NetDefinition | FunDefinition:
    found = context.definitions.get(name)
    match found:
        case NetDefinition() | FunDefinition():
            return found
        case None:
            nets = [
                n for n in context.definitions.named if isinstance(context.definitions.get(n), NetDefinition | FunDefinition)
            ]
            near = difflib.get_close_matches(name, nets, n=1)
            hint = "declare it before: `net predict(x : Real(64)) : Real(10) = handle mlp(x) with infer`"
            hint = f"did you mean `{near[0]}`?" if near else hint
            raise _invalid(span, "the name of a net or function", f"`{name}`, which is not declared", hint)
        case _:
            raise _invalid(span, "the name of a net or function", f"`{name}`", "export a net that uses it")


DIRECTIVE = Directive(
    "export",
    USAGE,
    "write a net, with its weights, as a function of NumPy, JAX, PyTorch or ONNX",
    _analyze,
    suffixes=SUFFIXES,
    order=235,
    example="""
loc w : Real(2, 2) = [[1, 2], [3, 4]]
net predict(x : Real(2)) : Real(2) = let v <= Get[w]() in return tanh(v @ x)
%export predict to "predict.py"
""",
    runs_example=False,
    details="""
The file takes batches: an argument has a leading axis of samples. A net whose operations are handled becomes a function, in
the language of the target, of the equations that `%compile` shows:

```python
def predict(x, weights=WEIGHTS):
    w = weights["w"]
    return np.tanh(x @ w.T)
```

A net that changes locations becomes a *step*: a function that also returns the new weights, each the mean of those after the
changes of every sample, as in a batch of `train`. What a reverse handler needs besides, such as the target, is a parameter in
square brackets:

```
net step[t : Real(1)](x : Real(2)) : Real(2) = rev handle (x) <u>. line(u) with sgd(0.1, t)
%export step to "step.py"
```

Draws become arguments, one for each. Loops stay loops. Numbers of rows are not checked. A `.py` file has its weights beside it,
in an `.npz` file; it is for NumPy, unless `as jax` or `as torch` is written behind its name. Large constants, such as a mask,
are in that file too, and in `CONSTANTS` or a buffer: they are none of the weights. The net needs all its operations handled,
and no locations or dimensions as parameters.

An `.onnx` file is a model with its weights, which needs the library `onnx` to be written. Inputs and weights have their names
in the program, where a family of locations through which a loop goes is one array; the result is called `result`, or `result1`
and so on. Loops become scans, and constants nodes of their own: the initialisers are the weights, and shapes. In a step, the
weights that it changes may be given as inputs, and the new ones are outputs, `new_w` for `w`: so they are fed back for the next
step. All numbers are float32; those of the nets in the library agree to about 0.00001 with what they are here.
""",
)
