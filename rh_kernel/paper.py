"""The index to the paper "Programming Backpropagation with Reverse Handlers for Arrows".

``Figure`` names each figure and definition that has a home in the package, ``Rule`` each rule that a reduction step carries.
"""

from enum import Enum


class Figure(Enum):
    """A figure, definition or example of the paper; ``home`` is the module that holds it.

    ``UNFOLDING`` is for the forms that the paper does not have: their rules unfold them into those that it has.
    """

    FIG_2 = "Fig. 2"
    FIG_3 = "Fig. 3"
    FIG_4 = "Fig. 4"
    FIG_5 = "Fig. 5"
    FIG_6 = "Fig. 6"
    FIG_7 = "Fig. 7"
    DEF_3_1 = "Def. 3.1"
    DEF_3_2 = "Def. 3.2"
    DEF_3_4 = "Def. 3.4"
    DEF_3_5 = "Def. 3.5"
    DEF_5_1 = "Def. 5.1"
    LEMMA_5_3 = "Lemma 5.3"
    DEF_5_4 = "Def. 5.4"
    LEMMA_5_9 = "Lemma 5.9"
    DEF_5_10 = "Def. 5.10"
    EX_5_13 = "Ex. 5.13"
    DEF_6_8 = "Def. 6.8"
    EX_6_9 = "Ex. 6.9"
    DEF_7_5 = "Def. 7.5"
    FIG_9 = "Fig. 9"
    FIG_10 = "Fig. 10"
    DEF_7_7 = "Def. 7.7"
    DEF_7_12 = "Def. 7.12"
    DEF_7_13 = "Def. 7.13"
    SECTION_2_2 = "§2.2.1"
    UNFOLDING = "by unfolding"

    @property
    def home(self) -> str:
        """The dotted name of the module whose docstring carries this label."""
        return _HOME[self]


class Rule(Enum):
    """A rule of the operational semantics; the value is the name that is printed (LANGUAGE §5).

    ``figure`` states the rule, and ``says`` is a sentence about it. ``equation`` is ``redex → contractum``, one case after
    the other, in the notation in which terms and commands are printed; ``R-Plus`` is not in the paper. V, W and U are values,
    M, N and L terms, P and Q commands, and ``M[V/x]`` is M with V for x. F is the frame around the head of a command:
    ``[-]``, ``let x ⇐ F in Q``, or ``handle F with H`` where H has no clause for the head. ``condition`` says when the
    equation holds and what its letters stand for; it is empty where the equation is clear without it.
    """

    figure: Figure
    says: str
    equation: str
    condition: str

    def __new__(cls, name: str, figure: Figure, says: str, equation: str, condition: str = "") -> "Rule":
        """Make a member whose value is the name alone."""
        rule = object.__new__(cls)
        rule._value_ = name
        rule.figure, rule.says, rule.equation, rule.condition = figure, says, equation, condition
        return rule

    EV = (
        "Ev",
        Figure.DEF_5_4,
        "a function symbol is applied to a value: its result takes the place of the call",
        "f(V) → Ev(f, V)",
        "f is defined at V",
    )
    PLUS = (
        "Plus",
        Figure.DEF_5_4,
        "two values are added, entry by entry",
        "V + W → V +_A W",
        "V and W have the type A, and +_A adds them entry by entry, in a tuple component by component",
    )
    PROJ = (
        "Proj",
        Figure.DEF_5_4,
        "a component is taken out of a tuple",
        "⟨V₁, …, Vₙ⟩.i → Vᵢ",
    )
    LET = (
        "Let",
        Figure.DEF_5_4,
        "the value goes to every place of the variable",
        "let x ← V in M → M[V/x]",
    )
    RD = (
        "Rd",
        Figure.DEF_5_4,
        "a reverse derivative at a point becomes R, which goes through the term from outside to inside",
        "W.rd(x. N)(V) → W.R_V(x. N)",
    )
    R_VAR = (
        "R-Var",
        Figure.FIG_6,
        "the term is a variable: the cotangent itself if it is the one in question, else 0",
        """\
W.R_V(x. x) → W
W.R_V(x. y) → 0""",
        "y is another variable than x, and 0 has the type of V",
    )
    R_CONST = (
        "R-Const",
        Figure.FIG_6,
        "the term is a constant, so its derivative is 0",
        "W.R_V(x. c) → 0",
        "0 has the type of V",
    )
    R_FUN = (
        "R-Fun",
        Figure.FIG_6,
        "chain rule: rd[f] pulls the cotangent back along f, and R goes on with the argument",
        """\
W.R_V(x. f(M)) →
  let x ← V in
  let y ← rd[f](W, M) in
  y.R_V(x. M)
⟨W₁, W₂⟩.R_V(x. D[let y ← f(U) in ⟨y, U₂⟩]) →
  let z ← rd[f](W₁, U[V/x]) in
  ⟨z, W₂⟩.R_V(x. D[⟨U, U₂⟩])""",
        "the case with D is for nested derivatives: D is a line of lets whose values are known; what has come to "
        "y is added before",
    )
    R_PLUS = (
        "R-Plus",
        Figure.FIG_6,
        "both summands get the same cotangent, and their answers are added",
        """\
W.R_V(x. M + N) → W.R_V(x. M) + W.R_V(x. N)
⟨W₁, W₂⟩.R_V(x. D[let y ← U + U' in ⟨y, U₂⟩]) → ⟨W₁, W₁, W₂⟩.R_V(x. D[⟨U, U', U₂⟩])""",
        "the case with D is for nested derivatives: D is a line of lets whose values are known; what has come to "
        "y is added before",
    )
    R_LET = (
        "R-Let",
        Figure.FIG_6,
        "the answers along the body and along what the let binds are added",
        """\
W.R_V(x. let y ← M in N) →
  let x ← V in
  let y ← M in
  W.R_V(x. N) + (let y' ← W.R_y(y. N) in y'.R_V(x. M))
W.R_V(⟨x, y⟩. N) →
  let p ← V in
  let x ← p.1 in
  W.R_V(p. let y ← p.2 in N) + (let x' ← W.R_x(x. let y ← p.2 in N) in x'.R_V(p. p.1))
W.R_V(x. let y ← U in N) → W.R_V(x. N[U/y])""",
        "a pattern ⟨x, y⟩ stands for two lets; the last case is for nested derivatives, where a let that nothing "
        "comes back to is left out, too",
    )
    R_TUPLE = (
        "R-Tuple",
        Figure.FIG_6,
        "each component gets its part of the cotangent, and the answers are added",
        """\
W.R_V(x. ⟨M₁, …, Mₙ⟩) →
  let ⟨y₁, …, yₙ⟩ ← W in
  y₁.R_V(x. M₁) + … + yₙ.R_V(x. Mₙ)""",
    )
    R_PROJ = (
        "R-Proj",
        Figure.FIG_6,
        "the cotangent goes to the component that is taken out, 0 to the others",
        """\
W.R_V(x. M.i) →
  let x ← V in
  let y ← M in
  ⟨U₁, …, Uₙ⟩.R_V(x. M)
⟨W, W'⟩.R_V(x. D[let ⟨y₁, …, yₙ⟩ ← U in ⟨yᵢ, U'⟩]) → ⟨⟨U₁, …, Uₙ⟩, W'⟩.R_V(x. D[⟨U, U'⟩])""",
        "M, or U, has n components, Uᵢ is W, and every other Uₖ is 0; the case with D is for nested derivatives: "
        "D is a line of lets whose values are known",
    )
    R_RD = (
        "R-Rd",
        Figure.FIG_6,
        "a derivative in a derivative: R of what the inner one unfolds to, written as a line of lets",
        """\
W.R_V(x. M.rd(y. N)(L)) →
  W.R_V(x. let z ← M in let w ← L in z.R_w(y. N))
W.R_V(x. N) → D[V/x][W.R_⟨V; y₁, …, yₙ⟩(x. D[U])]""",
        "in the second case N is what the derivatives in it have unfolded to, D is let y₁ ← M₁ in … let yₙ ← Mₙ "
        "in […], each Mᵢ is a function, a sum or a component of values, and D[U] is N",
    )
    LET_COMMAND = (
        "Let⇐",
        Figure.DEF_5_10,
        "the command has returned: its value goes to every place of the variable",
        "let x ⇐ ⌊V⌋ in Q → Q[V/x]",
    )
    REV_HANDLE = (
        "RevHandle",
        Figure.DEF_5_10,
        "reverse handling begins: RH keeps the values of the inputs and goes through the command",
        """\
rev handle (V₁, …, Vₘ) ⟨y₁, …, yₘ⟩. P with H →
  RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. P)""",
    )
    RH_RETURN = (
        "RH-Return",
        Figure.FIG_7,
        "the end of the forward pass: the return clause gives the first cotangent; all other inputs get 0",
        """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. ⌊yₖ⌋) →
  let y ⇐ P[Vₖ/x] in
  ⌊⟨W₁, …, Wₘ⟩⌋""",
        "return x → P is the return clause of H, Wₖ is y, and every other Wᵢ is 0",
    )
    RH_LET = (
        "RH-Let",
        Figure.FIG_7,
        "a name for a variable that is there already",
        """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[let x ⇐ ⌊yᵢ⌋ in Q]) →
  RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[Q[yᵢ/x]])""",
    )
    RH_OP = (
        "RH-Op",
        Figure.FIG_7,
        "the clause's forward part, then the rest of the command under RH, then the clause's backward part",
        """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[Op(yᵢ)]) →
  let ⟨y, z'⟩ ⇐ Qᶠ[Vᵢ/x] in
  let ⟨y', y₁', …, yₘ'⟩ ⇐ RH^⟨y, V₁, …, Vₘ⟩_H(⟨y, y₁, …, yₘ⟩. F[⌊y⌋]) in
  let yᵢ'' ⇐ Qᵇ[y'/y, z'/z] in
  ⌊⟨y₁', …, yᵢ' + yᵢ'', …, yₘ'⟩⌋""",
        "H has the clause Op(x) → Qᶠ | y, z → Qᵇ; without one Qᶠ is let y ⇐ Op(x) in ⌊⟨y, ()⟩⌋ and Qᵇ is ⌊0⌋",
    )
    RH_HANDLE = (
        "RH-Handle",
        Figure.FIG_7,
        "a reverse handler inside: it is unfolded first",
        """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[rev handle (yᵢ) ⟨z₁, …, zₙ⟩. Q with H']) →
  RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[RH^yᵢ_H'(⟨z₁, …, zₙ⟩. Q)])""",
    )
    RH_TERM = (
        "RH-Term",
        Figure.FIG_7,
        "the term's value, then the rest under RH, then the cotangent is pulled back along the term by rd",
        """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. Fᵗ[M]) →
  let y ⇐ ⌊M[V₁/y₁, …, Vₘ/yₘ]⌋ in
  let ⟨z, y₁', …, yₘ'⟩ ⇐ RH^⟨y, V₁, …, Vₘ⟩_H(⟨y, y₁, …, yₘ⟩. Fᵗ[y]) in
  ⌊⟨y₁' + z.rd(y₁. M₁)(V₁), …, yₘ' + z.rd(yₘ. Mₘ)(Vₘ)⟩⌋""",
        "Fᵗ[M] is F[⌊M⌋], F[Op(M)] or F[rev handle (M) ⟨…⟩. Q with H']; M is no variable; Mᵢ is M with its value "
        "for every variable but yᵢ",
    )
    GET = (
        "Get",
        Figure.EX_5_13,
        "the content of the location in the heap",
        "(hp, Get[ℓ]()) → (hp, ⌊hp(ℓ)⌋)",
        "hp holds ℓ",
    )
    PUT = (
        "Put",
        Figure.EX_5_13,
        "the heap holds the value from now on",
        "(hp, Put[ℓ](V)) → (hp[ℓ ↦ V], ⌊()⌋)",
        "hp holds ℓ",
    )
    H_RETURN = (
        "H-Return",
        Figure.SECTION_2_2,
        "the handled command has returned: the return clause takes its value",
        "handle ⌊V⌋ with H → P[V/x]",
        "return x → P is the return clause of H",
    )
    H_OP = (
        "H-Op",
        Figure.SECTION_2_2,
        "the clause runs in place of the operation; its continuation is the rest of the handled command",
        "handle F[Op(V)] with H → Q[V/x, k]",
        "H has the clause Op(x), k → Q, and k • M is handle F[⌊M⌋] with H",
    )
    REPEAT = (
        "Repeat",
        Figure.UNFOLDING,
        "the next round, and then those after it; after the last one the state is returned",
        """\
repeat k ≤ i < n from s = V do P →
  let s ⇐ P[k/i, V/s] in
  repeat k' ≤ i < n from s = s do P
repeat n ≤ i < n from s = V do P → ⌊V⌋""",
        "k < n, and k' is k + 1; repeat i < n is repeat 0 ≤ i < n",
    )
    RH_REPEAT = (
        "RH-Repeat",
        Figure.UNFOLDING,
        "the next round is unfolded under RH, as Repeat does outside of it",
        """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[repeat k ≤ i < n from s = yⱼ do P]) →
  RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[let s ⇐ P[k/i, yⱼ/s] in repeat k' ≤ i < n from s = s do P])
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[repeat n ≤ i < n from s = yⱼ do P]) →
  RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[⌊yⱼ⌋])""",
        "k < n, and k' is k + 1",
    )


_HOME: dict[Figure, str] = {
    Figure.FIG_2: "rh_kernel.typing.derivation.derive",
    Figure.FIG_3: "rh_kernel.typing.derivation.derive",
    Figure.FIG_4: "rh_kernel.typing.derivation.measures",
    Figure.FIG_5: "rh_kernel.typing.derivation.measures",
    Figure.FIG_6: "rh_kernel.operational.derivative",
    Figure.FIG_7: "rh_kernel.operational.reverse",
    Figure.DEF_3_1: "rh_kernel.syntax.types",
    Figure.DEF_3_2: "rh_kernel.typing.derivation.signatures",
    Figure.DEF_3_4: "rh_kernel.syntax.core",
    Figure.DEF_3_5: "rh_kernel.typing.derivation.derivations",
    Figure.DEF_5_1: "rh_kernel.operational.contexts",
    Figure.LEMMA_5_3: "rh_kernel.typing.derivation.derive",
    Figure.DEF_5_4: "rh_kernel.operational.terms",
    Figure.LEMMA_5_9: "rh_kernel.typing.derivation.derive",
    Figure.DEF_5_10: "rh_kernel.operational.commands",
    Figure.EX_5_13: "rh_kernel.operational.heap",
    Figure.DEF_6_8: "rh_kernel.denotational.smooth",
    Figure.EX_6_9: "rh_kernel.denotational.smooth",
    Figure.DEF_7_5: "rh_kernel.denotational.arrows",
    Figure.FIG_9: "rh_kernel.denotational.arrows",
    Figure.FIG_10: "rh_kernel.denotational.arrows",
    Figure.DEF_7_7: "rh_kernel.denotational.reverse",
    Figure.DEF_7_12: "rh_kernel.denotational.terms",
    Figure.DEF_7_13: "rh_kernel.denotational.commands",
    Figure.SECTION_2_2: "rh_kernel.operational.handlers",
    Figure.UNFOLDING: "rh_kernel.operational.repeats",
}
