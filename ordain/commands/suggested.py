"""Names and commands that follow from those used so far: where a model goes, and what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ordain.model import Model
from ordain.tables.slices import is_pattern


def model_name(table: str | Sequence[str]) -> str:
    """Where the model of a table goes if nothing is said: its name, ending in .ordain, in the current folder.

    Of many files it is the name of the folder they are in.

    Examples
    --------
    >>> model_name("data/train.v2.csv.gz")
    'train.v2.ordain'
    """
    if table == "-":
        raise ValueError("--out must be given where the table comes from standard input. Add --out NAME.ordain.")
    if not isinstance(table, str) or is_pattern(table):
        first = Path(table if isinstance(table, str) else table[0])
        return (first if first.is_dir() else first.parent).resolve().name + ".ordain"
    return Path(Path(table).name.removesuffix(".gz")).stem + ".ordain"


def after_fit(table: str, model_file: str, model: Model) -> list[str]:
    """Rank other rows, in a table like the one fitted to, and measure how well."""
    endings = "".join(Path(table).suffixes[-2 if table.endswith(".gz") else -1 :]) or ".csv"
    return [score_command(f"NEW{endings}", model_file, "ranked.csv"), evaluate_command("ranked.csv", model)]


def score_command(table: str, model_file: str, out: str) -> str:
    """Rank other rows by a model.

    Examples
    --------
    >>> score_command("NEW.csv", "my model.ordain", "ranked.csv")
    "ordain score NEW.csv --model 'my model.ordain' --out ranked.csv"
    """
    return shlex.join(["ordain", "score", table, "--model", model_file, "--out", out])


def evaluate_command(ranked: str, model: Model, columns: Sequence[str] | None = None) -> str:
    """Measure how well a model ranked, by the label, groups and weights it was fitted with, as far as they are there.

    Parameters
    ----------
    ranked : str
        What `ordain score` wrote.
    model : Model
        What scored it.
    columns : sequence of str, optional
        The columns of the table; all that were asked for if not given.
    """
    words = ["ordain", "evaluate", ranked, "--label", model.label]
    asked = asked_of(model)
    if type(asked.get("positive")) is str:
        words += ["--positive", asked["positive"]]
    if model.grades is not None:
        words.append("--graded")
    units = ["weight", "group"] + ["cluster"] * (model.grades is None and not asked.get("group"))
    for unit in units:
        if type(name := asked.get(unit)) is str and (columns is None or name in columns):
            words += [f"--{unit}", name]
    return shlex.join(words)


def asked_of(model: Model) -> dict[str, Any]:
    """How label, groups and weights were named at the fit; the summary of a model file may be anything."""
    asked = model.summary.get("asked")
    return asked if type(asked) is dict else {"positive": model.positive}
