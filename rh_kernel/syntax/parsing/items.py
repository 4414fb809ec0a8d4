"""Items of a cell: declarations (LANGUAGE §3), evaluations, training items and directives (LANGUAGE §6)."""

import difflib
import re

from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.errors import ForeignSyntax, MisplacedPython, UnknownDeclaration
from rh_kernel.syntax.parsing.checks import check, is_check
from rh_kernel.syntax.parsing.conditionals import IF
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.expressions import expression
from rh_kernel.syntax.parsing.handlers import handler_literal
from rh_kernel.syntax.parsing.hints import FOREIGN_WORDS, OF_PYTHON, shorten
from rh_kernel.syntax.parsing.lexer import words
from rh_kernel.syntax.parsing.patterns import pattern
from rh_kernel.syntax.parsing.tokens import (
    DECLARATIONS,
    DIRECTIVE_NAME,
    DIRECTIVE_OPTIONS,
    EXPRESSION_DIRECTIVES,
    INITIALS,
    PYTHON,
    SAMPLE_DIRECTIVES,
    TRAINING_DIRECTIVES,
    Kind,
    Token,
)
from rh_kernel.syntax.parsing.training import samples, training
from rh_kernel.syntax.parsing.types import (
    family_length,
    handler_type,
    location_parameter,
    result_type,
    static_parameters,
    type_expression,
    typed_parameters,
)
from rh_kernel.syntax.parsing.unbound_commands import check_bound
from rh_kernel.syntax.surface import Expr, Name

_DIRECTIVE = re.compile(rf"%[ \r\n]*({DIRECTIVE_NAME})")
_THE_END = "the end of the item"
_MEANT = {
    "def": "fun",
    "function": "fun",
    "func": "fun",
    "val": "const",
    "var": "const",
    "operation": "op",
    "effect": "op",
    "param": "loc",
    "weight": "loc",
    "module": "net",
    "model": "net",
}
_FORMS = {
    "fun": "a function is declared by `fun f(x : Real(n)) = M`",
    "net": "a net is declared by `net f(x : Real(n)) = P`, a function without effects by `fun f(x : Real(n)) = M`",
}


def item(c: Cursor) -> items.Item:
    """Parse one item, up to its end."""
    start = c.token.start
    found = _item(c, start)
    if c.token.kind is not Kind.END:
        if isinstance(found, items.Evaluation | items.NetDeclaration):
            check_bound(c, found.expression if isinstance(found, items.Evaluation) else found.body, _THE_END)
        if c.holds(Kind.NAME) and c.token.text in FOREIGN_WORDS:
            raise c.foreign(c.token)
        fix = Fix(c.here(), "") if c.at(";") and c.peek().kind is Kind.END else None
        raise c.fail(_THE_END, _trailing_hint(c), fix)
    return found


def _item(c: Cursor, start: int) -> items.Item:
    match c.token.text:
        case "dim":
            name = _declared_name(c)
            _expect_equals(c)
            value = expression(c)
            return items.DimDeclaration(name, value, span=c.since(start))
        case "const":
            name = _declared_name(c)
            A = result_type(c)
            _expect_equals(c, is_typed=A is not None)
            value = expression(c)
            return items.ConstDeclaration(name, A, value, span=c.since(start))
        case "loc":
            name = _declared_name(c)
            beside = location_parameter(c)
            length = family_length(c) if beside is None else None
            A = result_type(c)
            if A is not None and c.holds(Kind.END):
                raise c.fail("`=`", f"give the location an initial content: loc {name.text} : {A.span.text} = zeros")
            _expect_equals(c, is_typed=A is not None)
            initial = _initial(c)
            return items.LocDeclaration(name, A, initial, length, beside, span=c.since(start))
        case "fun":
            return _fun(c, start)
        case "op":
            name = _declared_name(c)
            statics = static_parameters(c)
            c.need(":", "declare an operation with its type: op Op[l : Loc(n)] : A -> B")
            A = type_expression(c)
            c.need("→", "an operation has the type A -> B")
            B = type_expression(c)
            return items.OpDeclaration(name, statics, A, B, span=c.since(start))
        case "net":
            name = _declared_name(c)
            statics = static_parameters(c)
            parameters = typed_parameters(c)
            A = result_type(c)
            _expect_equals(c, is_typed=A is not None)
            R = expression(c)
            return items.NetDeclaration(name, statics, parameters, A, R, span=c.since(start))
        case "handler":
            name = _declared_name(c)
            parameters = typed_parameters(c) if c.at("(") else ()
            A = handler_type(c)
            _expect_equals(c)
            H = handler_literal(c, expression)
            return items.HandlerDeclaration(name, parameters, A, H, span=c.since(start))
        case "train":
            return training(c, start)
        case "include":
            c.advance()
            if not c.holds(Kind.STRING):
                raise c.fail("the name of a file in quotes", 'for example `include "sgd.rh"`')
            return items.IncludeItem(c.advance().text[1:-1], span=c.since(start))
        case "%":
            return _directive(c, start)
        case _ if is_check(c):
            return check(c)
        case _:
            _check_declaration(c)
            M = expression(c)
            return items.Evaluation(M, span=c.since(start))


def _declared_name(c: Cursor) -> Name:
    word = c.advance().text
    return c.name(f"a name for the {word}")


def _expect_equals(c: Cursor, *, is_typed: bool = True) -> None:
    """Consume ``=``. If there is no type annotation yet, an arrow here is reported as a mistyped ``:``."""
    if not is_typed and c.at("→") and (c.peek().text == "Real" or any(t.text == "=" for t in c.rest())):
        raise c.fail("`:` or `=`", "write the type after `:`", Fix(c.here(), ":"))
    others = ("←", "⇐", "→", ":=", "==")
    c.need("=", "declarations use `=`, lets use `<-` and `<=`" if c.at(*others) else "", *others)


def _check_declaration(c: Cursor) -> None:
    """Reject ``nett mlp(…)``: two names in a row, the second followed by a token that can follow a declared name."""
    word, (_, second, *more) = c.token, (*c.rest(), c.peek())
    if word.kind is not Kind.NAME or word.text == IF or second.kind is not Kind.NAME or not more:
        return
    if more[0].text not in {"(", "[", ":", "=", ":="}:
        return
    if word.text in FOREIGN_WORDS:
        raise c.foreign(word)
    lower = word.text.lower()
    close = difflib.get_close_matches(lower, DECLARATIONS, n=1, cutoff=0.5)
    meant = _MEANT.get(lower) or next((d for d in DECLARATIONS if lower.startswith(d)), close[0] if close else None)
    if meant == "fun" and any(t.text == "return" for t in more):
        meant = "net"
    fix, hint = Fix(c.span(word), meant) if meant else None, ""
    # Parameters in other languages have no types, and a body after a colon cannot be translated.
    if meant in _FORMS and not any(t.text == "=" for t in more):
        fix, hint = None, _FORMS[meant]
    expected = ", ".join(f"`{d}`" for d in DECLARATIONS)
    raise Rejected(UnknownDeclaration(span=c.span(word), word=shorten(word.text), expected=expected, hint=hint, fix=fix))


def _trailing_hint(c: Cursor) -> str:
    """A hint about the token after a complete item, if the token has no hint of its own."""
    match c.token.text:
        case "with":
            return "a handler is used by handle P with H or rev handle (M) <x>. P with H"
        case "|" | "→":
            return "clauses belong between the braces of a handler: { Op(x) -> P | y, z -> Q }"
        case "in":
            return "this `in` has no `let`"
        case ":":
            return "%type shows the type of a term or a command"
        case "[":
            return "arrays cannot be indexed; slice[0, 2](x) is the entries from 0 up to 2"
        case _:
            return ""


def _fun(c: Cursor, start: int) -> items.FunDeclaration:
    name = _declared_name(c)
    parameters = typed_parameters(c)
    A = result_type(c)
    _expect_equals(c, is_typed=A is not None)
    M = expression(c)
    derivative = None
    if c.at("with"):
        at = c.advance().start
        c.need("rd", "give the derivative of a function as `with rd(w, x) = N`")
        c.open("(")
        w = pattern(c)
        c.need(",", "rd(w, x) binds the cotangent w and the point x")
        x = pattern(c)
        c.close()
        _expect_equals(c)
        N = expression(c)
        derivative = items.OwnDerivative(w, x, N, span=c.since(at))
    return items.FunDeclaration(name, parameters, A, M, derivative, span=c.since(start))


def _initial(c: Cursor) -> items.Initial | Expr:
    """Parse an initial value. A call is an initializer if its name is known or if it has a string or a ``name=`` argument."""
    if c.token.kind is not Kind.NAME:
        return expression(c)
    if c.token.text not in INITIALS and not any(t.kind is Kind.STRING or t.text == "=" for t in c.rest()):
        return expression(c)
    start = c.token.start
    head = c.name()
    arguments: list[Expr] = []
    named: list[items.NamedArgument] = []
    file: str | None = None
    if c.at("("):
        c.open("(")
        while not c.at_closer():
            if c.holds(Kind.STRING) and file is None:
                file = c.advance().text[1:-1]
            elif c.peek().text == "=":
                key = c.name("the name of an option")
                c.need("=")
                named.append(items.NamedArgument(key, expression(c), span=c.since(key.span.start)))
            elif named:
                raise c.fail("a named option, e.g. seed=1", "named options come last")
            else:
                arguments.append(expression(c))
            if not c.at(","):
                break
            c.advance()
            if c.at_closer():
                raise c.fail("an argument")
        c.close(",")
    return items.Initial(head, tuple(arguments), tuple(named), file, span=c.since(start))


def _directive(c: Cursor, start: int) -> items.Directive:
    """``%trace P``, ``%compile --passes P``, ``%compile train P for …``, ``%flow train P for …``, ``%gradient P against Q``,
    ``%confusion P for (x, t) in data("…")``.

    ``%race train P with H1, H2 for …`` has several handlers. Directives that take words are parsed by ``directive_of_words``.
    """
    python = Span(c.source, start, start + len(PYTHON))
    if python.text == PYTHON:
        hint = "put Python into a separate cell; files and `rh.run` cannot contain it"
        raise Rejected(MisplacedPython(span=python, found=f"`{PYTHON}`", hint=hint))
    c.advance()
    if c.at("%") and c.peek().kind in {Kind.NAME, Kind.KEYWORD}:
        magic = Span(c.source, start, c.peek().end)
        hint = "remove this line: the cell is already in this language" if magic.text == "%%rh" else OF_PYTHON
        raise Rejected(ForeignSyntax(span=magic, found=f"cell magic `{shorten(magic.text)}`", hint=hint))
    name = c.name("the name of a directive", "%lsmagic lists the directives")
    option = _option(c, name.text) if name.text in DIRECTIVE_OPTIONS else ()
    if c.at("train"):
        if name.text not in TRAINING_DIRECTIVES:
            raise c.fail(
                "a term or a command",
                f"%{name.text} takes the command for one sample, without `train` and `for`",
            )
        trained = training(c, c.token.start, races=name.text == "race")
        return items.Directive(name, None, option, training=trained, span=c.since(start))
    if name.text == "race":
        hint = "for example `%race train rev handle (x) <u>. mlp(u) with sgd(0.1, t), sgd(1, t) for … measure …`"
        raise c.fail("`train` and a command with its handlers", hint)
    M = expression(c)
    if name.text in SAMPLE_DIRECTIVES:
        c.need("for", f'write %{name.text} P for (x, t) in data("…")')
        p, data = samples(c)
        chosen = _sample_numbers(c) if name.text == "sees" and c.take("samples") else ()
        return items.Directive(name, M, chosen, pattern=p, data=data, span=c.since(start))
    against = expression(c) if name.text == "gradient" and c.take("against") else None
    return items.Directive(name, M, option, against, span=c.since(start))


def _sample_numbers(c: Cursor) -> tuple[str, ...]:
    """Parse ``12, 40``, after ``samples``."""
    found: list[str] = []
    while not found or c.take(","):
        if c.token.kind is not Kind.NUMBER or not c.token.text.isdecimal():
            raise c.fail("the number of a sample", "samples are counted from 0, for example `samples 12, 40`")
        found.append(c.advance().text)
    return tuple(found)


def _option(c: Cursor, directive: str) -> tuple[str, ...]:
    """Parse ``--passes`` written without a space; with a space it is a name after two minus signs."""
    word = _word_after_dashes(c)
    if word is None or word.text not in DIRECTIVE_OPTIONS[directive]:
        _reject_option(c, word, directive)
        return ()
    c.advance()
    c.advance()
    c.advance()
    _reject_option(c, _word_after_dashes(c), directive)
    return (word.text,)


def _word_after_dashes(c: Cursor) -> Token | None:
    """The word of ``--word``, if that comes next and contains no space."""
    match c.rest()[:3]:
        case [Token(text="-") as first, Token(text="-") as second, Token(kind=Kind.NAME) as word] if (
            first.end == second.start and second.end == word.start
        ):
            return word
        case _:
            return None


def _reject_option(c: Cursor, word: Token | None, directive: str) -> None:
    """Raise ``Rejected`` if ``--word`` is followed by a token that cannot continue a term: an option was meant."""
    if word is not None and c.rest()[3].kind in {Kind.NAME, Kind.KEYWORD, Kind.NUMBER}:
        c.advance()
        c.advance()
        options = " or ".join([f"`--{option}`" for option in DIRECTIVE_OPTIONS[directive]])
        raise c.fail("a term or a command", f"`%{directive}` takes one option: {options}")


def words_of_directive(chunk: Span) -> list[Token] | None:
    """The tokens of a directive that takes words, such as ``%heap`` or ``%save "file.npz"``; ``None`` for any other chunk."""
    name = _DIRECTIVE.match(chunk.source.text, chunk.start, chunk.end)
    if name is None or name[1] in EXPRESSION_DIRECTIVES:
        return None
    sign = Token(Kind.SYMBOL, "%", chunk.start, chunk.start + 1)
    return [sign, Token(Kind.NAME, name[1], name.start(1), name.end(1)), *words(Span(chunk.source, name.end(), chunk.end))]


def directive_of_words(chunk: Span) -> items.Directive | None:
    """Parse a directive that takes words; ``None`` for any other chunk."""
    read = words_of_directive(chunk)
    if read is None:
        return None
    sign, name, *arguments = (t for t in read if t.kind is not Kind.COMMENT)
    end = arguments[-1].end if arguments else name.end
    return items.Directive(
        Name(name.text, span=Span(chunk.source, name.start, name.end)),
        None,
        tuple(t.text.strip('"') if t.kind is Kind.STRING else t.text for t in arguments),
        span=Span(chunk.source, sign.start, end),
    )
