"""The view of ``%derivation``."""

from rh_kernel.display.data import Record
from rh_kernel.display.derivations.html import derivation_html
from rh_kernel.display.derivations.latex import derivation_latex
from rh_kernel.display.derivations.proof_tree import Proof, fold, premises, proof_tree
from rh_kernel.display.derivations.text import derivation_text, one_line
from rh_kernel.display.live.view import View
from rh_kernel.display.registry import ResultView
from rh_kernel.session.results import DerivationMade
from rh_kernel.typing.derivation.derivations import Derivation

RULES, HEIGHT = 5_000, 200
"""The most rules of a record, and the most levels: more deeply nested JSON cannot be written or parsed."""


def derivation_record(d: Derivation) -> Record:
    """The record of a derivation: ``rule``, ``judgment``, records of its ``premises``, and the number ``left_out`` of rules.

    At the root there is also its ``size`` (RH Fig. 5), and for commands and handlers its ``depth`` (Fig. 4).
    """
    shown = proof_tree(d, RULES, HEIGHT, exact=True)
    measures: Record = {"size": shown.size} if shown.depth is None else {"depth": shown.depth, "size": shown.size}
    return {**fold(shown.root, premises, _rule), **measures}


def _rule(proof: Proof, above: list[Record]) -> Record:
    left_out: Record = {"left_out": proof.left_out} if proof.left_out else {}
    return {"rule": proof.rule.value, "judgment": one_line(proof), "premises": [*above], **left_out}


def _live(made: DerivationMade) -> View:
    from rh_kernel.display.live.derivations import DerivationView

    return DerivationView(made)


DERIVATION = ResultView(
    DerivationMade,
    text=derivation_text,
    rich=lambda made: {"text/html": derivation_html(made), "text/latex": derivation_latex(made)},
    records=lambda made: [{"kind": "derivation", **derivation_record(d)} for d in made.derivations],
    live=_live,
)
