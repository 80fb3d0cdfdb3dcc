"""From a table to a model: read, compare the candidates, fit the one that is picked to all rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ordain import __version__, tables
from ordain._memory import check_memory
from ordain.choice.choose import fitted
from ordain.choice.compared import Choice
from ordain.choice.explained import explained
from ordain.choice.search import Search
from ordain.model import Model, Seen
from ordain.prepare import Preparation
from ordain.prepare.suspects import unit_notices
from ordain.rows.elsewhere import Elsewhere
from ordain.rows.record import Rows

TIMES = {".csv": 2, ".tsv": 2, ".parquet": 4}
"""A fit takes so many times the size of a file at least where every cell says something: 4.2 and 6.1 with numbers of 17
digits, 5 and 24 with long texts, 14 and 56 with single digits. JSONL repeats the columns' names, and may take less."""


@dataclass(frozen=True)
class Training:
    """A table to learn from, what its label column means, and how it was read.

    Parameters
    ----------
    rows : Rows
        Features, labels and what belongs to each row.
    label : str
        The column with the labels.
    positive : str or None
        The label that should come first; None where labels are grades.
    forms : Forms
        How numbers and dates are written, where not plainly.
    notices : tuple of str
        A sentence on everything about the table that its owner may not expect.
    """

    rows: Rows
    label: str
    positive: str | None
    forms: tables.Forms = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def check_asked(graded: bool, positive: str | None, group: str | None, cluster: str | None) -> None:
    """Refuse what does not go together."""
    if graded and positive:
        raise ValueError("--graded must stand without --positive. Got both. Leave one out.")
    if group and cluster:
        raise ValueError("--group and --cluster both keep rows together. Got both. Leave one out.")


def read_training(
    file: tables.Table,
    *,
    label: str,
    positive: str | None = None,
    graded: bool = False,
    weight: str | None = None,
    group: str | None = None,
    cluster: str | None = None,
    drop: Sequence[str] = (),
    reading: tables.Reading | None = None,
) -> Training:
    """Read a table; every column that is not named is a feature."""
    check_asked(graded, positive, group, cluster)
    if not drop:  # what is left out may be most of the file
        times = TIMES.get(Path(str(file)).suffix.lower(), 1)
        check_memory(file, times, "Fit a part of its rows, name columns that are of no use by --drop, or use --dask.")
    reading = reading or tables.Reading()
    keys = {name for name in (group, cluster) if name}
    columns, features, forms = tables.read_features(
        file, label=label, numbers=[weight] if weight else [], categories=sorted(keys), drop=drop, reading=reading
    )
    column = columns.categories[label]
    if graded:
        labels, name = tables.grades(column, reading), None
    else:
        labels, name = tables.labels(column, positive)
    units = (columns.categories[key].codes if key else None for key in (group, cluster))
    weights = columns.numbers[weight] if weight else None
    rows = Rows(features, labels, weights, next(units), graded, clusters=next(units))
    said = tables.label_notices(column, name, columns.unlabelled)
    own = [] if keys else unit_notices(features)
    return Training(rows, label, name, forms, (*said, *reading.notices, *own))


def fit(
    training: Training,
    search: Search,
    *,
    asked: Mapping[str, Any] | None = None,
    report: Callable[[str], None] | None = None,
) -> tuple[Model, Choice]:
    """The model that ranks best, fitted to all rows, and the comparison that says so.

    `asked` is how the label and the columns beside it were named: the model remembers it for the commands it suggests.
    """
    rows, seed = training.rows, search.seed
    choice = search.choose(rows, report)
    if report:
        report(f"all rows, {choice.picked.candidate.name}")
    preparation, ranker = fitted(choice.picked, rows, seed)
    summary = summary_of(rows, choice, seed) | {"asked": {name: of for name, of in (asked or {}).items() if of}}
    about = (training.label, training.positive, rows.grades, search.goal, summary)
    seen = Seen.learn(preparation, rows.features, seed)
    said = (*training.notices, *preparation.notices)
    rests_on = None
    if choice.compared and search.seconds is None:
        if report:
            report("what it rests on")
        rests_on = explained(choice.picked, rows, preparation, ranker, seed)
    return Model(preparation, ranker, *about, seen, _used(training.forms, preparation), rests_on, choice, said), choice


def _used(forms: tables.Forms, preparation: Preparation) -> tables.Forms:
    """The forms of the columns that the model uses."""
    return {name: form for name, form in forms.items() if name in preparation.names}


def facts(model: Model, choice: Choice) -> dict[str, Any]:
    """What is worth telling of a fit, as plain data."""
    about = {"label": model.label, "positive": model.positive, "notices": list(model.notices)}
    known = {name: of for name, of in model.summary.items() if name != "asked"}
    return {**about, **known, "comparison": choice.as_json()}


def summary_of(rows: Rows | Elsewhere, choice: Choice, seed: int) -> dict[str, Any]:
    """What is worth knowing of the training; nothing that differs from run to run."""
    compared = choice.as_json()
    compared["trials"] = [{key: of[key] for key in of if key != "seconds"} for of in compared["trials"]]
    return {"rows": len(rows), "positives": rows.positives, "seed": seed, "ordain": __version__, "comparison": compared}
