"""The tables of effects and handlers in ``language.md``: words and signs, built-in functions, programs to include."""

from lessons.reference.markdown import code, table
from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.builtin_effects import BUILT_IN
from rh_kernel.ad.eff.machine.builtins import BUILT_INS, OPERATORS
from rh_kernel.session.sections.eff_cells import built_in_type
from rh_kernel.session.sections.eff_forms import EFF_FORMS, EFF_SIGNS
from rh_kernel.session.sections.eff_names import about


def words_part() -> str:
    """Every word of ``%%eff`` cells, then the signs."""
    rows = [(code(word), *_form(text)) for word, text in EFF_FORMS.items()]
    signs = [(code(sign), *_form(text)) for sign, text in EFF_SIGNS.items()]
    return f"{table(('word', 'form', 'meaning'), rows)}\n\n{table(('sign', 'form', 'meaning'), signs)}"


def _form(text: str) -> tuple[str, str]:
    form, meaning = text.split("\n")
    return " or ".join([code(one) for one in form.split("   ·   ")]), meaning


def functions_part() -> str:
    """The built-in functions, the infix sign of those that have one, and the operations that the machine handles."""
    signs = {name: sign for sign, name in OPERATORS.items()}
    rows = [(code(name), code(signs[name]) if name in signs else "", code(built_in_type(name))) for name in BUILT_INS]
    operations = [(code(name), code(next(about(BUILT_IN, name)).type)) for name in BUILT_IN.operations]
    return f"{table(('function', 'sign', 'type'), rows)}\n\n{table(('operation', 'type'), operations)}"


def programs_part() -> str:
    """The programs that ``include`` takes, each with the first sentence of its text."""
    return table(("program", "what it declares"), [(code(name), _about(name)) for name in library.names()])


def _about(name: str) -> str:
    comment: list[str] = []
    for line in library.source(name).text.split("\n"):
        if not line.startswith("#"):
            break
        comment.append(line.lstrip("# ").rstrip())
    return " ".join(comment)
