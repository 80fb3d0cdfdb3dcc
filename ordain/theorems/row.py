"""A row of the table of theorems: a statement in words, and a check that measures it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from numpy.random import Generator

How = Literal["exact", "numeric", "sampled"]
"""Fractions or enumeration and no tolerance; floating-point numbers with one; random draws with a standard error."""


@dataclass(frozen=True)
class Measured:
    """What a check found: over how many cases, the figure and what it is, and whether the statement held."""

    cases: int
    figure: float
    meaning: str  # such as "largest AUC regret over classification regret"
    passed: bool


Check = Callable[[Generator, int], Measured]


@dataclass(frozen=True)
class Row:
    """One result. `check(rng, effort)` looks at about `effort` times as many cases as by default."""

    name: str
    statement: str
    how: How
    check: Check

    def as_json(self) -> dict[str, str]:
        """What it says, without checking it."""
        return {"row": self.name, "how": self.how, "statement": self.statement}


def row(name: str, statement: str, how: How) -> Callable[[Check], Row]:
    """A decorator that turns a check into its row."""
    return lambda check: Row(name, statement, how, check)
