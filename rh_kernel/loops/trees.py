"""Trees: nested tuples that mirror nested product types, with registers, views or arrays as leaves."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar, cast

Leaf = TypeVar("Leaf")
Image = TypeVar("Image")

Tree: TypeAlias = "Leaf | tuple[Tree[Leaf], ...]"


def leaves(tree: "Tree[Leaf]") -> tuple[Leaf, ...]:
    """Return the leaves from left to right."""
    if isinstance(tree, tuple):
        return tuple([leaf for branch in cast("tuple[Tree[Leaf], ...]", tree) for leaf in leaves(branch)])
    return (tree,)


def map_tree(tree: "Tree[Leaf]", image: Callable[[Leaf], Image]) -> "Tree[Image]":
    """Replace each leaf by its image, from left to right."""
    if isinstance(tree, tuple):
        return tuple([map_tree(branch, image) for branch in cast("tuple[Tree[Leaf], ...]", tree)])
    return image(tree)
