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
    ailon_mohri,
    ailon_mohri_beyond,
    ailon_mohri_limits,
    audits,
    balcan,
    balcan_limits,
    intervals,
    list_questions,
    menon,
    sharper,
    training,
    uniform_convergence,
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
    ailon_mohri.preferences,
    ailon_mohri.sampled_law,
    ailon_mohri.sampled_prefix,
    ailon_mohri.importances,
    ailon_mohri.decomposition,
    ailon_mohri.factor_two,
    ailon_mohri.equality,
    ailon_mohri.nearest_order,
    ailon_mohri.measured_calls,
    ailon_mohri_limits.lower_bound,
    ailon_mohri_limits.weak_and_strong,
    ailon_mohri_limits.greedy,
)
UNIFORM = (
    uniform_convergence.unbiased,
    uniform_convergence.forbidden_matrices,
    uniform_convergence.counts_of_matrices,
    uniform_convergence.linear_patterns,
    uniform_convergence.theorem_2,
    uniform_convergence.figure_1,
    uniform_convergence.bounded_moves,
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
    uniform_convergence.maximal,
    ailon_mohri_beyond.most_calls,
    balcan.mistakes_of_fractional_degree,
    ailon_mohri_beyond.negatives_at_top,
    ailon_mohri_beyond.unlucky_runs,
    ailon_mohri_beyond.coins,
    uniform_convergence.matching,
    ailon_mohri_beyond.most_top_calls,
    sharper.at_prevalence,
    list_questions.list_information,
    intervals.guaranteed,
    intervals.exact,
    intervals.effective,
    intervals.clusters,
    intervals.weights,
    intervals.compared,
    audits.this_run,
    audits.any_time,
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
