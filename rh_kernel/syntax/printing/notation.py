"""The two columns of LANGUAGE §1: the signs of the paper, and what one types on a keyboard for the same program."""

from enum import Enum

from rh_kernel.source.records import frozen


@frozen
class Signs:
    """The signs in which the notations differ.

    ``let x ← M``, ``let x ⇐ P``, ``return x → P``, ``⟨M, N⟩``, ``rev handle (M) ⟨x⟩. P``, ``a · M``, ``Mᵀ``
    """

    assigned: str
    bound: str
    clause: str
    brackets: tuple[str, str]
    binders: tuple[str, str]
    scale: str
    transpose: str


class Notation(Enum):
    """How programs are written.

    ``SOURCE`` has no sign for a form that occurs in reductions alone. It writes ``RH_H^V(⟨x⟩. P)`` as
    ``rev handle (V) <x>. P with H`` and ``W.R_V(x. N)`` as ``W.rd(x. N)(V)``, which mean the same (RH Def. 5.4, 5.10), and
    ``⌊M⌋`` as ``return M``.
    """

    PAPER = Signs("←", "⇐", "→", ("⟨", "⟩"), ("⟨", "⟩"), "·", "ᵀ")
    SOURCE = Signs("<-", "<=", "->", ("(", ")"), ("<", ">"), "*", "^T")
