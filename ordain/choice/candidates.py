"""The models that are tried on a table, the simplest first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, NamedTuple

from ordain._near import did_you_mean
from ordain.learn.by_name import ranker_class
from ordain.losses import LOSSES, PAIRINGS
from ordain.rows.record import Rows

KINDS = {"linear": ("balanced", "pointwise", "pairwise"), "boosted": ("pointwise", "balanced", "pairwise")}
"""Row by row before pairs. Balanced classes help a linear model that is too simple for a rare class; trees are not."""

PUSH = 4
"""The power of the push that is tried."""

FEW_ROWS, SOME_ROWS, THREADED_ROWS = 10_000, 20_000, 5_000
"""With fewer rows than these trees learn slowly at last, or somewhat so; with fewer than the last on one thread:
threads wait for each other at every split."""

MOST_TREES, USUAL_TREES = 345, 100
"""So many are tried at most, and so many grow where nothing could be tried."""

FEW_VALUES = 64
"""A column with so few categories is split into one of them and the rest."""

WIDE_COLUMNS, BINS = 100, {"compared": 64, "wide": 64, "at last": 256}
"""Bins of a column, from so many columns on the second: what a split of few rows costs is columns times bins."""

RATES = {"compared": 0.15, "few rows": 0.02, "some rows": 0.03, "many rows": 0.1}
"""How fast trees learn in the comparison, and at last."""

SLOWING = 1.15
"""Trees that learn k times slower are best with k to this power times as many: fewer of them are noise."""

DEPTHS = (6, 4, 8)
"""How deep trees may grow, the usual depth first."""

LONGER = 4
"""So many levels deeper may trees grow that split the best leaf next: they have no more leaves."""


class Manner(NamedTuple):
    """How trees are grown, but for their number, which is the setting along their path; linear models have one."""

    depth: int = 0
    rate: float = RATES["compared"]
    bins: int = BINS["compared"]
    whole: bool = False  # each split is the best of all columns, not of √d of d by lot
    means: bool = False  # text columns with many values are the mean labels of these
    leafwise: bool = False  # the leaf that gains most is split next, not every leaf of a level

    def at_last(self, rows: int, columns: int) -> Manner:
        """The same with time for so many rows and columns: where they are few slower, and with more bins."""
        many = "few rows" if rows < FEW_ROWS else "some rows" if rows < SOME_ROWS else "many rows"
        return self._replace(rate=RATES[many], bins=BINS["wide" if columns >= WIDE_COLUMNS else "at last"])

    def times(self, rate: float) -> float:
        """How many times as many trees are best at another rate."""
        return float((self.rate / rate) ** SLOWING)


@dataclass(frozen=True)
class Candidate:
    """A model and a reduction."""

    model: str
    reduction: str
    loss: str = "logistic"
    push: float = 1
    graded: bool = False
    across: bool = False  # learns from pairs across groups too; only those within one count all the same

    @property
    def name(self) -> str:
        """Such as "linear pairwise", or "linear push 4"."""
        what = self.reduction if self.push == 1 else f"push {self.push:g}"
        across = " across groups" if self.across else ""
        return f"{self.model} {what}{across}" + (f", {self.loss}" if self.loss != "logistic" else "")

    @property
    def manners(self) -> list[Manner]:
        """The manners to begin with, the usual one first."""
        return [Manner(depth) for depth in DEPTHS] if self.model == "boosted" else [Manner()]

    def rows(self, rows: Rows) -> Rows:
        """The rows as it learns from them."""
        return replace(rows, groups=None) if self.across else rows

    def ranker(
        self, shape: tuple[int, int], categorical: list[int], seed: int, manner: Manner, setting: float | None = None
    ) -> Any:
        """It, not fitted, for so many rows and columns, with a penalty or a number of trees, or with the usual ones.

        Trees are told which columns hold codes. Each grows from some of the rows, each split from √d of d columns, or a
        tenth, or from all.
        """
        common: dict[str, Any] = {"reduction": self.reduction, "push": self.push, "graded": self.graded}
        if self.model == "linear":
            alpha = "auto" if setting is None else setting
            return ranker_class("LinearRanker")(self.loss, alpha=alpha, tol=1e-6, **common)
        rows, columns = shape
        share = 1.0 if manner.whole else max(0.1, columns**-0.5)
        settings: dict[str, Any] = {
            "subsample": 0.8,
            "colsample_bynode": share,
            "max_bin": manner.bins,
            "max_cat_to_onehot": FEW_VALUES,
        }
        depth = manner.depth
        if manner.leafwise:
            settings |= {"grow_policy": "lossguide", "max_leaves": 2**depth}
            depth += LONGER
        common |= {"max_depth": depth, "learning_rate": manner.rate, "settings": settings}
        common |= {"categorical": categorical, "random_state": seed, "n_jobs": 1 if rows < THREADED_ROWS else None}
        return ranker_class("BoostedRanker")(self.loss, n_estimators=int(setting or USUAL_TREES), **common)

    def described(self, manner: Manner, setting: float | None) -> dict[str, Any]:
        """The setting by its name."""
        if setting is None:
            return {}
        if self.model == "linear":
            return {"alpha": setting}
        how = {"all_columns": manner.whole, "means": manner.means, "leafwise": manner.leafwise}
        return {"trees": int(setting), "depth": manner.depth, **how}


def candidates(
    *,
    model: str = "auto",
    reduction: str = "auto",
    loss: str = "logistic",
    push: float | None = None,
    graded: bool = False,
    grouped: bool = False,
    at_top: bool = False,
    quick: bool = False,
) -> list[Candidate]:
    """What to try: all that the settings leave open and the loss is for; groups and grades have pairs only.

    Trees with balanced classes hardly ever win, and a push only where the goal is `at_top`: otherwise they are tried
    where asked for. Quick is the simplest linear model and the simplest with trees.
    """
    if model == "boosted" and not has_trees():
        raise ValueError('--model boosted needs XGBoost. There is none. Install it: pip install "ordain[boost]"')
    _check_word("model", model, ("auto", *KINDS))
    _check_word("reduction", reduction, ("auto", *KINDS["boosted"]))
    models = [name for name in KINDS if model in ("auto", name) and (name != "boosted" or has_trees())]
    only_pairs = graded or grouped or (push or 1) > 1
    if only_pairs and reduction not in ("auto", "pairwise"):
        raise ValueError(f"push, groups and grades need pairs. Got --reduction {reduction}. Leave one of them out.")
    _check_loss(loss)
    pushes = [push] if push is not None else [1] + [PUSH] * (at_top and reduction == "auto" and not (graded or grouped))
    found = [
        Candidate(name, kind, loss, power, graded, across)
        for name in models
        for kind in KINDS[name]
        if kind == "pairwise" or not only_pairs
        if reduction in ("auto", kind) and loss in _losses(kind)
        if (name, kind) != ("boosted", "balanced") or reduction == kind
        for power in (pushes if kind == "pairwise" else [1])
        for across in (False, True)[: 1 + grouped]
    ]
    if not found:
        kinds = "pairs" if loss in PAIRINGS else "rows, not for pairs: groups, grades and a push have only these"
        raise ValueError(f"the {loss} loss is for {kinds}. Got --reduction {reduction}. Use --loss logistic, say.")
    return list({one.model: one for one in reversed(found)}.values())[::-1] if quick else found


def _losses(kind: str) -> Any:
    """The losses that a reduction takes."""
    return PAIRINGS if kind == "pairwise" else LOSSES


def _check_word(what: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        raise ValueError(f"{what} must be one of {', '.join(known)}. Got {word!r}.{did_you_mean(word, known)}")


def _check_loss(loss: str) -> None:
    known = sorted({*LOSSES, *PAIRINGS})
    if loss not in known:
        raise ValueError(f"loss must be one of {', '.join(known)}. Got {loss!r}.{did_you_mean(loss, known)}")


def has_trees() -> bool:
    """Whether XGBoost is there."""
    return find_spec("xgboost") is not None
