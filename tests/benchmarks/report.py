"""Tables of Markdown, from what was measured."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tests.benchmarks.goals import Outcome
from tests.benchmarks.rounds import Row


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; all columns but the first are of numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def microseconds(seconds: float) -> str:
    """Three digits."""
    value = 1e6 * seconds
    return (
        f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"
    )


def times(found: dict[str, list[Row]]) -> str:
    """The medians, by problem and peer. A peer that has no number anywhere has no column; below stands why."""
    every = [row for rows in found.values() for row in rows]
    names = list(dict.fromkeys(row.peer for row in every if row.samples))
    body: list[list[str]] = []
    for key, rows in found.items():
        of = {row.peer: row for row in rows}
        body.append([key, *[microseconds(of[n].median) if n in of and of[n].samples else "–" for n in names]])
    missing = dict.fromkeys(f"{row.peer}: {row.why}" for row in every if row.why and row.peer not in names)
    return "\n\n".join([table(["median µs a step", *names], body), *missing])


def builds(found: dict[str, list[Row]]) -> str:
    """Seconds until the first step is done, by problem and peer; the first peer of a library pays for its import."""
    names = list(dict.fromkeys(row.peer for rows in found.values() for row in rows if row.samples))
    body = [
        [key, *[f"{row.build:.3f}" if row and row.samples else "–" for row in [dict_of(rows).get(name) for name in names]]]
        for key, rows in found.items()
    ]
    return table(["s to the end of the first step", *names], body)


def dict_of(rows: Sequence[Row]) -> dict[str, Row]:
    """The rows by the names of their peers."""
    return {row.peer: row for row in rows}


def goals(found: Sequence[tuple[str, Outcome]]) -> str:
    """Goal, measured, met or missed, those first; and how many of each. Where nothing was measured goals are only counted."""
    words = {True: "met", False: "**missed**"}
    told = sorted([(o.met, where, o) for where, o in found if o.met is not None], key=lambda line: line[0])
    body = [[o.goal, o.key, where, o.wanted, o.measured, words[met]] for met, where, o in told]
    met, missed = [sum(o.met is value for _, o in found) for value in (True, False)]
    silent = Counter(o.goal for _, o in found if o.met is None)
    counts = ", ".join(f"{goal} on {count}" for goal, count in silent.items())
    head = ["goal", "on", "at", "wanted", "measured", "outcome"]
    return f"{met} met, {missed} missed; not measured: {counts or 'none'}.\n\n{table(head, body)}"
