"""The figures, definitions and sections of the paper that have a home in the package."""

from enum import Enum


class Figure(Enum):
    """A figure, definition or example of the paper; ``home`` is the module that holds it.

    ``UNFOLDING`` is for the forms that the paper does not have: their rules unfold them into those that it has. The paper has
    no draws either, ``BY_NUMBER``, and no batches, ``IN_A_BATCH``.
    """

    FIG_2 = "Fig. 2"
    FIG_3 = "Fig. 3"
    FIG_4 = "Fig. 4"
    FIG_5 = "Fig. 5"
    FIG_6 = "Fig. 6"
    FIG_7 = "Fig. 7"
    DEF_3_1 = "Def. 3.1"
    DEF_3_2 = "Def. 3.2"
    DEF_3_4 = "Def. 3.4"
    DEF_3_5 = "Def. 3.5"
    DEF_5_1 = "Def. 5.1"
    LEMMA_5_3 = "Lemma 5.3"
    DEF_5_4 = "Def. 5.4"
    LEMMA_5_9 = "Lemma 5.9"
    DEF_5_10 = "Def. 5.10"
    EX_5_13 = "Ex. 5.13"
    DEF_6_8 = "Def. 6.8"
    EX_6_9 = "Ex. 6.9"
    DEF_7_5 = "Def. 7.5"
    FIG_9 = "Fig. 9"
    FIG_10 = "Fig. 10"
    DEF_7_7 = "Def. 7.7"
    DEF_7_12 = "Def. 7.12"
    DEF_7_13 = "Def. 7.13"
    SECTION_2_2 = "§2.2.1"
    UNFOLDING = "by unfolding"
    BY_NUMBER = "by number"
    IN_A_BATCH = "in a batch"
    SECTION_10 = "§10"

    @property
    def is_ours(self) -> bool:
        """Whether the paper does not have it."""
        return self in (Figure.UNFOLDING, Figure.BY_NUMBER, Figure.IN_A_BATCH)

    @property
    def home(self) -> str:
        """The dotted name of the module whose docstring carries this label."""
        return _HOME[self]


_HOME: dict[Figure, str] = {
    Figure.FIG_2: "rh_kernel.typing.derivation.derive",
    Figure.FIG_3: "rh_kernel.typing.derivation.derive",
    Figure.FIG_4: "rh_kernel.typing.derivation.measures",
    Figure.FIG_5: "rh_kernel.typing.derivation.measures",
    Figure.FIG_6: "rh_kernel.operational.derivative",
    Figure.FIG_7: "rh_kernel.operational.reverse",
    Figure.DEF_3_1: "rh_kernel.syntax.types",
    Figure.DEF_3_2: "rh_kernel.typing.derivation.signatures",
    Figure.DEF_3_4: "rh_kernel.syntax.core",
    Figure.DEF_3_5: "rh_kernel.typing.derivation.derivations",
    Figure.DEF_5_1: "rh_kernel.operational.contexts",
    Figure.LEMMA_5_3: "rh_kernel.typing.derivation.derive",
    Figure.DEF_5_4: "rh_kernel.operational.terms",
    Figure.LEMMA_5_9: "rh_kernel.typing.derivation.derive",
    Figure.DEF_5_10: "rh_kernel.operational.commands",
    Figure.EX_5_13: "rh_kernel.operational.heap",
    Figure.DEF_6_8: "rh_kernel.denotational.smooth",
    Figure.EX_6_9: "rh_kernel.denotational.smooth",
    Figure.DEF_7_5: "rh_kernel.denotational.arrows",
    Figure.FIG_9: "rh_kernel.denotational.arrows",
    Figure.FIG_10: "rh_kernel.denotational.arrows",
    Figure.DEF_7_7: "rh_kernel.denotational.reverse",
    Figure.DEF_7_12: "rh_kernel.denotational.terms",
    Figure.DEF_7_13: "rh_kernel.denotational.commands",
    Figure.SECTION_2_2: "rh_kernel.operational.handlers",
    Figure.UNFOLDING: "rh_kernel.operational.repeats",
    Figure.BY_NUMBER: "rh_kernel.operational.heap",
    Figure.IN_A_BATCH: "rh_kernel.operational.heap",
    Figure.SECTION_10: "rh_kernel.operational.conditionals",
}
