"""What a model rests on, as records: for each column of the table the AUC it is worth, and the score along it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from ordain._json import record

UP, DOWN, BOTH, NONE = "up", "down", "up and down", "not at all"
"""How the score goes as a number grows."""

LEVEL_WAY = 0.05
"""A step back of less than this share of the whole way is none."""

SHOWN = 40
"""So many characters of a value or a name are shown."""


@dataclass(frozen=True)
class Worth:
    """A column: the AUC that is lost when it is shuffled, with its interval, and the mean score along its values.

    Parameters
    ----------
    name, kind : str
        The column, and whether it holds numbers, dates or text.
    lost, low, high : float
        The AUC lost on rows held out when the column's values are dealt anew, and its confidence interval.
    values, scores : tuples
        Values of the column, in order for numbers and dates, the frequent ones for text; the mean score of rows where
        the column is set to each.
    mean : float
        What the column adds to the score on average, where the parts of a score do not say so themselves.

    Examples
    --------
    >>> print(Worth("age", "number", 0.12, 0.08, 0.16, ("20", "40", "60"), (-1.0, 0.0, 2.0)))
    age: AUC 0.12 lost if shuffled, 0.08 to 0.16; the score goes up with it.
    """

    name: str
    kind: str
    lost: float
    low: float
    high: float
    values: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    mean: float = 0.0

    @property
    def counts(self) -> bool:
        """Whether the interval lies above 0."""
        return self.low > 0

    @property
    def direction(self) -> str:
        """How the score goes as a number or date grows; of text, where it is highest and lowest; empty if not known."""
        way = max(self.scores, default=0.0) - min(self.scores, default=0.0)
        if not self.scores:
            return ""
        if way <= 1e-12:
            return NONE
        if self.kind == "text":
            best, worst = (self.values[self.scores.index(pick(self.scores))] for pick in (max, min))
            return f"highest for {_short(best)}, lowest for {_short(worst)}"
        steps = [after - before for before, after in zip(self.scores, self.scores[1:], strict=False)]
        back = LEVEL_WAY * way
        if all(step >= -back for step in steps):
            return UP
        return DOWN if all(step <= back for step in steps) else BOTH

    def __str__(self) -> str:
        ends = f"{self.low:.2g} to {self.high:.2g}"
        said = f"; {self.way}" if self.direction else ""
        return f"{_short(self.name)}: AUC {self.lost:.2g} lost if shuffled, {ends}{said}."

    @property
    def way(self) -> str:
        """The direction in words."""
        if self.direction == NONE:
            return "the score does not change with it"
        return f"the score is {self.direction}" if self.kind == "text" else f"the score goes {self.direction} with it"


@dataclass(frozen=True)
class Explanation:
    """What a model rests on, the column that is worth most first.

    Parameters
    ----------
    auc : float
        The AUC on the rows held out, as the mean over parts of them.
    columns : tuple of Worth
        The columns the model uses, or of many those that move the score most.
    rows, parts : int
        Rows that were held out, and parts of them over which the intervals are taken.
    level : float
        Confidence of each interval by itself.
    others : int
        Further columns, which move the score less and were not looked at.
    """

    auc: float
    columns: tuple[Worth, ...]
    rows: int
    parts: int
    level: float = 0.95
    others: int = 0

    @property
    def about(self) -> str:
        """How the figures were found."""
        return (
            f"AUC lost when a column is shuffled among {self.rows:,} rows held out; intervals at "
            f"{self.level * 100:g}%, each by itself, over {self.parts} parts of them. Columns that say the same share "
            "what they are worth." + (f" {self.others:,} more columns move the score less." if self.others else "")
        )

    def __str__(self) -> str:
        first = [of for of in self.columns if of.counts][:3]
        if not first:
            return "No single column is shown to matter: the interval of each holds 0."
        names = [f"{_short(of.name)} ({of.lost:.2g})" for of in first]
        listed = " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
        rest = sum(not of.counts for of in self.columns)
        others = f"; for {rest} of {len(self.columns)} columns the interval holds 0" if rest else ""
        return f"The ranking rests most on {listed}, by the AUC that is lost when a column is shuffled{others}."

    def as_json(self) -> dict[str, Any]:
        """As plain data; :meth:`from_json` takes it back."""
        columns = [asdict(of) | {"values": list(of.values), "scores": list(of.scores)} for of in self.columns]
        about = {"auc": self.auc, "rows": self.rows, "parts": self.parts, "level": self.level, "others": self.others}
        return about | {"columns": columns}

    @classmethod
    def from_json(cls, plain: Any) -> Explanation:
        """What :meth:`as_json` gave; anything else is refused."""
        kinds = {"auc": float, "rows": int, "parts": int, "level": float, "others": int, "columns": list}
        found = record(plain, "what a model rests on", **kinds)
        return cls(**found | {"columns": tuple(map(_worth, found["columns"]))})


def _worth(plain: Any) -> Worth:
    kinds = {"name": str, "kind": str, "lost": float, "low": float, "high": float, "values": list, "scores": list}
    found = record(plain, "the worth of a column", **kinds, mean=float)
    numbers = [found["lost"], found["low"], found["high"], found["mean"], *found["scores"]]
    same = len(found["values"]) == len(found["scores"]) and all(type(value) is str for value in found["values"])
    if not same or any(type(value) is not float or not math.isfinite(value) for value in numbers):
        raise ValueError(f"the worth of {found['name'][:SHOWN]!r} must be numbers. Got otherwise. Fit the model again.")
    ends = (found["lost"], found["low"], found["high"])
    return Worth(found["name"], found["kind"], *ends, tuple(found["values"]), tuple(found["scores"]), found["mean"])


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
