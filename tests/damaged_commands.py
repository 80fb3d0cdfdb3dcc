"""Files that ordain reads, small ones of every kind, and for each the commands that take them.

A model is linear, of trees, or learned from a judge's answers; a run has answers to pairs and lists, is a sort, or was
learned from. A language model is played by a scripted endpoint.
"""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from damage import BYTES, CELLS, SEALED, TEXT, Way

sys.path.append(str(Path(__file__).parent / "judge"))

from scripted_endpoint import Endpoint, better, first_number


class Given(NamedTuple):
    """A command, the form of its file, the bytes of it, and the words of the command; FILE is the file."""

    command: str
    form: str
    data: bytes
    words: list[str]

    @property
    def name(self) -> str:
        """Both in one."""
        return f"{self.command}:{self.form}"

    @property
    def ending(self) -> str:
        """How the name of the file ends."""
        return self.form.split()[0]

    @property
    def ways(self) -> list[Way]:
        """How it is damaged: within, where its form says so, as text or as bytes."""
        if self.form.endswith("inside"):
            return CELLS if self.ending == "run" else SEALED
        return BYTES if self.ending in ("parquet", "xlsx", "csv.gz", "npy", "ordain", "run") else TEXT


def scored(rows: int = 80) -> pl.DataFrame:
    """Scores and labels, with a group and a weight."""
    rng = np.random.default_rng(1)
    label = rng.random(rows) < 0.4
    columns = {
        "id": np.arange(rows),
        "score": (rng.normal(size=rows) + label).round(3),
        "other": rng.normal(size=rows).round(2),
    }
    return pl.DataFrame(
        {**columns, "label": label.astype(int), "query": rng.integers(0, 8, rows), "w": rng.random(rows).round(2)}
    )


def credit(rows: int = 120) -> pl.DataFrame:
    """Some rows of the table that comes along."""
    import ordain

    return pl.read_csv(Path(ordain.__file__).parent / "data" / "german_credit.csv").head(rows)


def votes(rows: int = 100) -> pl.DataFrame:
    """An arena's votes, with who cast them."""
    rng = np.random.default_rng(2)
    left, right = rng.integers(0, 6, rows), rng.integers(0, 5, rows)
    names = np.array(["ant", "bee", "cat", "dog", "eel", "fox"])
    winner = rng.choice(["model_a", "model_b", "tie"], rows)
    return pl.DataFrame(
        {
            "model_a": names[left],
            "model_b": names[(left + right + 1) % 6],
            "winner": winner,
            "judge": rng.integers(0, 7, rows),
        }
    )


def games(rows: int = 60) -> pl.DataFrame:
    """Games with their goals and days."""
    rng = np.random.default_rng(3)
    home, goals = rng.integers(0, 5, rows), rng.integers(0, 4, (rows, 2))
    return pl.DataFrame(
        {
            "home": [f"club {k}" for k in home],
            "away": [f"club {k}" for k in (home + rng.integers(1, 5, rows)) % 5],
            "hg": goals[:, 0],
            "ag": goals[:, 1],
            "day": [f"2025-{1 + k // 5:02d}-{1 + k % 28:02d}" for k in range(rows)],
        }
    )


def ballots() -> pl.DataFrame:
    """Whole orders."""
    return pl.DataFrame({"ballot": [["a", "b", "c"], ["b", "c", "a"], ["c", "a"]] * 6, "voter": range(18)})


def ideas(rows: int = 12) -> pl.DataFrame:
    """Items with numbers of theirs."""
    texts = [f"Idea number {k}: something to build, {'and more ' * (k % 4)}ünd so on" for k in range(rows)]
    return pl.DataFrame({"id": range(rows), "text": texts, "size": [k * 1.5 for k in range(rows)]})


def vectors(rows: int = 12) -> pl.DataFrame:
    """Embeddings of these."""
    numbers = np.random.default_rng(4).normal(size=(rows, 3)).round(3)
    return pl.DataFrame({"id": [str(k) for k in range(rows)], "vector": numbers.tolist()})


def written(table: pl.DataFrame, form: str) -> bytes:
    """A table as the bytes of a file."""
    if form in ("csv", "csv.gz"):
        data = table.write_csv().encode()
        return gzip.compress(data, mtime=0) if form == "csv.gz" else data
    buffer = io.BytesIO()
    if form == "tsv":
        table.write_csv(buffer, separator="\t")
    elif form == "npy":
        np.save(buffer, np.array(table["vector"].to_list()))
    else:
        write = {"jsonl": table.write_ndjson, "json": table.write_json, "parquet": table.write_parquet}
        write.get(form, table.write_excel)(buffer)
    return buffer.getvalue()


SOC = b"# TITLE: fruit\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: fig\n# ALTERNATIVE NAME 2: kiwi\n"
SOC += b"# ALTERNATIVE NAME 3: pear\n5: 1,2,3\n3: 2,3,1\n2: 3,{1,2}\n"
PROMPT = "{question}\n\nHere they are:\n{items}\n\n{answer}\nThänk you.\n".encode()


def model_files(folder: Path) -> dict[str, bytes]:
    """A linear model with all that a model has, one of trees, and one of words that was learned from answers."""
    import ordain
    from ordain.judge.learned_model import learned_model

    ordain.fit(credit(), "bad_risk", model="linear").save(folder / "linear.ordain")
    _trees(folder / "trees.ordain")
    with _learning_run(folder / "words.run") as run:
        learned_model(run).save(folder / "words.ordain")
    return {name: (folder / f"{name}.ordain").read_bytes() for name in ("linear", "trees", "words")}


def _trees(place: Path) -> None:
    """A model of a few small trees."""
    from ordain.learn.boosted import BoostedRanker
    from ordain.model import Model
    from ordain.prepare import Preparation

    rows = credit()
    labels = (rows["bad_risk"] == 1).to_numpy()
    preparation = Preparation.learn(rows.drop("bad_risk"), labels)
    ranker = BoostedRanker(n_estimators=4, max_depth=3, n_jobs=1, random_state=0, categorical=preparation.categorical)
    ranker.fit(preparation.matrix(rows, "boosted"), labels)
    Model(preparation, ranker, "bad_risk", "1").save(place)


@contextmanager
def _learning_run(place: Path) -> Iterator[Any]:
    """A run that has learned from the texts and numbers of its items."""
    from ordain.judge import Item, Run
    from ordain.judge.known_beforehand import Learning

    items = [Item(str(k), "tea " * (k % 5 + 1) + "!" * (k // 10), {"size": str(k % 7)}) for k in range(40)]
    with Run.create(place, items, "Which first?") as run:
        run.rank(lambda a, b: len(a.text) > len(b.text), budget=60, learn=Learning())
        yield run


def run_files(folder: Path) -> dict[str, bytes]:
    """Runs with answers to pairs and lists, to the pairs of a sort, and one that was learned from."""
    from ordain.judge import Item, Run

    items = [Item(str(k), f"text {k}", {"note": "x", "more": None}) for k in range(12)]
    with Run.create(folder / "pairs.run", items, "Which first?", seed=1) as run:
        run.rank(lambda a, b: int(a.id) < int(b.id), top=3, budget=40)
        run.rank(order=lambda some: sorted(some, key=lambda one: int(one.id)), size=4, budget=60)
    with Run.create(folder / "sort.run", items, "Which first?", judge={"model": "m"}) as run:
        run.rank(lambda a, b: int(a.id) < int(b.id), guarantee=True)
    with _learning_run(folder / "learned.run"):
        pass
    return {name: (folder / f"{name}.run").read_bytes() for name in ("pairs", "sort", "learned")}


def commands(folder: Path) -> Iterator[Given]:
    """All of them; the files that they need besides the damaged one are in the folder."""
    yield from _with_scores(folder)
    yield from _with_models(folder)
    yield from _with_votes()
    with Endpoint(better(first_number)) as server:
        yield from _with_items(folder, ["--llm", server.url, "--model", "m"])
        yield from _with_runs(folder, ["--llm", server.url, "--model", "m"])


def _with_scores(folder: Path) -> Iterator[Given]:
    """Tables of scores and labels."""
    evaluate = ["evaluate", "FILE", "--label", "label"]
    for form in ("csv", "tsv", "jsonl", "json", "parquet", "xlsx", "csv.gz"):
        yield Given("evaluate", form, written(scored(), form), [*evaluate, "--json"])
    table = written(scored(), "csv")
    yield Given("evaluate", "csv groups", table, [*evaluate, "--group", "query"])
    yield Given("evaluate", "csv weights", table, [*evaluate, "--weight", "w"])
    yield Given("evaluate", "csv clusters", table, [*evaluate, "--cluster", "query"])
    graded = ["evaluate", "FILE", "--label", "query", "--graded"]
    yield Given("evaluate", "csv grades", table, graded)
    yield Given("evaluate", "csv grades in groups", table, ["evaluate", "FILE", "--label", "label", "--graded",
                                                            "--group", "query"])  # fmt: skip
    compare = ["compare", "FILE", "--label", "label", "--score", "score", "--score", "other"]
    for form in ("csv", "jsonl"):
        yield Given("compare", form, written(scored(), form), compare)
    yield Given("report", "csv", table, ["report", "FILE", "--label", "label", "--out", "OUT.html"])
    fit = ["fit", "FILE", "--model", "linear", "--quick", "--out", "OUT"]
    for form in ("csv", "jsonl", "parquet"):
        yield Given("fit", form, written(credit(), form), [*fit, "--label", "bad_risk"])
    dated = credit().with_columns(day=pl.date(2024, 1, 1) + pl.duration(days=pl.int_range(120)))
    yield Given("fit", "csv dates", written(dated, "csv"), [*fit, "--label", "bad_risk"])
    yield Given("fit", "csv grades in groups", table, [*fit, "--label", "label", "--graded", "--group", "query"])


def _with_models(folder: Path) -> Iterator[Given]:
    """Tables that a model scores, and models."""
    made = model_files(folder)
    for name in made:
        (credit(60) if name != "words" else ideas()).write_csv(folder / f"{name}.csv")
    linear, table = str(folder / "linear.ordain"), str(folder / "linear.csv")
    for form in ("csv", "jsonl", "parquet", "xlsx", "csv.gz"):
        yield Given("score", form, written(credit(60), form), ["score", "FILE", "--model", linear, "--out", "OUT.csv"])
    for form in ("csv", "jsonl"):
        yield Given("explain", form, written(credit(60), form), ["explain", linear, "FILE", "--out", "OUT.csv"])
    yield Given("score", "ordain", made["linear"], ["score", table, "--model", "FILE", "--out", "OUT.csv"])
    yield Given("explain", "ordain", made["linear"], ["explain", "FILE"])
    yield Given("report", "ordain", made["linear"], ["report", "FILE", "--out", "OUT.html"])
    for name, data in made.items():
        table, form = str(folder / f"{name}.csv"), f"ordain {name} inside"
        yield Given("score", form, data, ["score", table, "--model", "FILE", "--out", "OUT.csv"])
        yield Given("explain", form, data, ["explain", "FILE", *([table] if name != "words" else [])])
        yield Given("report", form, data, ["report", "FILE", "--out", "OUT.html"])


def _with_votes() -> Iterator[Given]:
    """Tables of votes, games and ballots."""
    for form in ("csv", "jsonl", "parquet", "csv.gz", "xlsx"):
        yield Given("rank", form, written(votes(), form), ["rank", "FILE", "--judge", "judge", "--out", "OUT.csv"])
    yield Given("rank", "soc", SOC, ["rank", "FILE", "--out", "OUT.csv"])
    judges = ["--judge", "judge", "--judges", "OUT-judges.csv", "--matrix", "OUT-matrix.csv", "--compare"]
    yield Given("rank", "csv judges", written(votes(), "csv"), ["rank", "FILE", *judges, "--report", "OUT.html"])
    days = ["--left", "home", "--right", "away", "--left-score", "hg", "--right-score", "ag", "--date", "day"]
    yield Given("rank", "csv days", written(games(), "csv"), ["rank", "FILE", *days, "--half-life", "auto"])
    yield Given("rank", "jsonl ballots", written(ballots(), "jsonl"), ["rank", "FILE", "--order", "ballot"])


def _with_items(folder: Path, server: list[str]) -> Iterator[Given]:
    """Items, and what is read beside them."""
    table, text = str(folder / "ideas.csv"), "".join(f"{line}\n" for line in ideas()["text"]).encode()
    Path(table).write_bytes(written(ideas(), "csv"))
    asking = ["--ask", "Which first?", *server, "--dry-run"]
    yield Given("judge", "txt", text, ["judge", "FILE", *asking])
    for form in ("csv", "jsonl", "xlsx"):
        yield Given("judge", form, written(ideas(), form), ["judge", "FILE", "--text", "text", *asking])
    yield Given(
        "judge", "txt question", b"Which is better?\n", ["judge", table, "--text", "text", *asking, "--ask", "@FILE"]
    )
    yield Given("judge", "txt prompt", PROMPT, ["judge", table, "--text", "text", *asking, "--prompt", "FILE"])
    learning = ["--text", "text", *asking, "--learn", "--budget", "30"]
    yield Given("judge --learn", "csv", written(ideas(), "csv"), ["judge", "FILE", *learning, "--start", "size"])
    for form in ("npy", "parquet"):
        yield Given(
            "judge --learn", form, written(vectors(), form), ["judge", table, *learning, "--embeddings", "FILE"]
        )


def _asked_run(folder: Path, asking: list[str]) -> bytes:
    """A run of a language model."""
    from ordain.cli import main

    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SystemExit):
        main([*asking, "--run", str(folder / "asked.run"), "--yes", "--budget", "20"])
    return (folder / "asked.run").read_bytes()


def _with_runs(folder: Path, server: list[str]) -> Iterator[Given]:
    """Runs, whether looked at, written as a table, gone on with, added to, asked again or checked."""
    made, more = run_files(folder), str(folder / "more.csv")
    asking = ["judge", str(folder / "ideas.csv"), "--text", "text", "--ask", "Which first?", *server]
    asked = _asked_run(folder, asking)
    Path(more).write_bytes(written(ideas().with_columns(pl.col("id") + 100), "csv"))
    add = ["--add", "--text", "text", *server]
    pairs = str(folder / "pairs.run")
    yield Given("judge --add", "csv", written(ideas().with_columns(pl.col("id") + 100), "csv"),
                ["judge", "FILE", "--run", pairs, *add, "--dry-run"])  # fmt: skip
    for name in ("status", "export", "report", "judge --run"):
        yield Given(name, "run", made["pairs"], _looking(name))
        for kind, data in made.items():
            yield Given(name, f"run {kind} inside", data, _looking(name))
    yield Given(
        "judge --run", "run to save inside", made["learned"], ["judge", "--run", "FILE", "--save", "OUT.ordain"]
    )
    for kind in ("pairs", "sort"):
        form, data = f"run {kind} inside", made[kind]
        yield Given("judge --add", form, data, ["judge", more, "--run", "FILE", *add, "--dry-run"])
        yield Given(
            "judge --check", form, data, ["judge", "--run", "FILE", "--check", "4", "--port", "0", "--no-browser"]
        )
    form, out = "run asked inside", ["--yes", "--out", "OUT.csv"]
    yield Given("judge --llm", form, asked, [*asking, "--run", "FILE", "--budget", "30", *out])
    yield Given("judge --add", form, asked, ["judge", more, "--run", "FILE", *add, *out])
    yield Given("judge --again", form, asked, ["judge", "--run", "FILE", "--again", *server, *out])


def _looking(name: str) -> list[str]:
    """The words of a command that looks at a run."""
    return {
        "status": ["status", "FILE"],
        "export": ["export", "FILE", "--out", "OUT.jsonl"],
        "report": ["report", "FILE", "--out", "OUT.html"],
        "judge --run": ["judge", "--run", "FILE", "--out", "OUT.csv"],
    }[name]
