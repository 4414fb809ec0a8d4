"""The interactive view of a typing derivation: sends judgments near the root at first, others when they are opened."""

from rh_kernel.display.data import Json, Record
from rh_kernel.display.derivations.latex import derivation_document
from rh_kernel.display.derivations.pagination import LINES, NARROW
from rh_kernel.display.derivations.proof_tree import Browser, measures
from rh_kernel.display.derivations.rule_docs import gloss, schema
from rh_kernel.display.derivations.text import derivation_text
from rh_kernel.display.live.view import Unanswerable, int_field, text_field
from rh_kernel.display.text import runs, visible
from rh_kernel.session.results import DerivationMade
from rh_kernel.syntax.printing.doc import Doc, plain
from rh_kernel.typing.derivation.derivations import TypingRule

FIRST, HIGHEST = 60, 12
"""At most this many judgments are sent at first, and at most this many levels."""

MOST = 400
"""Judgments per answer at most."""

LONGEST = 100
"""Lines of a handler that are sent at most."""

ENDINGS = {"latex": "text/x-tex", "text": "text/plain"}


class DerivationView:
    """The view of the derivations of one result: one, or two for a function with a derivative of its own."""

    kind = "derivation"

    def __init__(self, made: DerivationMade) -> None:
        self._made = made
        self._browsers = [Browser(d) for d in made.derivations]

    def opening(self) -> Record:
        """Return the judgments next to each root, and all rules."""
        return {
            "subject": visible(self._made.subject),
            "trees": [self._tree(browser) for browser in self._browsers],
            "rules": {rule.value: _rule(rule) for rule in TypingRule},
        }

    def answer(self, question: Record) -> Record:
        """Answer ``open`` (``levels`` above a ``node`` of a ``tree``), ``judgment`` (in full), ``rule`` or ``export``."""
        match question.get("ask"):
            case "open":
                browser = self._browser(question)
                node = int_field(question, "node", 0, len(browser.parts) - 1)
                levels = int_field(question, "levels", 1, 1_000_000, 1)
                return self._nodes_record(browser, browser.near(node, MOST, levels + 1))
            case "judgment":
                browser = self._browser(question)
                return self._judgment(browser, int_field(question, "node", 0, len(browser.parts) - 1))
            case "rule":
                return self._named(text_field(question, "name", 40))
            case "export":
                return self._export(text_field(question, "as", 10))
            case _:
                raise Unanswerable("a derivation answers `open`, `judgment`, `rule` and `export`")

    def _browser(self, question: Record) -> Browser:
        return self._browsers[int_field(question, "tree", 0, len(self._browsers) - 1, 0)]

    def _tree(self, browser: Browser) -> Record:
        record = self._nodes_record(browser, browser.near(0, FIRST, HIGHEST))
        return {**record, "size": len(browser.parts), "measures": measures(browser.depth, browser.size)}

    def _nodes_record(self, browser: Browser, found: list[int]) -> Record:
        """Return the records of the nodes, and what the abbreviating names stand for that have occurred so far."""
        nodes: list[Json] = [self._node(browser, n) for n in found]
        names: list[Json] = [[name, [[visible(text), None, ""]]] for name, text in browser.contexts]
        names += [[name, _runs(doc, LONGEST)] for name, doc in browser.handlers]
        return {"nodes": nodes, "names": names}

    def _node(self, browser: Browser, n: int) -> Record:
        j = browser.judgment(n)
        return {
            "id": n,
            "rule": browser.parts[n].rule.value,
            "left": visible(j.left),
            "subject": _runs(j.subject),
            "right": visible(j.right),
            "premises": [*browser.premises[n]],
            "above": browser.counts[n] - 1,
        }

    def _judgment(self, browser: Browser, n: int) -> Record:
        j = browser.judgment(n)
        subject = " ".join(plain(j.subject, float("inf")).split())
        return {"text": visible(f"{j.left}{subject}{j.right}")}

    def _named(self, name: str) -> Record:
        found = next((rule for rule in TypingRule if rule.value == name), None)
        if found is None:
            raise Unanswerable("there is no rule of this name")
        return _rule(found)

    def _export(self, form: str) -> Record:
        match form:
            case "latex":
                text = derivation_document(self._made)
            case "text":
                text = derivation_text(self._made) + "\n"
            case _:
                raise Unanswerable(f"`as` is one of {', '.join(ENDINGS)}")
        return {"text": text, "type": ENDINGS[form]}


def _rule(rule: TypingRule) -> Record:
    stated = schema(rule)
    return {
        "figure": rule.figure.value,
        "gloss": gloss(rule),
        "premises": [*stated.premises],
        "conclusion": stated.conclusion,
        "sides": [*stated.sides],
    }


def _runs(doc: Doc, most: int = LINES) -> Json:
    """Return ``[text, role, hover]`` for each run; from line ``most`` on, ``⋮`` stands for the rest."""
    found: list[Json] = []
    lines = 1
    for run in runs(doc, NARROW):
        lines += run.text.count("\n")
        if lines > most:
            return [*found, ["\n⋮", None, ""]]
        role = None if run.style.role is None else run.style.role.value
        found.append([run.text, role, visible(run.style.hover)])
    return found
