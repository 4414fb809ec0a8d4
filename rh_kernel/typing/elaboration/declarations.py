"""Elaboration of declarations (LANGUAGE §3): each is checked once, for all values of its dimension variables."""

from dataclasses import replace

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Handler, OrdinaryHandler, ReverseHandler, Scope
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.parsing.lexer import count
from rh_kernel.syntax.signature import (
    DimKind,
    Family,
    Location,
    LocationFamilyVar,
    LocationVar,
    LocFamilyKind,
    LocKind,
    Parameter,
    ValueKind,
)
from rh_kernel.syntax.types import Real, Shape, ShapeVar, Type, product
from rh_kernel.typing.context import Context, Entry, Zone
from rh_kernel.typing.definitions import (
    BUILT_IN,
    ConstDefinition,
    Definition,
    Definitions,
    DimDefinition,
    FunDefinition,
    HandlerDefinition,
    LocDefinition,
    LocFamilyDefinition,
    NetDefinition,
    OpDefinition,
    StateDefinition,
)
from rh_kernel.typing.diagnostics.hints import Expectation
from rh_kernel.typing.diagnostics.origins import expected_by_annotation
from rh_kernel.typing.diagnostics.shared import recursive
from rh_kernel.typing.elaboration.clause_heads import shape_variables, shapes_of
from rh_kernel.typing.elaboration.commands import Commands
from rh_kernel.typing.elaboration.dimensions import dimension_variables, elaborate_dim, elaborate_shape, elaborate_type
from rh_kernel.typing.elaboration.error_recovery import ErrorCollector
from rh_kernel.typing.elaboration.initial import elaborate_initial
from rh_kernel.typing.elaboration.location_families import declared_family
from rh_kernel.typing.elaboration.patterns import open_patterns
from rh_kernel.typing.elaboration.states import declared_state
from rh_kernel.typing.elaboration.terms import Terms, wrong
from rh_kernel.typing.elaboration.zonking import check_dimensions, completed, finished, zonk_type
from rh_kernel.typing.errors import BuiltInName, CommandInTerm, NameTwice, NotADimension, TypesDiffer
from rh_kernel.typing.unification.unify import Unifier


def declare(definitions: Definitions, item: items.Declaration) -> Definition:
    """Elaborate a declaration. Raises ``Rejected``."""
    if item.name.text in BUILT_IN.named:
        raise Rejected(BuiltInName(span=item.name.span, name=item.name.text, hint="choose another name"))
    try:
        return _declared(Context(definitions), item)
    except Rejected as failure:
        raise recursive(failure, item.name.text) from None


def _declared(cx: Context, item: items.Declaration) -> Definition:
    match item:
        case items.DimDeclaration(name, value):
            return DimDefinition(name.text, whole_number(cx, value))
        case items.ConstDeclaration():
            return _const(cx, item)
        case items.LocDeclaration():
            return _loc(cx, item)
        case items.FunDeclaration():
            return _fun(cx, item)
        case items.OpDeclaration():
            return _op(cx, item)
        case items.NetDeclaration():
            return _net(cx, item)
        case items.HandlerDeclaration():
            return _handler(cx, item)


def whole_number(cx: Context, e: s.Expr) -> int:
    """The value of a closed dimension. Raises ``Rejected``."""
    value = elaborate_dim(cx, e).constant
    if value is None:
        why, hint = f"`{e.span.text}` has no value here", "write a number, or a name declared by `dim`"
        raise Rejected(NotADimension(span=e.span, why=why, expected="a whole number", hint=hint))
    return value


def _const(cx: Context, item: items.ConstDeclaration) -> ConstDefinition:
    commands = Commands(Unifier())
    if item.type is None:
        M, A = commands.terms.infer(cx, item.value)
    else:
        A = elaborate_type(cx, item.type)
        M = commands.terms.check(
            cx, item.value, A, expected_by_annotation(f"the declared type of `{item.name.text}`", item.type)
        )
    M = completed(commands.unifier, M, item.span)
    return ConstDefinition(item.name.text, zonk_type(commands.unifier, A), M)


def _loc(cx: Context, item: items.LocDeclaration) -> LocDefinition | LocFamilyDefinition | StateDefinition:
    if item.beside is not None:
        return declared_state(cx, item, item.beside)
    A = None if item.type is None else elaborate_type(cx, item.type)
    if A is not None and not isinstance(A, Real) and item.type is not None:
        what, hint = f"the content of `{item.name.text}`", "use a separate location for each component"
        raise Rejected(TypesDiffer(span=item.type.span, what=what, found=str(A), expected="Real(…), one array", hint=hint))
    initial, B = elaborate_initial(cx, item, A)
    if item.length is not None:
        return declared_family(cx, item, item.length, initial, B)
    version = cx.definitions.versions.get(item.name.text, 0)
    return LocDefinition(item.name.text, Location(item.name.text, B.shape, version), initial)


def _fun(cx: Context, item: items.FunDeclaration) -> FunDefinition:
    commands = Commands(Unifier())
    unifier, terms = commands.unifier, commands.terms
    signature = _signature(cx, (), item.parameters, item.result)
    cx, A = signature.context, signature.domain
    opened = open_patterns(cx, unifier, ((_pattern(item.parameters, item.name), A),), Zone.DELTA)
    siblings = ErrorCollector(unifier)
    M, B = wrong(unifier)
    with siblings:
        try:
            if signature.result is None:
                M, B = terms.infer(opened.context, item.body)
            else:
                B = signature.result
                asked = expected_by_annotation(f"the declared result of `{item.name.text}`", item.result)
                M = terms.check(opened.context, item.body, B, asked)
        except Rejected as failure:
            raise _explain_purity(failure) from None
    own = None
    if item.derivative is not None:
        with siblings:
            own = _own(cx, terms, item, item.derivative, B, A)
    siblings.raise_errors()
    body = finished(unifier, opened.term_scope(M), item.span)
    own = None if own is None else finished(unifier, own, item.span)
    needs = check_dimensions(unifier)
    B = zonk_type(unifier, B)
    return FunDefinition(item.name.text, signature.variables, signature.parameters, A, B, body, own, needs)


def _own(cx: Context, terms: Terms, item: items.FunDeclaration, d: items.OwnDerivative, B: Type, A: Type) -> Scope:
    """``w, x. N`` with ``w : B``, ``x : A`` and ``N : A``"""
    back = open_patterns(cx, terms.unifier, ((d.cotangent, B), (d.point, A)), Zone.DELTA)
    inputs = [Note(span=p.type.span, text="expected here") for p in item.parameters]
    by, hint = f"the input of `{item.name.text}`", "rd(w, x) gives the cotangent of the input: of the type of x"
    return back.term_scope(terms.check(back.context, d.body, A, Expectation(by, hint, lambda: inputs)))


def _op(cx: Context, item: items.OpDeclaration) -> OpDefinition:
    parameters, cx = _statics(replace(cx, open_shapes=True), item.parameters)
    A, B = elaborate_type(cx, item.domain), elaborate_type(cx, item.codomain)
    family = Family(item.name.text, parameters, A, B, _variables(parameters, (A, B)))
    _check_shapes(item, family)
    return OpDefinition(item.name.text, family)


def _check_shapes(item: items.OpDeclaration, family: Family) -> None:
    """Raise ``Rejected`` if a name stands for a whole shape and for one axis."""
    axes = dimension_variables([shape for shape in shapes_of(family) if not isinstance(shape, ShapeVar)])
    for name in sorted(shape_variables(family) & {*axes}):
        why = f"`{name}` is one axis here, and `{name}…` a shape of any number of axes"
        raise Rejected(NotADimension(span=item.span, why=why, hint=f"write `{name}…` everywhere, or choose another name"))


def _net(cx: Context, item: items.NetDeclaration) -> NetDefinition:
    commands = Commands(Unifier())
    signature = _signature(cx, item.statics, item.parameters, item.result)
    pattern = _pattern(item.parameters, item.name)
    opened = open_patterns(signature.context, commands.unifier, ((pattern, signature.domain),), Zone.DELTA)
    asked = expected_by_annotation(f"the declared result of `{item.name.text}`", item.result)
    R, B = commands.elaborate(opened.context, item.body, signature.result, asked)
    values = tuple(p.name for p in signature.statics if isinstance(p.kind, ValueKind))
    scope = opened.command_scope(R)
    body = finished(commands.unifier, Scope((*values, *scope.hints), scope.body), item.span)
    if not (signature.variables or signature.statics):
        body = Scope(body.hints, body.body, is_generic=False, span=body.span)
    needs = check_dimensions(commands.unifier)
    B = zonk_type(commands.unifier, B)
    nodes = _estimated_size(item, commands.unifier)
    return NetDefinition(
        item.name.text, signature.variables, signature.statics, signature.parameters, signature.domain, B, body, nodes, needs
    )


def _estimated_size(item: items.Declaration, unifier: Unifier) -> int:
    """The approximate size of the item with the nets and handlers in it unfolded."""
    return count(item.span) + unifier.nodes


def _handler(cx: Context, item: items.HandlerDeclaration) -> HandlerDefinition:
    commands = Commands(Unifier())
    unifier = commands.unifier
    signature = _signature(cx, (), item.parameters, None)
    typed = signature.context
    source: Type = unifier.fresh_type()
    target: Type | None = None
    if item.type is not None:
        opened = _type_context(cx)
        source = elaborate_type(opened, item.type.source)
        target = None if item.type.target is None else elaborate_type(opened, item.type.target)
        typed = typed.with_dims({v: dim(v) for v in dimension_variables([source, *([target] if target else [])])})
    inner = typed.bind(
        *(
            Entry(p.name.text, A, Zone.GAMMA, span=p.name.span)
            for p, (_, A) in zip(item.parameters, signature.parameters, strict=True)
        )
    )
    ordinary = target is not None or (item.type is None and any(isinstance(c, s.OrdinaryClause) for c in item.body.clauses))
    H: Handler
    if ordinary:
        asked = expected_by_annotation("", None if item.type is None else item.type.target)
        H = commands.handlers.ordinary_literal(inner, item.body, source, target, asked)
        unifier.keep(H.source, H.target)
    else:
        asked = expected_by_annotation("", None if item.type is None else item.type.source)
        H = commands.handlers.reverse_literal(inner, item.body, source, asked)
        unifier.keep(H.type)
    H = finished(unifier, H, item.span)
    needs = check_dimensions(unifier)
    variables = dimension_variables([A for _, A in signature.parameters] + [source] + ([target] if target else []))
    named = _with_name(H, item.name.text)
    return HandlerDefinition(item.name.text, variables, signature.parameters, named, _estimated_size(item, unifier), needs)


def _with_name(H: Handler, name: str) -> Handler:
    match H:
        case ReverseHandler(C, returns, clauses):
            return ReverseHandler(C, returns, clauses, name, span=H.span)
        case OrdinaryHandler(C, D, returns, clauses):
            return OrdinaryHandler(C, D, returns, clauses, name, span=H.span)


def _explain_purity(failure: Rejected) -> Rejected:
    """Add a hint to each diagnostic about a command in a function: commands belong in nets."""
    hint = "functions are pure; to perform operations, declare a `net`"
    amended = (replace(d, hint=hint, fix=None) if isinstance(d, CommandInTerm) else d for d in failure.diagnostics)
    return Rejected(*amended)


@frozen
class _Signature:
    """The part of a declaration before the ``=``."""

    variables: tuple[str, ...]
    statics: tuple[Parameter, ...]
    parameters: tuple[tuple[str, Type], ...]
    domain: Type
    result: Type | None
    context: Context


def _signature(
    cx: Context,
    statics: tuple[items.StaticParameter, ...],
    parameters: tuple[items.TypedParameter, ...],
    result: s.TypeExpr | None,
) -> _Signature:
    """The types of the parameters, and the context of the body: static values are in Γ, and all dimensions are in scope."""
    elaborated, opened = _statics(cx, statics)
    _check_distinct((*[p.name for p in statics], *[p.name for p in parameters]))
    typed = tuple((p.name.text, elaborate_type(opened, p.type)) for p in parameters)
    domain = product(A for _, A in typed)
    codomain = None if result is None else elaborate_type(opened, result)
    variables = _variables(elaborated, (domain, *(() if codomain is None else (codomain,))))
    dims = {v: dim(v) for v in variables} | {p.name: dim(p.name) for p in elaborated if isinstance(p.kind, DimKind)}
    locations = {p.name: LocationVar(p.name, p.kind.shape) for p in elaborated if isinstance(p.kind, LocKind)}
    families = {
        p.name: LocationFamilyVar(p.name, p.kind.shape, p.kind.length) for p in elaborated if isinstance(p.kind, LocFamilyKind)
    }
    places = {p.name.text: p.name.span for p in statics}
    values = [Entry(p.name, p.kind.type, Zone.GAMMA, span=places[p.name]) for p in elaborated if isinstance(p.kind, ValueKind)]
    inner = cx.with_dims(dims).with_locations(locations).with_families(families).with_places(places).bind(*values)
    return _Signature(variables, elaborated, typed, domain, codomain, inner)


def _statics(cx: Context, statics: tuple[items.StaticParameter, ...]) -> tuple[tuple[Parameter, ...], Context]:
    _check_distinct(tuple(p.name for p in statics))
    dims = {p.name.text: dim(p.name.text) for p in statics if isinstance(p.kind, s.DimKind)}
    opened = _type_context(cx).with_dims(dims)
    elaborated: list[Parameter] = []
    for p in statics:
        match p.kind:
            case s.DimKind():
                elaborated.append(Parameter(p.name.text, DimKind()))
            case s.LocKind(written, length, whole):
                shape = elaborate_shape(opened, written, whole)
                kind = LocKind(shape) if length is None else LocFamilyKind(shape, elaborate_dim(opened, length))
                elaborated.append(Parameter(p.name.text, kind))
            case s.RealType() | s.UnitType() | s.ProductType():
                elaborated.append(Parameter(p.name.text, ValueKind(elaborate_type(opened, p.kind))))
    return tuple(elaborated), opened


def _type_context(cx: Context) -> Context:
    """The context of a declaration's types, in which an undefined lower-case name is a dimension variable."""
    return Context(cx.definitions, dims=cx.dims, shapes=cx.shapes, open_dims=True, open_shapes=cx.open_shapes)


def _variables(parameters: tuple[Parameter, ...], types: tuple[Type, ...]) -> tuple[str, ...]:
    kinds: list[Type | Shape] = []
    for p in parameters:
        match p.kind:
            case LocKind(shape):
                kinds.append(shape)
            case ValueKind(A):
                kinds.append(A)
            case LocFamilyKind(shape, length):
                kinds += (shape, (length,))
            case DimKind():
                pass
    taken = {p.name for p in parameters if isinstance(p.kind, DimKind)}
    return tuple(v for v in dimension_variables([*kinds, *types]) if v not in taken)


def _pattern(parameters: tuple[items.TypedParameter, ...], name: s.Name) -> s.Pattern:
    names = tuple(s.NamePattern(p.name.text, span=p.name.span) for p in parameters)
    match names:
        case ():
            return s.NamePattern("_", span=name.span)
        case (one,):
            return one
        case many:
            return s.TuplePattern(many, span=many[0].span.to(many[-1].span))


def _check_distinct(names: tuple[s.Name, ...]) -> None:
    seen: dict[str, Span] = {}
    for name in names:
        if name.text in seen:
            notes = (Note(span=seen[name.text], text="the first one is here"),)
            raise Rejected(NameTwice(span=name.span, name=name.text, notes=notes, hint="give the parameters different names"))
        seen[name.text] = name.span
