"""`ordain score`: the rows of a table in order by a model, best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ordain import tables
from ordain._files import check_parts
from ordain.commands.console import console, print_json
from ordain.commands.many_files import refuse_asked
from ordain.commands.progress import counting, share_done
from ordain.commands.suggested import evaluate_command
from ordain.engine.cluster import cluster
from ordain.model import Model, load
from ordain.model.noticed import Noticed
from ordain.model.scoring import score
from ordain.model.scoring_spread import first_of_all, score_parts
from ordain.tables.slices import Where, named


def run(
    where: Where,
    *,
    model_file: str,
    out: str,
    top: int | None = None,
    guard: bool = False,
    force: bool = False,
    as_json: bool = False,
    dask: str | None = None,
    reading: tables.Reading | None = None,
) -> None:
    """Score, write and tell."""
    if dask is not None:
        refuse_asked(reading, "--dask")
        _on_workers(dask, where, model_file, out, top, guard, force, as_json)
        return
    file = named(where)
    tables.check_writable(out, force)
    reading, model = reading or tables.Reading(), load(model_file)
    noticed = Noticed(model)
    with counting(f"Scoring {file}, rows") as report:
        frames = score(file, model, top=top, noticed=noticed, report=report, reading=reading)
        tables.write_frames(frames, out, force=force, guard=guard)
    result = Ranked(file, model_file, out, top, model, noticed, str(reading))
    if as_json:
        print_json(result.as_json())
    else:
        print_ranked(result)


def _on_workers(
    dask: str, where: Where, model_file: str, out: str, top: int | None, guard: bool, force: bool, as_json: bool
) -> None:
    """Score on the workers of a cluster: a folder of parts, or the first K in a table."""
    if top is not None and top < 1:
        raise ValueError(f"--top must be 1 or more. Got {top}.")
    if top is None and out == "-":
        raise ValueError("--out must be a folder with --dask. Got -. Name one, or add --top K for a table.")
    model = load(model_file)
    check_parts(out, force) if top is None else tables.check_writable(out, force)
    file = named(where)
    with cluster(dask) as client, share_done(f"Scoring {file} on {dask}") as done:
        if top is None:
            rows = written = score_parts(client, where, model, out, force=force, report=done)
        else:
            frame, rows = first_of_all(client, where, model, top, report=done)
            tables.write_table(frame, out, force=force, guard=guard)
            written = frame.height
    if as_json:
        print_json({"file": file, "model": model_file, "out": out, "rows": rows, "written": written})
        return
    first = f"The first {written:,} of {rows:,}" if top else f"{rows:,}"
    order = "in order" if top else "with their scores, in the order of the files"
    console(stderr=out == "-").print(f"{first} rows of {file}, {order}, are in {out}.", markup=False)


def print_ranked(ranked: Ranked) -> None:
    """What was noticed, and what went where; on standard error if the rows went to standard output."""
    shown = console(stderr=ranked.out == "-")
    for line in ranked.lines():
        shown.print(line, markup=False)


@dataclass(frozen=True)
class Ranked:
    """A table that was ranked: its name, that of the model and of the result, and what was noticed on the way."""

    file: str
    model_file: str
    out: str
    top: int | None
    model: Model
    noticed: Noticed
    read: str = ""

    @property
    def written(self) -> int:
        """How many rows the result has."""
        return self.noticed.rows if self.top is None else min(self.top, self.noticed.rows)

    @property
    def evaluate(self) -> str | None:
        """The command that measures the ranking, where the label is there and the whole table is in a file."""
        whole = self.written == self.noticed.rows and self.out != "-"
        known = self.model.label in self.noticed.names
        return evaluate_command(self.out, self.model, self.noticed.names) if whole and known else None

    def lines(self) -> list[str]:
        """The sentences."""
        count = f"The first {self.written:,} of {self.noticed.rows:,}" if self.top else f"{self.noticed.rows:,}"
        where = "on standard output" if self.out == "-" else f"in {self.out}"
        how = [f"Read {self.file}: {self.read}."] if self.read else []
        said = [*how, *self.noticed.notices, f"{count} rows of {self.file}, ranked by {self.model_file}, are {where}."]
        return said + ([f"How well they are ranked: {self.evaluate}"] if self.evaluate else [])

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {
            "file": self.file,
            "read": self.read,
            "model": self.model_file,
            "out": self.out,
            "rows": self.noticed.rows,
            "written": self.written,
            "trained_on": self.noticed.trained_on,
            "unseen": {name: count for name, count in self.noticed.unseen.items() if count},
            "notices": self.noticed.notices,
            "evaluate": self.evaluate,
        }
