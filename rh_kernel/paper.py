"""The rules of the paper "Programming Backpropagation with Reverse Handlers for Arrows" that a reduction step carries."""

from enum import Enum

from rh_kernel.figures import Figure


class Rule(Enum):
    """A rule of the operational semantics; the value is the name that is printed (LANGUAGE §5).

    ``figure`` states the rule, and ``says`` is a sentence about it. ``equation`` is ``redex → contractum``, one case after
    the other, in the notation in which terms and commands are printed. ``R-Plus`` is not in the paper and extends the
    figure; nor are the rules for ``map``, ``scan``, ``repeat`` and ``if``. V, W and U are values, M, N and L terms, P and Q
    commands, and ``M[V/x]`` is M with V for x. F is the frame around the head of a command: ``[-]``, ``let x ⇐ F in Q``, or
    ``handle F with H`` where H has no clause for the head. ``condition`` says when the equation holds and what its letters
    stand for; it is empty where the equation is clear without it.
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
    DRAW = (
        "Draw",
        Figure.BY_NUMBER,
        "the random numbers with the number of draws made so far, which the heap holds",
        """\
(hp, Normal[s]()) → (hp[draws ↦ d + 1], ⌊V⌋)
(hp, Uniform[s]()) → (hp[draws ↦ d + 1], ⌊V⌋)""",
        "d = hp(draws); V are the numbers of draw d for the seed: standard normal, or uniform on [0, 1)",
    )
    BATCH_MEAN = (
        "BatchMean",
        Figure.IN_A_BATCH,
        "one run is a batch of one sample, whose mean is that sample's value",
        "BatchMean(V) → ⌊V⌋",
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
    MAP = (
        "Map",
        Figure.UNFOLDING,
        "one round of a map: the body at the first row, then the map over the other rows",
        """\
map (x in V) do N →
  let y ← let x ← first(V) in N in
  let ys ← map (x in rest(V)) do N in
  cons(y, ys)
map (x in V) do N → 0""",
        "the second case is for a sequence of no rows, and 0 has the type Real(0, e…)",
    )
    R_MAP = (
        "R-Map",
        Figure.UNFOLDING,
        "each row gets its part of the cotangent; the rows' answers go on, and what the body captures gets their sum",
        """\
W.R_V(x. map (y in M) do N) →
  let x ← V in
  let m ← M in
  (let m' ← map (w in W, y in m) do w.rd(y. N)(y) in m'.R_V(x. M)) +
  (let x' ← map (w in W, y in m) do w.rd(x. N)(V) in Σ x')
W.R_V(x. C[map (y in M) do N]) → W.R_V(x. C[let m ← M in N'])""",
        "Σ x' is the sum of the rows, and a summand that is 0 is left out; the second case is for nested derivatives, "
        "where N' is what map (y in m) do N unfolds to by Map",
    )
    SCAN = (
        "Scan",
        Figure.UNFOLDING,
        "one round of a scan: the body at the first row and the state, then the scan of the other rows",
        """\
scan (x in V) from s = W do P →
  let x ⇐ ⌊first(V)⌋ in
  let s ⇐ ⌊W⌋ in
  let q ⇐ P in
  let p ⇐ scan (x in rest(V)) from s = q.2 do P in
  ⌊⟨append(snoc(0, q.1), p.1), p.2⟩⌋
let p ⇐ scan (x in V) from s = W do P in ⌊⟨append(M, p.1), p.2⟩⌋ →
  let bs ⇐ ⌊M⌋ in
  let x ⇐ ⌊first(V)⌋ in
  let s ⇐ ⌊W⌋ in
  let q ⇐ P in
  let p ⇐ scan (x in rest(V)) from s = q.2 do P in
  ⌊⟨append(snoc(bs, q.1), p.1), p.2⟩⌋
scan (x in V) from s = W do P → ⌊⟨0, W⟩⌋
let p ⇐ scan (x in V) from s = W do P in ⌊⟨append(M, p.1), p.2⟩⌋ → ⌊⟨M, W⟩⌋""",
        "M are the rows that the rounds before gave, and the cases with 0 are those without any; the last two cases are "
        "for a sequence of no rows; snoc puts a row behind others, and append several",
    )
    RH_SCAN = (
        "RH-Scan",
        Figure.UNFOLDING,
        "one round of a scan inside: what it needs is named, and variables that nothing else mentions are dropped",
        """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[scan (x in M₁) from s = M₂ do P]) →
  let x ⇐ ⌊first(N₁)⌋ in
  let xs ⇐ ⌊rest(N₁)⌋ in
  let ⟨x', xs', s', bs', y_I'⟩ ⇐ RH^⟨x, xs, N₂, N₃, V_I⟩_H(⟨x, xs, s, bs, y_I⟩. F[Q]) in
  ⌊⟨W₁, …, Wₘ⟩⌋
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[scan (x in M₁) from s = M₂ do P]) →
  let ⟨y_I'⟩ ⇐ RH^⟨V_I⟩_H(⟨y_I⟩. F[⌊⟨M₃, M₂⟩⌋]) in
  ⌊⟨W₁, …, Wₘ⟩⌋""",
        "the second case is for a sequence of no rows; M₃ are the rows of the rounds before; Nᵢ is Mᵢ at the values, named by "
        "a let if it is no value; Q is let q ⇐ P in let p ⇐ … as in Scan; I numbers the variables that F[…] mentions on the "
        "right; Wₖ is the sum of yₖ', for k in I, and of z'.rd(yₖ. M)(Vₖ) for each M that mentions yₖ and is named z, else 0; "
        "in the second case there is no let if all variables are mentioned",
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
        "the next round is unfolded under RH, as outside of it; variables that nothing mentions any more are dropped",
        """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[repeat k ≤ i < n from s = yⱼ do P]) →
  RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[Q])
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[repeat k ≤ i < n from s = yⱼ do P]) →
  let ⟨y_I'⟩ ⇐ RH^⟨V_I⟩_H(⟨y_I⟩. F[Q]) in
  ⌊⟨W₁, …, Wₘ⟩⌋""",
        "Q is let s ⇐ P[k/i, yⱼ/s] in repeat k' ≤ i < n from s = s do P with k' = k + 1 for k < n, and ⌊yⱼ⌋ for k = n; the "
        "first case is for an F[Q] that mentions all variables; else I numbers those that it mentions, and Wₖ is yₖ' for k "
        "in I, else 0",
    )
    IF_TRUE = (
        "If-True",
        Figure.SECTION_10,
        "the condition holds: the branch after then",
        "if B then M else N → M",
        "what B compares are values, and B holds; likewise for commands",
    )
    IF_FALSE = (
        "If-False",
        Figure.SECTION_10,
        "the condition does not hold: the branch after else",
        "if B then M else N → N",
        "what B compares are values, and B does not hold; likewise for commands",
    )
    R_IF = (
        "R-If",
        Figure.SECTION_10,
        "the derivative of the branch that runs at the point; none goes through the condition",
        """\
W.R_V(x. if B then M else N) → W.R_V(x. M)
W.R_V(x. if B then M else N) → W.R_V(x. N)""",
        "the first if B[V/x] holds, else the second; also for a conditional inside the body of a nested derivative",
    )
    RH_IF = (
        "RH-If",
        Figure.SECTION_10,
        "the branch that the values of the variables select goes on under RH",
        """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[if B then P else Q]) →
  RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[P])
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[if B then P else Q]) →
  RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[Q])""",
        "the first if B[V₁/y₁, …, Vₘ/yₘ] holds, else the second",
    )
