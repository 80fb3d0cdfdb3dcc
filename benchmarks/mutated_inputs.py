"""Every command that reads a file, on files that were damaged at random: what it says, and what it leaves behind.

    python benchmarks/mutated_inputs.py                        1,000 files a command, appended to mutated_inputs.csv
    python benchmarks/mutated_inputs.py --count 50 rank fit    fifty, for these two

A file that the command takes is damaged in one to three ways: bytes flipped, put in or taken out, the end cut off,
lines lost, doubled or swapped, cells replaced by numbers that are enormous, by text, by nothing, columns renamed,
another encoding for all of it or for a part. The command must end with 0 and write its output whole, or with 2, one
line on standard error and no file; within a minute and 1 GB, and without a traceback. All else is *wrong*, with what
there was to see and the seed that makes the file again: `--show fit:csv:17` prints how it was damaged and what the
command said.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import gzip
import io
import json
import os
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

FILE = Path(__file__).with_suffix(".csv")
FIELDS = ["command", "form", "files", "taken", "refused", "wrong", "slowest_s", "most_mb", "seeds"]
SECONDS, MEGABYTES = 60, 1024
"""What a command may take at most."""
WORDS = [
    "1e400", "-1e308", "9" * 400, "nan", "inf", "-inf", "", " ", "NULL", "0x10", "1,5", "1.234.567", "1/2", "½", "٣",
    "1_000", "TRUE", "=1+1", "2024-02-30", "31.12.1999", "12:61", '"', '""', "'", ",", ";", "\t", "\x00", "\ufeff",
    "\u202e", "é" * 50, "😀", "x" * 5000, "a\nb", "{", "[1, 2]", '{"a": 1}', "left", "right", "tie", "-0", "1e-320",
]  # fmt: skip
ENCODINGS = ["utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252", "utf-8-sig", "utf-32", "shift_jis", "cp037"]


def flipped(data: bytes, rng: np.random.Generator) -> bytes:
    """Some bytes with another bit."""
    found = bytearray(data)
    for place in rng.integers(0, len(found), rng.choice([1, 3, 30])):
        found[place] ^= 1 << int(rng.integers(8))
    return bytes(found)


def put_in(data: bytes, rng: np.random.Generator) -> bytes:
    """A few bytes somewhere."""
    place, what = (
        int(rng.integers(len(data) + 1)),
        [b"\x00", b"\xff", b'"', b"\n", b"\r", b",", b"\xef\xbb\xbf", b"\x1a", rng.bytes(20)],
    )
    return data[:place] + what[int(rng.integers(len(what)))] + data[place:]


def taken_out(data: bytes, rng: np.random.Generator) -> bytes:
    """Without some bytes in the middle."""
    start = int(rng.integers(len(data)))
    return data[:start] + data[start + int(rng.choice([1, 5, 100])) :]


def cut_off(data: bytes, rng: np.random.Generator) -> bytes:
    """The beginning of the file."""
    return data[: int(rng.integers(len(data)))]


def lines_moved(data: bytes, rng: np.random.Generator) -> bytes:
    """A line lost, doubled, swapped with another or put first."""
    lines = data.splitlines(keepends=True)
    a, b = (int(k) for k in rng.integers(0, len(lines), 2))
    match int(rng.integers(4)):
        case 0:
            del lines[a]
        case 1:
            lines[a:a] = [lines[b]] * int(rng.choice([1, 50]))
        case 2:
            lines[a], lines[b] = lines[b], lines[a]
        case _:
            lines.insert(0, lines.pop(a))
    return b"".join(lines)


def cells_replaced(data: bytes, rng: np.random.Generator) -> bytes:
    """Between two separators something else; in the first line that renames a column."""
    separator = b"," if data.count(b",") >= data.count(b":") else b":"
    cells = data.split(separator)
    for place in rng.integers(0, len(cells), rng.choice([1, 2, 20])):
        cells[place] = str(rng.choice(WORDS)).encode() + (b"\n" if b"\n" in cells[place] else b"")
    return separator.join(cells)


def column_filled(data: bytes, rng: np.random.Generator) -> bytes:
    """The same value in every line of a column."""
    lines = [line.split(b",") for line in data.split(b"\n")]
    column, value = int(rng.integers(len(lines[0]))), str(rng.choice(WORDS)).encode()
    return b"\n".join(b",".join([*line[:column], value, *line[column + 1 :]]) for line in lines)


def encoded(data: bytes, rng: np.random.Generator) -> bytes:
    """All of it, or the rest from somewhere on, in another encoding."""
    start = int(rng.choice([0, rng.integers(len(data))]))
    text = data[start:].decode("utf-8", "replace")
    return data[:start] + text.encode(str(rng.choice(ENCODINGS)), "replace")


BYTES = [flipped, put_in, taken_out, cut_off]
TEXT = [*BYTES, lines_moved, cells_replaced, cells_replaced, column_filled, encoded]


def damaged(data: bytes, seed: int, ways: list[Callable[..., bytes]]) -> tuple[bytes, list[str]]:
    """Data damaged in one to three ways, and their names."""
    rng, names = np.random.default_rng(seed), []
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        way = ways[int(rng.integers(len(ways)))]
        if data:
            data = way(data, rng)
            names.append(way.__name__)
    return data, names


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


def written(table: pl.DataFrame, form: str) -> bytes:
    """A table as the bytes of a file."""
    if form in ("csv", "csv.gz"):
        data = table.write_csv().encode()
        return gzip.compress(data, mtime=0) if form == "csv.gz" else data
    buffer = io.BytesIO()
    {"jsonl": table.write_ndjson, "parquet": table.write_parquet, "xlsx": table.write_excel}[form](buffer)
    return buffer.getvalue()


SOC = b"# TITLE: fruit\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: fig\n# ALTERNATIVE NAME 2: kiwi\n"
SOC += b"# ALTERNATIVE NAME 3: pear\n5: 1,2,3\n3: 2,3,1\n2: 3,{1,2}\n"
IDEAS = "".join(f"Idea number {k}: something to build, {'and more ' * (k % 4)}ünd so on\n" for k in range(12)).encode()


def model_file(folder: Path) -> bytes:
    """A model, fitted once."""
    import ordain

    ordain.fit(credit(), "bad_risk", model="linear").save(folder / "made.ordain")
    return (folder / "made.ordain").read_bytes()


def run_file(folder: Path) -> bytes:
    """A judging run with some answers."""
    from ordain.judge import Item, Run

    with Run.create(folder / "made.run", [Item(str(k), f"text {k}") for k in range(8)], "Which first?") as run:
        run.rank(lambda a, b: a.text < b.text, budget=20)
    for more in folder.glob("made.run-*"):
        more.unlink()
    return (folder / "made.run").read_bytes()


def commands(folder: Path) -> Iterator[tuple[str, str, bytes, list[str]]]:
    """Command, form of the file, its bytes, and the words of the command; FILE is the damaged file."""
    for form in ("csv", "jsonl", "parquet", "xlsx", "csv.gz"):
        yield "evaluate", form, written(scored(), form), ["evaluate", "FILE", "--label", "label", "--json"]
    yield "evaluate", "groups", written(scored(), "csv"), ["evaluate", "FILE", "--label", "label", "--group", "query"]
    yield "evaluate", "weights", written(scored(), "csv"), ["evaluate", "FILE", "--label", "label", "--weight", "w"]
    yield (
        "compare",
        "csv",
        written(scored(), "csv"),
        ["compare", "FILE", "--label", "label", "--score", "score", "--score", "other"],
    )
    for form in ("csv", "jsonl", "parquet"):
        yield (
            "fit",
            form,
            written(credit(), form),
            ["fit", "FILE", "--label", "bad_risk", "--model", "linear", "--quick", "--out", "OUT"],
        )
    model = model_file(folder)
    (folder / "good.ordain").write_bytes(model)
    good = str(folder / "good.ordain")
    for form in ("csv", "jsonl", "parquet"):
        yield "score", form, written(credit(60), form), ["score", "FILE", "--model", good, "--out", "OUT.csv"]
    (folder / "new.csv").write_bytes(written(credit(60), "csv"))
    yield "score", "ordain", model, ["score", str(folder / "new.csv"), "--model", "FILE", "--out", "OUT.csv"]
    yield "explain", "ordain", model, ["explain", "FILE"]
    yield "report", "csv", written(scored(), "csv"), ["report", "FILE", "--label", "label", "--out", "OUT.html"]
    for form in ("csv", "jsonl", "parquet", "csv.gz"):
        yield "rank", form, written(votes(), form), ["rank", "FILE", "--judge", "judge", "--out", "OUT.csv"]
    yield "rank", "soc", SOC, ["rank", "FILE", "--out", "OUT.csv"]
    asking = [
        "--ask",
        "Which first?",
        "--llm",
        "http://127.0.0.1:9/v1",
        "--model",
        "m",
        "--dry-run",
        "--out",
        "OUT.csv",
    ]
    yield "judge", "txt", IDEAS, ["judge", "FILE", *asking]
    for form in ("csv", "jsonl"):
        yield (
            "judge",
            form,
            written(pl.DataFrame({"id": range(12), "text": IDEAS.decode().splitlines()}), form),
            ["judge", "FILE", *asking],
        )
    run = run_file(folder)
    yield "status", "run", run, ["status", "FILE"]
    yield "export", "run", run, ["export", "FILE", "--out", "OUT.jsonl"]


def called(words: list[str]) -> tuple[Any, str, str]:
    """Exit code and output of a command, in this process."""
    from ordain.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(words)
            code: Any = 0
        except SystemExit as ended:
            code = ended.code or 0
        except BaseException:
            code = traceback.format_exc()
    return code, out.getvalue(), err.getvalue()


def fault(code: Any, err: str, left: list[str], seconds: float, most_mb: int) -> str:
    """What is wrong with how a command ended, or nothing."""
    if seconds > SECONDS or most_mb > MEGABYTES:
        return f"took {seconds:.0f} s and {most_mb:,} MB"
    lines = [line for line in err.splitlines() if line.startswith("ordain:")]
    if code not in (0, 2):
        return f"ended with {code}: {err}"
    if "Traceback" in err or "panicked" in err:
        return f"a traceback: {err}"
    if code == 2 and (len(lines) != 1 or not err.strip().splitlines()[-1].startswith("ordain:")):
        return f"not one line: {err}"
    if code == 2 and left:
        return f"left {left}"
    if any(name.startswith(".") or name.endswith(("tmp", "part")) for name in left):
        return f"half-written {left}"
    return ""


def peak() -> int:
    """The most megabytes that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def tried(data: bytes, form: str, words: list[str], seed: int) -> dict[str, Any]:
    """One damaged file through its command, in an empty folder."""
    ways = TEXT if form in ("csv", "jsonl", "txt", "soc", "groups", "weights") else BYTES
    bad, how = (data, []) if seed < 0 else damaged(data, seed, ways)
    ending = {"groups": "csv", "weights": "csv"}.get(form, form)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path(f"table.{ending}").write_bytes(bad)
        named = {"FILE": f"table.{ending}"}
        before, start = peak(), time.perf_counter()
        code, out, err = called([named.get(word, word) for word in words])
        taken = time.perf_counter() - start
        most = peak()
        left = sorted(set(os.listdir(".")) - {f"table.{ending}"})
        os.chdir("/")
    left = [name for name in left if not name.startswith(f"table.{ending}-")]  # SQLite's own
    return {
        "seed": seed,
        "code": code,
        "wrong": fault(code, err, left, taken, most if most > before else 0),
        "seconds": taken,
        "mb": most,
        "how": how,
        "said": (out + err)[-600:],
    }


def work(which: str, first: int, count: int, folder: Path) -> None:
    """Print a line of JSON for every seed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stdout, devnull = sys.stdout, os.open(os.devnull, os.O_WRONLY)
    for command, form, data, words in commands(folder):
        if f"{command}:{form}" == which:
            os.dup2(devnull, 2)
            for seed in range(first, first + count):
                found = tried(data, form, words, seed)
                print(json.dumps(found), file=stdout, flush=True)


def lines_of(handle: int) -> Iterator[bytes | None]:
    """The lines that come, none where none came for long; what a buffered reader holds back, `select` would not see."""
    rest = b""
    while True:
        if not select.select([handle], [], [], SECONDS + 5)[0]:
            yield None
        elif new := os.read(handle, 1 << 16):
            *lines, rest = (rest + new).split(b"\n")
            yield from lines
        else:
            return


def results(which: str, count: int) -> Iterator[dict[str, Any]]:
    """What every seed gave; a worker that dies or hangs is noted and replaced."""
    done = 0
    while done < count:
        with tempfile.TemporaryDirectory() as folder:
            line = [sys.executable, __file__, "--worker", which, str(done), str(count - done), f"{folder}/made"]
            worker = subprocess.Popen(line, stdout=subprocess.PIPE)
            assert worker.stdout
            lines, patience = lines_of(worker.stdout.fileno()), 1  # it makes its files first
            while done < count:
                text = next(lines, b"")
                if text is None and patience:
                    patience = 0
                    continue
                patience = 0
                if not text:
                    worker.kill()
                    how = "hung" if text is None else f"died with {worker.wait()}"
                    yield {"seed": done, "code": None, "wrong": how, "seconds": SECONDS, "mb": 0}
                    done += 1
                    break
                done += 1
                yield json.loads(text)
            worker.wait()


def measured(which: str, count: int) -> dict[str, Any]:
    """The line of a command and a form."""
    found = list(results(which, count))
    wrong = [one for one in found if one["wrong"]]
    for one in wrong:
        print(f"{which}:{one['seed']}: {' '.join(one['wrong'].split())[-300:]}")
    command, _, form = which.partition(":")
    return {
        "command": command, "form": form, "files": len(found), "taken": sum(one["code"] == 0 for one in found),
        "refused": sum(one["code"] == 2 for one in found), "wrong": len(wrong),
        "slowest_s": f"{max(one['seconds'] for one in found):.1f}", "most_mb": max(one["mb"] for one in found),
        "seeds": " ".join(str(one["seed"]) for one in wrong[:20]),
    }  # fmt: skip


def main() -> None:
    """Every command, or those named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--show")
    parser.add_argument("--worker", nargs=4)
    chosen = parser.parse_args()
    if chosen.worker:
        which, first, count, folder = chosen.worker
        return work(which, int(first), int(count), Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        every = [(f"{command}:{form}", data, form, words) for command, form, data, words in commands(Path(folder))]
        if chosen.show:
            which, _, seed = chosen.show.rpartition(":")
            return print(
                next(tried(data, form, words, int(seed)) for name, data, form, words in every if name == which)
            )
    with tempfile.TemporaryDirectory() as folder:
        for name, data, form, words in ((f"{c}:{f}", d, f, w) for c, f, d, w in commands(Path(folder))):
            if (whole := tried(data, form, words, -1))["code"] != 0:
                sys.exit(f"{name} must take the file as it is. Got {whole}")
    forms = {name: sum(other.split(":")[0] == name.split(":")[0] for other, *_ in every) for name, *_ in every}
    rows = []
    for name, *_ in every:
        if not chosen.names or name in chosen.names or name.split(":")[0] in chosen.names:
            rows.append(measured(name, -(-chosen.count // forms[name])))
            print(rows[-1], flush=True)
    with FILE.open("w", newline="") as file:
        table = csv.DictWriter(file, FIELDS)
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
