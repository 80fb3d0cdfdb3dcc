"""Whether a wrong sign, constant or factor in the numeric code is noticed: by the theorem rows, or by the tests.

    python benchmarks/mutations.py                    every mutation of mutations.toml; what is in the CSV is kept
    python benchmarks/mutations.py --only bounds      those of files whose path holds the word, done again
    python benchmarks/mutations.py --only survived    those that nothing noticed, done again
    python benchmarks/mutations.py --list             how many there are in each room, and who noticed them

The tree is copied to a temporary folder. There each mutation is made alone and undone, the rows of `ordain theorems`
that speak of it are checked, then the test files of its module are run, until the first failure; unmutated, all pass.
`noticed` in the CSV is the row or the test that failed first, *time* if the run took more than five minutes, and
empty for a *survivor*. A mutation that a row noticed has not been shown to the tests.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numba  # noqa: F401 - imported once, for all children
import pytest
import scipy.optimize
import scipy.sparse.csgraph
import scipy.stats  # noqa: F401
import sklearn.linear_model  # noqa: F401

HERE = Path(__file__).parent
FILE = Path(__file__).with_suffix(".csv")
FIELDS = ["room", "file", "line", "old", "new", "rows", "tests", "noticed", "seconds"]
ROWS = "tests/theorems/test_theorems.py::test_every_row_passes"
LIMIT = 300
PYTEST = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--no-header", "--tb=no"]


class Mutation(NamedTuple):
    """What becomes of the first place where `old` stands in a file, and who should notice."""

    path: str
    old: str
    new: str
    rows: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        return self.path, self.old, self.new

    @property
    def room(self) -> str:
        return Path(self.path).parts[1]


def listed() -> Iterator[Mutation]:
    """Every mutation of the list, in its order."""
    for file in tomllib.loads((HERE / "mutations.toml").read_text())["file"]:
        for old, new, *rows in file["mutations"]:
            yield Mutation(file["path"], old, new, tuple(" ".join(rows).split()), tuple(file["tests"].split()))


def copied(root: Path, target: Path) -> None:
    """The files that git knows of, and new ones it would take."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines():
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)


def noticed(mutation: Mutation, tree: Path) -> str:
    """The row or the test that fails first in the tree as it is now, or nothing."""
    words = [*PYTEST, *(f"{ROWS}[{row}]" for row in mutation.rows), *mutation.tests]
    said, child = tree / "said.txt", get_context("fork").Process(target=tested, args=(words, tree))
    child.start()
    child.join(LIMIT)
    if child.exitcode is None:
        child.kill()
        child.join()
        return "time"
    if child.exitcode == 0:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", said.read_text(), re.MULTILINE)
    where = failed[1] if failed else "error"
    return where.removeprefix(ROWS).strip("[]") if where.startswith(ROWS) else where


def tested(words: list[str], tree: Path) -> None:
    """Run pytest in the tree, in a child that has what is slow to import, but nothing of ordain."""
    os.chdir(tree)
    os.environ["PYTHONPATH"] = str(tree)
    sys.dont_write_bytecode = True
    sys.path[:] = [str(tree), *(path for path in sys.path if not (Path(path) / "ordain").exists())]
    said = os.open("said.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(said, 1)
    os.dup2(said, 2)
    code = int(pytest.main(words))
    sys.stdout.flush()
    os._exit(code)


def tried(mutation: Mutation, tree: Path) -> dict[str, object]:
    """One row of the table; the tree is as before when it is done."""
    path, started = tree / mutation.path, time.perf_counter()
    before = path.read_text()
    if mutation.old not in before:
        raise SystemExit(f"{mutation.path} must hold what is to be mutated. Got no {mutation.old!r}. Mend the list.")
    try:
        path.write_text(before.replace(mutation.old, mutation.new, 1))
        who = noticed(mutation, tree)
    finally:
        path.write_text(before)
    line = before[: before.index(mutation.old)].count("\n") + 1
    about = [mutation.room, mutation.path, line, mutation.old, mutation.new]
    found = [" ".join(mutation.rows), " ".join(mutation.tests), who, round(time.perf_counter() - started, 1)]
    return dict(zip(FIELDS, about + found, strict=True))


def survived(row: dict[str, str]) -> bool:
    return not row["noticed"]


def kept() -> dict[tuple[str, str, str], dict[str, object]]:
    """The rows of the CSV that are still in the list."""
    if not FILE.exists():
        return {}
    with FILE.open(newline="") as file:
        rows = {(row["file"], row["old"], row["new"]): row for row in csv.DictReader(file)}
    return {mutation.key: rows[mutation.key] for mutation in listed() if mutation.key in rows}


def written(rows: dict[tuple[str, str, str], dict[str, object]]) -> None:
    with FILE.open("w", newline="") as file:
        table = csv.DictWriter(file, FIELDS)
        table.writeheader()
        table.writerows(rows[mutation.key] for mutation in listed() if mutation.key in rows)


def wanted(only: list[str], done: dict[tuple[str, str, str], dict[str, object]]) -> list[Mutation]:
    """What is to be tried: all that is not there yet, or what `only` names, again."""
    if not only:
        return [mutation for mutation in listed() if mutation.key not in done]
    lost = {key for key, row in done.items() if survived(row)} if "survived" in only else set()
    return [m for m in listed() if m.key in lost or any(word in m.path for word in only)]


def told(rows: dict[tuple[str, str, str], dict[str, object]]) -> None:
    """Mutations, those that a row or a test noticed first, and survivors, for each room."""
    for room, count in Counter(row["room"] for row in rows.values()).items():
        here = [row for row in rows.values() if row["room"] == room]
        by_row = sum(row["noticed"] in str(row["rows"]).split() for row in here)
        lost = sum(map(survived, here))
        rest = f"{by_row:>4} by a row{count - by_row - lost:>4} by a test{lost:>4} survivors"
        print(f"{room:<12}{count:>4}{rest}, {sum(bool(row['rows']) for row in here)} with rows")
    print(f"{len(rows)} of {sum(1 for _ in listed())} mutations, {sum(map(survived, rows.values()))} survivors")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--only", action="append", default=[])
    words.add_argument("--list", action="store_true")
    asked, rows = words.parse_args(), kept()
    if asked.list:
        return told(rows)
    healthy: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}
    with tempfile.TemporaryDirectory() as folder:
        copied(HERE.parent, tree := Path(folder))
        for mutation in wanted(asked.only, rows):
            for who in ((mutation.rows, ()), ((), mutation.tests)):
                if any(who) and who not in healthy:
                    healthy[who] = noticed(mutation._replace(rows=who[0], tests=who[1]), tree)
            if bad := healthy.get((mutation.rows, ())) or healthy[(), mutation.tests]:
                print(f"not tried, as unmutated {bad} fails: {mutation.path}", flush=True)
                continue
            rows[mutation.key] = tried(mutation, tree)
            written(rows)
            found = rows[mutation.key]
            print(found["noticed"] or "SURVIVED", found["seconds"], mutation.path, mutation.new, flush=True)
    told(rows)


if __name__ == "__main__":
    main()
