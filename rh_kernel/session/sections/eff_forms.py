"""Help texts on the syntax of ``%%eff`` cells: the form and its meaning for each keyword and symbol."""

EFF_FORMS = {
    "data": "data D x = K A … | …\na data type with its constructors; a parameter in brackets, [e], is a row",
    "effect": "effect E x = op : A -> … -> B | …\nan effect with its operations",
    "fun": "fun f x (y : A) : [E] B = M\na function; it may use itself, and what is written of its type is checked",
    "and": "fun f x = M and g y = N\nfunctions that use each other",
    "handler": "handler h x = return y -> M | <op p -> k> -> N | …\na handler of all operations of its effects",
    "include": "include smooth\nall that a program that comes with the kernel declares",
    "let": "let p = M in N\nM, then N with the parts of what M returned",
    "in": "let p = M in N\nbegins what a let is for",
    "match": "match M | p -> N | …\nthe first branch whose pattern fits what M returned; there is one for each value",
    "if": "if M then N else L\nN or L, by a value of type Bool",
    "then": "if M then N else L\nbegins what is taken for True",
    "else": "if M then N else L\nbegins what is taken for False",
    "handle": "handle M with h\nM, in which the operations of h's effects are what the clauses of h say",
    "with": "handle M with h\nbegins the handler: the name of one, with its arguments, or { return x -> N | <op p -> k> -> L }",
    "return": "return x -> M\nthe clause for what a handled computation returns; without it, that",
}
"""Keywords."""

EFF_SIGNS = {
    "!": "M!\nrun the thunk that M is; an operation without arguments is performed by op!",
    "{": "{M}   ·   {x y -> M}\na thunk: M, or a function, that is a value and is not run yet",
    "\\": "\\x y -> M\na function that is a computation; {x y -> M} is one that is a value",
    "->": "A -> B -> [E] C   ·   p -> M\nin a type from what to what, with which effects; in a branch or a clause what is done",
    "|": "match M | p -> N | …\nbegins a branch, a clause, a constructor or an operation",
    "<": "<Smooth> M   ·   <op p -> k> -> N\nan adaptor, by which the innermost handler of an effect is not for M, or a clause",
    "@": "@r\nthe content of the reference r",
    ":=": "r := M\nthe reference r holds what M returns",
    ";": "M; N\nM, and then N",
    "::": "M :: N\na list with M before the list N",
    "++": "M ++ N\none text after the other",
    "[": "[M, N]   ·   [e | L]\na list; in a type a row, of which the last label is the innermost handler",
    ".1": "M.1\nthe first side of the computation pair that M is",
    "<|": "<| M, N |>\na computation pair: neither side runs before it is asked for",
    "=": "fun f x = M\nbegins what is declared",
    "+": "M + N\nthe sum, of two Float or two Int",
    "-": "M - N   ·   -M\nthe difference, of two Float or two Int",
    "*": "M * N\nthe product, of two Float or two Int",
    "/": "M / N\nthe quotient, of two Float",
    "==": "M == N\nwhether two numbers are equal: True or False",
    "<=": "M <= N\nwhether one number is at most the other: True or False",
}
"""Symbols in their canonical spelling; ``.1`` also stands for ``.2``."""
