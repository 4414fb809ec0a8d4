"""The typing rules (RH Fig. 2, 3, §2.2.1, Lemma 5.3, 5.9), as the paper draws them and in a sentence each."""

from enum import Enum

from rh_kernel.figures import Figure
from rh_kernel.source.records import frozen


@frozen
class Schema:
    """A rule with its metavariables: ``premises`` over ``conclusion``; ``sides`` are the conditions that are no judgments."""

    premises: tuple[str, ...]
    conclusion: str
    sides: tuple[str, ...] = ()


class TypingRule(Enum):
    """A rule of RH Fig. 2 or 3, of §2.2.1, or a lemma that types an intermediate form; the value is its printed name.

    ``figure`` is the figure, section or lemma of the paper that states it, and ``says`` a sentence about it.
    """

    figure: Figure
    says: str
    schema: Schema

    def __new__(cls, name: str, figure: Figure, says: str, schema: Schema) -> "TypingRule":
        """Make a member whose value is the name alone."""
        rule = object.__new__(cls)
        rule._value_ = name
        rule.figure, rule.says, rule.schema = figure, says, schema
        return rule

    T_VAR = "T-VAR", Figure.FIG_2, "a variable has the type that its context gives it", Schema((), "Γ ⊢ x : A", ("x : A in Γ",))
    T_CONST = "T-CONST", Figure.FIG_2, "a constant has the type that its symbol has", Schema((), "Γ ⊢ c : β", ("c : β",))
    T_FUNC = (
        "T-FUNC",
        Figure.FIG_2,
        "f : A → B applied to a term of type A has type B",
        Schema(("Γ ⊢ M : A",), "Γ ⊢ f(M) : B", ("f : A → B",)),
    )
    T_LET = (
        "T-LET",
        Figure.FIG_2,
        "the body is typed with x at the type of what the let binds",
        Schema(("Γ ⊢ M : A", "Γ, x : A ⊢ N : B"), "Γ ⊢ let x ← M in N : B"),
    )
    T_PLUS = (
        "T-PLUS",
        Figure.FIG_2,
        "both summands have one type, and so has the sum",
        Schema(("Γ ⊢ M : A", "Γ ⊢ N : A"), "Γ ⊢ M + N : A"),
    )
    T_TUPLE = (
        "T-TUPLE",
        Figure.FIG_2,
        "a tuple has the product of the types of its components",
        Schema(("Γ ⊢ M₁ : A₁", "…", "Γ ⊢ Mₙ : Aₙ"), "Γ ⊢ ⟨M₁, …, Mₙ⟩ : A₁ × … × Aₙ"),
    )
    T_PROJ = (
        "T-PROJ",
        Figure.FIG_2,
        "a component of a tuple has its factor of the product",
        Schema(("Γ ⊢ M : A₁ × … × Aₙ",), "Γ ⊢ M.i : Aᵢ", ("1 ≤ i ≤ n",)),
    )
    T_RD = (
        "T-RD",
        Figure.FIG_2,
        "the cotangent has the type of the body, the result that of the point",
        Schema(("Γ ⊢ M : B", "Γ, x : A ⊢ N : B", "Γ ⊢ L : A"), "Γ ⊢ M.rd(x. N)(L) : A"),
    )
    T_PURE = (
        "T-PURE",
        Figure.FIG_3,
        "a term is a command with no operations; it may use Γ and Δ",
        Schema(("Γ, Δ ⊢ M : A",), "Γ ; Δ ⊢ ⌊M⌋ : A"),
    )
    T_OP = (
        "T-OP",
        Figure.FIG_3,
        "Op : A → B performed with a term of type A has type B",
        Schema(("Γ, Δ ⊢ M : A",), "Γ ; Δ ⊢ Op(M) : B", ("Op : A → B",)),
    )
    T_CLET = (
        "T-CLET",
        Figure.FIG_3,
        "the rest is typed with x, in Δ, at the type of what the let binds",
        Schema(("Γ ; Δ ⊢ P : A", "Γ ; Δ, x : A ⊢ Q : C"), "Γ ; Δ ⊢ let x ⇐ P in Q : C"),
    )
    T_RHANDLE = (
        "T-RHANDLE",
        Figure.FIG_3,
        "the command sees only what it binds; its type is the handler's; the result is the input's cotangent",
        Schema(
            ("Γ, Δ ⊢ M : A₁ × … × Aₙ", "Γ ; x₁ : A₁, …, xₙ : Aₙ ⊢ R : C", "Γ ⊢ H : rev handler(C)"),
            "Γ ; Δ ⊢ rev handle (M) ⟨x₁, …, xₙ⟩. R with H : A₁ × … × Aₙ",
        ),
    )
    T_RHANDLER = (
        "T-RHANDLER",
        Figure.FIG_3,
        "the return clause goes from C to C; an operation's parts go forward, and back with what was kept",
        Schema(
            ("Γ ; x : C ⊢ P : C", "Γ ; x : A ⊢ Qᶠ : B × D", "Γ ; y : B, z : D ⊢ Qᵇ : A", "…"),
            "Γ ⊢ { return x → P ; Op(x) → Qᶠ | y, z → Qᵇ ; … } : rev handler(C)",
            ("two premises for each Op : A → B",),
        ),
    )
    T_HANDLE = (
        "T-HANDLE",
        Figure.SECTION_2_2,
        "the command has the type that the handler takes, and the whole the type that it gives",
        Schema(("Γ ; Δ ⊢ P : C", "Γ ⊢ H : C ⇒ D"), "Γ ; Δ ⊢ handle P with H : D"),
    )
    T_HANDLER = (
        "T-HANDLER",
        Figure.SECTION_2_2,
        "the return clause and the clause of each operation, which has its continuation k, come to one type",
        Schema(
            ("Γ ; x : C ⊢ P : D", "Γ ; x : A, k : B ⇝ D ⊢ Q : D", "…"),
            "Γ ⊢ { return x → P ; Op(x), k → Q ; … } : C ⇒ D",
            ("one premise for each Op : A → B with a clause",),
        ),
    )
    T_RESUME = (
        "T-RESUME",
        Figure.SECTION_2_2,
        "k : B ⇝ D applied to a term of type B has type D",
        Schema(("Γ, Δ ⊢ M : B",), "Γ ; Δ ⊢ k(M) : D", ("k : B ⇝ D",)),
    )
    T_IF = (
        "T-If",
        Figure.SECTION_10,
        "the condition compares numbers, and both branches have one type",
        Schema(
            ("Γ ⊢ ⟨L, L', …⟩ : Real × Real × …", "Γ ⊢ M : A", "Γ ⊢ N : A"),
            "Γ ⊢ if L < L' … then M else N : A",
            ("two components for each comparison",),
        ),
    )
    T_CIF = (
        "T-CIf",
        Figure.SECTION_10,
        "the condition compares numbers, and both commands have one type",
        Schema(
            ("Γ, Δ ⊢ ⟨L, L', …⟩ : Real × Real × …", "Γ ; Δ ⊢ P : A", "Γ ; Δ ⊢ Q : A"),
            "Γ ; Δ ⊢ if L < L' … then P else Q : A",
            ("two components for each comparison",),
        ),
    )
    T_R = (
        "Lemma 5.3",
        Figure.LEMMA_5_3,
        "the reverse derivative by rewriting has the type of the point",
        Schema(("Γ ⊢ W : B", "Γ, x : A ⊢ N : B", "Γ ⊢ V : A"), "Γ ⊢ W.R_V(x. N) : A"),
    )
    T_RH = (
        "Lemma 5.9",
        Figure.LEMMA_5_9,
        "the rewriting of a reverse handler has the type of the values",
        Schema(
            ("Γ, Δ ⊢ V : A₁ × … × Aₙ", "Γ ; x₁ : A₁, …, xₙ : Aₙ ⊢ R : C", "Γ ⊢ H : rev handler(C)"),
            "Γ ; Δ ⊢ RH^V_H(⟨x₁, …, xₙ⟩. R) : A₁ × … × Aₙ",
        ),
    )

    T_MAP = (
        "T-MAP",
        Figure.UNFOLDING,
        "the body is typed with x at the type of a row; the rows of the result have its type",
        Schema(("Γ ⊢ M : Real(n, d…)", "Γ, x : Real(d…) ⊢ N : Real(e…)"), "Γ ⊢ map (x in M) do N : Real(n, e…)"),
    )
    T_SCAN = (
        "T-SCAN",
        Figure.UNFOLDING,
        "a round is typed with x at the type of a row and s at that of the state; it gives a row and the next state",
        Schema(
            ("Γ, Δ ⊢ M : Real(n, d…)", "Γ, Δ ⊢ N : S", "Γ ; Δ, x : Real(d…), s : S ⊢ P : B × S"),
            "Γ ; Δ ⊢ scan (x in M) from s = N do P : Bⁿ × S",
            ("Bⁿ is the type of n stacked rows of type B",),
        ),
    )
    T_REPEAT = (
        "T-REPEAT",
        Figure.UNFOLDING,
        "every round takes a state of one type to another of that type; the index is a dimension variable of the round",
        Schema(
            ("Γ, Δ ⊢ M : S", "Γ ; Δ, s : S ⊢ P : S"),
            "Γ ; Δ ⊢ repeat i < n from s = M do P : S",
            ("i does not occur in Γ, Δ and S",),
        ),
    )

    @property
    def cited(self) -> str:
        """The rule together with the figure, section or lemma that states it."""
        if self.figure.is_ours:
            return self.value
        return f"{self.value} (RH {self.figure.value})"
