"""Tables of Markdown, from what was measured."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tests.benchmarks.cases import Measured
from tests.benchmarks.goals import NAMES, Outcome, best
from tests.benchmarks.peers import everyone as e
from tests.benchmarks.rounds import ratio


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


def times(found: Sequence[Measured], absent: Sequence[str] = ()) -> str:
    """The medians, by case and peer, and how many times as long as ours the best of two libraries takes.

    A peer that has no number anywhere has no column; below the table stands why. ``absent`` are instruction sets that this
    machine does not have.
    """
    every = [row for measured in found for row in measured.rows]
    names = list(dict.fromkeys(row.peer for row in every if row.samples))
    body = [_line(measured, names) for measured in found]
    # Of a table with several instruction sets, the lines that another machine would have.
    body += [["all", "", "", name, "not on this machine", *["" for _ in names[1:]], "", ""] for name in absent]
    missing = dict.fromkeys(f"{row.peer}: {row.why}" for row in every if row.why and row.peer not in names)
    head = ["median µs a step", "numbers", "threads", "instructions", *names, "torch ÷ native", "jax ÷ native"]
    return "\n\n".join([table(head, body), *missing])


def _line(measured: Measured, names: Sequence[str]) -> list[str]:
    of, case = measured.by_peer, measured.case
    medians = [microseconds(of[n].median) if n in of and of[n].samples else "–" for n in names]
    ours = best(of, (e.NATIVE,))
    beside = [best(of, others) for others in (e.TORCH, e.JAX)]
    ratios = ["–" if ours is None or row is None else f"{ratio(ours, row):.3g}" for row in beside]
    return [case.key, case.precision, str(case.threads), case.instructions, *medians, *ratios]


def builds(found: Sequence[Measured]) -> str:
    """Seconds until the first step is done, by case and peer; the first peer of a library pays for its import."""
    names = list(dict.fromkeys(row.peer for measured in found for row in measured.rows if row.samples))
    body: list[list[str]] = []
    for measured in found:
        rows = [measured.by_peer.get(name) for name in names]
        body.append(
            [measured.case.key, measured.case.at, *[f"{row.build:.3f}" if row and row.samples else "–" for row in rows]]
        )
    return table(["s to the end of the first step", "at", *names], body)


def by_name(found: Iterable[Outcome]) -> str:
    """Each goal by its name, with what it is about and how often it was met and missed."""
    of: dict[str, list[Outcome]] = {name: [] for name in NAMES}
    for outcome in found:
        of.setdefault(outcome.goal.split()[0], []).append(outcome)
    body: list[list[str]] = []
    for name, outcomes in of.items():
        met, missed, silent = [sum(o.met is value for o in outcomes) for value in (True, False, None)]
        verdict = "**missed**" if missed else "met" if met else "not measured"
        body.append([name, NAMES.get(name, ""), verdict, str(met), str(missed), str(silent)])
    return table(["goal", "about", "outcome", "met", "missed", "not measured"], body)


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
