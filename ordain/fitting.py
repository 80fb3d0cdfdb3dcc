"""From a table to a model: read, compare the candidates, fit the one that is picked to all rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain import __version__, tables
from ordain.learn.candidates import Candidate, candidates
from ordain.learn.choose import Choice, Rows, choose, fitted, steps
from ordain.learn.goal import Goal
from ordain.learn.model import Model, Seen
from ordain.learn.prepare import dated


@dataclass(frozen=True)
class Training:
    """A table to learn from, and what its label column means."""

    rows: Rows
    label: str
    positive: str | None


def read_training(
    file: str,
    *,
    label: str,
    positive: str | None = None,
    graded: bool = False,
    weight: str | None = None,
    group: str | None = None,
    drop: Sequence[str] = (),
) -> Training:
    """Read a table; every column that is not named is a feature."""
    if graded and positive:
        raise ValueError("--graded must stand without --positive. Got both. Leave one out.")
    keys = [label, *([group] if group else [])]
    columns, features = tables.read_features(file, numbers=[weight] if weight else [], categories=keys, drop=drop)
    if graded:
        labels, name = tables.grades(columns.categories[label]), None
    else:
        labels, name = tables.labels(columns.categories[label], positive)
    weights = columns.numbers[weight] if weight else None
    groups = columns.categories[group].codes if group else None
    return Training(Rows(dated(features), labels, weights, groups, graded), label, name)


def fit(
    training: Training,
    *,
    goal: str = "auc",
    model: str = "auto",
    reduction: str = "auto",
    loss: str = "logistic",
    push: float | None = None,
    seed: int = 0,
    asked: Mapping[str, Any] | None = None,
    report: Callable[[str], None] | None = None,
) -> tuple[Model, Choice]:
    """The model that ranks best, fitted to all rows, and the comparison that says so.

    `asked` is how the label and the columns beside it were named: the model remembers it for the commands it suggests.
    """
    rows = training.rows
    tried = _tried(training, model, reduction, loss, push)
    choice = choose(rows, tried, Goal.parse(goal), seed=seed, report=report)
    if report:
        report(f"all rows, {choice.picked.candidate.name}")
    preparation, ranker = fitted(choice.picked.candidate, rows, seed)
    grades = tuple(np.unique(rows.labels).tolist()) if rows.graded else None
    summary = _summary(rows, choice, seed) | {"asked": {name: of for name, of in (asked or {}).items() if of}}
    seen = Seen.learn(preparation, rows.features, seed)
    return Model(preparation, ranker, training.label, training.positive, grades, goal, summary, seen), choice


def count(
    training: Training,
    *,
    model: str = "auto",
    reduction: str = "auto",
    loss: str = "logistic",
    push: float | None = None,
    **_: Any,
) -> int:
    """How many steps :func:`fit` will report."""
    return steps(training.rows, _tried(training, model, reduction, loss, push)) + 1


def facts(model: Model, choice: Choice) -> dict[str, Any]:
    """What is worth telling of a fit, as plain data."""
    about = {"label": model.label, "positive": model.positive, "notices": list(model.preparation.notices)}
    known = {name: of for name, of in model.summary.items() if name != "asked"}
    return {**about, **known, "comparison": choice.as_json()}


def _tried(training: Training, model: str, reduction: str, loss: str, push: float | None) -> list[Candidate]:
    rows = training.rows
    options = {"graded": rows.graded, "grouped": rows.groups is not None}
    return candidates(model=model, reduction=reduction, loss=loss, push=push, **options)


def _summary(rows: Rows, choice: Choice, seed: int) -> dict[str, Any]:
    """What is worth knowing of the training; nothing that differs from run to run."""
    compared = choice.as_json()
    compared["trials"] = [{key: of[key] for key in of if key != "seconds"} for of in compared["trials"]]
    positives = None if rows.graded else int(np.count_nonzero(rows.labels))
    return {"rows": len(rows), "positives": positives, "seed": seed, "ordain": __version__, "comparison": compared}
