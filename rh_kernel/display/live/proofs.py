"""A derivation to explore: the judgments next to the root are told at once, those above others when the page asks for them."""

from rh_kernel.display.data import Json, Record
from rh_kernel.display.derivations.latex import derivation_document
from rh_kernel.display.derivations.parts import Browser, measures
from rh_kernel.display.derivations.pieces import LINES, NARROW
from rh_kernel.display.derivations.rule_docs import gloss, schema
from rh_kernel.display.derivations.text import derivation_text
from rh_kernel.display.live.view import Unanswerable, number, words
from rh_kernel.display.text import runs, visible
from rh_kernel.session.results import DerivationMade
from rh_kernel.syntax.printing.doc import Doc, plain
from rh_kernel.typing.derivation.derivations import TypingRule

FIRST, HIGHEST = 60, 12
"""So many judgments are told at first, and so many above each other."""

MOST = 400
"""An answer has up to so many judgments."""

LONGEST = 100
"""A handler has up to so many lines."""

ENDINGS = {"latex": "text/x-tex", "text": "text/plain"}


class DerivationView:
    """The view of the derivations of one result: one, or two for a function that brings its own derivative."""

    kind = "derivation"

    def __init__(self, made: DerivationMade) -> None:
        self._made = made
        self._browsers = [Browser(d) for d in made.derivations]

    def opening(self) -> Record:
        """The judgments next to each root, and all rules."""
        return {
            "subject": visible(self._made.subject),
            "trees": [self._tree(browser) for browser in self._browsers],
            "rules": {rule.value: _rule(rule) for rule in TypingRule},
        }

    def answer(self, question: Record) -> Record:
        """``open`` a ``node`` of a ``tree`` so many ``levels`` high, its ``judgment`` in full, a ``rule``, or an ``export``."""
        match question.get("ask"):
            case "open":
                browser = self._browser(question)
                node = number(question, "node", 0, len(browser.parts) - 1)
                levels = number(question, "levels", 1, 1_000_000, 1)
                return self._told(browser, browser.near(node, MOST, levels + 1))
            case "judgment":
                browser = self._browser(question)
                return self._judgment(browser, number(question, "node", 0, len(browser.parts) - 1))
            case "rule":
                return self._named(words(question, "name", 40))
            case "export":
                return self._export(words(question, "as", 10))
            case _:
                raise Unanswerable("a derivation answers `open`, `judgment`, `rule` and `export`")

    def _browser(self, question: Record) -> Browser:
        return self._browsers[number(question, "tree", 0, len(self._browsers) - 1, 0)]

    def _tree(self, browser: Browser) -> Record:
        told = self._told(browser, browser.near(0, FIRST, HIGHEST))
        return {**told, "size": len(browser.parts), "measures": measures(browser.depth, browser.size)}

    def _told(self, browser: Browser, found: list[int]) -> Record:
        """The judgments of these parts, and what all names stand for that have been used by now."""
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
    """Pieces of text, each with its role and what is said of it; ``⋮`` stands for what is more than so many lines."""
    found: list[Json] = []
    lines = 1
    for run in runs(doc, NARROW):
        lines += run.text.count("\n")
        if lines > most:
            return [*found, ["\n⋮", None, ""]]
        role = None if run.style.role is None else run.style.role.value
        found.append([run.text, role, visible(run.style.hover)])
    return found
