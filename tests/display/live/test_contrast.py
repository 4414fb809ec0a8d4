"""The live views are legible in light and dark themes: the style sheets are evaluated with the colours of JupyterLab.

The contrast is that of WCAG 2, level AA: 4.5 : 1 for text, 3 : 1 for lines and boxes that carry meaning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from rh_kernel.display.live.assets import KINDS, style
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.printing.doc import Role
from tests.display.test_palette import contrast

THEMES: dict[str, dict[str, str]] = {
    "JupyterLab Light": {
        "--jp-content-font-color1": "rgba(0, 0, 0, 0.87)",
        "--jp-content-font-color2": "rgba(0, 0, 0, 0.54)",
        "--jp-layout-color0": "rgb(255, 255, 255)",
        "--jp-layout-color1": "rgb(255, 255, 255)",
    },
    "JupyterLab Dark": {
        "--jp-content-font-color1": "rgb(255, 255, 255)",
        "--jp-content-font-color2": "rgba(255, 255, 255, 0.7)",
        "--jp-layout-color0": "rgb(17, 17, 17)",
        "--jp-layout-color1": "rgb(33, 33, 33)",
    },
    "a light page": {"Canvas": "rgb(255, 255, 255)", "CanvasText": "rgb(0, 0, 0)"},
    "a dark page": {"Canvas": "rgb(18, 18, 18)", "CanvasText": "rgb(255, 255, 255)"},
}
"""What the style sheets take from the page; elsewhere than in JupyterLab these are the colours of the browser."""

TEXT, GRAPHICS = 4.5, 3.0

each_theme = pytest.mark.parametrize("theme", THEMES)


@dataclass(frozen=True, slots=True)
class Colour:
    """Red, green and blue from 0 to 255, and the opacity."""

    parts: Array
    opacity: float

    def over(self, paper: Array, opacity: float = 1.0) -> Array:
        share = self.opacity * opacity
        return share * self.parts + (1 - share) * paper


@cache
def rules(kind: str) -> list[tuple[str, dict[str, str]]]:
    """The selectors of a view's style sheet, each with its declarations."""
    sheet = re.sub(r"/\*.*?\*/|@keyframes[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}", "", style(kind), flags=re.DOTALL)
    found: list[tuple[str, dict[str, str]]] = []
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", sheet):
        lines = [line.partition(":") for line in body.split(";") if ":" in line]
        named = {name.strip(): value.strip() for name, _, value in lines}
        found += [(" ".join(selector.split()), named) for selector in selectors.split(",\n")]
    return found


def declared(kind: str, selector: str, name: str) -> str:
    """The last declaration of a property for this selector."""
    values = [body[name] for known, body in rules(kind) if known == selector and name in body]
    assert values, f"no {name} for {selector} in the style sheet of {kind}"
    return values[-1]


def evaluated(kind: str, theme: str, text: str, known: dict[str, str] | None = None) -> Colour:
    """The colour of an expression; ``known`` overrides custom properties."""
    own = {} if known is None else known
    text = text.strip()
    if text in ("currentColor", "inherit"):
        return evaluated(kind, theme, "var(--rh-ink)", known)
    if text in ("Canvas", "CanvasText"):
        return evaluated(kind, theme, THEMES[theme][text], known)
    if text in ("transparent", "none"):
        return Colour(np.zeros(3), 0.0)
    if text.startswith("color-mix(in srgb,"):
        one, other = _arguments(text[len("color-mix(in srgb,") : -1])
        first, share = one.rsplit(" ", 1)
        return _mixed(evaluated(kind, theme, first, known), evaluated(kind, theme, other, known), float(share[:-1]) / 100)
    if text.startswith("var("):
        name, *otherwise = _arguments(text[4:-1])
        value = own.get(name) or THEMES[theme].get(name) or _property(kind, name)
        return evaluated(kind, theme, otherwise[0] if value is None else value, known)
    made = re.fullmatch(r"rgba?\((.*)\)", text)
    assert made is not None, text
    numbers = ",".join([_triple(kind, part, own) for part in _arguments(made[1])]).split(",")
    return Colour(np.array([float(x) for x in numbers[:3]]), float(numbers[3]) if len(numbers) > 3 else 1.0)


def _triple(kind: str, part: str, own: dict[str, str]) -> str:
    while part.startswith("var("):
        part = own.get(part[4:-1]) or _property(kind, part[4:-1]) or ""
    return part


def _property(kind: str, name: str) -> str | None:
    values = [body[name] for selector, body in rules(kind) if selector == ".rh-live" and name in body]
    return values[-1] if values else None


def _arguments(text: str) -> list[str]:
    """Split at the commas that are in no parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _mixed(one: Colour, other: Colour, share: float) -> Colour:
    opacity = share * one.opacity + (1 - share) * other.opacity
    parts = share * one.opacity * one.parts + (1 - share) * other.opacity * other.parts
    return Colour(parts / opacity, opacity)


def laid(kind: str, theme: str, *layers: str) -> Array:
    """Backgrounds on the paper, given as ``selector: property``."""
    below = evaluated(kind, theme, "var(--rh-paper)").parts
    for layer in layers:
        selector, name = layer.rsplit(": ", 1)
        below = evaluated(kind, theme, declared(kind, selector, name)).over(below)
    return below


def of_role(kind: str, role: Role) -> str:
    return declared(kind, f".rh-live .rh-role-{role.value}", "color")


REDEX, FOCUS = ".rh-stepper .rh-mark-redex: background", ".rh-stepper .rh-mark-focus: background"
CONTRACTUM, CHANGED = ".rh-stepper .rh-mark-contractum: background", ".rh-stepper .rh-mark-changed: background"
PICKED = ".rh-stepper .rh-mark-picked: background"
GROUNDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "the paper": ("stepper", ()),
    "a redex": ("stepper", (REDEX,)),
    "what the rule looks at": ("stepper", (REDEX, FOCUS)),
    "a contractum": ("stepper", (CONTRACTUM,)),
    "what is new in a contractum": ("stepper", (CONTRACTUM, CHANGED)),
    "what is picked": ("stepper", (PICKED,)),
    "the marked judgment": ("derivation", (".rh-proof-on > .rh-proof-conclusion: background",)),
    "a judgment below the mouse": ("derivation", (".rh-proof-conclusion:hover: background",)),
}


def test_the_evaluator_is_right_about_what_can_be_computed_by_hand() -> None:
    light, dark = "JupyterLab Light", "JupyterLab Dark"
    assert evaluated("player", light, "var(--rh-paper)").parts.tolist() == [255, 255, 255]
    assert evaluated("player", "a dark page", "var(--rh-ink)").parts.tolist() == [255, 255, 255]
    assert evaluated("player", light, "rgba(var(--rh-redex), 0.5)").over(np.full(3, 255.0)).tolist() == [242.5, 207, 127.5]
    half = evaluated("player", dark, "color-mix(in srgb, rgb(128, 128, 128) 50%, transparent)")
    assert (half.parts.tolist(), half.opacity) == ([128, 128, 128], 0.5)
    assert declared("player", ".rh-player-box text", "font-size") == "12px"


@each_theme
@pytest.mark.parametrize("ground", GROUNDS)
def test_terms_are_legible_on_every_mark(ground: str, theme: str) -> None:
    kind, layers = GROUNDS[ground]
    below = laid(kind, theme, *layers)
    for text in ("var(--rh-ink)", *[of_role(kind, role) for role in Role]):
        assert contrast(evaluated(kind, theme, text).over(below), below) >= TEXT, text


@each_theme
def test_terms_in_context_are_legible(theme: str) -> None:
    """Lines far from the redex are paler."""
    paper = laid("stepper", theme)
    opacity = float(declared("stepper", ".rh-far", "opacity"))
    assert opacity < 1
    for role in Role:
        text = evaluated("stepper", theme, of_role("stepper", role))
        assert contrast(text.over(paper, opacity), paper) >= TEXT, role


@pytest.mark.parametrize("kind", KINDS)
def test_the_colours_of_text_are_the_same_in_all_views(kind: str) -> None:
    """A page with two views has the style sheets of both, in any order."""
    roles = [(selector, body) for selector, body in rules(kind) if re.search(r"\.rh-role-\w+$", selector)]
    assert len(roles) >= len(Role)
    assert all(selector.startswith(".rh-live .rh-role-") for selector, _ in roles)


LETTERS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    *[(kind, ".rh-live", "color", ()) for kind in KINDS],
    *[(kind, ".rh-live", "--rh-faint", ()) for kind in KINDS],
    ("player", ".rh-player-svg .rh-player-type", "fill", ()),
    ("player", ".rh-player-svg .rh-player-part text", "fill", (".rh-player-part-forward rect: fill",)),
    ("player", ".rh-player-svg .rh-player-part text", "fill", (".rh-player-part-backward rect: fill",)),
    ("player", ".rh-player-svg .rh-player-later text", "fill", ()),
    ("player", ".rh-player-svg .rh-player-later text", "fill", (".rh-player-part-backward rect: fill",)),
    ("player", ".rh-player-svg .rh-player-later text", "fill", (".rh-player-rest path: fill",)),
    ("player", ".rh-player-svg .rh-player-skipped text", "fill", ()),
    ("player", ".rh-player-svg .rh-player-rest text", "fill", (".rh-player-rest path: fill",)),
    ("player", ".rh-player-chip.rh-player-done text", "fill", (".rh-player-chip rect: fill",)),
    ("player", ".rh-player-chip.rh-player-done text", "fill", (".rh-player-chip.rh-player-backward rect: fill",)),
    ("player", ".rh-player-away", "color", ()),
    *[("player", f".rh-player-ink-{role}", "color", ()) for role in ("value", "parameter", "cotangent", "update")],
    ("player", ".rh-live", "color", (".rh-player-box.rh-player-now .rh-player-shape: fill",)),
    ("player", ".rh-live", "color", (".rh-player-just: background",)),
    ("diagram", ".rh-diagram-head", "color", ()),
    ("diagram", ".rh-diagram-svg .rh-diagram-type", "fill", ()),
    ("diagram", ".rh-diagram-svg .rh-diagram-frame text", "fill", ()),
    ("stepper", ".rh-round.rh-leg-forward .rh-round-name", "color", ()),
    ("stepper", ".rh-round.rh-leg-backward .rh-round-name", "color", ()),
    ("sweep", ".rh-live", "color", (".rh-sweep tbody tr.rh-sweep-best: background",)),
)
"""View, selector and property of text, and what lies below it."""

LINES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("player", ".rh-player-shape", "stroke", ()),
    ("player", ".rh-player-operation .rh-player-shape", "stroke", ()),
    ("player", ".rh-player-constant .rh-player-shape", "stroke", ()),
    ("player", ".rh-player-box.rh-player-skipped .rh-player-shape", "stroke", ()),
    ("player", ".rh-player-part rect", "stroke", ()),
    ("player", ".rh-player-part-forward rect", "stroke", ()),
    ("player", ".rh-player-part-backward rect", "stroke", ()),
    ("player", ".rh-player-rest path", "stroke", ()),
    ("player", ".rh-player-wire.rh-player-empty", "color", ()),
    ("player", ".rh-player-wire.rh-player-empty", "color", (".rh-player-part-backward rect: fill",)),
    ("player", ".rh-player-block.rh-player-later", "color", ()),
    ("player", ".rh-player-sizes-now", "border-left", ()),
    ("player", ".rh-player-weight.rh-player-just", "border-color", ()),
    ("diagram", ".rh-diagram-box rect", "stroke", ()),
    ("diagram", ".rh-diagram-box.rh-diagram-operation rect", "stroke", ()),
    ("diagram", ".rh-diagram-box.rh-diagram-constant rect", "stroke", ()),
    ("diagram", ".rh-diagram-frame rect", "stroke", ()),
    ("diagram", ".rh-diagram-frame.rh-diagram-forward rect", "stroke", ()),
    ("diagram", ".rh-diagram-frame.rh-diagram-back rect", "stroke", ()),
    ("diagram", ".rh-diagram-wire.rh-diagram-back .rh-diagram-line", "stroke", ()),
    ("diagram", ".rh-diagram-found .rh-diagram-line", "stroke", ()),
    ("derivation", ".rh-proof-on > .rh-proof-conclusion", "outline", ()),
    ("derivation", ".rh-proof-bar", "border-top", ()),
    ("stepper", ".rh-stepper .rh-mark-focus", "box-shadow", (REDEX,)),
    ("stepper", ".rh-stepper .rh-mark-changed", "box-shadow", (CONTRACTUM,)),
    ("stepper", ".rh-stepper .rh-mark-forward", "border-bottom", (CONTRACTUM,)),
    ("stepper", ".rh-stepper .rh-mark-backward", "border-bottom", (CONTRACTUM,)),
    ("sweep", ".rh-sweep-curve", "color", ()),
    ("race", ".rh-race-curve", "color", ()),
    ("race", ".rh-race-curve", "color", (".rh-race tbody tr.rh-race-lowest: background",)),
    ("player", ".rh-player-stale .rh-player-pane", "outline-color", ()),
)
"""The same of lines and of the edges of boxes."""


def colour_of(kind: str, theme: str, selector: str, name: str, below: Array) -> Array:
    """What is seen of a property on a background, with the opacities that the same rule declares."""
    text = declared(kind, selector, name)
    found = re.search(r"(?:color-mix|rgba?|var)\(.*\)|\w+$", text)
    assert found is not None
    opacity = 1.0
    for other in ("opacity", f"{name}-opacity"):
        values = [body[other] for known, body in rules(kind) if known == selector and other in body]
        opacity *= float(values[-1]) if values else 1.0
    return evaluated(kind, theme, found[0]).over(below, opacity)


@each_theme
@pytest.mark.parametrize(("kind", "selector", "name", "layers"), LETTERS)
def test_text_is_legible(kind: str, selector: str, name: str, layers: tuple[str, ...], theme: str) -> None:
    below = laid(kind, theme, *layers)
    assert contrast(colour_of(kind, theme, selector, name, below), below) >= TEXT


@each_theme
@pytest.mark.parametrize(("kind", "selector", "name", "layers"), LINES)
def test_lines_can_be_seen(kind: str, selector: str, name: str, layers: tuple[str, ...], theme: str) -> None:
    below = laid(kind, theme, *layers)
    assert contrast(colour_of(kind, theme, selector, name, below), below) >= GRAPHICS


@each_theme
@pytest.mark.parametrize("role", ["value", "parameter", "cotangent", "update"])
def test_the_wires_of_the_player_can_be_seen_also_when_they_are_done(role: str, theme: str) -> None:
    own = {"value": ".rh-player-wire", "cotangent": ".rh-player-wire.rh-player-cotangent"}
    known = {"--rh-wire": declared("player", own.get(role, f".rh-player-wire.rh-player-{role}"), "--rh-wire")}
    paper = laid("player", theme)
    colour = evaluated("player", theme, declared("player", ".rh-player-wire", "color"), known)
    opacity = float(declared("player", ".rh-player-wire.rh-player-done", "opacity"))
    assert contrast(colour.over(paper, opacity), paper) >= GRAPHICS


UNAVAILABLE = (":disabled", "aria-disabled", ".rh-waiting")

SET_ASIDE = {".rh-linked-some .rh-linked-line"}
"""Lines without text that are pale only while the reader marks the line of another run; the table has their numbers."""


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_dimmed_but_what_is_measured_and_what_cannot_be_used(kind: str) -> None:
    measured = {selector for _, selector, _, _ in (*LETTERS, *LINES)} | {".rh-far", ".rh-player-wire.rh-player-done"}
    dimmed = [selector for selector, body in rules(kind) if float(body.get("opacity", 1)) < 1]
    permitted = measured | SET_ASIDE
    assert [s for s in dimmed if s not in permitted and not any(words in s for words in UNAVAILABLE)] == []
