"""A row must not pass if what it states is made wrong: a sign, a constant, a missing factor, a rule for ties."""

from importlib import import_module
from math import exp, log, sqrt

import numpy as np
import pytest

from ordain.bounds import calibration, interval, records, regret, uniform
from ordain.losses import row_risk, zoo
from ordain.pairs import groups, risk
from ordain.preference import wrappers
from ordain.rank import all_pairs
from ordain.theorems import sharper, table
from ordain.theorems.exact import calls, regrets
from ordain.theorems.few_items import misplaced

MORE = (*regret.AT_PREVALENCE, "spherical")


def scaled(function, factor):
    return lambda *of, **options: factor * function(*of, **options)


def by_index(n, rng):
    pairs = np.column_stack(np.triu_indices(n, k=1))
    answers = yield pairs
    wins = np.bincount(pairs[:, 0], answers, n) + np.bincount(pairs[:, 1], 1 - answers, n)
    return np.argsort(-wins, kind="stable")


def without_chance(outcomes):
    means = {}
    for items, of in regrets.risks(outcomes).items():
        for u in items:
            for v in set(items) - {u}:
                means.setdefault((u, v), set()).add(of[u, v] * len(items) * (len(items) - 1) / 2)
    return next((pair for pair, seen in means.items() if len(seen) > 1), None)


def one_sided(value, m, n, level):
    half = np.sqrt(np.log(1 / (1 - level)) / 2 * (1 / m + 1 / n))
    return np.maximum(value - half, 0), np.minimum(value + half, 1)


def without_its_power(sums, p, orders):
    _, rows = risk_push(sums, p, orders)
    level = sums.sums(sums.groups.mass)[0]
    return float(np.sum(sums.groups.held * level, where=~sums.groups.positive)), rows


risk_push = risk.push_derivatives
WRONG = {
    "spherical at the prevalence": (
        "X-prevalence",
        [(sharper, "AT_PREVALENCE", MORE), (regret, "AT_PREVALENCE", MORE)],
    ),
    "2.9 for 3": (
        "X-sharp",
        [
            (
                records.RegretBound,
                "constant",
                property(lambda b: sqrt(2 / b.strength / 2.9) / (b.prevalence * (1 - b.prevalence))),
            )
        ],
    ),
    "33 for 32": ("X-sharp", [(records.BalancedBound, "constant", property(lambda b: sqrt(33 / 3 / b.strength)))]),
    "31 for 32": ("X-sharp", [(records.BalancedBound, "constant", property(lambda b: sqrt(31 / 3 / b.strength)))]),
    "asked as listed": (
        "X-coin",
        [
            (
                "ordain.theorems.ailon_mohri_beyond",
                "fairly",
                lambda first, second, rng: (yield np.column_stack((first, second))),
            )
        ],
    ),
    "symmetrised by a third": (
        "X-coin",
        [
            (
                "ordain.theorems.ailon_mohri_beyond",
                "symmetrised",
                lambda prefer: wrappers.BothOrders(prefer, lambda _, a, b: 0.5 + (a - b) / 3),
            )
        ],
    ),
    "not rounded": ("X-coin", [("ordain.theorems.ailon_mohri_beyond", "rounded", lambda prefer: prefer)]),
    "3 for 4": ("X-topcalls", [(calls, "path_calls", lambda a, b: 2 * (a + b) + 3 * sqrt(a * b))]),
    "a push without its power": ("M-push", [(risk, "push_derivatives", without_its_power)]),
    "pair-log 2.1 r": (
        "S-kotlowski",
        [("ordain.theorems.agarwal", "balanced_to_pairs", scaled(calibration.balanced_to_pairs, 1.05))],
    ),
    "pair-log 1.9 r": (
        "S-kotlowski",
        [("ordain.theorems.agarwal", "balanced_to_pairs", scaled(calibration.balanced_to_pairs, 0.95))],
    ),
    "2.1 √r": ("S-kotlowski", [(records, "PRINTED_BALANCED", {"logistic": 2.1, "exponential": 3 / sqrt(2)})]),
    "2.9/√2 √r": ("S-kotlowski", [(records, "PRINTED_BALANCED", {"logistic": 2.0, "exponential": 2.9 / sqrt(2)})]),
    "balanced as pointwise": (
        "S-consistent",
        [
            (
                "ordain.learn.table_risk",
                "class_shares",
                lambda *rows, balanced, engine: row_risk.class_shares(*rows, balanced=False, engine=engine),
            )
        ],
    ),
    "a wrong inverse link": ("S-zoo", [(zoo.Exponential, "_inverse", lambda self, s: 1 / (1 + np.exp(-s)))]),
    "groups by their negatives": (
        "B-sets",
        [(groups.Groups, "shares", property(lambda self: self.sides[:, 0] / self.whole))],
    ),
    "ties by number": ("B-degree", [("ordain.theorems.balcan", "degree", by_index)]),
    "degree for greedy": ("Q-greedy", [("ordain.theorems.ailon_mohri_limits.rank", "greedy", all_pairs.degree)]),
    "importance untransposed": (
        "Q-omega",
        [("ordain.theorems.ailon_mohri.measure", "importance_loss", lambda truth, h, w: 0)],
    ),
    "means not over their draws": ("Q-regrets", [(regrets, "irrelevant_alternatives", without_chance)]),
    "ln 1/δ for ln 2/δ": ("U-mcdiarmid", [(interval, "mcdiarmid", one_sided)]),
    "6 for 12": (
        "U-freund",
        [
            (
                uniform,
                "freund",
                lambda m, n, delta, a, b: 2 * sqrt((a + log(6 / delta)) / m) + 2 * sqrt((b + log(6 / delta)) / n),
            )
        ],
    ),
    "2 for 4 in Theorem 2": (
        "U-thm2",
        [(uniform, "theorem_2", lambda m, n, e, r: exp(min(0, log(2) + r - m * n * e * e / 8 / (m + n))))],
    ),
    "half of Corollary 1": ("U-thm2", [(uniform, "corollary_1", scaled(uniform.corollary_1, 0.5))]),
    "calls half as many again": ("Q-thm3", [(calls, "in_order_calls", scaled(calls.in_order_calls, 1.5))]),
    "grades of one more": (
        "B-multi",
        [("ordain.theorems.few_items", "misplaced", lambda order, grades: 1 + misplaced(order, grades))],
    ),
}
"""What is made wrong, the row that must notice, and how."""


@pytest.mark.parametrize("what", WRONG)
def test_the_row_notices(what, monkeypatch):
    """At the effort and seed of `test_every_row_passes`, at which the statement as it is passes."""
    name, changes = WRONG[what]
    for where, attribute, changed in changes:
        place = resolved(where) if isinstance(where, str) else where
        monkeypatch.setattr(place, attribute, changed)
    assert not next(table.run([name], effort=1, seed=11)).measured.passed


def resolved(name):
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute) if attribute in ("rank", "measure") else import_module(name)
