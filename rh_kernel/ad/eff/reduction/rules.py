"""The rules of reduction ``M ⇝ M'`` (Sigal 2024, Figs. 7.4, 7.11, 7.20), and those of the extensions of EFF.

A step has its rule as a value, so that a trace can show it, count it, and cite its figure.
"""

from enum import Enum


class Rule(Enum):
    """A rule; its value is its printed name."""

    MATCH = "match"
    """``match V | p -> M | … ⇝ M[V…/x…]`` for the first p that matches: (×) and (+)"""
    LET = "F"
    """``x ← return V; M ⇝ M[V/x]``"""
    FORCE = "U"
    """``{M}! ⇝ M``"""
    APPLY = "→"
    """``(λx. M) V ⇝ M[V/x]``"""
    PROJECT = "&"
    """``⟨M1, M2⟩.i ⇝ Mi``"""
    RETURN = "ret"
    """``handle (return V) with H ⇝ M[V/x]`` for the clause ``return x -> M`` of H"""
    OPERATION = "op"
    """``handle 𝓗[op V] with H ⇝ N[V/p, {λx. handle 𝓗[return x] with H}/k]`` for the clause ``<op p -> k> -> N`` of H"""
    CONSTANT = "const"
    """``g c… ⇝ return c'`` for a built-in function g"""
    UNFOLD = "unfold"
    """``f! ⇝ M`` for a function that is declared as ``{M}``"""
    ADAPT_RETURN = "adapt-ret"
    """``<L> return V ⇝ return V``"""
    ADAPT_FUNCTION = "adapt-→"
    """``<L> λx. M ⇝ λx. <L> M``"""
    ADAPT_PAIR = "adapt-&"
    """``<L> ⟨M, N⟩ ⇝ ⟨<L> M, <L> N⟩``"""
    NEW = "new"
    """``σ, new V ⇝ σ[r ↦ V], return r`` for an r that σ does not have"""
    READ = "read"
    """``σ, @r ⇝ σ, return σ(r)``"""
    WRITE = "write"
    """``σ, r := V ⇝ σ[r ↦ V], return ()``"""
    ARRAY = "array"
    """``σ, array [V, …] ⇝ σ[r ↦ V, …], return r`` for an r that σ does not have"""
    FETCH = "fetch"
    """``σ, fetch r i ⇝ σ, return σ(r)ᵢ``"""
    STORE = "store"
    """``σ, store r i V ⇝ σ[rᵢ ↦ V], return ()``"""
    SIZE = "size"
    """``σ, size r ⇝ σ, return n`` for an array of n values"""
    PRINT = "print"
    """``print V ⇝ return ()``, and V is printed"""

    @property
    def figure(self) -> str:
        """The figure of the thesis that states the rule, or the section that describes an extension of its calculus."""
        return _STATED_IN[self]

    @property
    def gloss(self) -> str:
        """A description of the rule in one line."""
        return _GLOSSES[self]


PLAIN = frozenset({Rule.MATCH, Rule.LET, Rule.FORCE, Rule.APPLY, Rule.PROJECT, Rule.RETURN, Rule.OPERATION, Rule.CONSTANT})
"""The rules of the thesis' calculus."""

_STATED_IN: dict[Rule, str] = {
    Rule.MATCH: "Fig. 7.4 (×), (+)",
    **dict.fromkeys((Rule.LET, Rule.FORCE, Rule.APPLY, Rule.PROJECT), "Fig. 7.4"),
    **dict.fromkeys((Rule.RETURN, Rule.OPERATION), "Fig. 7.11"),
    Rule.CONSTANT: "Fig. 7.20",
    **dict.fromkeys((Rule.UNFOLD, Rule.PRINT), "§3.3.1"),
    **dict.fromkeys((Rule.ADAPT_RETURN, Rule.ADAPT_FUNCTION, Rule.ADAPT_PAIR), "§3.3.1"),
    **dict.fromkeys((Rule.NEW, Rule.READ, Rule.WRITE, Rule.ARRAY, Rule.FETCH, Rule.STORE, Rule.SIZE), "§3.3.1"),
}

_GLOSSES: dict[Rule, str] = {
    Rule.MATCH: "the first branch whose pattern matches is chosen, and the parts of the value replace its variables",
    Rule.LET: "the returned value replaces its name in the rest",
    Rule.FORCE: "a thunk that is forced runs its body",
    Rule.APPLY: "the argument replaces the parameter",
    Rule.PROJECT: "the selected component is run",
    Rule.RETURN: "the handled computation has returned a value, which the return clause gets",
    Rule.OPERATION: "the handler's clause gets the arguments, and as k the continuation of the operation",
    Rule.CONSTANT: "a built-in function computes",
    Rule.UNFOLD: "the body of a declared function replaces its name",
    Rule.ADAPT_RETURN: "a value performs no operation, so the adaptor is dropped",
    Rule.ADAPT_FUNCTION: "the adaptor moves into the function",
    Rule.ADAPT_PAIR: "the adaptor moves into both components",
    Rule.NEW: "a new cell holds the value",
    Rule.READ: "the content of the cell is returned",
    Rule.WRITE: "the value replaces the content of the cell",
    Rule.ARRAY: "a new array holds the values of the list",
    Rule.FETCH: "an entry of the array is returned",
    Rule.STORE: "the value replaces an entry of the array",
    Rule.SIZE: "the number of entries of the array is returned",
    Rule.PRINT: "the text is printed",
}
