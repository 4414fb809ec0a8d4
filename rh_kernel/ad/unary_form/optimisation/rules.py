"""The names of the rules of the optimiser (Fig 12), and of those that the paper uses without listing them.

Each can be switched off. ``PARTIAL_EVALUATION`` are the rules that remove all functions, for which the complexity theorem holds
(§5.1). The rules are defined in ``algebra`` (the laws of numbers and of arrays) and in ``rewriting``.
"""

from collections.abc import Mapping
from enum import Enum

from rh_kernel.ad.unary_form.terms import terms as t


class Rule(Enum):
    """A rule: its value is its name in a trace."""

    BETA = "β"
    DEAD = "dead code"
    FORWARD = "forward substitution"
    CONSTANT = "constant propagation"
    TIMES_ZERO = "0 * e"
    PLUS_ZERO = "0 + e"
    TIMES_ONE = "1 * e"
    MAP_TIMES_ONES = "map2 * A Ones"
    MAP_PLUS_ZEROS = "map2 + A Zeros"
    MAP_TIMES_ZEROS = "map2 * A Zeros"
    MAP_IDENTITY = "map (x. x) A"
    REDUCE_ONES = "reduce * 1 Ones"
    REDUCE_ZEROS = "reduce + 0 Zeros"
    SHIFT_FILL = "shift Ones"
    FUSION = "map after map2"
    TUPLE = "πi⟨e1, …, en⟩"
    LET_LET = "let in let"
    LET_OUT = "let in an argument"
    IF_SAME = "if with one branch"
    IF_KNOWN = "if that is decided"
    IF_OUT = "if in an argument"
    # Beyond Fig 12.
    SPLIT = "let of a pair"
    INLINE = "inline the continuation"
    LET_TUPLE = "let of a tuple"
    PLUS = "+̂ and *̂ written out"
    COMMUTED = "the other way round"
    COMMUTED_ARRAYS = "arrays the other way round"
    MAP2_PROJECT = "map2 (a, b. a) A B"
    MAP2_CONSTANT = "map2 (a, b. c) A B"
    SCAN_ONES = "scan * 1 Ones"
    MAP2_FILL = "map2 f A Ones"
    MAP_FILL = "map f Ones"
    UNITS = "[i]e +̂ [j]e'"
    ENTRY = "an entry that is known"
    PAIR_ETA = "⟨π1 e, …, πn e⟩"
    INLINE_ONCE = "inline what is used once"
    LET_ETA = "let x = e in x"


PARTIAL_EVALUATION = frozenset(
    {
        Rule.BETA,
        Rule.FORWARD,
        Rule.TUPLE,
        Rule.LET_LET,
        Rule.LET_OUT,
        Rule.SPLIT,
        Rule.INLINE,
        Rule.LET_TUPLE,
        Rule.PLUS,
        Rule.LET_ETA,
    }
)

ALL = frozenset(Rule)

EXTRA_ARRAY_RULES = frozenset({Rule.MAP2_PROJECT, Rule.MAP2_CONSTANT, Rule.SCAN_ONES})
"""The rules beyond Fig 12 that the main examples of the paper need."""

_POINTWISE = (Rule.MAP_TIMES_ONES, Rule.MAP_PLUS_ZEROS, Rule.MAP_TIMES_ZEROS, Rule.COMMUTED_ARRAYS)
ABOUT: Mapping[type, tuple[Rule, ...]] = {
    t.App: (Rule.BETA, Rule.LET_OUT),
    t.Let: (
        Rule.FORWARD,
        Rule.CONSTANT,
        Rule.LET_LET,
        Rule.SPLIT,
        Rule.INLINE,
        Rule.LET_TUPLE,
        Rule.DEAD,
        Rule.LET_ETA,
        Rule.INLINE_ONCE,
    ),
    t.Proj: (Rule.TUPLE, Rule.LET_OUT, Rule.IF_OUT),
    t.Op: (Rule.TIMES_ZERO, Rule.PLUS_ZERO, Rule.TIMES_ONE, Rule.COMMUTED, Rule.LET_OUT),
    t.Map: (Rule.MAP_IDENTITY, Rule.MAP2_CONSTANT, Rule.MAP_FILL, Rule.FUSION, Rule.LET_OUT),
    t.Map2: (*_POINTWISE, Rule.MAP2_PROJECT, Rule.MAP2_CONSTANT, Rule.MAP2_FILL, Rule.UNITS, Rule.LET_OUT),
    t.Fold: (Rule.REDUCE_ONES, Rule.REDUCE_ZEROS, Rule.SCAN_ONES, Rule.COMMUTED_ARRAYS, Rule.LET_OUT),
    t.Shift: (Rule.SHIFT_FILL, Rule.LET_OUT),
    t.If: (Rule.IF_SAME, Rule.IF_KNOWN, Rule.LET_OUT),
    t.Plus: (Rule.PLUS, Rule.LET_OUT),
    t.Scale: (Rule.PLUS, Rule.LET_OUT),
    t.Pack: (Rule.PAIR_ETA, Rule.LET_OUT),
    t.Fill: (Rule.LET_OUT,),
    t.Use: (Rule.ENTRY, Rule.LET_OUT),
}
"""The rules for each class of terms, in the order in which they are tried."""
