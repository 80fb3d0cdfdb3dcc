"""What a user may ask of the choice: the goal, what to compare, and how long it may take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ordain.choice.candidates import Candidate, candidates
from ordain.choice.choose import choose, steps
from ordain.choice.clock import Clock
from ordain.choice.compared import Choice
from ordain.choice.goal import Goal
from ordain.rows.elsewhere import Elsewhere
from ordain.rows.record import Rows


@dataclass(frozen=True)
class Search:
    """The options of :func:`ordain.fit` that tell what is compared, and how; what is wrong with them is said at once.

    Examples
    --------
    >>> Search(goal="top:1%", model="linear").measure
    Goal(kind='share', size=0.01)
    """

    goal: str = "auc"
    model: str = "auto"
    reduction: str = "auto"
    loss: str = "logistic"
    push: float | None = None
    quick: bool = False
    seconds: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        Goal.parse(self.goal)
        Clock(self.seconds)

    @property
    def measure(self) -> Goal:
        """What to choose by."""
        return Goal.parse(self.goal)

    def tried(self, rows: Rows | Elsewhere) -> list[Candidate]:
        """The candidates."""
        return candidates(
            model=self.model,
            reduction=self.reduction,
            loss=self.loss,
            push=self.push,
            graded=rows.graded,
            grouped=rows.grouped,
            at_top=self.measure.kind not in ("auc", "ndcg"),
            quick=self.quick,
        )

    def steps(self, rows: Rows | Elsewhere) -> int:
        """How often :meth:`choose` reports."""
        return steps(rows, self.tried(rows))

    def choose(self, rows: Rows | Elsewhere, report: Callable[[str], None] | None = None) -> Choice:
        """Compare the candidates."""
        clock = Clock(self.seconds)
        return choose(rows, self.tried(rows), self.measure, seed=self.seed, clock=clock, report=report)
