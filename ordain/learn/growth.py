"""Trees that XGBoost grows one after the other, on the slopes and curvatures of a risk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from typing import Any

from numba import get_num_threads

from ordain._one_thread import at_most
from ordain._types import Mask, Vector
from ordain.engine import LOCAL, Engine
from ordain.learn.quickest import Quickest
from ordain.learn.reference import reference
from ordain.learn.slopes import Slopes

THREADED_ROWS = 200_000
"""With fewer rows the risk takes one thread: more would wait for those of XGBoost, which spin when they are done."""

MAX_BIN = 256
"""Bins of a column where nothing else is said, as in XGBoost."""

SPINS = "10000"
"""How often an idle thread of XGBoost looks for work before it sleeps: as quick, and a busy machine is not held up."""


Drawn = Callable[[int], Mask]


class Growth:
    """A booster and the rows it grows on; those of further matrices are scored as it grows.

    Parameters
    ----------
    slopes : Slopes
        What the trees are grown on.
    start : float
        The score of every row before the first tree.
    settings : dict
        Parameters of XGBoost. With a thread number of 0 trees grow on one or on all, whichever is quicker.
    matrices : list of xgboost.DMatrix
        The rows, and others.
    drawn : function, optional
        The rows that a tree grows from, by its number; all without.
    """

    def __init__(
        self, slopes: Slopes, start: float, settings: dict[str, Any], matrices: list[Any], drawn: Drawn | None = None
    ) -> None:
        self.drawn = drawn
        self.slopes, self.matrices, self.trees = slopes, matrices, 0
        self.threads = settings["nthread"]
        self.quickest = Quickest([self.threads] if self.threads else [1, 0])
        self.booster = installed().Booster({**settings, "base_score": start}, matrices)

    def grow(self) -> None:
        """One more tree."""
        rows, options = self.matrices[0], {"output_margin": True, "training": True, "validate_features": False}
        with self.quickest.trial() as threads:
            if threads != self.threads:
                self.threads = threads
                self.booster.set_param({"nthread": threads})
            with _risk_threads(rows.num_row(), threads):
                slope, curvature = self.slopes(self.booster.predict(rows, **options))
            if self.drawn:
                drawn = self.drawn(self.trees)
                slope, curvature = slope * drawn, curvature * drawn
            self.booster.boost(rows, self.trees, grad=slope, hess=curvature)
        self.trees += 1

    def scores(self, which: int = 0) -> Vector:
        """What all trees give to the rows of a matrix."""
        return self.booster.predict(self.matrices[which], output_margin=True)


class LogisticGrowth(Growth):
    """The same by XGBoost's own logistic loss of rows, whose labels the first matrix has, and by its own drawing.

    It is a third quicker where rows are few, and takes rows of one place only: elsewhere others would be drawn.
    """

    def __init__(self, share: float, settings: dict[str, Any], matrices: list[Any]) -> None:
        self.matrices, self.trees = matrices, 0
        own = {"objective": "binary:logistic", "base_score": share}
        self.booster = installed().Booster({**settings, **own}, matrices)

    def grow(self) -> None:
        """One more tree."""
        self.booster.update(self.matrices[0], self.trees)
        self.trees += 1


def bins(
    X: Any,
    weights: Vector | None = None,
    labels: Any = None,
    *,
    categorical: list[int] | None = None,
    n_jobs: int | None = None,
    max_bin: int | None = None,
    like: Any = None,
    engine: Engine = LOCAL,
) -> Any:
    """Rows as XGBoost keeps them, in the bins of another matrix where one is given, else in those of the cuts.

    XGBoost cuts a matrix that has few values at each of them, so such a matrix tells it the cuts.
    """
    types = None
    if hasattr(X, "columns"):  # names without the characters that XGBoost refuses
        X = copy(X)
        X.columns = [str(name).translate(str.maketrans("[]<", "()‹")) for name in X.columns]
    if categorical is not None:
        if hasattr(X, "columns") or not set(categorical) <= set(range(X.shape[1])):
            raise ValueError(f"categorical must be columns of an array, from 0 on. Got {categorical}.")
        types = ["c" if k in categorical else "q" for k in range(X.shape[1])]
    settings = {"feature_types": types, "enable_categorical": True, "nthread": n_jobs, "max_bin": max_bin}
    if like is None:
        few = reference(X, weights, max(max_bin or MAX_BIN, 2), engine)
        like = installed().QuantileDMatrix(few, **settings)
    return installed().QuantileDMatrix(X, labels, weight=weights, ref=like, **settings)


def installed() -> Any:
    """XGBoost, which is loaded when trees are grown: everything but trees works without it."""
    os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
    try:
        import xgboost
    except ImportError as missing:
        raise ImportError('BoostedRanker needs XGBoost. Install it: pip install "ordain[boost]"') from missing
    return xgboost


@contextmanager
def one_line() -> Iterator[None]:
    """What XGBoost does not take, in one line."""
    try:
        yield
    except installed().core.XGBoostError as wrong:
        line = str(wrong).partition("Stack trace")[0].rpartition("Check failed: ")[2]
        raise ValueError(f"XGBoost must accept table and settings. Got: {' '.join(line.split())}") from None


def _risk_threads(rows: int, n_jobs: int) -> AbstractContextManager[None]:
    """Give the risk so many threads as it can use beside XGBoost."""
    few = rows < THREADED_ROWS
    return at_most(1 if few else n_jobs if n_jobs > 0 else get_num_threads())
