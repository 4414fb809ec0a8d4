"""The tables of ``language.md``: words, signs and how to type them, initial contents, forms of checks, data sets."""

from collections.abc import Iterable, Iterator

from lessons.reference.markdown import code, fence, table
from lessons.reference.running import FIRST_PROGRAM, run
from lessons.reference.symbols import rounded
from rh_kernel.display.registry import text as result_text
from rh_kernel.kernel.completion.unicode_input import symbols_for
from rh_kernel.session.forms import FORMS, SIGNS
from rh_kernel.session.included_files import LIBRARY, declarations, library_names
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.conditionals import WORDS
from rh_kernel.syntax.parsing.tokens import (
    CHECK,
    DECLARATIONS,
    INCLUDE,
    INITIALS,
    ITERATION_WORDS,
    ITERATIONS,
    KEYWORDS,
    REPEAT,
    SPELLINGS,
    TRAINING_OPTIONS,
)
from rh_kernel.syntax.surface_items import IncludeItem
from rh_kernel.training.bundled import NAMES, bundled

_ABOUT_DATA = {
    "digits": "handwritten digits, 8 by 8 pixels from 0 to 1",
    "iris": "three kinds of iris; columns of mean 0 and deviation 1",
    "wine": "three kinds of wine; columns of mean 0 and deviation 1",
    "breast_cancer": "two kinds of tumour; columns of mean 0 and deviation 1",
    "xor": "the corners of the square, t is 1 where one coordinate is",
    "moons": "two half circles that reach into each other, t is 0 or 1",
    "spiral": "three arms around the origin",
    "adding": "100 pairs of a number and a mark; t is the sum of the two marked numbers",
}

_IN_COMMENTS = """
partial nabla sum prod int infty in notin subseteq emptyset forall exists neq leq geq approx equiv cong propto pm sqrt circ
otimes oplus wedge vee neg ldots diamond llbracket Downarrow Uparrow leftrightarrow hookrightarrow
"""


def first_part() -> str:
    """The program that the page begins with, and what its last two items show."""
    shown = "\n".join([result_text(result) for result in run(FIRST_PROGRAM).results[-2:]])
    return f"{fence(FIRST_PROGRAM, 'rh')}\n\n{fence(rounded(shown))}"


def reserved_part() -> str:
    """The words that cannot be names."""
    first = (*DECLARATIONS, INCLUDE, "train")
    return f"{_listed((*first, *sorted(KEYWORDS - {*first})))}."


def _listed(names: Iterable[str]) -> str:
    return " ".join([code(name) for name in names])


def words_part() -> str:
    """Every word of the language with its form and its meaning."""
    reserved = [name for name in FORMS if name in KEYWORDS]
    training = [name for name in FORMS if name in TRAINING_OPTIONS or name in {"for", "on", "data", "sweep"}]
    contents = [name for name in FORMS if name in INITIALS or name == "seed"]
    types = ["Real", "Loc", "Dim"]
    rounds = [*ITERATIONS, REPEAT, *ITERATION_WORDS]
    conditionals: list[str] = [*WORDS]
    rest = [name for name in FORMS if name not in {*reserved, *training, *contents, *types, *rounds, *conditionals}]
    groups = (
        ("Words that cannot be names", reserved),
        ("Types", types),
        ("In conditionals", conditionals),
        ("In repetitions and sequences", rounds),
        ("In training and sweeps", training),
        ("First contents of a location", contents),
        ("In checks and directives", rest),
    )
    return "\n\n".join([f"**{title}**\n\n{_forms(names)}" for title, names in groups])


def _forms(names: list[str]) -> str:
    rows: list[tuple[str, ...]] = []
    for name in names:
        form, meaning = FORMS[name].split("\n")
        rows.append((code(name), _form(form), meaning))
    return table(("word", "form", "meaning"), rows)


def _form(text: str) -> str:
    return " or ".join([code(one) for one in text.split("   ·   ")])


def signs_part() -> str:
    """Every sign with its other spellings, and how to type it."""
    names = _names()
    rows: list[tuple[str, ...]] = []
    for text in dict.fromkeys(SIGNS.values()):
        form, meaning = text.split("\n")
        alike = [sign for sign, other in SIGNS.items() if other == text]
        spellings = [*alike, *[other for other, canonical in SPELLINGS.items() if canonical in alike]]
        typed = [name for sign in alike for name in names.get(sign, ())]
        rows.append((_listed(spellings), _listed(typed), f"{_form(form)}: {meaning.partition('; also written')[0]}"))
    return table(("sign", "Tab", "use"), rows)


def letters_part() -> str:
    """Greek letters and lowered digits, for names; signs for comments. The name of a capital begins with one."""
    letters = [f"{sign} {code(found[0])}" for sign, found in _names().items() if sign not in SIGNS and not sign.isupper()]
    comments = [
        f"{found} {code(name)}"
        for word in _IN_COMMENTS.split()
        for name, found in symbols_for(f"\\{word}")
        if name == f"\\{word}"
    ]
    raised = [f"{found} {code(name)}" for n in range(10) for name, found in symbols_for(f"\\^{n}") if name == f"\\^{n}"]
    return f"In names: {' · '.join(letters)}.\n\nIn comments alone: {' · '.join([*raised, *comments])}."


def _names() -> dict[str, tuple[str, ...]]:
    """The signs of the language with their names, and the letters that are made for names."""
    found: dict[str, tuple[str, ...]] = {}
    for name, sign in symbols_for("\\"):
        if sign in SIGNS or sign == "'" or _is_greek(sign) or sign in "₀₁₂₃₄₅₆₇₈₉":
            found[sign] = (*found.get(sign, ()), name)
    return found


def _is_greek(sign: str) -> bool:
    return "Α" <= sign <= "ω" or sign in "ϑϖϱϕϵ"


def data_part() -> str:
    """The data sets with their sizes."""
    rows: list[tuple[str, ...]] = []
    for name in NAMES:
        data = bundled(name)
        types = ", ".join([f"{array} : {A}" for array, A in data.types.items()])
        rows.append((code(name), str(data.size), code(types), _ABOUT_DATA[name]))
    return table(("name", "samples", "arrays", "what"), rows)


def library_part() -> str:
    """The files of the library, with their first lines and the names that they declare themselves."""
    rows: list[tuple[str, ...]] = []
    for name in library_names():
        first, *_ = (LIBRARY / name).read_text(encoding="utf-8").split("\n")
        item = IncludeItem(name, span=Span(Source("library", ""), 0, 0))
        made = [d.name for d in declarations(item, LIBRARY) if d.span.source.name == f"{LIBRARY.name}/{name}"]
        rows.append((code(name), first.removeprefix("# "), _listed([name.text for name in made])))
    return table(("file", "what", "names of its own"), rows)


CHECK_FORMS: tuple[tuple[str, str], ...] = (
    (f"{CHECK} M == N", "two terms or commands of one type have the same value"),
    (f"{CHECK} M == N within 0.01", "the same, up to 0.01"),
    (f"{CHECK} E ⊢ A", "a term or a command has the type A"),
    (f"{CHECK} f ⊢ A -> B", "the name of a function, or an operation `Op[i]`, has this type"),
    (f"{CHECK} net ⊢ A ~> B", "the name of a net, or an operation, has this type"),
    (f"{CHECK} h ⊢ rev handler(C)", "a reverse handler, with its arguments if it has parameters, has this type"),
    (f"{CHECK} h ⊢ C => D", "an ordinary handler has this type"),
)


def checks_part() -> str:
    """The forms of a check."""
    return table(("form", "passes if"), [(code(form), meaning) for form, meaning in CHECK_FORMS])


def all_words() -> Iterator[str]:
    """Every word that a page of the reference has to mention."""
    yield from (*KEYWORDS, *INITIALS, *TRAINING_OPTIONS, *FORMS)
