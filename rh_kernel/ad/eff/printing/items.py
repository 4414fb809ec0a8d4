"""Printing of the declarations of EFF."""

from collections.abc import Sequence

from rh_kernel.ad.eff.core import FunctionDefinition, HandlerDefinition, Lambda
from rh_kernel.ad.eff.definitions import Declaration, Function, Handler, shown
from rh_kernel.ad.eff.printing import types
from rh_kernel.ad.eff.printing.terms import Printer, keyword
from rh_kernel.ad.eff.types import DataDeclaration, EffectDeclaration, Parameter
from rh_kernel.source.trampoline import descend
from rh_kernel.syntax.printing.doc import LINE, Doc, Role, concat, group, join, nest, role


def declaration(made: Declaration) -> Doc:
    """A declaration of any kind."""
    match made:
        case DataDeclaration():
            return data(made)
        case EffectDeclaration():
            return effect(made)
        case Function(definition):
            return function(definition)
        case Handler(definition):
            return handler(definition)


def data(D: DataDeclaration) -> Doc:
    """``data Paired x = Paired x x``"""
    constructors = [" ".join([shown(k.name), *[types.value(A, atomic=True) for A in k.fields]]) for k in D.constructors]
    return group(_head("data", D.name, D.parameters), nest(LINE, join(concat(LINE, "| "), [concat(k) for k in constructors])))


def effect(E: EffectDeclaration) -> Doc:
    """``effect Smooth x = ap0 : Nullary -> x | …``"""
    operations: list[Doc] = []
    for o in E.operations:
        arrows = " -> ".join([types.value(A) for A in (*o.domain, o.codomain)])
        operations.append(concat(role(Role.OPERATION, shown(o.name)), f" : {arrows}"))
    return group(_head("effect", E.name, E.parameters), nest(LINE, join(concat(LINE, "| "), operations)))


def functions(several: Sequence[FunctionDefinition]) -> Doc:
    """``fun f x = M and g y = N …``"""
    first, *others = several
    return group(function(first), nest(*[concat(LINE, function(f, "and ")) for f in others]))


def function(f: FunctionDefinition, word: str = "fun ") -> Doc:
    """``fun f x (y : A) : [E] B = M``"""
    printer = Printer(f.body, {})
    body = f.body.body
    names, rest = printer.parameters(body) if isinstance(body, Lambda) else (list[str](), body)
    S = f.signature
    parts: list[Doc | str] = [keyword(word), shown(f.name)]
    for i, x in enumerate(names):
        A = S.domains[i] if i < len(S.domains) else None
        parts.append(nest(LINE, x if A is None else f"({x} : {types.value(A)})", indent=4))
    if S.codomain is not None:
        parts.append(nest(LINE, f": {types.computation(S.codomain, S.row)}", indent=4))
    printed = descend(printer.block(rest))
    return group(group(*parts, " ="), nest(LINE, printed.doc))


def handler(h: HandlerDefinition) -> Doc:
    """``handler h x (y : A) = return y -> M | <op z -> k> -> N``"""
    printer = Printer(h.clauses, {})
    parameters = zip(map(printer.local, h.parameters), h.domains, strict=True)
    names = " ".join([shown(h.name), *[x if A is None else f"({x} : {types.value(A)})" for x, A in parameters]])
    printed = descend(printer.clauses(h.clauses))
    return group(keyword("handler "), f"{names} =", nest(LINE, printed.doc))


def _head(word: str, name: str, parameters: tuple[Parameter, ...]) -> Doc:
    printed = "".join([f" [{p.name}]" if p.is_row else f" {p.name}" for p in parameters])
    return concat(keyword(word), " ", role(Role.TYPE, shown(name)), f"{printed} =")
