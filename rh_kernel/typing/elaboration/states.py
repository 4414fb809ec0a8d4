"""State beside locations: the declaration ``loc velocity[l : Loc(s…)] : Real(s…) = zeros``."""

from rh_kernel.source.diagnostic import KernelBug, Rejected
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.dimensions import dim, variables
from rh_kernel.syntax.signature import StateFamily
from rh_kernel.syntax.types import SCALAR, Real, Shape, ShapeVar
from rh_kernel.typing.context import Context
from rh_kernel.typing.definitions import Drawn, StateDefinition
from rh_kernel.typing.elaboration.dimensions import dimension_variables, elaborate_shape, elaborate_type
from rh_kernel.typing.elaboration.initial import elaborate_initial, plain_number
from rh_kernel.typing.errors import BadInitial, WrongIndex

_USAGE = "loc velocity[l : Loc(s…)] : Real(s…) = zeros"


def declared_state(cx: Context, item: items.LocDeclaration, beside: items.StaticParameter) -> StateDefinition:
    """``loc velocity[l : Loc(s…)] : A = …``. Raises ``Rejected``."""
    types = Context(cx.definitions, open_dims=True, open_shapes=True)
    of = _base(types, beside)
    if item.type is None:
        why = "the type of the state is missing"
        raise Rejected(BadInitial(span=item.name.span, why=why, found=f"no type for `{item.name.text}`", hint=f"`{_USAGE}`"))
    A = elaborate_type(types, item.type)
    own = {*dimension_variables([of])}
    if not isinstance(A, Real) or not own.issuperset(dimension_variables([A])) or not _is_same_kind(of, A.shape):
        why = f"the type of the state follows from the shape of `{beside.name.text}`"
        expected = f"one array, made of {' and '.join(f'`{name}`' for name in sorted(own)) or 'numbers'}"
        raise Rejected(WrongIndex(span=item.type.span, why=why, found=str(A), expected=expected, hint=f"`{_USAGE}`"))
    version = cx.definitions.versions.get(item.name.text, 0)
    return StateDefinition(item.name.text, StateFamily(item.name.text, of, A.shape, _initial(cx, item, A), version))


def _base(cx: Context, beside: items.StaticParameter) -> Shape:
    """The shape of the locations beside which the state is. Raises ``Rejected`` if it fits some of one number of axes only."""
    match beside.kind:
        case s.LocKind(dims, None, whole):
            shape = elaborate_shape(cx, dims, whole)
        case _:
            raise KernelBug("the parser reads state beside a location only")
    if isinstance(shape, tuple):
        names = [v for d in shape for v in variables(d)]
        if [dim(v) for v in dict.fromkeys(names)] != [*shape]:
            why = "the axes must be variables here, each a different one"
            hint = "`Loc(m, n)` is every location with two axes, `Loc(s…)` every location"
            raise Rejected(WrongIndex(span=beside.span, why=why, found=f"`{beside.span.text}`", hint=hint))
    return shape


def _is_same_kind(of: Shape, shape: Shape) -> bool:
    """Whether ``Real(shape)`` is known from ``Loc(of)``: a whole shape only if it is that one."""
    return shape == of if isinstance(shape, ShapeVar) else isinstance(shape, tuple)


def _initial(cx: Context, item: items.LocDeclaration, A: Real) -> float:
    """The number that all entries are at first. Raises ``Rejected`` for anything else."""
    match item.initial:
        case items.Initial() as initial:
            found, _ = elaborate_initial(cx, item, A)
            if isinstance(found, Drawn) and found.how in {"zeros", "ones"}:
                return float(found.how == "ones")
            written, span = initial.span.text, initial.span
        case e if A == SCALAR:
            return plain_number(cx, e)
        case e:
            written, span = e.span.text, e.span
    why, hint = "all entries of a state are the same number at first", "`zeros` or `ones`; for `Real` also a number"
    raise Rejected(BadInitial(span=span, why=why, found=f"`{written}`", expected="`zeros` or `ones`", hint=hint))
