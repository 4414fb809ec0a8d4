"""``if B then M else N`` (LANGUAGE §9), where ``B ::= L < L' | L > L' | not B | B and B' | B or B' | (B)``.

``not`` binds tighter than ``and``, ``and`` tighter than ``or``, and all of them looser than a comparison, which binds looser
than arithmetic. The words are contextual: ``if`` is one where an expression follows it, ``then``, ``else``, ``and``, ``or`` and
``not`` are only in their places inside a conditional; elsewhere all of them are names.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from rh_kernel.source.diagnostic import Fix, Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.conditions import Connective, Relation
from rh_kernel.syntax.errors import Unexpected
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.tokens import Kind, Token

Parse: TypeAlias = Callable[[Cursor], s.Expr]

IF = "if"
WORDS = (IF, "then", "else", "and", "or", "not")

_STARTS = frozenset({"(", "[", "⟨", "-"})
_KEYWORDS = frozenset({"let", "rd", "return", "rev", "handle"})
_RELATIONS = {relation.value: relation for relation in Relation}
_COMPARISON = "`<` or `>`"
_CLOSED_BY = frozenset({"and", "or", "then", ")"})
_FORM = "a conditional is written if x < y then M else N"
_ONLY_STRICT = "conditions compare by `<` and `>`: x <= y is `not (x > y)`"


def begins(c: Cursor, expression: Parse) -> bool:
    """Whether the current name ``if`` begins a conditional: an expression follows that is not its argument."""
    following = c.peek()
    match following.kind:
        case Kind.NAME | Kind.NUMBER:
            return True
        case Kind.KEYWORD:
            return following.text in _KEYWORDS
        case _ if following.text not in _STARTS:
            return False
        case _:
            is_finished = any(token.text == "then" for token in c.rest())
            return is_finished or c.is_condition(lambda c: conditional(c, expression), expression)


def conditional(c: Cursor, expression: Parse) -> s.Expr:
    """Parse ``if B then M else N``; both branches extend as far to the right as possible."""
    c.deepen()
    word = _word(c)
    B = _condition(c, expression)
    _need(c, "then", word)
    M = expression(c)
    _need(c, "else", word)
    N = expression(c)
    c.depth -= 1
    return s.IfExpr(B, M, N, span=c.since(word.start))


def _word(c: Cursor) -> Token:
    """Consume a contextual keyword, or the sign of a comparison, which is no bracket here."""
    c.keywords.append(c.token.start)
    return c.advance()


def _need(c: Cursor, text: str, word: Token) -> None:
    if c.at(text):
        _word(c)
        return
    if c.is_misfit() and c.holds(Kind.SYMBOL, Kind.FOREIGN):
        hint = _ONLY_STRICT if c.at("⇐", ">=", "==", "!=") else _FORM
        raise c.fail(f"`{text}`", hint)
    note = Note(span=c.span(word), text="this `if`")
    fix = c.indented(text) if c.holds(Kind.END) else None
    raise Rejected(
        Unexpected(span=c.here(), found=c.found(), expected=f"`{text}`", hint=c.unindented() or _FORM, notes=(note,), fix=fix)
    )


def _condition(c: Cursor, expression: Parse) -> s.Condition:
    """``B or B' or …``"""
    c.deepen()
    start = c.token.start
    B = _conjunction(c, expression)
    while c.at("or"):
        _word(c)
        right = _conjunction(c, expression)
        B = s.JoinedConditions(Connective.OR, B, right, span=c.since(start))
    c.depth -= 1
    return B


def _conjunction(c: Cursor, expression: Parse) -> s.Condition:
    start = c.token.start
    B = _negation(c, expression)
    while c.at("and"):
        _word(c)
        right = _negation(c, expression)
        B = s.JoinedConditions(Connective.AND, B, right, span=c.since(start))
    return B


def _negation(c: Cursor, expression: Parse) -> s.Condition:
    negations: list[Token] = []
    while c.at("not") and _is_operand(c.peek()):
        c.deepen()
        negations.append(_word(c))
    parse = _in_brackets if c.at("(") and _brackets_condition(c, expression) else _comparison
    B = parse(c, expression)
    for word in reversed(negations):
        c.depth -= 1
        B = s.NotCondition(B, span=c.since(word.start))
    return B


def _is_operand(token: Token) -> bool:
    """Whether a condition can begin with this token, so that a ``not`` before it is no name."""
    return token.kind in (Kind.NAME, Kind.NUMBER) or token.text in _STARTS or token.text in _KEYWORDS


def _in_brackets(c: Cursor, expression: Parse) -> s.Condition:
    c.open("(")
    B = _condition(c, expression)
    c.close()
    return B


def _brackets_condition(c: Cursor, expression: Parse) -> bool:
    """Whether the bracket that opens here holds a condition, not a term: by what follows the bracket that closes it."""
    depth = 0
    for token, following in pairwise(c.rest()):
        if token.kind is not Kind.SYMBOL:
            continue
        depth += (token.text in {"(", "[", "{"}) - (token.text in {")", "]", "}"})
        if not depth and following.kind is not Kind.END:
            return following.text in _CLOSED_BY
    c.deepen(2)
    found = c.is_condition(lambda c: _in_brackets(c, expression), expression)
    c.depth -= 2
    return found


def _comparison(c: Cursor, expression: Parse) -> s.Condition:
    start = c.token.start
    L = expression(c)
    relation = _RELATIONS.get(c.token.text)
    if relation is None:
        raise _no_comparison(c)
    _word(c)
    N = expression(c)
    return s.Comparison(relation, L, N, span=c.since(start))


def _no_comparison(c: Cursor) -> Rejected:
    if c.at("←") and c.source.text[c.token.start : c.token.end] == "<-":
        fix = Fix(Span(c.source, c.token.start, c.token.end), "< -")
        hint = "`<-` is the arrow of a let; put a space before the minus: x < -1"
        return Rejected(Unexpected(span=c.here(), found=c.found(), expected=_COMPARISON, hint=hint, fix=fix))
    if c.at("⇐", "⇒", ">=", "==", "!="):
        hint = _ONLY_STRICT if not c.at("==", "!=") else "conditions compare by `<` and `>` alone"
        return Rejected(Unexpected(span=c.here(), found=c.found(), expected=_COMPARISON, hint=hint))
    hint = "a condition compares two numbers, x < y, and there are no truth values"
    if c.holds(Kind.END):
        return c.fail(_COMPARISON, hint)
    return Rejected(Unexpected(span=c.here(), found=c.found(), expected=_COMPARISON, hint=hint))
