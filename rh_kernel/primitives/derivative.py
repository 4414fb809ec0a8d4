"""``rd[f] : B × A → A`` for ``f : A → B``, as a term of the language (RH Def. 3.2).

The cotangent comes first, as in RH Fig. 6.
"""

from rh_kernel.primitives.formulas import Typed
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.syntax.binding import instantiate_term
from rh_kernel.syntax.core import Bound, Defined, Function, Primitive, Proj, Rd, RdOf, Scope

_W, _V = Bound(1, "w"), Bound(0, "v")


def derivative(f: Function) -> Scope:
    """Return the closed scope ``w, v. N`` with ``rd[f](⟨w, v⟩) = N``, where ``w : B`` and ``v : A`` give ``N : A``.

    For a primitive, N is in the table; for a definition, it is the user-defined derivative or ``w.rd(x. M)(v)``; and
    ``rd[rd[g]](w, v) = w.rd(p. N[p.1, p.2])(v)`` for the N of g, so derivatives of every order follow from the table.
    """
    match f:
        case Primitive(name, _, A, B):
            return Scope(("w", "v"), SYMBOLS[name].derivative(f, Typed(_W, B), Typed(_V, A)).term)
        case Defined(_, _, _, body, own):
            return own or Scope(("w", "v"), Rd(_W, body, _V))
        case RdOf(g):
            p = Bound(0, "p")
            N = instantiate_term(derivative(g), Proj(1, 2, p), Proj(2, 2, p))
            return Scope(("w", "v"), Rd(_W, Scope(("p",), N), _V))
