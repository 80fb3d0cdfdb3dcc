"""Boosted trees fitted to all pairs, or row by row: XGBoost grows them on the slope and curvature of a risk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.special import logit
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ordain._checks import check_labels, check_share
from ordain._types import Mask, Vector
from ordain.engine import LOCAL, Engine
from ordain.learn.growth import Growth, LogisticGrowth, bins, installed, one_line
from ordain.learn.on_dask import fit_spread, is_spread, scores_spread
from ordain.learn.scorer import (
    ADVICE,
    Scorer,
    Step,
    calibrating,
    calibration,
    check_reduction,
    checked_rows,
    only_numbers,
)
from ordain.learn.slopes import LogisticSlopes, PairSlopes, Slopes
from ordain.learn.table_risk import risk_of_pairs, risk_of_rows
from ordain.losses import LOSSES, get_loss, get_pairing
from ordain.losses.row_risk import class_shares
from ordain.rows.draw import hashes
from ordain.rows.record import Rows, parted
from ordain.sketch import Sketch
from ordain.solve.stacked import whole
from ordain.tables.frames import frame_of, is_arrow

OWN = {
    "n_estimators": "n_estimators", "learning_rate": "learning_rate", "eta": "learning_rate", "max_depth": "max_depth",
    "n_jobs": "n_jobs", "nthread": "n_jobs", "random_state": "random_state", "seed": "random_state",
    "early_stopping_rounds": "early_stopping", "base_score": "intercept_",
}  # fmt: skip
"""What settings must not name, since the ranker has it under this name."""

TREES = np.append(np.arange(5, 50, 5), np.geomspace(50, 1000, 32).round().astype(int))
"""Numbers of trees at which fresh rows are scored on the way; from fifty on each is a tenth more."""


class BoostedRanker(Scorer):
    """Scores by trees that XGBoost grows to minimise a mean loss over all pairs, or over rows.

    The trees see the mean over rows times the weight W of the rows, their number if they have none, and the mean over
    pairs times W/2, since a pair has two rows. So pointwise with the logistic loss is XGBoost's `binary:logistic`,
    balanced and pairwise agree where all scores are equal, and `min_child_weight` and `reg_lambda` mean the same for
    all. A push p is minimised as the p-th root of its sum, which is a mean of the same size.

    Parameters
    ----------
    loss, reduction, push, graded
        As for :class:`ordain.LinearRanker`.
    n_estimators : int
        The number of trees, at most.
    learning_rate, max_depth
        As in XGBoost.
    settings : dict, optional
        More parameters of XGBoost, say ``{"min_child_weight": 5, "subsample": 0.5}``; not those that stand here.
    categorical : list of int, optional
        Columns of an array that hold codes 0, 1, … of categories. In a frame they have a category type.
    early_stopping : int, optional
        Stop when the AUC of rows held out has not risen for this many trees, and keep the trees up to the best.
    validation_fraction : float
        The share held out then: of each class, of the groups, or whole clusters. It also calibrates the probabilities.
        Where that would leave no pair on either side, as with one positive, none is held out and all trees are kept.
    n_jobs : int, optional
        Threads; None for all, or for one where that is quicker, as on a busy machine: the trees are the same.
    random_state : int, RandomState or None
        Draws the rows held out, and what XGBoost draws.

    Attributes
    ----------
    booster_ : xgboost.Booster
    intercept_ : float
        Added to the scores of the booster, so that a score of 0 means probability ½.
    classes_ : array
        The larger of the two is the positive class.
    n_iter_ : int
        The number of trees.

    Examples
    --------
    >>> X = np.arange(20.0)[:, None]
    >>> ranker = BoostedRanker(n_estimators=5).fit(X, X[:, 0] > 11)
    >>> ranker.predict([[3.0], [15.0]])
    array([False,  True])
    """

    only_weighing = True  # rows of weight 0 are left out, as trees see a slope for each unit of weight

    def __init__(
        self,
        loss: Any = "logistic",
        *,
        reduction: str = "pairwise",
        push: float = 1,
        graded: bool = False,
        n_estimators: int = 200,
        learning_rate: float = 0.1,
        max_depth: int = 6,
        settings: Any = None,
        categorical: Any = None,
        early_stopping: int | None = None,
        validation_fraction: float = 0.2,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.reduction = reduction
        self.push = push
        self.graded = graded
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.settings = settings
        self.categorical = categorical
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, clusters: Any = None) -> BoostedRanker:
        """Fit to rows X with labels y; only pairs within a group count where groups are given.

        Rows of one cluster, such as a person, are held out together.
        On a cluster all of these are collections of Dask; or X is the path of Parquet files, y and the others are names
        of columns in them, and every other column is a feature.
        """
        check_reduction(self.reduction, graded=self.graded, push=self.push, groups=groups)
        if min(self.n_estimators, 1 if self.early_stopping is None else self.early_stopping) < 1:
            raise ValueError(f"n_estimators must be 1 or more, and early_stopping 1 or more, or None. Got {self}.")
        check_settings(self.settings)
        if is_spread(X):
            return fit_spread(self, X, y, sample_weight, groups, clusters)
        return self.fit_rows(self._rows(X, y, sample_weight, groups, clusters))

    def fit_rows(self, train: Rows, start: Any = None, report: Callable[[None], None] | None = None) -> BoostedRanker:
        """Fit to checked rows, those of all workers where the rows are with many; `report` is told of every tree.

        Trees are always grown from the first on: `start` is for rankers that can go on from where they were.
        """
        test: Rows | None = None
        random = check_random_state(self.random_state)
        if self.early_stopping is not None:
            train, test = parted(train, check_share(self.validation_fraction, "validation_fraction"), random)
        with one_line():
            how = {"categorical": self.categorical, "n_jobs": self.n_jobs}
            how["max_bin"] = (self.settings or {}).get("max_bin")
            matrices = [bins(whole(train.features), train.weights, **how, engine=train.engine)]
            if test is not None:
                matrices.append(bins(whole(test.features), test.weights, **how, like=matrices[0]))
            growth = self._growth(train, matrices, random)
            self.n_iter_, scores = self._grown(growth, test, report)
        booster = growth.booster
        self.booster_ = booster[: self.n_iter_] if self.n_iter_ < booster.num_boosted_rounds() else booster
        shown = train if test is None else test
        self.intercept_ = self._set_probabilities(shown, lambda: self._calibrated(scores, shown, seen=test is None))
        return self

    def path(self, table: Rows, fresh: Rows) -> Iterator[Step]:
        """Numbers of trees from few to all, what so many give to fresh rows, and how well these are ranked.

        The features of both are :func:`ordain.learn.growth.bins`, those of the table with its labels.
        """
        with one_line():
            growth = self._path_growth(table, [table.features, fresh.features])
            for trees in TREES[self.n_estimators >= TREES].tolist():
                while growth.trees < trees:
                    growth.grow()
                scores = growth.scores(1)
                yield Step(trees, scores, fresh.auc(scores))

    def decision_function(self, X: Any) -> Vector:
        """Scores, best highest; above 0 a row is more likely positive than not."""
        check_is_fitted(self)
        if is_spread(X):
            return scores_spread(self, X)
        X = self._checked(X, reset=False)
        with one_line():
            scores = self.booster_.inplace_predict(X, predict_type="margin", validate_features=False)
        return scores.astype(np.float64) + self.intercept_

    def contributions(self, X: Any) -> Vector:
        """What each feature adds to the score of each row, in a last column what all rows begin with: by XGBoost.

        A row of them adds up to the row's score, in the single precision of the trees.
        """
        check_is_fitted(self)
        rows = installed().DMatrix(self._checked(X, reset=False), feature_types=self.booster_.feature_types)
        with one_line():
            found = self.booster_.predict(rows, pred_contribs=True, validate_features=False).astype(np.float64)
        found[:, -1] += self.intercept_
        return found

    @property
    def feature_importances_(self) -> Vector:
        """The mean gain of the splits at each feature, as shares of one."""
        check_is_fitted(self)
        names = self.booster_.feature_names or [f"f{k}" for k in range(self.n_features_in_)]
        gains = self.booster_.get_score(importance_type="gain")
        found = np.array([gains.get(name, 0.0) for name in names])
        return found / (found.sum() or 1.0)

    def _checked(self, X: Any, *, reset: bool = True, **y: Any) -> Any:
        """X, and y where it is given. Frames are left alone: XGBoost reads their categories."""
        X = frame_of(X) if is_arrow(X) else X
        X = _numbered(X) if isinstance(X, pl.DataFrame) else X
        if not hasattr(X, "columns"):
            options = {"dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan"}
            with only_numbers():
                return validate_data(self, X, **y, **options, reset=reset)
        _check_columns(X)
        y = {name: validate_data(self, y=values) for name, values in y.items()}
        check_consistent_length(X, *y.values())
        return validate_data(self, X, **y, skip_check_array=True, reset=reset)

    def _rows(self, X: Any, y: Any, sample_weight: Any, groups: Any, clusters: Any) -> Rows:
        """The rows that weigh something."""
        X, y = self._checked(X, y=y)
        table = replace(checked_rows(X, self._classes(y), sample_weight, groups, clusters), graded=self.graded)
        if table.weights is not None and not table.weights.all():
            table = table.take(np.flatnonzero(table.weights))
        if not self.graded:
            check_labels(table.labels)
        return table

    def _growth(self, table: Rows, matrices: list[Any], random: Any) -> Growth:
        settings = self._settings(random)
        share = float(settings.pop("subsample", 1.0))
        drawn = None if share == 1 else partial(self._drawn, table, share, settings["seed"])
        return Growth(*self._slopes(table), settings, matrices, drawn)

    def _path_growth(self, table: Rows, matrices: list[Any]) -> Growth:
        """Trees along a path: where XGBoost has the loss, by its own, which is quicker."""
        random = check_random_state(self.random_state)
        if self.reduction != "pointwise" or get_loss(self.loss) is not LOSSES["logistic"]:
            return self._growth(table, matrices, random)
        share = float(class_shares(table.labels, table.weights, balanced=False)[table.labels].sum())
        return LogisticGrowth(share, self._settings(random), matrices)

    def _settings(self, random: Any) -> dict[str, Any]:
        """The parameters of XGBoost."""
        own = {"learning_rate": self.learning_rate, "max_depth": self.max_depth, "nthread": self.n_jobs or 0}
        return {**(self.settings or {}), **own, "seed": int(random.randint(2**31 - 1))}

    @staticmethod
    def _drawn(table: Rows, share: float, seed: int, tree: int) -> Mask:
        """The rows that a tree grows from: by hashes of their numbers, so that no matter where they are."""
        numbers = np.arange(len(table)) if table.numbers is None else table.numbers
        return hashes(numbers, seed + tree + 1) < np.uint64(share * 2**64)

    def _slopes(self, table: Rows) -> tuple[Slopes, float]:
        """What the trees are grown on, and where they start: row by row at the best constant."""
        if self.reduction == "pairwise":
            pairs = risk_of_pairs(table, self.loss, push=self.push, graded=self.graded)
            return PairSlopes(pairs, len(table.labels), table.weights), 0.0
        rows = risk_of_rows(table, self.loss, balanced=self.reduction == "balanced")
        start = float(rows.loss.link(table.engine.sum(rows.weights[table.labels].sum())))
        kind = LogisticSlopes if rows.loss is LOSSES["logistic"] else Slopes
        return kind(rows, len(table.labels), table.weights), start

    def _grown(self, growth: Growth, test: Rows | None, report: Any = None) -> tuple[int, Vector]:
        """How many trees are kept, and what these give to the rows held out, or to all rows."""
        best, kept, scores = -np.inf, self.n_estimators, None
        while growth.trees < self.n_estimators:
            growth.grow()
            if report:
                report(None)
            if test is None:
                continue
            found = growth.scores(1)
            value = test.auc(found)
            if value > best:
                best, kept, scores = value, growth.trees, found
            if growth.trees - kept == self.early_stopping:
                break
        return kept, growth.scores() if scores is None else scores

    def _calibrated(self, scores: Vector, table: Rows, seen: bool) -> tuple[float, float]:
        """a and b such that 1/(1 + exp(-a s - b)) fits the labels.

        Trees rank the rows they have seen too well, so these tell only the shift where the slope is known: the best
        scores of pairs are those of rows if ψ⁻¹(s) = 1/(1 + exp(-as)) [MenonWilliamson14]_.
        """
        known = get_pairing(self.loss).sigmoid_slope if seen and self.push == 1 else None
        scores = scores.astype(np.float64)
        if known is None:
            return calibration(*calibrating(table, scores))
        return shifted(scores, table.labels, table.weights, known, table.engine)


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    """The same with categories whose numbers stay when rows are taken, as those in the order they came in do not."""
    names = [name for name, kind in frame.schema.items() if kind == pl.Categorical]
    return frame.cast({name: pl.Enum(frame[name].cast(pl.String).drop_nulls().unique().sort()) for name in names})


def _check_columns(frame: Any) -> None:
    """Refuse columns of text or dates in one line."""
    for name, kind in zip(frame.columns, frame.dtypes, strict=True):
        if str(kind).lower().startswith(("object", "str", "large_string", "date", "time")):
            raise ValueError(f"column {name!r} must hold numbers or categories. Got {kind}. {ADVICE}")


def check_settings(settings: Any) -> None:
    """Refuse settings that the ranker would silently win over.

    Examples
    --------
    >>> check_settings({"eta": 0.3})
    Traceback (most recent call last):
    ValueError: settings must not name what the ranker has itself. Got 'eta', which is its learning_rate. Leave it out.
    """
    for name in settings or {}:
        if name in OWN:
            must = "settings must not name what the ranker has itself"
            raise ValueError(f"{must}. Got {name!r}, which is its {OWN[name]}. Leave it out.")


def shifted(
    scores: Vector, positive: Mask, weights: Vector | None, slope: float, engine: Engine = LOCAL
) -> tuple[float, float]:
    """The slope a, and b such that the mean of 1/(1 + exp(-a s - b)) is the share of positives.

    With φ logistic the mean is -Σ w φ'(-b - a s): one pass over the rows makes the sketch that knows it for every b.
    """
    shares, odds = class_shares(positive, weights, balanced=False, engine=engine), slope * scores
    share, sketch = float(engine.sum(shares[positive].sum())), Sketch.of(odds, shares)
    ends = logit(share) - engine.max(odds.max()) - 1, logit(share) - engine.min(odds.min()) + 1
    return slope, float(brentq(lambda shift: -engine.sum(sketch.sums([-shift])[1, 0]) - share, *ends))
