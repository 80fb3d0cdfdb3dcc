"""Real tables written as people have them, through fit, score and evaluate as their owners would type it.

    python benchmarks/odd_tables.py --data ../shared/data --version after                every table in every form
    python benchmarks/odd_tables.py --data ../shared/data --version before --code OLD    with the ordain in folder OLD
    python benchmarks/odd_tables.py --data ../shared/data --version after --fast heart   linear models only, one table

Of each table at most --rows rows are drawn, as many of each class as its share (seeded); of hiva only the first 100 of
1,617 columns, for time. A form is a way of writing the table:

    plain              what ordain itself would write; labels 0 and 1
    Excel in Germany   semicolons, decimal commas, thousands points in whole numbers, Windows-1252, CRLF; ja and nein
    amounts in the US  thousands commas, $ on a column, % on another; Yes and No
    Excel in the US    the same with a mark, CRLF, and empty rows and columns at the end
    Unicode text       UTF-16 and tabs, as Excel saves .txt
    workbook           .xlsx
    pipes and blanks   | with blanks after it, labels "Yes " and "No ", twenty more rows without a label

Each command is a process of its own; a form is *through* if all three end well at the first go. If fit refuses in a
line that names --decimal, --dates, --separator or --encoding, the owner adds what is true of the file and tries again:
*asked*. *refused* is any other single line with exit code 2, *failed* all else. The AUC is that of what fit picked,
beside the one of the plain table by the same version: a table that goes through with another AUC was read as something
else. Every outcome is appended to odd_tables.csv; what is there already is left out.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

FILE = Path(__file__).with_suffix(".csv")
KEY = ["data", "rows", "model", "form", "version"]
FIELDS = [*KEY, "outcome", "typed", "line", "auc", "plain", "difference"]
WIDEST, UNLABELLED, ALLOWED = 100, 20, 0.005


def drawn(path: Path, rows: int) -> pl.DataFrame:
    """At most so many rows of a table, each class in its share, in the order of the file."""
    table = pl.read_parquet(path)
    if path.stem == "hiva":
        table = table.select(*table.columns[:WIDEST], "label")
    if len(table) <= rows:
        return table
    rng, labels = np.random.default_rng(0), table["label"].to_numpy()
    classes = [np.flatnonzero(labels == value) for value in (0, 1)]
    parts = [rng.choice(rows_of, round(rows * len(rows_of) / len(table)), replace=False) for rows_of in classes]
    return table[np.sort(np.concatenate(parts))]


def plain(value: Any) -> str:
    """A cell as ordain would write it: numbers without exponents, nothing where a value is missing."""
    if isinstance(value, float):
        return np.format_float_positional(value, trim="-")
    return "" if value is None else str(value)


def grouped(separator: str, decimal: str) -> Callable[[Any], str]:
    """Numbers with a sign of their own before decimals, and one between thousands where they are whole."""

    def written(value: Any) -> str:
        if isinstance(value, int):
            return f"{value:,}".replace(",", separator)
        return plain(value).replace(".", decimal) if isinstance(value, float) else plain(value)

    return written


def texts(table: pl.DataFrame, cell: Callable[[Any], str], labels: tuple[str, str] = ("0", "1")) -> pl.DataFrame:
    """Every cell as text, and the classes in these words."""
    columns = [pl.Series(s.name, [cell(value) for value in s], pl.String) for s in table.drop("label")]
    return pl.DataFrame([*columns, pl.Series("label", [labels[value] for value in table["label"]])])


def joined(table: pl.DataFrame, separator: str, end: str = "\n") -> str:
    """The lines of a text file; fields that hold a separator or a quote stand between quotes."""

    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if separator in text or '"' in text else text

    return "".join(separator.join(map(quoted, row)) + end for row in [table.columns, *table.iter_rows()])


def in_germany(table: pl.DataFrame) -> bytes:
    """The first column gets a name that ASCII lacks."""
    first = table.columns[0]
    lines = joined(texts(table.rename({first: f"{first} geprüft"}), grouped(".", ","), ("nein", "ja")), ";", "\r\n")
    return lines.encode("cp1252")


def us_amounts(table: pl.DataFrame) -> pl.DataFrame:
    """$ stands on the column of the largest numbers, % on another: a share, as a hundred times it, if there is one."""
    cell = grouped(",", ".")
    written = texts(table, cell, ("No", "Yes"))
    numbers = [s.name for s in table.drop("label") if s.dtype.is_numeric()]
    numbers.sort(key=lambda name: -float(table[name].abs().max()))
    for name in numbers[:1]:
        written = written.with_columns(pl.col(name).str.replace(r"^(-?)(\d)", r"$1$$$2"))
    shares = [name for name in numbers[1:] if table[name].dtype.is_float() and _is_share(table[name])]
    small = [name for name in numbers[1:] if table[name].max() <= 100]
    for name in (shares or small or numbers[1:])[:1]:
        cells = [round(100 * value, 10) if shares and value is not None else value for value in table[name]]
        written = written.with_columns(pl.Series(name, [cell(value) and f"{cell(value)}%" for value in cells]))
    return written


def in_the_us(table: pl.DataFrame) -> bytes:
    lines = joined(us_amounts(table), ",", ",,\r\n") + 3 * ("," * (table.width + 1) + "\r\n")
    return lines.encode("utf-8-sig")


def _is_share(series: pl.Series) -> bool:
    """Whether all values lie between 0 and 1."""
    return bool(series.min() >= 0 and series.max() <= 1)


def unicode_text(table: pl.DataFrame) -> bytes:
    return joined(texts(table, plain), "\t", "\r\n").encode("utf-16")


def workbook(table: pl.DataFrame) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.xlsx")
        table.write_excel(path)
        return path.read_bytes()


def with_pipes(table: pl.DataFrame) -> bytes:
    """The first rows once more at the end, without their labels."""
    written = texts(table, plain, ("No ", "Yes "))
    written = pl.concat([written, written.head(UNLABELLED).with_columns(label=pl.lit(""))])
    return joined(written, "|").replace("|", "| ").encode()


@dataclass(frozen=True)
class Form:
    """A way of writing a table: the file, what its owner types beside it, and what the owner answers if asked."""

    name: str
    write: Callable[[pl.DataFrame], bytes]
    options: tuple[str, ...] = ()
    answers: dict[str, str] = field(default_factory=dict)


FORMS = {
    "plain": Form("table.csv", lambda table: joined(texts(table, plain), ",").encode()),
    "Excel in Germany": Form(
        "table.csv", in_germany, ("--positive", "ja"), {"separator": ";", "decimal": ",", "encoding": "cp1252"}
    ),
    "amounts in the US": Form(
        "table.csv", lambda table: joined(us_amounts(table), ",").encode(), (), {"separator": ",", "decimal": "."}
    ),
    "Excel in the US": Form("table.csv", in_the_us, (), {"separator": ",", "decimal": ".", "encoding": "utf-8"}),
    "Unicode text": Form("table.txt", unicode_text, (), {"separator": "\t", "decimal": ".", "encoding": "utf-16"}),
    "workbook": Form("table.xlsx", workbook, (), {"decimal": "."}),
    "pipes and blanks": Form("table.csv", with_pipes, (), {"separator": "|", "decimal": ".", "encoding": "utf-8"}),
}


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def outcome(self) -> str:
        """One line and exit code 2 are a refusal; what else is not well has failed."""
        if self.code == 0:
            return "through"
        lines = self.err.splitlines()
        return "refused" if self.code == 2 and len(lines) == 1 and lines[0].startswith("ordain: ") else "failed"


@dataclass(frozen=True)
class Ordain:
    """The commands of one version, run in a folder."""

    code: Path | None
    folder: Path

    def __call__(self, *words: str) -> Ended:
        environment = {**os.environ, **({"PYTHONPATH": str(self.code.absolute())} if self.code else {})}
        command = [sys.executable, "-m", "ordain", *words]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return Ended(done.returncode, done.stdout, done.stderr)


def through(ordain: Ordain, form: Form, fast: bool) -> dict[str, Any]:
    """Fit, score and evaluate; how far that went."""
    words = ["fit", form.name, "--label", "label", "--out", "m.ordain", "--json", *form.options]
    words += ["--model", "linear"] if fast else []
    fit = ordain(*words)
    typed = _answer(fit, form)
    if typed:
        fit = ordain(*words, *typed)
    found = {"typed": " ".join(typed)} | _end(fit, "fit", typed)
    if fit.code == 0:
        told = json.loads(fit.out)["comparison"]
        found["auc"] = next(trial["auc"] for trial in told["trials"] if trial["name"] == told["picked"])
        for command in (
            ("score", form.name, "--model", "m.ordain", "--out", "ranked.csv", *typed),
            ("evaluate", "ranked.csv", "--label", "label", *form.options),
        ):
            if found["outcome"] in ("through", "asked"):
                found |= _end(ordain(*command), command[0], typed)
    return found


def _answer(ended: Ended, form: Form) -> list[str]:
    """What the owner adds where a refusal names an option that says how a file is to be read."""
    if ended.outcome != "refused":
        return []
    named = dict.fromkeys(re.findall(r"--(separator|decimal|encoding|dates)\b", ended.err))
    return [word for name in named if name in form.answers for word in (f"--{name}", form.answers[name])]


def _end(ended: Ended, command: str, typed: list[str]) -> dict[str, str]:
    """The outcome so far, and the line that says why it is no better."""
    if ended.code == 0:
        return {"outcome": "asked" if typed else "through", "line": ""}
    lines = ended.err.splitlines() or ["no word"]
    return {"outcome": ended.outcome, "line": f"{command}: {lines[-1]}"}


def measured(options: argparse.Namespace, done: dict[tuple[str, ...], dict[str, str]]) -> Iterator[dict[str, Any]]:
    """A row for every form of every table that is not there yet; the plain form comes first."""
    for path in sorted((options.data / "binary").glob("*.parquet"), key=lambda path: path.stat().st_size):
        if options.names and path.stem not in options.names:
            continue
        table = drawn(path, options.rows)
        reference = ""
        for name, form in FORMS.items():
            key = (path.stem, str(options.rows), "linear" if options.fast else "auto", name, options.version)
            row = done.get(key) or _row(key, form, table, reference, options)
            reference = row["auc"] if name == "plain" else reference
            if key not in done:
                yield row


def _row(key: tuple[str, ...], form: Form, table: pl.DataFrame, reference: str, options: Any) -> dict[str, Any]:
    """One form of one table."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, form.name).write_bytes(form.write(table))
        found = through(Ordain(options.code, Path(folder)), form, options.fast)
    row = dict(zip(KEY, key, strict=True)) | found | {"auc": "", "plain": reference, "difference": ""}
    if "auc" in found:
        row["auc"] = f"{found['auc']:.5f}"
        row["difference"] = f"{found['auc'] - float(reference):+.5f}" if reference else ""
    return row


def summary(rows: list[dict[str, str]]) -> Iterator[str]:
    """A line for every version and form: how many tables went which way, and how many of them with another AUC."""
    for version, form in dict.fromkeys((row["version"], row["form"]) for row in rows):
        of = [row for row in rows if (row["version"], row["form"]) == (version, form)]
        counts = Counter(row["outcome"] for row in of)
        other = sum(abs(float(row["difference"] or 0)) > ALLOWED for row in of)
        told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("through", "asked", "refused", "failed"))
        yield f"{version:8} {form:18} {told}; {other} with an AUC more than {ALLOWED} from the plain table's"


def _known() -> dict[tuple[str, ...], dict[str, str]]:
    """What was found so far."""
    if not FILE.exists():
        FILE.write_text(",".join(FIELDS) + "\n")
    with FILE.open(newline="") as file:
        return {tuple(row[name] for name in KEY): row for row in csv.DictReader(file)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with binary/*.parquet")
    parser.add_argument("--rows", type=int, default=2000, help="the most rows of a table")
    parser.add_argument("--version", required=True, help="what the column version says, such as before or after")
    parser.add_argument("--code", type=Path, help="folder with the ordain to run; else the one this Python finds")
    parser.add_argument("--fast", action="store_true", help="fit --model linear")
    parser.add_argument("names", nargs="*", help="the tables, all of them without")
    options = parser.parse_args()
    for row in measured(options, _known()):
        with FILE.open("a", newline="") as file:
            csv.DictWriter(file, FIELDS, lineterminator="\n").writerow(row)
        print(row["data"], row["form"], row["outcome"], row["difference"], row["line"][:100], flush=True)
    print(*summary(list(_known().values())), sep="\n")


if __name__ == "__main__":
    main()
