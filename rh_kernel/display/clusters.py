"""The view of ``%cluster``: the workers, their threads and memory, and the address of the dashboard."""

from rh_kernel.display.html import escape
from rh_kernel.display.markup import FAINT, box, code, element, span, table
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.tables import columns
from rh_kernel.session.results import ClusterShown
from rh_kernel.syntax.runtime_errors import readable

_USE = "batches of a training run with `pieces p` are computed on it"


def _head(shown: ClusterShown) -> str:
    workers, threads = len(shown.workers), sum(worker.threads for worker in shown.workers)
    return f"the cluster is {shown.name}: {_count(workers, 'worker')}, {_count(threads, 'thread')}; {_USE}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _limit(shown: ClusterShown) -> str:
    if shown.answer_within is None:
        return "a worker that needs 20 times as long as the slowest piece so far, and 5 s, is given up"
    return f"a worker that does not answer within {shown.answer_within:g} s is given up"


def _rows(shown: ClusterShown) -> list[list[str]]:
    return [
        [worker.address, _count(worker.threads, "thread"), readable(worker.memory) if worker.memory else "no limit of memory"]
        for worker in shown.workers
    ]


def _text(shown: ClusterShown) -> str:
    """The cluster, a line for each worker, the time limit, and the dashboard."""
    rows = _rows(shown)
    lines = [_head(shown), *(f"  {line}" for line in (columns(rows, "lrr") if rows else ())), _limit(shown)]
    return "\n".join([*lines, *([f"dashboard: {shown.dashboard}"] if shown.dashboard else [])])


def _html(shown: ClusterShown) -> str:
    """The same with a table, and the dashboard as a link if it is one of HTTP."""
    rows = [[code(address), escape(threads), escape(memory)] for address, threads, memory in _rows(shown)]
    parts = [
        box("", escape(_head(shown))),
        *([table(rows, ["", "", ""], "lrr")] if rows else []),
        box(FAINT, escape(_limit(shown))),
    ]
    if shown.dashboard.startswith(("http://", "https://")):
        link = element("a", "", escape(shown.dashboard), href=shown.dashboard, target="_blank", rel="noopener noreferrer")
        parts.append(box("", span(FAINT, "dashboard: "), link))
    return "".join(parts)


CLUSTER = ResultView(
    ClusterShown,
    text=_text,
    rich=as_html(_html),
    records=lambda shown: (
        {
            "kind": "cluster",
            "name": shown.name,
            "workers": [{"address": w.address, "threads": w.threads, "memory": w.memory} for w in shown.workers],
            "dashboard": shown.dashboard,
        },
    ),
)
