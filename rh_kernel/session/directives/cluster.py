"""``%cluster local 2``, ``%cluster tcp://host:8786``, ``%cluster off``, ``%cluster``: the workers that compute pieces."""

from dataclasses import replace

from rh_kernel.cluster.cluster import Address, Cluster, Local, Place
from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import ClusterShown, Notice, Shown
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items

MOST = 1024
"""Local workers, at most."""

_PROTOCOLS = ("tcp://", "tls://", "ws://", "wss://", "ucx://", "inproc://")
_OFF = "the cluster is off: training runs compute in this process"


@frozen
class UseCluster(Action):
    """``%cluster``: the settings with the cluster to use, which is opened and shown; if there is none, the others are closed"""

    settings: Settings
    before: Cluster | None
    span: Span

    def run(self, number: int, state: State) -> Run:
        """Open the cluster and close the one before it. Raises ``Rejected`` if it cannot be opened."""
        cluster = self.settings.cluster
        if cluster is not None:
            try:
                yield from working(cluster.open(), "connecting to the cluster")
            except Rejected as failure:
                raise Rejected(*[replace(diagnostic, span=self.span) for diagnostic in failure.diagnostics]) from None
        if self.before is not None and self.before is not cluster:
            self.before.close()
        yield Shown(number, Notice(_OFF) if cluster is None else shown(cluster, self.settings))
        return replace(state, settings=self.settings)

    def after(self, context: AnalysisContext) -> AnalysisContext:
        """Return the context with these settings."""
        return replace(context, settings=self.settings)


def shown(cluster: Cluster, settings: Settings) -> ClusterShown:
    """Return the result that shows a cluster."""
    return ClusterShown(cluster.name, cluster.workers, cluster.dashboard, settings.answer_within)


def _analyze(item: items.Directive, context: AnalysisContext) -> UseCluster:
    settings = context.settings
    match item.words:
        case ():
            pass
        case ("off",):
            settings = replace(settings, cluster=None)
        case ("limit", "default"):
            settings = replace(settings, answer_within=None)
        case ("limit", seconds) if (limit := _number(seconds)) is not None:
            settings = replace(settings, answer_within=limit)
        case ("local", count) if (workers := _number(count)) is not None and workers <= MOST:
            settings = _at(settings, Local(workers))
        case (url,) if url.startswith(_PROTOCOLS) and url.partition("://")[2]:
            settings = _at(settings, Address(url))
        case words:
            wanted = "`local` and a number of workers, the address of a scheduler, `limit` and seconds, or `off`"
            hint = "for example `%cluster local 2` or `%cluster tcp://localhost:8786`; `%cluster` alone shows the workers"
            raise invalid_arguments("cluster", item.span, wanted, f"`{' '.join(words)}`", hint)
    return UseCluster(settings, context.settings.cluster, item.span)


def _at(settings: Settings, place: Place) -> Settings:
    """Return the settings with a cluster at a place: the same if it is there already."""
    if settings.cluster is not None and settings.cluster.place == place:
        return settings
    return replace(settings, cluster=Cluster(place))


def _number(word: str) -> int | None:
    """Return a positive whole number, or ``None`` if the word is none."""
    return int(word) or None if word.isascii() and word.isdecimal() and len(word) <= len("1000000") else None


DIRECTIVE = Directive(
    "cluster",
    "local|limit|off",
    "the workers that compute the pieces of batches: `local 2`, or the address of a Dask scheduler",
    _analyze,
    checks_live=False,
    order=360,
    runs_example=False,
    example="""
loc w : Real(2, 2) = zeros
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
%cluster local 2
train rev handle (x) <u>. FC[w](u) with sgd(0.1, x) for x in data("xor") epochs 10 batch 4 pieces 2
%cluster off
""",
    details="""
`%cluster local 2` starts two workers on this machine, of one thread each; only this kernel has the keys to them. `%cluster
tcp://host:8786` connects to a scheduler of [Dask](https://distributed.dask.org) (`tls://` with the certificates that the
configuration of Dask names), and `rh.cluster(c)` in Python takes any cluster or client of the library `distributed`, such as
one of dask-jobqueue. They need `pip install 'rh_kernel[cluster]'`, here and on the workers, where the versions of rh_kernel,
Python, NumPy and distributed must be those of the kernel. `%cluster` shows the workers.

The [pieces](language.md#training) of a batch are computed on them, from the same contents and with the same results as
without: a worker gets the compiled program, the contents and the samples, never code.

If a worker dies, leaves or does not answer in time, its piece is computed again on another one, and the cell says so; if none
is left for 30 s, the cell fails, and the heap stays as it was. An answer may take 20 times as long as the slowest so far, at
least 5 s, and 60 s for the first; `%cluster limit 30` makes it 30 s and `%cluster limit default` takes that back. Local
workers end with `%cluster off` and with the kernel, however that ends.
""",
)
