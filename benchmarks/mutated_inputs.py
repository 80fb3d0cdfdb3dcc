"""Every command that reads a file, on files that were damaged at random: what it says, and what it leaves behind.

    python benchmarks/mutated_inputs.py                        1,000 files a command, written to mutated_inputs.csv
    python benchmarks/mutated_inputs.py --count 50 rank fit    fifty, for these two

A file that the command takes is damaged in one to three ways: bytes flipped, put in or taken out, the end cut off,
lines lost, doubled or swapped, cells replaced by numbers that are enormous, by text, by nothing, columns renamed,
another encoding for all of it or for a part. Models and runs are also damaged *inside*: what is behind the checksums
of a model, and the cells of a run that stays a well-formed database. The command must end with 0 and write its output
whole, or with 2, one line on standard error and no file; within a minute and 1 GB, and without a traceback. All else is
*wrong*, with what there was to see and the seed that makes the file again: `--show fit:csv:17` prints how it was
damaged and what the command said. `slowest` is the seed of the file that took longest.

A language model is a scripted endpoint, and the page that people judge on is left as soon as it is there.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
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
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from damage import damaged
from damaged_commands import Given, commands

FILE = Path(__file__).with_suffix(".csv")
FIELDS = [
    "command", "form", "files", "taken", "refused", "wrong", "slowest_s", "slowest", "most_mb", "seeds",
]  # fmt: skip
SECONDS, MEGABYTES = 60, 1024
"""What a command may take at most."""


def called(words: list[str]) -> tuple[Any, str, str]:
    """Exit code and output of a command, in this process."""
    import uvicorn

    from ordain.cli import main

    out, err = io.StringIO(), io.StringIO()
    left = patch.object(uvicorn.Server, "run", lambda *nobody, **comes: None)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), left:
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


def tried(given: Given, seed: int) -> dict[str, Any]:
    """One damaged file through its command, in an empty folder."""
    bad, how = (given.data, []) if seed < 0 else damaged(given.data, seed, given.ways)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path(name := f"table.{given.ending}").write_bytes(bad)
        before, start = peak(), time.perf_counter()
        code, out, err = called([word.replace("FILE", name) for word in given.words])
        taken = time.perf_counter() - start
        most = peak()
        left = sorted(set(os.listdir(".")) - {name})
        os.chdir("/")
    left = [other for other in left if not other.startswith(f"{name}-")]  # SQLite's own
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
    every = commands(folder)  # held on to, as what they need is there as long as it is
    given = next(one for one in every if one.name == which)
    os.dup2(devnull, 2)
    for seed in range(first, first + count):
        print(json.dumps(tried(given, seed)), file=stdout, flush=True)


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
    slowest = max(found, key=lambda one: one["seconds"])
    return {
        "command": command, "form": form, "files": len(found), "taken": sum(one["code"] == 0 for one in found),
        "refused": sum(one["code"] == 2 for one in found), "wrong": len(wrong),
        "slowest_s": f"{slowest['seconds']:.1f}", "slowest": slowest["seed"],
        "most_mb": max(one["mb"] for one in found), "seeds": " ".join(str(one["seed"]) for one in wrong[:20]),
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
        if chosen.show:
            which, _, seed = chosen.show.rpartition(":")
            return print(next(tried(one, int(seed)) for one in commands(Path(folder)) if one.name == which))
        every = []
        for one in commands(Path(folder)):
            every.append(one.name)
            if (whole := tried(one, -1))["code"] != 0:
                sys.exit(f"{one.name} must take the file as it is. Got {whole}")
    forms = Counter(name.split(":")[0] for name in every)
    rows = []
    for name in every:
        command = name.split(":")[0]
        if not chosen.names or name in chosen.names or command in chosen.names:
            rows.append(measured(name, -(-chosen.count // forms[command])))
            print(rows[-1], flush=True)
    with FILE.open("w", newline="") as file:
        table = csv.DictWriter(file, FIELDS)
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
