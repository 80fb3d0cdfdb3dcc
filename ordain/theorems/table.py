"""The table of theorems: every row in the order of the papers, then what goes beyond them; and how to check them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite, nan
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ordain._near import did_you_mean
from ordain.theorems import (
    agarwal,
    balcan,
    balcan_limits,
    menon,
    sharper,
    sorting,
    sorting_beyond,
    sorting_limits,
    training,
    uniform,
)
from ordain.theorems.row import Measured, Row

BALCAN = (
    training.auc_train,
    balcan.by_wins,
    balcan.loss_of_rankings,
    balcan.regret_of_degree,
    balcan.cuts_of_the_best_order,
    balcan.mistakes_of_degree,
    balcan.scores_by_landau,
    balcan.canonical_sequences,
    balcan_limits.mistakes_of_the_optimum,
    balcan_limits.near_optimal_orders,
    balcan_limits.regular_tournaments,
    balcan_limits.three_components,
    balcan_limits.lone_positives,
    balcan_limits.scorers,
    balcan_limits.grades,
    balcan_limits.drawn_sets,
)
AGARWAL = (
    agarwal.risks,
    agarwal.class_probability,
    agarwal.savage,
    agarwal.zoo,
    agarwal.strong_concavity,
    agarwal.theorem_13,
    agarwal.corollary_12,
    agarwal.pair_reduction,
    agarwal.margin_calibration,
    agarwal.balanced_regrets,
    agarwal.low_noise,
    agarwal.consistency,
)
AILON_MOHRI = (
    sorting.preferences,
    sorting.sampled_law,
    sorting.sampled_prefix,
    sorting.importances,
    sorting.decomposition,
    sorting.factor_two,
    sorting.equality,
    sorting.nearest_order,
    sorting.measured_calls,
    sorting_limits.lower_bound,
    sorting_limits.weak_and_strong,
    sorting_limits.greedy,
)
UNIFORM = (
    uniform.unbiased,
    uniform.forbidden_matrices,
    uniform.counts_of_matrices,
    uniform.linear_patterns,
    uniform.theorem_2,
    uniform.figure_1,
    uniform.bounded_moves,
)
MENON_WILLIAMSON = (
    menon.bipartite_risk,
    menon.pair_scorer,
    menon.optimal_scorers,
    menon.decomposable,
    menon.regret_transform,
    menon.distribution_dependent,
    menon.push,
    menon.p_class,
    menon.equivalence,
)
BEYOND = (
    sharper.sharp,
    sharper.low_noise,
    uniform.maximal,
    sorting_beyond.most_calls,
    balcan.mistakes_of_fractional_degree,
    sorting_beyond.negatives_at_top,
    sorting_beyond.unlucky_runs,
    sorting_beyond.coins,
    uniform.matching,
    sorting_beyond.most_top_calls,
    sharper.at_prevalence,
)
ROWS: dict[str, Row] = {
    row.name: row for part in (BALCAN, AGARWAL, AILON_MOHRI, UNIFORM, MENON_WILLIAMSON, BEYOND) for row in part
}
"""Name → row; the letter before the dash is the paper, X what goes beyond the papers."""

FULL = 5
"""The effort of a full run."""


class Result(NamedTuple):
    """A row, what its check found, and how long it took."""

    row: Row
    measured: Measured
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """One flat object; a check that broke off has no figure."""
        found = self.measured
        return {
            "row": self.row.name,
            "passed": bool(found.passed),
            "figure": float(found.figure) if isfinite(found.figure) else None,
            "cases": int(found.cases),
            "how": self.row.how,
            "statement": self.row.statement,
            "meaning": found.meaning,
        }


def select(names: Sequence[str]) -> list[str]:
    """The names of rows, each once and in the order of the table; a letter stands for its part, nothing for all rows.

    Examples
    --------
    >>> select(["U-psi", "B-degree", "U-psi"])
    ['B-degree', 'U-psi']
    >>> len(select(["M"])), select([]) == list(ROWS)
    (9, True)
    """
    for name in names:
        if not any(_means(name, known) for known in ROWS):
            hint = did_you_mean(name, ROWS, cutoff=0.5) or " ordain theorems --list has them all."
            raise ValueError(f"a row must be one of the table, such as B-thm1, or its letter. Got {name!r}.{hint}")
    return [known for known in ROWS if not names or any(_means(name, known) for name in names)]


def run(
    names: Iterable[str], effort: int = 1, seed: int = 0, *, report: Callable[[str], None] | None = None
) -> Iterator[Result]:
    """Check the named rows one by one; each starts from the seed, so that a row alone repeats its figure in the table.

    Parameters
    ----------
    names : iterable of str
        As :func:`select` gives them.
    effort : int
        How many times as many cases as by default.
    seed : int
        At least 0.
    report : callable, optional
        Told the name of a row before its check.

    Examples
    --------
    >>> [(result.row.name, result.measured.figure) for result in run(["U-psi"])]
    [('U-psi', 2067)]
    """
    for name in names:
        if report:
            report(name)
        started = perf_counter()
        measured = _measured(ROWS[name], effort, seed)
        yield Result(ROWS[name], measured, perf_counter() - started)


def _measured(row: Row, effort: int, seed: int) -> Measured:
    """What the check found; one that raises has failed, and its figure is what went wrong."""
    try:
        return row.check(np.random.default_rng(seed), effort)
    except Exception as broken:
        return Measured(0, nan, f"the check broke off: {type(broken).__name__}: {broken}", False)


def _means(name: str, known: str) -> bool:
    return name in (known, known.partition("-")[0])
