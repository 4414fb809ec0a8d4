"""Three estimators of one gradient: one program under three handlers (LANGUAGE §9).

``Noisy`` gives each entry of x noise of mean 0 and variance (x / 2)². The loss is quadratic, so its mean depends on the mean
and the variance alone, and all three handlers estimate the same gradient: dropout, the reparametrisation trick (Kingma and
Welling, "Auto-encoding variational Bayes", 2014), and the score function (Williams, "Simple statistical gradient-following
algorithms for connectionist reinforcement learning", 1992), which needs the value of the loss and not its derivative.

    python -m tests.benchmarks.estimators --rounds 100000 --seed 1
"""

from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rh_kernel.session.results import ValueFound
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array
from tests.laws.readings import arrays
from tests.session.cells import codes, run

PROGRAM = """
op   Noisy : Real(n) -> Real(n)
loc  loss : Real = zeros
net  fit(x : Real(2)) : Real =
  let z <= Noisy(x) in
  let y <- z - [1, 2] in
  return dot(y, y)
handler dropout = {
  return l -> return 1
  Noisy(x) -> let u <= Uniform[n]() in
              let keep <- 1.25 * step(u - fill[n](0.2)) in
              return (x * keep, keep)
    | y, keep -> return y * keep
}
handler reparametrised = {
  return l -> return 1
  Noisy(x) -> let e <= Normal[n]() in
              let slope <- fill[n](1) + 0.5 * e in
              return (x * slope, slope)
    | y, slope -> return y * slope
}
handler score = {
  return l -> let _ <= Put[loss](l) in return 0
  Noisy(x) -> let e <= Normal[n]() in
              return (x * (fill[n](1) + 0.5 * e), (x, e))
    | y, (x, e) -> let l <= Get[loss]() in
                   return scale(l, (2 * e + square(e) - fill[n](1)) * recip(x))
}
"""
HANDLERS = ("dropout", "reparametrised", "score")
POINT = np.array([3.0, 1.0])
GRADIENT = 2 * (POINT - np.array([1.0, 2.0])) + 0.5 * POINT
"""Of ``Σ (x − c)² + (x / 2)²``, the mean of the loss."""


@dataclass(frozen=True)
class Estimate:
    """The mean of many gradients, and the variance of one."""

    mean: Array
    variance: Array
    rounds: int

    @property
    def error(self) -> Array:
        """The standard error of the mean."""
        return np.sqrt(self.variance / self.rounds)


def estimate(handler: str, rounds: int, seed: int, evaluator: str = "compiled") -> Estimate:
    """Take so many gradients in one program, which adds them and their squares."""
    taken = f"rev handle ({POINT.tolist()}) <x>. fit(x) with {handler}"
    summed = f"repeat i < {rounds} from (s, q) = ([0, 0], [0, 0]) do let g <= {taken} in return (s + g, q + g * g)"
    results, _ = run(Session.start(Path()), f"{PROGRAM}\n%evaluator {evaluator}\n%seed {seed}\n{summed}")
    assert not codes(results), codes(results)
    found = results[-1]
    assert isinstance(found, ValueFound)
    total, squares = arrays(found.value)
    mean = total / rounds
    return Estimate(mean, (squares - rounds * mean**2) / (rounds - 1), rounds)


def main() -> None:
    parser = ArgumentParser(description="three estimators of one gradient")
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"gradient by hand: {GRADIENT}, {given.rounds:,} gradients each")
    print(f"{'handler':16} {'mean':>18} {'standard error':>18} {'variance':>20}")
    for handler in HANDLERS:
        found = estimate(handler, given.rounds, given.seed)
        columns = [" ".join([f"{x:8.4g}" for x in row]) for row in (found.mean, found.error, found.variance)]
        print(f"{handler:16} {columns[0]:>18} {columns[1]:>18} {columns[2]:>20}")


if __name__ == "__main__":
    main()
