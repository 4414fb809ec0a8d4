"""The typing rule of a form, and the judgments that type a declared name, each on one line (RH Fig. 2, 3, §2.2.1)."""

from dataclasses import replace

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.signatures import type_text
from rh_kernel.syntax.core import ReverseHandler
from rh_kernel.syntax.types import Real, Type
from rh_kernel.typing import definitions as defs
from rh_kernel.typing.definitions import Definition
from rh_kernel.typing.derivation.rules import TypingRule


def rule_of(rule: TypingRule) -> str:
    """``T-PLUS (Fig. 2): from Γ ⊢ M : A and Γ ⊢ N : A follows Γ ⊢ M + N : A``"""
    figure = rule.schema
    premises = " and ".join([*figure.premises, *figure.sides])
    return f"{_name(rule)}: from {premises} follows {figure.conclusion}"


def rules_of(name: str, definition: Definition | None) -> tuple[str, ...]:
    """Return the judgments that type uses of a declared name; without a definition, those of a built-in function symbol."""
    match definition:
        case None:
            return tuple([_function(name, scheme.domain, scheme.codomain) for scheme in SYMBOLS[name].schemes])
        case defs.DimDefinition() | defs.NumberDefinition():
            return ()
        case defs.ConstDefinition(_, A, _):
            return (f"{_name(TypingRule.T_CONST)}: Γ ⊢ {name} : {A}",)
        case defs.LocDefinition():
            return (f"{_name(TypingRule.T_OP)}: Γ ; Δ ⊢ Get[{name}]() : {Real(definition.location.shape)}",)
        case defs.LocFamilyDefinition(_, family):
            return (f"{_name(TypingRule.T_OP)}: Γ ; Δ ⊢ Get[{name}[i]]() : {Real(family.shape)}",)
        case defs.StateDefinition(_, family):
            return (f"{_name(TypingRule.T_OP)}: Γ ; Δ ⊢ Get[{name}[l]]() : {Real(family.shape)}",)
        case defs.FunDefinition(domain=A, codomain=B):
            return (_function(name, A, B),)
        case defs.OpDefinition(_, family):
            indices = f"{family.shape}…" if family.shape else ", ".join([parameter.name for parameter in family.parameters])
            use = f"{name}[{indices}]" if indices else name
            return (_command(TypingRule.T_OP, use, family.domain, family.codomain),)
        case defs.NetDefinition(statics=statics, domain=A, codomain=B):
            indices = ", ".join([parameter.name for parameter in statics])
            return (_command(TypingRule.T_CLET, f"{name}[{indices}]" if indices else name, A, B),)
        case defs.HandlerDefinition(parameters=parameters):
            rule = TypingRule.T_RHANDLER if isinstance(definition.handler, ReverseHandler) else TypingRule.T_HANDLER
            use = f"{name}({', '.join([parameter for parameter, _ in parameters])})" if parameters else name
            return (f"{_name(rule)}: Γ ⊢ {use} : {type_text(replace(definition, parameters=()))}",)


def _function(name: str, A: Type, B: Type) -> str:
    return f"{_name(TypingRule.T_FUNC)}: from Γ ⊢ M : {A} follows Γ ⊢ {name}(M) : {B}"


def _command(rule: TypingRule, use: str, A: Type, B: Type) -> str:
    return f"{_name(rule)}: from Γ, Δ ⊢ M : {A} follows Γ ; Δ ⊢ {use}(M) : {B}"


def _name(rule: TypingRule) -> str:
    return f"{rule.value} ({rule.figure.value})"
