"""Generic traversals for every language: subterms, binders, free names, renaming, substitution, α-equivalence.

They follow the declarations of ``children``, and use explicit stacks, so that terms may be as deep as memory allows.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count, zip_longest
from typing import Any, Generic, TypeAlias, TypeVar, cast

from rh_kernel.source.children import Form, Names, Part, classes, items
from rh_kernel.source.trampoline import Descent, descend

T = TypeVar("T")

_Images: TypeAlias = dict[str, T | str]
"""For each replaced name, a term or another name."""

_Renaming: TypeAlias = Callable[[Names, list[T], _Images[T]], Names]
"""Maps the names bound in some terms to new ones, given these terms and the replacements in them."""


class Traversal(Generic[T]):
    """The traversals of one language, given the unions of its terms and its records.

    ``make`` gives constructors for classes that should not be called themselves. Raises ``TypeError`` if a field that holds
    nodes is missing from the declaration of its class.
    """

    __slots__ = ("_forms",)

    def __init__(
        self, terms: object, records: object = None, *, make: Mapping[type[Any], Callable[..., T]] | None = None
    ) -> None:
        kinds = (classes(terms) | classes(records)) - {type(None)}
        nodes = frozenset(base for kind in kinds for base in kind.__mro__) - {object}
        self._forms: dict[type, Form] = {}
        for kind in kinds:
            self._forms[kind] = Form(kind, classes(terms), nodes, self._forms, (make or {}).get(kind, kind))

    def parts(self, M: T) -> tuple[Part[T], ...]:
        """Return the immediate subterms of M in the order of evaluation, each with the names that M binds in it.

        In a telescope, the names of a part are bound in all later parts, too.
        """
        form = self._forms[type(M)]
        return tuple(form.parts(M)) if form.children else ()

    def rebuilt(self, M: T, new: tuple[Part[T], ...]) -> T:
        """Return M with other subterms and bound names, in the order of ``parts``."""
        form = self._forms[type(M)]
        return cast(T, form.rebuilt(M, iter(new))) if form.children else M

    def mapped(self, M: T, f: Callable[[T], T]) -> T:
        """Return M with f applied to each immediate subterm."""
        new: list[Part[T]] = []
        for names, N in self.parts(M):
            new.append((names, f(N)))
        return self.rebuilt(M, tuple(new))

    def bottom_up(self, M: T, f: Callable[[T], T]) -> T:
        """Return M with f applied to every node in it, including records, leaves first. Unchanged nodes are shared."""
        return descend(self._bottom_up(M, f))

    def _bottom_up(self, node: T, f: Callable[[T], T]) -> Descent[T]:
        form = self._forms[type(node)]
        new: dict[str, object] = {}
        for field in form.order:
            value = getattr(node, field)
            made: list[T] = []
            for item in cast(tuple[T, ...], items(value)):
                made += ((yield self._bottom_up(item, f)),)
            if any(image is not item for image, item in zip(made, items(value), strict=True)):
                new[field] = tuple(made) if isinstance(value, tuple) else made[0]
        return f(cast(T, form.replaced(node, new)) if new else node)

    def subterms(self, M: T) -> Iterator[T]:
        """Yield M and all its subterms in preorder."""
        pending = [M]
        while pending:
            N = pending.pop()
            yield N
            pending += [L for _, L in reversed(self.parts(N))]

    def inside(self, node: T) -> tuple[T, ...]:
        """Return the child nodes of a node, terms and records, in the order of its fields."""
        return self._forms[type(node)].inside(node)

    def form(self, kind: type[Any]) -> Form:
        """Return the analysis of a class of nodes."""
        return self._forms[kind]

    def nodes(self, *roots: T) -> Iterator[T]:
        """Yield nodes and all nodes in them, terms and records, in preorder by field."""
        pending = [*reversed(roots)]
        while pending:
            node = pending.pop()
            yield node
            pending += reversed(self.inside(node))

    def count(self, M: T) -> int:
        """Return the number of subterms of M, including M."""
        return sum(1 for _ in self.subterms(M))

    def binders(self, M: T) -> Iterator[str]:
        """Yield the names that are bound anywhere in M."""
        for N in self.subterms(M):
            for names, _ in self.parts(N):
                yield from names

    def bound(self, record: object) -> Names:
        """Return the names that a record binds in the node around it."""
        return tuple(self._forms[type(record)].names_in(record))

    def free(self, M: T) -> frozenset[str]:
        """Return the free names of M."""
        return frozenset(self.occurrences(M))

    def occurrences(self, M: T) -> Counter[str]:
        """Return how often each free name occurs in M."""
        found: Counter[str] = Counter()
        scope: Counter[str] = Counter()
        pending: list[tuple[Names, T | None, bool]] = [((), M, False)]
        while pending:
            names, N, stays = pending.pop()
            if N is None:
                scope.subtract(names)
                continue
            if names:
                scope.update(names)
                if not stays:
                    pending.append((names, None, False))
            form = self._forms[type(N)]
            for f in form.uses:
                for x in form.names_in(getattr(N, f)):
                    if not scope[x]:
                        found[x] += 1
            if form.children:
                inside = form.parts(N)
                if form.is_telescope:
                    pending.append((tuple([x for bound, _ in inside for x in bound]), None, False))
                pending += [(bound, L, form.is_telescope) for bound, L in reversed(inside)]
        return found

    def substituted(self, M: T, images: Mapping[str, T], *, captures: bool = False) -> T:
        """Substitute terms for free names in M. Unchanged subterms are shared; the result is M itself if no name occurs.

        With ``captures``, M may bind names that occur free in the terms; such binders are renamed.
        """
        free: dict[int, frozenset[str]] = {id(N): self.free(N) for N in images.values()} if captures else {}

        def avoiding(names: Names, scope: list[T], env: _Images[T]) -> Names:
            hidden = set(names)
            open_images = {x: frozenset((N,)) if isinstance(N, str) else free[id(N)] for x, N in env.items() if x not in hidden}
            if all(hidden.isdisjoint(occurring) for occurring in open_images.values()):
                return names
            inside = frozenset[str]().union(*map(self.free, scope))
            wanted = frozenset[str]().union(*(occurring for x, occurring in open_images.items() if x in inside))
            taken = {*wanted, *inside, *names}
            new: list[str] = []
            for x in names:
                new.append(next(y for n in count(1) if (y := f"{x}{n}") not in taken) if x in wanted else x)
                taken.add(new[-1])
            return tuple(new)

        return descend(self._image(M, dict(images), avoiding if any(free.values()) else _kept, is_lazy=True))

    def renamed(self, M: T, fresh: Callable[[str], str], called: Mapping[str, str] | None = None) -> T:
        """Rename each binder of M by ``fresh``, in the order of evaluation, and free names by ``called``."""
        return descend(self._image(M, dict(called or {}), lambda names, _, __: tuple(map(fresh, names))))

    def renamed_as(self, M: T, called: Mapping[str, str]) -> T:
        """Rename bound and free names of M by ``called``."""
        return descend(self._image(M, dict(called), lambda names, _, __: tuple([called.get(x, x) for x in names])))

    def alike(self, M: T, N: T) -> bool:
        """Whether M and N are α-equivalent."""
        return all(first == second for first, second in zip_longest(self._labels(M), self._labels(N)))

    def _labels(self, M: T) -> Iterator[object]:
        numbers = count()
        return map(self._label, self.subterms(self.renamed(M, lambda _: f"#{next(numbers)}")))

    def _label(self, M: T) -> object:
        """Return all of M except its subterms, for comparison."""
        form = self._forms[type(M)]
        names = [[*form.names_in(getattr(M, f))] for f in form.uses]
        return self._constants(M), names, [bound for bound, _ in self.parts(M)]

    def _constants(self, node: T) -> list[object]:
        """The class of a node and its fields without nodes and names, then those of its records.

        Numbers are compared by their digits: zeros have signs, and nan is nan.
        """
        form = self._forms[type(node)]
        values = [getattr(node, f) for f in form.kept]
        found = [type(node), *[repr(value) if isinstance(value, float) else value for value in values]]
        for item in form.inside(node):
            if not self._forms[type(item)].is_term:
                found += self._constants(item)
        return found

    def _image(self, M: T, env: _Images[T], rename: _Renaming[T], *, is_lazy: bool = False) -> Descent[T]:
        """Replace the free names of M by ``env`` and its binders by ``rename``; restores ``env`` at the end."""
        form = self._forms[type(M)]
        if form.uses:
            M = self._occurrence(M, form, env)
        if not form.children or (is_lazy and not env):
            return M
        inside = form.parts(M)
        is_same = True
        new: list[Part[T]] = []
        hidden: list[tuple[str, T | str | None]] = []
        for names, N in inside:
            bound = names
            if names:
                bound = rename(names, [L for _, L in inside[len(new) :]] if form.is_telescope else [N], env)
                for x, y in zip(names, bound, strict=True):
                    hidden.append((x, env.pop(x, None)))
                    if x != y:
                        env[x] = y
            inner = self._forms[type(N)]
            L = N
            if inner.children:
                L = yield self._image(N, env, rename, is_lazy=is_lazy)
            elif inner.uses:
                L = self._occurrence(N, inner, env)
            if L is not N or bound != names:
                is_same = False
            new.append((bound, L))
            if hidden and not form.is_telescope:
                self._restore(env, hidden)
        self._restore(env, hidden)
        return M if is_same else cast(T, form.rebuilt(M, iter(new)))

    def _restore(self, env: _Images[T], hidden: list[tuple[str, T | str | None]]) -> None:
        while hidden:
            x, image = hidden.pop()
            env.pop(x, None)
            if image is not None:
                env[x] = image

    def _occurrence(self, M: T, form: Form, env: _Images[T]) -> T:
        """Replace the names in a variable or another node that refers to names."""
        if not form.children:
            image = env.get(getattr(M, form.uses[0]))
            if not isinstance(image, str):
                return M if image is None else image

        def called(x: str) -> str:
            return y if isinstance(y := env.get(x), str) else x

        return cast(T, form.with_names(M, form.uses, called))


def _kept(names: Names, _: list[Any], __: _Images[Any]) -> Names:
    return names
