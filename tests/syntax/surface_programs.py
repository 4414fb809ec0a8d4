"""Random surface trees, and a writer that writes them in one of the many spellings the language allows."""

import random

from hypothesis import strategies as st

from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.conditions import Connective, Relation
from rh_kernel.syntax.surface import (
    Apply,
    ArrayLiteral,
    Arrow,
    Binary,
    BinaryOperator,
    Clause,
    ClauseIndex,
    Comparison,
    Condition,
    DimKind,
    Expr,
    Family,
    HandleExpr,
    HandlerExpr,
    HandlerLiteral,
    HandlerName,
    IfExpr,
    JoinedConditions,
    Kind,
    LetExpr,
    LocKind,
    MapExpr,
    Name,
    NamePattern,
    Negate,
    NotCondition,
    Number,
    OrdinaryClause,
    Pattern,
    ProductType,
    Projection,
    RealType,
    RepeatExpr,
    ResumeExpr,
    ReturnClause,
    ReturnExpr,
    ReverseClause,
    ReverseDerivative,
    RevHandleExpr,
    ScanExpr,
    Transpose,
    TupleExpr,
    TuplePattern,
    TypeExpr,
    Unit,
    UnitType,
    Var,
)
from rh_kernel.syntax.surface_items import (
    ArrowType,
    ConstDeclaration,
    DataExpr,
    DimDeclaration,
    Directive,
    EqualityCheck,
    Evaluation,
    FunDeclaration,
    HandlerDeclaration,
    HandlerType,
    IncludeItem,
    Initial,
    Item,
    LocDeclaration,
    Measure,
    NamedArgument,
    NetDeclaration,
    OpDeclaration,
    OwnDerivative,
    SectionItem,
    StaticParameter,
    SweepItem,
    TrainItem,
    TypeCheck,
    TypedParameter,
)

NOWHERE = Span(Source("nowhere", ""), 0, 0)
SUMS = {BinaryOperator.PLUS, BinaryOperator.MINUS}


here = st.just(NOWHERE)
words = st.sampled_from(
    [
        "x",
        "y",
        "w'",
        "x₀",
        "ℓ1",
        "α",
        "θ_2",
        "FC",
        "mlp",
        "for",
        "batch",
        "on",
        "Real",
        "data",
        "proj_",
        "переменная",
        "repeat",
        "map",
        "scan",
        "from",
        "do",
    ]
)
names = words.map(lambda text: Name(text, span=NOWHERE))
numerals = st.sampled_from(["0", "1", "2", "0.5", "1e-3", "12.25E+2", "007"])
numbers = numerals.map(lambda text: Number(text, span=NOWHERE))
variables = words.map(lambda text: Var(text, span=NOWHERE))

patterns: st.SearchStrategy[Pattern] = st.recursive(
    st.sampled_from(["x", "y", "_", "z'"]).map(lambda text: NamePattern(text, span=NOWHERE)),
    lambda inner: st.lists(inner, min_size=2, max_size=3).map(lambda items: TuplePattern(tuple(items), span=NOWHERE)),
    max_leaves=3,
)
entries = numbers | numbers.map(lambda n: Negate(n, span=NOWHERE))
arrays = st.recursive(
    st.lists(entries, min_size=1, max_size=3).map(lambda items: ArrayLiteral(tuple(items), span=NOWHERE)),
    lambda inner: st.lists(inner, min_size=1, max_size=2).map(lambda items: ArrayLiteral(tuple(items), span=NOWHERE)),
    max_leaves=3,
)


def _tuple_of(inner: st.SearchStrategy[Expr], least: int = 0) -> st.SearchStrategy[tuple[Expr, ...]]:
    return st.lists(inner, min_size=least, max_size=2).map(tuple)


def _handlers(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[HandlerExpr]:
    return st.builds(HandlerName, names, _tuple_of(inner), span=st.just(NOWHERE)) | _literals(inner)


def _literals(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[HandlerLiteral]:
    member = st.builds(Family, names, _tuple_of(inner, 1), span=here)
    indices = st.lists(names | member, max_size=2).map(tuple)
    clauses: st.SearchStrategy[Clause] = st.one_of(
        st.builds(ReturnClause, patterns, inner, span=here),
        st.builds(OrdinaryClause, names, indices, patterns, names, inner, span=here),
        st.builds(ReverseClause, names, indices, patterns, inner, patterns, patterns, inner, span=here),
    )
    return st.builds(HandlerLiteral, st.lists(clauses, max_size=3).map(tuple), span=here)


def _larger(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    families = st.builds(Family, names | st.just(Name("rd", span=NOWHERE)), _tuple_of(inner, 1), span=here)
    indices = st.lists(inner | families, min_size=1, max_size=2).map(tuple)
    return st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda items: TupleExpr(tuple(items), span=NOWHERE)),
        st.builds(Apply, names, st.just(()) | indices, _tuple_of(inner), span=here),
        st.builds(Apply, st.just(Name("rd", span=NOWHERE)), indices, _tuple_of(inner), span=here),
        st.builds(Negate, inner, span=here),
        st.builds(Binary, st.sampled_from(BinaryOperator), inner, inner, span=here),
        st.builds(Transpose, inner, span=here),
        st.builds(Projection, st.integers(1, 12), inner, span=here),
        st.builds(ReverseDerivative, inner, patterns, inner, inner, span=here),
        st.builds(LetExpr, patterns, st.sampled_from(Arrow), inner, inner, span=here),
        st.builds(ReturnExpr, inner, span=here),
        st.builds(RevHandleExpr, inner, st.lists(patterns, max_size=2).map(tuple), inner, _handlers(inner), span=here),
        st.builds(HandleExpr, inner, _handlers(inner), span=here),
        st.builds(ResumeExpr, names, inner, span=here),
        st.builds(RepeatExpr, names, inner, patterns, inner, inner, span=here),
        _if(inner),
        st.builds(ScanExpr, st.tuples(patterns, patterns), inner, inner, inner, span=here),
        st.lists(st.tuples(patterns, inner), min_size=1, max_size=2).flatmap(
            lambda rows: st.builds(
                MapExpr, st.just(tuple(p for p, _ in rows)), st.just(tuple(M for _, M in rows)), inner, span=here
            )
        ),
    )


def _if(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[IfExpr]:
    return st.tuples(inner, inner, inner, inner, st.sampled_from(Relation), st.integers(0, 3)).map(_choice)


def _choice(parts: tuple[Expr, Expr, Expr, Expr, Relation, int]) -> IfExpr:
    left, right, then, otherwise, relation, kind = parts
    B: Condition = Comparison(relation, left, right, span=NOWHERE)
    if kind > 1:
        B = JoinedConditions(
            (Connective.AND, Connective.OR)[kind - 2], B, Comparison(relation, right, left, span=NOWHERE), span=NOWHERE
        )
    return IfExpr(NotCondition(B, span=NOWHERE) if kind % 2 else B, then, otherwise, span=NOWHERE)


expressions: st.SearchStrategy[Expr] = st.recursive(
    st.one_of(variables, numbers, arrays, st.builds(Unit, span=here)), _larger, max_leaves=8
)
small = st.one_of(
    variables, numbers, st.builds(Binary, st.sampled_from(BinaryOperator), variables, numbers, span=st.just(NOWHERE))
)

dims = st.lists(small, max_size=2).map(tuple)
types: st.SearchStrategy[TypeExpr] = st.recursive(
    st.just(UnitType(span=NOWHERE)) | dims.map(lambda d: RealType(d, span=NOWHERE)),
    lambda inner: st.lists(inner, min_size=2, max_size=3).map(lambda factors: ProductType(tuple(factors), span=NOWHERE)),
    max_leaves=4,
)


kinds: st.SearchStrategy[Kind] = st.one_of(
    types,
    st.just(DimKind(span=NOWHERE)),
    st.builds(LocKind, st.lists(small, min_size=1, max_size=2).map(tuple), st.none() | small, span=here),
)
statics = st.lists(st.builds(StaticParameter, names, kinds, span=here), max_size=2).map(tuple)
typed = st.lists(st.builds(TypedParameter, names, types, span=here), max_size=2).map(tuple)
maybe_type = st.none() | types
file = st.none() | st.just("w 0.npy")
named = st.lists(st.builds(NamedArgument, names, small, span=here), max_size=2).map(tuple)
head = st.sampled_from(["zeros", "normal", "load"]).map(lambda text: Name(text, span=NOWHERE))
initials = st.builds(Initial, head, _tuple_of(small), named, file, span=here)
data = st.builds(DataExpr, st.sampled_from([("xor",), ("my data.npz",), ("x.npy", "t 0.npy")]), span=here)
measure_names = st.none() | st.sampled_from(["loss", "held out: <b>"])
measures = st.lists(
    st.builds(Measure, expressions, st.none() | data, measure_names, span=here), max_size=2, unique_by=lambda m: m.name or id(m)
).map(tuple)
option = st.none() | small
surfaces = st.lists(expressions, max_size=1).map(tuple)
trainings = st.builds(TrainItem, expressions, patterns, data, option, option, option, option, measures, surfaces, span=here)
handled = st.builds(HandleExpr, expressions, _handlers(expressions), span=here)
others = st.lists(_handlers(expressions), max_size=2).map(tuple)
raced = (handled, patterns, data, option, option, option, option, measures, surfaces, others)
races = st.builds(TrainItem, *raced, span=here)
own = st.none() | st.builds(OwnDerivative, patterns, patterns, expressions, span=here)
words_of_save = st.lists(st.sampled_from(["on", "float32", "a/b.npz"]), max_size=2).map(tuple)
items: st.SearchStrategy[Item] = st.one_of(
    st.builds(DimDeclaration, names, small, span=here),
    st.builds(ConstDeclaration, names, maybe_type, expressions, span=here),
    st.builds(LocDeclaration, names, maybe_type, initials | arrays, st.none() | small, span=here),
    st.builds(FunDeclaration, names, typed, maybe_type, expressions, own, span=here),
    st.builds(OpDeclaration, names, statics, types, types, span=here),
    st.builds(NetDeclaration, names, statics, typed, maybe_type, expressions, span=here),
    st.builds(
        HandlerDeclaration,
        names,
        typed,
        st.none() | st.builds(HandlerType, types, maybe_type, span=here),
        _literals(expressions),
        span=here,
    ),
    st.builds(IncludeItem, st.sampled_from(["sgd.rh", "../a b.rh", "#.rh", ""]), span=here),
    st.builds(Evaluation, expressions, span=here),
    trainings,
    st.builds(EqualityCheck, expressions, expressions, st.none() | small, span=here),
    st.builds(
        TypeCheck,
        expressions,
        types
        | st.builds(ArrowType, types, types, st.booleans(), span=here)
        | st.builds(HandlerType, types, maybe_type, span=here),
        span=here,
    ),
    st.builds(Directive, st.just(Name("trace", span=NOWHERE)), expressions, st.just(()), span=here),
    st.builds(
        Directive,
        st.just(Name("compile", span=NOWHERE)),
        expressions,
        st.sampled_from(((), ("passes",), ("profile",))),
        span=here,
    ),
    st.builds(
        Directive,
        st.just(Name("compile", span=NOWHERE)),
        st.none(),
        st.sampled_from(((), ("passes",), ("profile",))),
        st.none(),
        trainings,
        span=here,
    ),
    st.builds(Directive, st.just(Name("race", span=NOWHERE)), st.none(), st.just(()), st.none(), races, span=here),
    st.builds(Directive, st.just(Name("save", span=NOWHERE)), st.none(), words_of_save, span=here),
)


class Writer:
    """Writes trees as lists of tokens. Level 0 may hold anything, 1 sums, 2 products, 3 negations, 4 what has a postfix."""

    def __init__(self, coin: random.Random) -> None:
        self.coin = coin

    def either(self, *spellings: str) -> str:
        return self.coin.choice(spellings)

    def listed(self, opening: str, parts: list[list[str]], closing: str) -> list[str]:
        inner = [token for i, part in enumerate(parts) for token in ([","] if i else []) + part]
        return [opening, *inner, closing]

    def tupled(self, parts: list[list[str]]) -> list[str]:
        return self.listed(*self.coin.choice([("(", parts, ")"), ("⟨", parts, "⟩")]))

    def pattern(self, p: Pattern) -> list[str]:
        match p:
            case NamePattern("_"):
                return self.coin.choice([["_"], ["(", ")"]])
            case NamePattern(name):
                return self.coin.choice([[name], ["(", name, ")"]])
            case TuplePattern(parts):
                return self.tupled([self.pattern(q) for q in parts])

    def bracketed_pattern(self, p: Pattern) -> list[str]:
        written = self.pattern(p)
        return written if written[0] == "(" else ["(", *written, ")"]

    def expression(self, M: Expr, level: int = 0) -> list[str]:
        own, tokens = self.leveled(M)
        if own < level or self.coin.random() < 0.05:
            return ["(", *tokens, ")"]
        return tokens

    def arguments(self, Ms: tuple[Expr, ...]) -> list[str]:
        return self.listed("(", [self.expression(M) for M in Ms], ")")

    def indices(self, Ms: tuple[Expr, ...]) -> list[str]:
        parts = [self.leveled(M)[1] if isinstance(M, Family) else self.expression(M) for M in Ms]
        return self.listed("[", parts, "]") if Ms else []

    def leveled(self, M: Expr) -> tuple[int, list[str]]:
        write = self.expression
        match M:
            case Var(name):
                return 5, [name]
            case Number(text):
                return 5, [text]
            case ArrayLiteral(parts):
                return 5, self.listed("[", [self.leveled(part)[1] for part in parts], "]")
            case Unit():
                return 5, self.coin.choice([["(", ")"], ["⟨", "⟩"]])
            case TupleExpr(parts):
                return 5, self.tupled([write(part) for part in parts])
            case Apply(f, indices, arguments):
                return 5, [f.text, *self.indices(indices), *self.arguments(arguments)]
            case Family(f, indices):
                return 5, [f.text, *self.indices(indices)]
            case Negate(N):
                return 3, [self.either("-", "−"), *self.leveled(N)[1]] if isinstance(N, Number) else ["-", *write(N, 3)]
            case Binary(operator, L, N):
                level = 1 if operator in SUMS else 2
                return level, [*write(L, level), self.operator(operator), *write(N, level + 1)]
            case Transpose(N):
                return 4, [*write(N, 4), self.either("ᵀ", "^T")]
            case Projection(index, N) if self.coin.random() < 0.5 and not isinstance(N, Number):
                return 4, [*write(N, 4), f".{index}"]
            case Projection(index, N):
                return 5, [f"proj_{index}", "(", *write(N), ")"]
            case ReverseDerivative(W, p, N, V):
                return 4, [*write(W, 4), ".", "rd", "(", *self.pattern(p), ".", *write(N), ")", "(", *write(V), ")"]
            case LetExpr(p, arrow, L, N):
                sign = self.either("<-", "←") if arrow is Arrow.TERM else self.either("<=", "⇐")
                return 0, ["let", *self.pattern(p), sign, *write(L), "in", *write(N)]
            case MapExpr() | ScanExpr():
                return 0, self.iteration(M)
            case IfExpr(B, N, L):
                return 0, ["if", *self.condition(B), "then", *write(N), "else", *write(L)]
            case ReturnExpr(N):
                return (3, ["⌊", *write(N), "⌋"]) if self.coin.random() < 0.5 else (0, ["return", *write(N)])
            case RevHandleExpr() | HandleExpr() | RepeatExpr():
                return 0, self.long(M)
            case ResumeExpr(k, N):
                return 0, [k.text, "•", *write(N)]

    def long(self, M: RevHandleExpr | HandleExpr | RepeatExpr) -> list[str]:
        write = self.expression
        match M:
            case RevHandleExpr(N, ps, P, H):
                head = ["rev", "handle", "(", *write(N), ")"]
                variables = self.tupled([self.pattern(p) for p in ps])
                bound = [{"(": "<", "⟨": "⟨"}[variables[0]], *variables[1:-1], {")": ">", "⟩": "⟩"}[variables[-1]]]
                return [*head, *bound, ".", *write(P), "with", *self.handler(H)]
            case HandleExpr(P, H):
                return ["handle", *write(P), "with", *self.handler(H)]
            case RepeatExpr(i, n, p, N, P):
                head = ["repeat", i.text, "<", *write(n), "from", *self.pattern(p), "=", *write(N)]
                return [*head, "do", *write(P)]

    def condition(self, B: Condition) -> list[str]:
        match B:
            case Comparison(relation, L, N):
                return [*self.expression(L, 1), relation.value, *self.expression(N, 1)]
            case NotCondition(C):
                return ["not", "(", *self.condition(C), ")"]
            case JoinedConditions(connective, C, D):
                return ["(", *self.condition(C), ")", connective.value, "(", *self.condition(D), ")"]

    def iteration(self, M: MapExpr | ScanExpr) -> list[str]:
        if isinstance(M, ScanExpr):
            p, s = map(self.pattern, M.variables)
            head = ["scan", "(", *p, "in", *self.expression(M.source), ")", "from", *s, "="]
            return [*head, *self.expression(M.start), "do", *self.expression(M.body)]
        rows = [[*self.pattern(p), "in", *self.expression(L)] for p, L in zip(M.patterns, M.sources, strict=True)]
        inside = [text for row in rows for text in (",", *row)][1:]
        return ["map", "(", *inside, ")", "do", *self.expression(M.body)]

    def operator(self, operator: BinaryOperator) -> str:
        match operator:
            case BinaryOperator.TIMES:
                return self.either("*", "×")
            case BinaryOperator.DOT:
                return self.either("·", "⋅")
            case BinaryOperator.MINUS:
                return self.either("-", "−")
            case BinaryOperator.PLUS | BinaryOperator.MATMUL | BinaryOperator.DIVIDE | BinaryOperator.FLOOR:
                return operator.value

    def handler(self, H: HandlerExpr) -> list[str]:
        match H:
            case HandlerName(name, arguments):
                return [name.text, *(self.arguments(arguments) if arguments else [])]
            case HandlerLiteral(clauses):
                return [
                    "{",
                    *(token for clause in clauses for token in [*self.clause(clause), *self.coin.choice([[], [";"]])]),
                    "}",
                ]

    def clause(self, clause: Clause) -> list[str]:
        arrow = self.either("->", "→", "↦")
        match clause:
            case ReturnClause(p, P):
                return ["return", *self.pattern(p), arrow, *self.expression(P)]
            case OrdinaryClause(op, indices, p, k, P):
                head = [op.text, *self.names(indices), *self.bracketed_pattern(p)]
                return [*head, ",", k.text, arrow, *self.expression(P)]
            case ReverseClause(op, indices, p, P, y, z, Q):
                head = [op.text, *self.names(indices), *self.bracketed_pattern(p)]
                back = ["|", *self.pattern(y), ",", *self.pattern(z), arrow, *self.expression(Q)]
                return [*head, arrow, *self.expression(P), *back]

    def names(self, indices: tuple[ClauseIndex, ...]) -> list[str]:
        parts = [[i.text] if isinstance(i, Name) else self.leveled(i)[1] for i in indices]
        return self.listed("[", parts, "]") if parts else []

    def length(self, M: Expr | None) -> list[str]:
        return [] if M is None else ["[", *self.expression(M), "]"]

    def type(self, A: TypeExpr, *, inner: bool = False) -> list[str]:
        match A:
            case UnitType():
                return ["1"]
            case RealType(()):
                return ["Real"]
            case RealType(ds):
                return ["Real", *self.arguments(ds)]
            case ProductType(factors):
                sign = self.either("*", "×")
                tokens = [token for i, B in enumerate(factors) for token in ([sign] if i else []) + self.type(B, inner=True)]
                return ["(", *tokens, ")"] if inner else tokens

    def kind(self, kind: Kind) -> list[str]:
        match kind:
            case LocKind(ds, n):
                return ["Loc", *self.arguments(ds), *self.length(n)]
            case DimKind():
                return ["Dim"]
            case RealType() | UnitType() | ProductType():
                return self.type(kind)

    def statics(self, parameters: tuple[StaticParameter, ...]) -> list[str]:
        parts = [[p.name.text, ":", *self.kind(p.kind)] for p in parameters]
        return self.listed("[", parts, "]") if parts else []

    def parameters(self, parameters: tuple[TypedParameter, ...]) -> list[str]:
        return self.listed("(", [[p.name.text, ":", *self.type(p.type)] for p in parameters], ")")

    def result(self, A: TypeExpr | None) -> list[str]:
        return [] if A is None else [":", *self.type(A)]

    def initial(self, initial: Initial) -> list[str]:
        parts = [self.expression(M) for M in initial.arguments]
        parts += [[f'"{initial.file}"']] if initial.file is not None else []
        parts += [[option.name.text, "=", *self.expression(option.value)] for option in initial.named]
        return [initial.head.text, *(self.listed("(", parts, ")") if parts else [])]

    def item(self, item: Item) -> list[str]:
        match item:
            case DimDeclaration(name, M):
                return ["dim", name.text, "=", *self.expression(M)]
            case ConstDeclaration(name, A, M):
                return ["const", name.text, *self.result(A), "=", *self.expression(M)]
            case LocDeclaration(name, A, initial, n):
                content = self.initial(initial) if isinstance(initial, Initial) else self.expression(initial)
                return ["loc", name.text, *self.length(n), *self.result(A), "=", *content]
            case FunDeclaration(name, parameters, A, M, own):
                tokens = ["fun", name.text, *self.parameters(parameters), *self.result(A), "=", *self.expression(M)]
                return tokens if own is None else [*tokens, *self.own(own)]
            case OpDeclaration(name, statics, A, B):
                return ["op", name.text, *self.statics(statics), ":", *self.type(A), self.either("->", "→"), *self.type(B)]
            case NetDeclaration(name, statics, parameters, A, P):
                head = ["net", name.text, *self.statics(statics), *self.parameters(parameters)]
                return [*head, *self.result(A), "=", *self.expression(P)]
            case HandlerDeclaration(name, parameters, A, H):
                head = ["handler", name.text, *(self.parameters(parameters) if parameters else [])]
                return [*head, *self.handler_type(A), "=", *self.handler(H)]
            case Evaluation(M):
                return self.expression(M)
            case TrainItem(P, p, data, epochs, batch, pieces, shuffle, measures, surfaces, others):
                numbers = [("epochs", epochs), ("batch", batch), ("pieces", pieces), ("shuffle", shuffle)]
                options = [[word, *self.expression(M)] for word, M in numbers if M is not None]
                options += [self.measure(measure) for measure in measures]
                options += [["surface", *self.expression(M)] for M in surfaces]
                rest = [token for H in others for token in (",", *self.handler(H))]
                head = ["train", *self.expression(P), *rest, "for", *self.pattern(p), "in", *self.data(data)]
                return [*head, *(token for option in options for token in option)]
            case EqualityCheck(M, N, within):
                tolerance = [] if within is None else ["within", *self.expression(within)]
                return ["check", *self.expression(M), "==", *self.expression(N), *tolerance]
            case TypeCheck(M, A):
                return ["check", *self.expression(M), self.either("|-", "⊢"), *self.checked(A)]
            case Directive(name, None, words, training=TrainItem() as training):
                return [f"%{name.text}", *[f"--{word}" for word in words], *self.item(training)]
            case Directive(name, M, words):
                options = [f"--{word}" for word in words]
                return [f"%{name.text}", *(words if M is None else [*options, *self.expression(M)])]
            case IncludeItem(file):
                return ["include", f'"{file}"']
            case SectionItem() | SweepItem():
                raise AssertionError("these programs have neither sections nor sweeps")

    def own(self, own: OwnDerivative) -> list[str]:
        bound = [*self.pattern(own.cotangent), ",", *self.pattern(own.point)]
        return ["with", "rd", "(", *bound, ")", "=", *self.expression(own.body)]

    def handler_type(self, A: HandlerType | None) -> list[str]:
        match A:
            case None:
                return []
            case HandlerType(C, D):
                if D is None:
                    return [":", "rev", "handler", "(", *self.type(C), ")"]
                return [":", *self.type(C), self.either("=>", "⇒"), *self.type(D)]

    def checked(self, A: TypeExpr | ArrowType | HandlerType) -> list[str]:
        match A:
            case ArrowType(B, C, is_pure):
                arrow = self.either("->", "→") if is_pure else self.either("~>", "⇝")
                return [*self.type(B), arrow, *self.type(C)]
            case HandlerType():
                return self.handler_type(A)[1:]
            case RealType() | UnitType() | ProductType():
                return self.type(A)

    def measure(self, measure: Measure) -> list[str]:
        held_out = [] if measure.data is None else ["on", *self.data(measure.data)]
        name = [] if measure.name is None else ["as", f'"{measure.name}"']
        return ["measure", *self.expression(measure.command), *held_out, *name]

    def data(self, data: DataExpr) -> list[str]:
        return ["data", *self.listed("(", [[f'"{name}"'] for name in data.names], ")")]


coins = st.integers(0, 2**32).map(random.Random)


@st.composite
def written_expressions(draw: st.DrawFn) -> tuple[str, Expr]:
    """A text and the term or command that it says."""
    M = draw(expressions)
    return " ".join(Writer(draw(coins)).expression(M)), M


@st.composite
def written_items(draw: st.DrawFn) -> tuple[str, Item]:
    """A text with line ends, comments and spaces wherever they may stand, and the item that it says."""
    item = draw(items)
    coin = draw(coins)
    first, *rest = Writer(coin).item(item)
    gaps = [" "] * 12 + ["  ", "\n  ", "\n\n   ", "  # note\n ", "\n# note\n  ", "\n    # a # b  \n\n\n "]
    return first + "".join(coin.choice(gaps) + token for token in rest), item
