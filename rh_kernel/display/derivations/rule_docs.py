"""Documentation of the typing rules: a schema and a sentence for each (RH Fig. 2, 3, §2.2.1, Lemma 5.3, 5.9)."""

from dataclasses import dataclass

from rh_kernel.typing.derivation.derivations import TypingRule


@dataclass(frozen=True, slots=True)
class Schema:
    """``premises`` over ``conclusion``; ``sides`` are side conditions."""

    premises: tuple[str, ...]
    conclusion: str
    sides: tuple[str, ...] = ()


_SAYS: dict[TypingRule, str] = {
    TypingRule.T_VAR: "a variable has the type that its context gives it",
    TypingRule.T_CONST: "a constant has the type that its symbol has",
    TypingRule.T_FUNC: "f : A → B applied to a term of type A has type B",
    TypingRule.T_LET: "the body is typed with x at the type of what the let binds",
    TypingRule.T_PLUS: "both summands have one type, and so has the sum",
    TypingRule.T_TUPLE: "a tuple has the product of the types of its components",
    TypingRule.T_PROJ: "a component of a tuple has its factor of the product",
    TypingRule.T_RD: "the cotangent has the type of the body, the result that of the point",
    TypingRule.T_PURE: "a term is a command with no operations; it may use Γ and Δ",
    TypingRule.T_OP: "Op : A → B performed with a term of type A has type B",
    TypingRule.T_CLET: "the rest is typed with x, in Δ, at the type of what the let binds",
    TypingRule.T_RHANDLE: "the command sees only what it binds; its type is the handler's; the result is the input's cotangent",
    TypingRule.T_RHANDLER: "the return clause goes from C to C; an operation's parts go forward, and back with what was kept",
    TypingRule.T_HANDLE: "the command has the type that the handler takes, and the whole the type that it gives",
    TypingRule.T_HANDLER: "the return clause and the clause of each operation, which has its continuation k, come to one type",
    TypingRule.T_RESUME: "k : B ⇝ D applied to a term of type B has type D",
    TypingRule.T_R: "the reverse derivative by rewriting has the type of the point",
    TypingRule.T_RH: "the rewriting of a reverse handler has the type of the values",
}


def gloss(rule: TypingRule) -> str:
    """The rule in one sentence, without a full stop."""
    return _SAYS[rule]


def schema(rule: TypingRule) -> Schema:
    """The rule with its metavariables."""
    return _SCHEMAS[rule]


_HANDLER = "{ return x → P ; Op(x) → Qᶠ | y, z → Qᵇ ; … }"
_ORDINARY = "{ return x → P ; Op(x), k → Q ; … }"
_SCHEMAS: dict[TypingRule, Schema] = {
    TypingRule.T_VAR: Schema((), "Γ ⊢ x : A", ("x : A in Γ",)),
    TypingRule.T_CONST: Schema((), "Γ ⊢ c : β", ("c : β",)),
    TypingRule.T_FUNC: Schema(("Γ ⊢ M : A",), "Γ ⊢ f(M) : B", ("f : A → B",)),
    TypingRule.T_LET: Schema(("Γ ⊢ M : A", "Γ, x : A ⊢ N : B"), "Γ ⊢ let x ← M in N : B"),
    TypingRule.T_PLUS: Schema(("Γ ⊢ M : A", "Γ ⊢ N : A"), "Γ ⊢ M + N : A"),
    TypingRule.T_TUPLE: Schema(("Γ ⊢ M₁ : A₁", "…", "Γ ⊢ Mₙ : Aₙ"), "Γ ⊢ ⟨M₁, …, Mₙ⟩ : A₁ × … × Aₙ"),
    TypingRule.T_PROJ: Schema(("Γ ⊢ M : A₁ × … × Aₙ",), "Γ ⊢ M.i : Aᵢ", ("1 ≤ i ≤ n",)),
    TypingRule.T_RD: Schema(("Γ ⊢ M : B", "Γ, x : A ⊢ N : B", "Γ ⊢ L : A"), "Γ ⊢ M.rd(x. N)(L) : A"),
    TypingRule.T_PURE: Schema(("Γ, Δ ⊢ M : A",), "Γ ; Δ ⊢ ⌊M⌋ : A"),
    TypingRule.T_OP: Schema(("Γ, Δ ⊢ M : A",), "Γ ; Δ ⊢ Op(M) : B", ("Op : A → B",)),
    TypingRule.T_CLET: Schema(("Γ ; Δ ⊢ P : A", "Γ ; Δ, x : A ⊢ Q : C"), "Γ ; Δ ⊢ let x ⇐ P in Q : C"),
    TypingRule.T_RHANDLE: Schema(
        ("Γ, Δ ⊢ M : A₁ × … × Aₙ", "Γ ; x₁ : A₁, …, xₙ : Aₙ ⊢ R : C", "Γ ⊢ H : rev handler(C)"),
        "Γ ; Δ ⊢ rev handle (M) ⟨x₁, …, xₙ⟩. R with H : A₁ × … × Aₙ",
    ),
    TypingRule.T_RHANDLER: Schema(
        ("Γ ; x : C ⊢ P : C", "Γ ; x : A ⊢ Qᶠ : B × D", "Γ ; y : B, z : D ⊢ Qᵇ : A", "…"),
        f"Γ ⊢ {_HANDLER} : rev handler(C)",
        ("two premises for each Op : A → B",),
    ),
    TypingRule.T_HANDLE: Schema(("Γ ; Δ ⊢ P : C", "Γ ⊢ H : C ⇒ D"), "Γ ; Δ ⊢ handle P with H : D"),
    TypingRule.T_HANDLER: Schema(
        ("Γ ; x : C ⊢ P : D", "Γ ; x : A, k : B ⇝ D ⊢ Q : D", "…"),
        f"Γ ⊢ {_ORDINARY} : C ⇒ D",
        ("one premise for each Op : A → B with a clause",),
    ),
    TypingRule.T_RESUME: Schema(("Γ, Δ ⊢ M : B",), "Γ ; Δ ⊢ k(M) : D", ("k : B ⇝ D",)),
    TypingRule.T_R: Schema(("Γ ⊢ W : B", "Γ, x : A ⊢ N : B", "Γ ⊢ V : A"), "Γ ⊢ W.R_V(x. N) : A"),
    TypingRule.T_RH: Schema(
        ("Γ, Δ ⊢ V : A₁ × … × Aₙ", "Γ ; x₁ : A₁, …, xₙ : Aₙ ⊢ R : C", "Γ ⊢ H : rev handler(C)"),
        "Γ ; Δ ⊢ RH^V_H(⟨x₁, …, xₙ⟩. R) : A₁ × … × Aₙ",
    ),
}
