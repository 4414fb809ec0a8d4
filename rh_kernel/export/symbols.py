"""What the commands of TeX stand for that are single signs; all others are read in ``mathematics``."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


GREEK = dict(
    zip(
        _words(
            "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho "
            "sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
        ),
        "αβγδϵεζηθϑικλμνξπϖρϱσςτυϕφχψωΓΔΘΛΞΠΣΥΦΨΩ",
        strict=True,
    )
)

LETTERS = {
    **GREEK,
    "ell": "ℓ",
    "hbar": "ℏ",
    "imath": "ı",
    "jmath": "ȷ",
    "Re": "ℜ",
    "Im": "ℑ",
    "aleph": "ℵ",
    "partial": "∂",
    "nabla": "∇",
    "infty": "∞",
    "emptyset": "∅",
    "varnothing": "∅",
    "top": "⊤",
    "bot": "⊥",
    "ldots": "…",
    "dots": "…",
    "cdots": "⋯",
    "vdots": "⋮",
    "ddots": "⋱",
    "dagger": "†",
    "star": "⋆",
    "Box": "□",
    "square": "□",
    "Diamond": "◇",
    "lozenge": "◊",
    "bullet": "•",
    "checkmark": "✓",
    "$": "$",
    "%": "%",
    "#": "#",
    "&": "&",
    "_": "_",
    "S": "§",
}

_OPERATORS = """
times × | cdot · | div ÷ | pm ± | mp ∓ | ast ∗ | circ ∘ | odot ⊙ | otimes ⊗ | oplus ⊕ | ominus ⊖ | setminus ∖ | wr ≀
le ≤ | leq ≤ | ge ≥ | geq ≥ | ne ≠ | neq ≠ | ll ≪ | gg ≫ | equiv ≡ | sim ∼ | simeq ≃ | approx ≈ | cong ≅ | propto ∝
prec ≺ | succ ≻ | preceq ⪯ | succeq ⪰ | in ∈ | notin ∉ | ni ∋ | subset ⊂ | subseteq ⊆ | supset ⊃ | supseteq ⊇
cup ∪ | cap ∩ | uplus ⊎ | sqcup ⊔ | sqcap ⊓ | wedge ∧ | land ∧ | vee ∨ | lor ∨ | neg ¬ | lnot ¬
forall ∀ | exists ∃ | nexists ∄ | vdash ⊢ | dashv ⊣ | models ⊨ | vDash ⊨ | Vdash ⊩ | perp ⟂ | parallel ∥ | mid ∣
to → | rightarrow → | leftarrow ← | gets ← | leftrightarrow ↔ | Rightarrow ⇒ | Leftarrow ⇐ | Leftrightarrow ⇔ | iff ⟺
implies ⟹ | longrightarrow ⟶ | longleftarrow ⟵ | Longrightarrow ⟹ | mapsto ↦ | longmapsto ⟼ | hookrightarrow ↪
multimap ⊸ | rightsquigarrow ⇝ | leadsto ⇝ | twoheadrightarrow ↠ | rightharpoonup ⇀ | rightleftharpoons ⇌
uparrow ↑ | downarrow ↓ | updownarrow ↕ | nearrow ↗ | searrow ↘ | upharpoonright ↾ | restriction ↾
triangleq ≜ | coloneqq ≔ | coloneq ≔ | eqcolon ≕ | doteq ≐ | colon : | triangleleft ◁ | triangleright ▷ | rhd ⊳ | lhd ⊲
bowtie ⋈ | ltimes ⋉ | rtimes ⋊ | amalg ⨿ | fatsemi ⨾ | ggg ⋙ | backslash ∖ | prime ′ | angle ∠
lbrace { | rbrace } | { { | } } | langle ⟨ | rangle ⟩ | lfloor ⌊ | rfloor ⌋ | lceil ⌈ | rceil ⌉ | vert | | lvert | | rvert |
Vert ‖ | lVert ‖ | rVert ‖ | lbrack [ | rbrack ] | llbracket ⟦ | rrbracket ⟧ | lParen ⦅ | rParen ⦆
"""

OPERATORS = {"|": "‖", "lvert": "|", "rvert": "|", "vert": "|"} | {
    name: sign
    for line in _OPERATORS.strip().split("\n")
    for name, sign in [entry.split() for entry in line.split(" | ") if len(entry.split()) == 2]
}

LARGE = dict(
    zip(
        _words("sum prod coprod bigcup bigcap bigoplus bigotimes bigodot bigvee bigwedge bigsqcup biguplus"),
        "∑∏∐⋃⋂⨁⨂⨀⋁⋀⨆⨄",
        strict=True,
    )
)
"""Signs whose bounds stand below and above them."""

INTEGRALS = {"int": "∫", "iint": "∬", "oint": "∮"}

FUNCTIONS = frozenset(
    _words("arccos arcsin arctan arg cos cosh cot deg dim exp hom ker lg ln log sec sin sinh tan tanh")
    + _words("det gcd inf lim liminf limsup max min sup Pr argmax argmin")
)
BOUNDED = frozenset(_words("det gcd inf lim liminf limsup max min sup Pr argmax argmin"))
"""Functions whose bounds stand below them."""

ACCENTS = {
    "hat": "^",
    "widehat": "^",
    "bar": "¯",
    "overline": "¯",
    "tilde": "~",
    "widetilde": "~",
    "vec": "→",
    "overrightarrow": "→",
    "overleftarrow": "←",
    "dot": "˙",
    "ddot": "¨",
    "check": "ˇ",
    "breve": "˘",
    "acute": "´",
    "grave": "`",
    "mathring": "˚",
    "overbrace": "⏞",
}
BELOW = {"underline": "_", "underbrace": "⏟", "underleftarrow": "←", "underrightarrow": "→"}
STRETCHED = frozenset(_words("widehat overline widetilde overrightarrow overleftarrow overbrace underline underbrace"))

SPACES = {
    ",": 0.167,
    ":": 0.222,
    ">": 0.222,
    ";": 0.278,
    "!": -0.167,
    " ": 0.25,
    "~": 0.25,
    "enspace": 0.5,
    "quad": 1.0,
    "qquad": 2.0,
    "thinspace": 0.167,
    "medspace": 0.222,
    "thickspace": 0.278,
    "negthinspace": -0.167,
}
"""Widths in em."""

ALPHABETS = {
    "mathbf": "BOLD",
    "bm": "BOLD ITALIC",
    "boldsymbol": "BOLD ITALIC",
    "mathbb": "DOUBLE-STRUCK",
    "mathcal": "SCRIPT",
    "mathscr": "SCRIPT",
    "mathfrak": "FRAKTUR",
    "mathsf": "SANS-SERIF",
    "mathtt": "MONOSPACE",
}
"""The alphabets as the names of Unicode's characters have them."""

TEXTS = frozenset(_words("text textrm textnormal mbox hbox textit textbf texttt textsf"))
UPRIGHT = frozenset({"mathrm", "operatorname", "mathit", "operatorname*"})

SILENT = frozenset(_words("displaystyle textstyle scriptstyle nonumber notag limits nolimits allowbreak relax strut"))
"""Commands that change nothing here."""

SIZES = frozenset(_words("big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm middle"))
"""Commands in front of a bracket that is to be larger."""

TABLES = {
    "matrix": ("", ""),
    "smallmatrix": ("", ""),
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "Bmatrix": ("{", "}"),
    "vmatrix": ("|", "|"),
    "Vmatrix": ("‖", "‖"),
    "cases": ("{", ""),
    "array": ("", ""),
    "aligned": ("", ""),
    "align": ("", ""),
    "alignat": ("", ""),
    "gathered": ("", ""),
    "gather": ("", ""),
    "split": ("", ""),
    "equation": ("", ""),
    "eqnarray": ("", ""),
}
"""Environments and the brackets around them."""
