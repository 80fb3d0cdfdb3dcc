"""The models that are tried on a table, the simplest first."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

from ordain._near import did_you_mean
from ordain.learn.by_name import ranker_class
from ordain.losses import LOSSES, PAIRINGS

KINDS = {"linear": ("balanced", "pointwise", "pairwise"), "boosted": ("pointwise", "balanced", "pairwise")}
"""Row by row before pairs. Balanced classes help a linear model that is too simple for a rare class; trees are not."""

PUSH = 4
"""The power of the push that is tried."""

MANY_ROWS = 10_000
"""With fewer rows trees grow slowly, and on one thread, which is quicker."""

MOST_TREES, USUAL_TREES = 1000, 100
"""So many are tried at most, and so many grow where nothing could be tried."""

DEPTHS = (6, 4, 8)
"""How deep trees may grow, the usual depth first."""


class Manner(NamedTuple):
    """How a candidate is fitted but for the setting along its path: nothing for linear models, the depth of trees."""

    depth: int = 0


@dataclass(frozen=True)
class Candidate:
    """A model and a reduction."""

    model: str
    reduction: str
    loss: str = "logistic"
    push: float = 1
    graded: bool = False

    @property
    def name(self) -> str:
        """Such as "linear pairwise", or "linear push 4"."""
        what = self.reduction if self.push == 1 else f"push {self.push:g}"
        return f"{self.model} {what}" + (f", {self.loss}" if self.loss != "logistic" else "")

    @property
    def manners(self) -> list[Manner]:
        """The manners that may be tried, the usual one first."""
        return [Manner()] if self.model == "linear" else [Manner(depth) for depth in DEPTHS]

    def ranker(
        self, shape: tuple[int, int], categorical: list[int], seed: int, manner: Manner, setting: float | None = None
    ) -> Any:
        """It, not fitted, for so many rows and columns, with a penalty or a number of trees, or with the usual ones.

        Trees are told which columns hold codes.
        """
        common: dict[str, Any] = {"reduction": self.reduction, "push": self.push, "graded": self.graded}
        if self.model == "linear":
            alpha = "auto" if setting is None else setting
            return ranker_class("LinearRanker")(self.loss, alpha=alpha, tol=1e-6, **common)
        common |= {"categorical": categorical, "random_state": seed, "max_depth": manner.depth, **_grown(*shape)}
        return ranker_class("BoostedRanker")(self.loss, n_estimators=int(setting or USUAL_TREES), **common)

    def described(self, manner: Manner, setting: float | None) -> dict[str, Any]:
        """The setting by its name."""
        if setting is None:
            return {}
        return {"alpha": setting} if self.model == "linear" else {"trees": int(setting), "depth": manner.depth}


def _grown(rows: int, columns: int) -> dict[str, Any]:
    """How trees grow: to few rows slowly; each from some of the rows, each split from √d of d columns or a tenth."""
    settings = {"subsample": 0.8, "colsample_bynode": max(0.1, columns**-0.5)}
    few = rows < MANY_ROWS
    return {"learning_rate": 0.05 if few else 0.1, "n_jobs": 1 if few else None, "settings": settings}


def candidates(
    *,
    model: str = "auto",
    reduction: str = "auto",
    loss: str = "logistic",
    push: float | None = None,
    graded: bool = False,
    grouped: bool = False,
) -> list[Candidate]:
    """What to try: all that the settings leave open and the loss is for; groups and grades have pairs only."""
    if model == "boosted" and not has_trees():
        raise ValueError('--model boosted needs XGBoost. There is none. Install it: pip install "ordain[boost]"')
    _check_word("model", model, ("auto", *KINDS))
    _check_word("reduction", reduction, ("auto", *KINDS["boosted"]))
    models = [name for name in KINDS if model in ("auto", name) and (name != "boosted" or has_trees())]
    only_pairs = graded or grouped or (push or 1) > 1
    if only_pairs and reduction not in ("auto", "pairwise"):
        raise ValueError(f"push, groups and grades need pairs. Got --reduction {reduction}. Leave one of them out.")
    _check_loss(loss)
    pushes = [push] if push is not None else [1] + [PUSH] * (reduction == "auto" and not (graded or grouped))
    found = [
        Candidate(name, kind, loss, power, graded)
        for name in models
        for kind in KINDS[name]
        if kind == "pairwise" or not only_pairs
        if reduction in ("auto", kind) and loss in _losses(kind)
        for power in (pushes if kind == "pairwise" else [1])
    ]
    if not found:
        kinds = "pairs" if loss in PAIRINGS else "rows, not for pairs: groups, grades and a push have only these"
        raise ValueError(f"the {loss} loss is for {kinds}. Got --reduction {reduction}. Use --loss logistic, say.")
    return found


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
