"""The rules of the operational semantics as equations, ``redex → contractum``, for readers of a trace.

RH Def. 5.4 and 5.10, Fig. 6 and 7, Ex. 5.13 and §2.2.1, in the notation in which terms and commands are printed, with
``R-Plus`` added. V, W and U are values, M, N and L terms, P and Q commands, and ``M[V/x]`` is M with V for x. F is the frame
around the head of a command: ``[-]``, ``let x ⇐ F in Q``, or ``handle F with H`` where H has no clause for the head.
"""

from rh_kernel.paper import Rule

WIDTH = 96
"""Columns of an equation at most."""

_NESTED = "the case with D is for nested derivatives: D is a line of lets whose values are known"

_EQUATIONS: dict[Rule, str] = {
    Rule.EV: "f(V) → Ev(f, V)",
    Rule.PLUS: "V + W → V +_A W",
    Rule.PROJ: "⟨V₁, …, Vₙ⟩.i → Vᵢ",
    Rule.LET: "let x ← V in M → M[V/x]",
    Rule.RD: "W.rd(x. N)(V) → W.R_V(x. N)",
    Rule.R_VAR: "W.R_V(x. x) → W\nW.R_V(x. y) → 0",
    Rule.R_CONST: "W.R_V(x. c) → 0",
    Rule.R_FUN: """\
W.R_V(x. f(M)) →
  let x ← V in
  let y ← rd[f](W, M) in
  y.R_V(x. M)
⟨W₁, W₂⟩.R_V(x. D[let y ← f(U) in ⟨y, U₂⟩]) →
  let z ← rd[f](W₁, U[V/x]) in
  ⟨z, W₂⟩.R_V(x. D[⟨U, U₂⟩])""",
    Rule.R_PLUS: """\
W.R_V(x. M + N) → W.R_V(x. M) + W.R_V(x. N)
⟨W₁, W₂⟩.R_V(x. D[let y ← U + U' in ⟨y, U₂⟩]) → ⟨W₁, W₁, W₂⟩.R_V(x. D[⟨U, U', U₂⟩])""",
    Rule.R_LET: """\
W.R_V(x. let y ← M in N) →
  let x ← V in
  let y ← M in
  W.R_V(x. N) + (let y' ← W.R_y(y. N) in y'.R_V(x. M))
W.R_V(⟨x, y⟩. N) →
  let p ← V in
  let x ← p.1 in
  W.R_V(p. let y ← p.2 in N) + (let x' ← W.R_x(x. let y ← p.2 in N) in x'.R_V(p. p.1))
W.R_V(x. let y ← U in N) → W.R_V(x. N[U/y])""",
    Rule.R_TUPLE: """\
W.R_V(x. ⟨M₁, …, Mₙ⟩) →
  let ⟨y₁, …, yₙ⟩ ← W in
  y₁.R_V(x. M₁) + … + yₙ.R_V(x. Mₙ)""",
    Rule.R_PROJ: """\
W.R_V(x. M.i) →
  let x ← V in
  let y ← M in
  ⟨U₁, …, Uₙ⟩.R_V(x. M)
⟨W, W'⟩.R_V(x. D[let ⟨y₁, …, yₙ⟩ ← U in ⟨yᵢ, U'⟩]) → ⟨⟨U₁, …, Uₙ⟩, W'⟩.R_V(x. D[⟨U, U'⟩])""",
    Rule.R_RD: """\
W.R_V(x. M.rd(y. N)(L)) →
  W.R_V(x. let z ← M in let w ← L in z.R_w(y. N))
W.R_V(x. N) → D[V/x][W.R_⟨V; y₁, …, yₙ⟩(x. D[U])]""",
    Rule.LET_COMMAND: "let x ⇐ ⌊V⌋ in Q → Q[V/x]",
    Rule.REV_HANDLE: """\
rev handle (V₁, …, Vₘ) ⟨y₁, …, yₘ⟩. P with H →
  RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. P)""",
    Rule.RH_RETURN: """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. ⌊yₖ⌋) →
  let y ⇐ P[Vₖ/x] in
  ⌊⟨W₁, …, Wₘ⟩⌋""",
    Rule.RH_LET: """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[let x ⇐ ⌊yᵢ⌋ in Q]) →
  RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[Q[yᵢ/x]])""",
    Rule.RH_OP: """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[Op(yᵢ)]) →
  let ⟨y, z'⟩ ⇐ Qᶠ[Vᵢ/x] in
  let ⟨y', y₁', …, yₘ'⟩ ⇐ RH^⟨y, V₁, …, Vₘ⟩_H(⟨y, y₁, …, yₘ⟩. F[⌊y⌋]) in
  let yᵢ'' ⇐ Qᵇ[y'/y, z'/z] in
  ⌊⟨y₁', …, yᵢ' + yᵢ'', …, yₘ'⟩⌋""",
    Rule.RH_HANDLE: """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[rev handle (yᵢ) ⟨z₁, …, zₙ⟩. Q with H']) →
  RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. F[RH^yᵢ_H'(⟨z₁, …, zₙ⟩. Q)])""",
    Rule.RH_TERM: """\
RH^⟨V₁, …, Vₘ⟩_H(⟨y₁, …, yₘ⟩. Fᵗ[M]) →
  let y ⇐ ⌊M[V₁/y₁, …, Vₘ/yₘ]⌋ in
  let ⟨z, y₁', …, yₘ'⟩ ⇐ RH^⟨y, V₁, …, Vₘ⟩_H(⟨y, y₁, …, yₘ⟩. Fᵗ[y]) in
  ⌊⟨y₁' + z.rd(y₁. M₁)(V₁), …, yₘ' + z.rd(yₘ. Mₘ)(Vₘ)⟩⌋""",
    Rule.GET: "(hp, Get[ℓ]()) → (hp, ⌊hp(ℓ)⌋)",
    Rule.PUT: "(hp, Put[ℓ](V)) → (hp[ℓ ↦ V], ⌊()⌋)",
    Rule.H_RETURN: "handle ⌊V⌋ with H → P[V/x]",
    Rule.H_OP: "handle F[Op(V)] with H → Q[V/x, k]",
}

_CONDITIONS: dict[Rule, str] = {
    Rule.EV: "f is defined at V",
    Rule.PLUS: "V and W have the type A, and +_A adds them entry by entry, in a tuple component by component",
    Rule.R_VAR: "y is another variable than x, and 0 has the type of V",
    Rule.R_CONST: "0 has the type of V",
    Rule.R_FUN: f"{_NESTED}; what has come to y is added before",
    Rule.R_PLUS: f"{_NESTED}; what has come to y is added before",
    Rule.R_LET: "a pattern ⟨x, y⟩ stands for two lets; the last case is for nested derivatives, where a let that nothing comes "
    "back to is left out, too",
    Rule.R_PROJ: f"M, or U, has n components, Uᵢ is W, and every other Uₖ is 0; {_NESTED}",
    Rule.R_RD: "in the second case N is what the derivatives in it have unfolded to, D is let y₁ ← M₁ in … let yₙ ← Mₙ in […], "
    "each Mᵢ is a function, a sum or a component of values, and D[U] is N",
    Rule.RH_RETURN: "return x → P is the return clause of H, Wₖ is y, and every other Wᵢ is 0",
    Rule.RH_OP: "H has the clause Op(x) → Qᶠ | y, z → Qᵇ; without one Qᶠ is let y ⇐ Op(x) in ⌊⟨y, ()⟩⌋ and Qᵇ is ⌊0⌋",
    Rule.RH_TERM: "Fᵗ[M] is F[⌊M⌋], F[Op(M)] or F[rev handle (M) ⟨…⟩. Q with H']; M is no variable; "
    "Mᵢ is M with its value for every variable but yᵢ",
    Rule.GET: "hp holds ℓ",
    Rule.PUT: "hp holds ℓ",
    Rule.H_RETURN: "return x → P is the return clause of H",
    Rule.H_OP: "H has the clause Op(x), k → Q, and k • M is handle F[⌊M⌋] with H",
}


def equation(rule: Rule) -> str:
    """Return ``redex → contractum``, in lines of at most ``WIDTH`` columns; the cases of a rule follow one another."""
    return _EQUATIONS[rule]


def condition(rule: Rule) -> str:
    """Return the side condition and what the letters stand for, without a full stop; empty if there is nothing to add."""
    return _CONDITIONS.get(rule, "")
