"""The models that are tried on a table, the simplest first."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from ordain._near import did_you_mean
from ordain.learn.by_name import ranker_class
from ordain.losses import LOSSES, PAIRINGS

KINDS = {"linear": ("balanced", "pointwise", "pairwise"), "boosted": ("pointwise", "balanced", "pairwise")}
"""Row by row before pairs. Balanced classes help a linear model that is too simple for a rare class; trees are not."""

PUSH = 4
"""The power of the push that is tried."""

STOPPING_ROWS = 10_000
"""With fewer rows none are held out, which would cost more than it brings, and trees grow on one thread: quicker."""


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

    def ranker(self, shape: tuple[int, int], categorical: list[int], seed: int) -> Any:
        """It, not fitted, for so many rows and columns; trees are told which columns hold codes."""
        common: dict[str, Any] = {"reduction": self.reduction, "push": self.push, "graded": self.graded}
        if self.model == "linear":
            return ranker_class("LinearRanker")(self.loss, alpha="auto", tol=1e-6, **common)
        common |= {"categorical": categorical, "random_state": seed, **_grown(*shape)}
        return ranker_class("BoostedRanker")(self.loss, **common)


def _grown(rows: int, columns: int) -> dict[str, Any]:
    """How trees grow; to few rows slowly, each from some of the rows, each split from √d of d columns or a tenth."""
    if rows >= STOPPING_ROWS:
        return {"n_estimators": 1000, "early_stopping": 30, "settings": {"min_child_weight": 3}}
    settings = {"subsample": 0.8, "colsample_bynode": max(0.1, columns**-0.5)}
    return {"n_estimators": 200, "learning_rate": 0.05, "n_jobs": 1, "settings": settings}


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
