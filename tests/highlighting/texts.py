"""Strategies for arbitrary texts and for texts that resemble programs."""

from __future__ import annotations

from hypothesis import strategies as st

anything = st.text(st.characters(exclude_categories=["Cs"]))
# Texts that are more often of the language than not.
signs = ["\n", "\n", "\n  ", " ", "\t", "\r\n", "\x0c", "\u2028"]
words = ["let", "x", "<-", "←", "in", "%", "%%python", "%help", "%trace", "train", "epochs", "⟨", "<", "⌊", '"', '"a"', "1.5"]
iterations = ["map", "scan", " (x in ", "(", "⟨y, z⟩ in", ") ", "do", "from", "in", " s = "]
sweeps = ["\nsweep a in", "0..4", ",", "\n ", "\n    "]
more = ["1.x", ".1", "#", "=", "==", "check", "Real", "softmax", "}", "wᵀ", "x₀"]
laboratory = [
    "\n%%lambda\n",
    "\n%%rh\n",
    "\n%ad ",
    "chad-forward",
    "along",
    "--",
    "trace",
    "λ",
    "\\\\",
    "fun ",
    "case",
    "≤",
    "(",
]
effects = [
    "\n%%eff\n",
    "\n|",
    "\n}",
    "handler ",
    "match",
    "<|",
    "|>",
    "::",
    ":=",
    "!",
    "=>",
    "Paired",
    "%count ",
    '"a\\"',
    "\\n",
]
nearly = st.lists(st.sampled_from([*signs, *words, *sweeps, *iterations, *more, *laboratory, *effects])).map("".join)
