"""The tables of the laboratory in ``language.md``: its words and signs, the systems and what each of them takes."""

from lessons.reference.markdown import code, table
from rh_kernel.ad.comparison import vjp
from rh_kernel.ad.language.elaboration import elaborate_function
from rh_kernel.ad.language.parsing_items import item
from rh_kernel.ad.language.surface import FunItem
from rh_kernel.ad.registry import NAMES, system
from rh_kernel.session.sections.lambda_forms import LAMBDA_FORMS, LAMBDA_SIGNS
from rh_kernel.source.diagnostic import KernelBug, Rejected
from rh_kernel.source.span import Source, Span

CONSTRUCTS = {
    "`let`, tuples": "fun f(x : Real) : Real = let (a, b) <- (x, x * x) in a * b",
    "`if`": "fun f(x : Real) : Real = if x <= 0 then 0 - x else x",
    "sums": "fun f(x : Real) : Real = case inl(x * x) of inl a -> a | inr b -> b",
    "functions": "fun f(x : Real) : Real = let g <- λy : Real. y * x in g(g(x))",
    "`map`": "fun f(x : Real) : Real = sum(map2(y z. y * z, map(y. y * x, [1, x]), replicate[2](x)))",
    "`reduce`": "fun f(x : Real) : Real = reduce(a y. a * y, 1, [x, x, 2])",
    "`foldl`": "fun f(x : Real) : Real = foldl(a y. a * y + x, x, [x, x, 2])",
}
"""What systems differ in, each with a program that has it."""


def takes(name: str, program: str) -> bool:
    """Whether a system differentiates a program of one number."""
    written = item(Span(Source("example", program), 0, len(program)))
    if not isinstance(written, FunItem):
        raise KernelBug(f"{program} declares no function")
    try:
        vjp(system(name), elaborate_function(written, {}), (2.0,), 1.0)
    except Rejected:
        return False
    return True


def systems_part() -> str:
    """Each system with what it is."""
    rows = [(code(name), system(name).title, system(name).source, _abilities(name)) for name in NAMES]
    return table(("system", "what it is", "source", "`along`, `f` alone, `--trace`"), rows)


def _abilities(name: str) -> str:
    one = system(name)
    return " ".join(["✓" if can is not None else "–" for can in (one.forward, one.stages, one.steps)])


def fragments_part() -> str:
    """Which constructs each system takes: it is asked."""
    rows = [(code(name), *["✓" if takes(name, one) else "–" for one in CONSTRUCTS.values()], _loops(name)) for name in NAMES]
    return table(("system", *CONSTRUCTS, "loops"), rows)


def _loops(name: str) -> str:
    return "unrolled" if system(name).unrolls else "kept"


def words_part() -> str:
    """Every word of ``%%lambda`` cells, then the signs."""
    rows = [(code(word), *_form(text)) for word, text in LAMBDA_FORMS.items()]
    signs = [(code(sign), *_form(text)) for sign, text in LAMBDA_SIGNS.items()]
    return f"{table(('word', 'form', 'meaning'), rows)}\n\n{table(('sign', 'form', 'meaning'), signs)}"


def _form(text: str) -> tuple[str, str]:
    form, meaning = text.split("\n")
    return " or ".join([code(one) for one in form.split("   ·   ")]), meaning
