"""Whether two terms are the same up to the names of what they bind, and up to the order of their ``let``s."""

from rh_kernel.ad.unary_form.terms.binding import parts
from rh_kernel.ad.unary_form.terms.terms import Const, Fill, Fold, Let, Op, Proj, Shift, Term, Use, Var


def alpha_equal(M: Term, N: Term) -> bool:
    """``M = N`` up to α: a name that ``let`` binds is what it is bound to. Every binder has a name of its own."""
    pending = [(M, N)]
    called: dict[str, str] = {}
    left: dict[str, Term] = {}
    right: dict[str, Term] = {}
    seen: set[tuple[str, str]] = set()
    while pending:
        L, K = pending.pop()
        L, K = _opened(L, left), _opened(K, right)
        if isinstance(L, Var) and isinstance(K, Var) and L.name in left and K.name in right:
            if (L.name, K.name) not in seen:
                seen.add((L.name, K.name))
                pending.append((left[L.name], right[K.name]))
            continue
        if isinstance(L, Var) and isinstance(K, Var) and called.get(L.name, L.name) != K.name:
            return False
        first, second = parts(L), parts(K)
        if type(L) is not type(K) or _label(L) != _label(K) or len(first) != len(second):
            return False
        for (names, _), (others, _) in zip(first, second, strict=True):
            called.update(zip(names, others, strict=True))
        pending.extend((a, b) for (_, a), (_, b) in zip(first, second, strict=True))
    return True


def _opened(M: Term, definitions: dict[str, Term]) -> Term:
    while isinstance(M, Let):
        definitions[M.names[0]] = M.bound
        M = M.body
    return M


def _label(M: Term) -> object:
    match M:
        case Const(c):
            return c
        case Op(symbol):
            return symbol
        case Proj(i):
            return i
        case Fold(form):
            return form
        case Shift(side):
            return side
        case Fill(n):
            return n
        case Use(primitive):
            return primitive.name
        case _:
            return None
