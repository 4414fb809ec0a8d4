"""Where nothing simpler is known, one need not look: what defines the arguments tells."""

import pytest

from rh_kernel.arrays.drafts import Draft
from rh_kernel.arrays.program import Register, extent_of
from rh_kernel.arrays.rewrites.algebra import partners, simpler
from rh_kernel.primitives.schemes import extent
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.types import Type, leaves
from tests.primitives.instances import INSTANCES


def fresh(A: Type, draft: Draft) -> tuple[Register, ...]:
    return tuple([draft.fresh(extent(B), batched=False) for B in leaves(A)])


@pytest.mark.parametrize("f", INSTANCES, ids=str)
def test_nothing_simpler_is_known_where_no_partner_defines_an_argument(f: Primitive) -> None:
    wanted = partners(f)
    if wanted is None:
        return
    draft = Draft()
    arguments = fresh(f.domain, draft)
    assert simpler(f, arguments, draft) is None
    for i, r in enumerate(arguments):
        for g in INSTANCES:
            if extent_of(g) == draft.shapes[r] and g.name not in wanted:
                defined = draft.equation(g, fresh(g.domain, draft))
                assert simpler(f, (*arguments[:i], defined, *arguments[i + 1 :]), draft) is None


def test_partners_are_met() -> None:
    assert partners(next(f for f in INSTANCES if f.name == "add")) == {"neg"}
    assert partners(next(f for f in INSTANCES if f.name == "matmul")) == frozenset()
