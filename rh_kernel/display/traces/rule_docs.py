"""Each rule of the operational semantics in a sentence, for readers of a trace (RH Def. 5.4, 5.10, Fig. 6, 7)."""

from rh_kernel.paper import Rule

_SAYS: dict[Rule, str] = {
    Rule.EV: "a function symbol is applied to a value: its result takes the place of the call",
    Rule.PLUS: "two values are added, entry by entry",
    Rule.PROJ: "a component is taken out of a tuple",
    Rule.LET: "the value goes to every place of the variable",
    Rule.RD: "a reverse derivative at a point becomes R, which goes through the term from outside to inside",
    Rule.R_VAR: "the term is a variable: the cotangent itself if it is the one in question, else 0",
    Rule.R_CONST: "the term is a constant, so its derivative is 0",
    Rule.R_FUN: "chain rule: rd[f] pulls the cotangent back along f, and R goes on with the argument",
    Rule.R_PLUS: "both summands get the same cotangent, and their answers are added",
    Rule.R_LET: "the answers along the body and along what the let binds are added",
    Rule.R_TUPLE: "each component gets its part of the cotangent, and the answers are added",
    Rule.R_PROJ: "the cotangent goes to the component that is taken out, 0 to the others",
    Rule.R_RD: "a derivative in a derivative: R of what the inner one unfolds to, written as a line of lets",
    Rule.LET_COMMAND: "the command has returned: its value goes to every place of the variable",
    Rule.REV_HANDLE: "reverse handling begins: RH keeps the values of the inputs and goes through the command",
    Rule.RH_RETURN: "the end of the way forward: the return clause gives the first cotangent; all other inputs get 0",
    Rule.RH_LET: "a name for a variable that is there already",
    Rule.RH_OP: "the clause's forward part, then the rest of the command under RH, then the clause's backward part",
    Rule.RH_HANDLE: "a reverse handler inside: it is unfolded first",
    Rule.RH_TERM: "the term's value, then the rest under RH, then the cotangent is pulled back along the term by rd",
    Rule.GET: "the content of the location in the heap",
    Rule.PUT: "the heap holds the value from now on",
    Rule.H_RETURN: "the handled command has returned: the return clause takes its value",
    Rule.H_OP: "the clause runs in place of the operation; its continuation is the rest of the handled command",
}


def gloss(rule: Rule) -> str:
    """Return a sentence about the rule, without a full stop."""
    return _SAYS[rule]
