"""The models that are tried on a table, the simplest first."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from ordain.learn.kinds import ranker_class
from ordain.learn.scorer import REDUCTIONS

MODELS = ("linear", "boosted")
PUSH = 4
"""The power of the push that is tried."""

TREES, PATIENCE, FEWER = 1000, 30, 100
"""The most trees, and how many may bring nothing before it stops; the number of trees for few rows."""

FEW = 10_000
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

    def ranker(self, rows: int, categorical: list[int], seed: int) -> Any:
        """It, not fitted, for so many rows; trees are told which columns hold codes."""
        common: dict[str, Any] = {"reduction": self.reduction, "push": self.push, "graded": self.graded}
        if self.model == "linear":
            return ranker_class("LinearRanker")(self.loss, alpha="auto", tol=1e-6, **common)
        grown: dict[str, Any] = {"n_estimators": TREES, "early_stopping": PATIENCE}
        if rows < FEW:
            grown = {"n_estimators": FEWER, "n_jobs": 1}
        grown |= {"categorical": categorical, "settings": {"min_child_weight": 3}, "random_state": seed}
        return ranker_class("BoostedRanker")(self.loss, **grown, **common)


def candidates(
    *,
    model: str = "auto",
    reduction: str = "auto",
    loss: str = "logistic",
    push: float | None = None,
    graded: bool = False,
    grouped: bool = False,
) -> list[Candidate]:
    """What to try: all that the settings leave open; groups and grades have pairs only."""
    if model == "boosted" and not has_trees():
        raise ValueError('--model boosted needs XGBoost. There is none. Install it: pip install "ordain[boost]"')
    models = [
        name for name in MODELS if model in ("auto", name) and (name != "boosted" or model == name or has_trees())
    ]
    only_pairs = graded or grouped or (push or 1) > 1
    kinds = ["pairwise"] if only_pairs else list(reversed(REDUCTIONS))
    if reduction != "auto":
        if reduction not in kinds:
            raise ValueError(f"push, groups and grades need pairs. Got --reduction {reduction}. Leave one of them out.")
        kinds = [reduction]
    pushes = [push] if push is not None else [1] + [PUSH] * (reduction == "auto" and not (graded or grouped))
    return [
        Candidate(name, kind, loss, power, graded)
        for name in models
        for kind in kinds
        for power in (pushes if kind == "pairwise" else [1])
    ]


def has_trees() -> bool:
    """Whether XGBoost is there."""
    return find_spec("xgboost") is not None
