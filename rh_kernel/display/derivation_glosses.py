"""What each typing rule says, in a sentence for those who read a derivation (RH Fig. 2, 3, §2.2.1, Lemma 5.3, 5.9)."""

from rh_kernel.typing.derivations import TypingRule

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
    """What the rule says, in one sentence without a full stop."""
    return _SAYS[rule]
