"""Renaming of local names that clash with declared ones in a printed term, and fresh names."""

from rh_kernel.ad.eff.core import BuiltIn, Clause, Global, Lambda, Let, NamePattern, Perform, Variable
from rh_kernel.ad.eff.definitions import shown
from rh_kernel.ad.eff.traversal import Node, nodes


def names(start: Node) -> tuple[set[str], set[str]]:
    """The declared names that occur in a term, and its local names, bound or free."""
    declared: set[str] = set()
    local: set[str] = set()
    for node in nodes(start):
        match node:
            case Variable(x) | NamePattern(x) | Let(x) | Lambda(x) | Clause(continuation=x):
                local.add(x)
            case Global(f) | Perform(operation=f):
                declared.add(shown(f))
            case BuiltIn(g):
                declared.add(g)
            case _:
                pass
    return declared, local


def renamed(start: Node) -> dict[str, str]:
    """New names for the local names of a term that are also declared names that occur in it."""
    declared, local = names(start)
    found: dict[str, str] = {}
    for x in sorted(declared & local):
        y = f"{x}'"
        while y in declared or y in local:
            y += "'"
        found[x] = y
        local.add(y)
    return found


def fresh_name(silent: str, start: Node) -> str:
    """A name for an intermediate result without a name that cannot be printed at its use."""
    declared, local = names(start)
    x = f"v{silent[1:]}"
    while x in declared or x in local:
        x += "'"
    return x
