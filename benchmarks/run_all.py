"""Run every script of this folder, those with other packages in environments of their own: `make benchmarks`.

    python benchmarks/run_all.py --data ../shared/data            what takes long in its short form
    python benchmarks/run_all.py --data ../shared/data --whole    everything as the CSV files here were made; a day
    python benchmarks/run_all.py --data ../shared/data --again auc_speed choice

The table runs.toml says what is run and how. A script in its whole form writes its CSV files; one in its short form
shows that it still works, what it writes is thrown away, and the CSV files of the last whole run stay. A script whose
last whole run was with the same text and arguments is left out, unless `--again`: runs.csv has the day, the minutes and
a hash of both. What ordain itself has become since then is not looked at.

Ctrl-C or a kill stops it at any time; the next call goes on. CSV files are put aside while their script runs, in
.made/before, and come back if it does not end well; what it had written is in .made/part and is gone on with.
What scripts print is in .made/NAME.txt too. Last, table.py puts the figures into README.md and docs/.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from peers import python_of

HERE = Path(__file__).parent
MADE, RECORD, SHORT = HERE / ".made", HERE / "runs.csv", HERE / ".made" / "short.csv"
FIELDS = ["script", "arguments", "code", "day", "minutes"]


@dataclass(frozen=True)
class Run:
    """A script, how it is called, and what it writes."""

    script: str
    arguments: str
    whole: bool
    writes: list[str]
    peers: str | None = None
    keeps: bool = False

    @property
    def path(self) -> Path:
        return HERE / f"{self.script}.py"

    @property
    def code(self) -> str:
        """A hash of the script's text and its arguments."""
        return hashlib.sha256(self.path.read_bytes() + self.arguments.encode()).hexdigest()[:12]

    @property
    def files(self) -> list[str]:
        return [f"{name}.csv" for name in self.writes]

    @property
    def record(self) -> Path:
        """Where it is written down that it was run."""
        return RECORD if self.whole else SHORT


def runs(whole: bool) -> list[Run]:
    """The table, each script in its whole form or, if it has one and not all is asked for, in its short one."""
    found = []
    for script, of in tomllib.loads((HERE / "runs.toml").read_text()).items():
        all_of_it = whole or "short" not in of
        arguments = of.get("whole", "") if all_of_it else of["short"]
        writes = of.get("writes", [script])
        found.append(Run(script, arguments, all_of_it, writes, of.get("peers"), of.get("keeps", False)))
    return found


def recorded(path: Path) -> dict[str, dict[str, str]]:
    """The last run of each script."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {row["script"]: row for row in csv.DictReader(file)}


def record(run: Run, minutes: float) -> None:
    """Write down that a script was run."""
    rows = recorded(run.record)
    told = [run.script, run.arguments, run.code, date.today().isoformat(), f"{minutes:.1f}"]
    rows[run.script] = dict(zip(FIELDS, told, strict=True))
    with run.record.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows))


def moved(files: list[str], source: Path, target: Path, copy: bool = False) -> None:
    """Those of the files that are there, to another folder."""
    target.mkdir(parents=True, exist_ok=True)
    for name in files:
        if (source / name).exists():
            (shutil.copy if copy else shutil.move)(source / name, target / name)


def put_back(tag: str, files: list[str]) -> None:
    """CSV files as they were before a run; what a whole run has written of them is kept for the next time."""
    if not tag.endswith("-short"):
        moved(files, HERE, MADE / "part" / tag)
    moved(files, MADE / "before" / tag, HERE)


@contextmanager
def put_aside(run: Run) -> Iterator[None]:
    """The run's CSV files out of its way, and back again unless it is whole and ends well."""
    tag = f"{run.script}-{run.code if run.whole else 'short'}"
    moved(run.files, HERE, MADE / "before" / tag, copy=run.keeps and run.whole)
    moved(run.files, MADE / "part" / tag, HERE)
    ended = False
    try:
        yield
        ended = True
    finally:
        if not (ended and run.whole):
            put_back(tag, run.files)
        shutil.rmtree(MADE / "before" / tag)


def carried_out(run: Run, data: Path | None) -> None:
    """The script, its output on the screen and in a file; an error if it does not end well."""
    arguments = [str(data.resolve()) if word == "DATA" and data else word for word in run.arguments.split()]
    python = python_of(run.peers) if run.peers else sys.executable
    with (MADE / f"{run.script}.txt").open("w") as log, put_aside(run):
        words = [python, "-u", str(run.path), *arguments]
        child = subprocess.Popen(words, cwd=HERE.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for line in child.stdout or ():
                log.write(line)
                print("    " + line, end="", flush=True)
        except BaseException:
            child.terminate()
            raise
        finally:
            child.wait()
        if child.returncode:
            raise RuntimeError(f"{run.script} ended with {child.returncode}; what it said is in {log.name}")


def left_out(run: Run, options: argparse.Namespace) -> str:
    """Why a run is not needed or cannot be, or nothing."""
    if "DATA" in run.arguments.split() and options.data is None:
        return "it needs --data"
    last = recorded(run.record).get(run.script)
    return f"done on {last['day']}" if last and last["code"] == run.code and not options.again else ""


def asked() -> argparse.Namespace:
    """What was typed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with binary/, graded/, pairs/ and text/")
    parser.add_argument("--whole", action="store_true", help="nothing in a short form; most of a day")
    parser.add_argument("--again", action="store_true", help="also what was run with the same script and arguments")
    parser.add_argument("names", nargs="*", help="these scripts, all of them without")
    options = parser.parse_args()
    if unknown := {*options.names} - {run.script for run in runs(whole=True)}:
        parser.error(f"names must be of runs.toml. Got {', '.join(sorted(unknown))}.")
    return options


def ended_well(run: Run, data: Path | None) -> bool:
    """Whether a script was run, and if so, how long it took."""
    began = time.monotonic()
    try:
        carried_out(run, data)
    except (RuntimeError, subprocess.CalledProcessError) as error:
        print(f"    {error}", flush=True)
        return False
    record(run, minutes := (time.monotonic() - began) / 60)
    print(f"    {minutes:.1f} minutes", flush=True)
    return True


def main() -> int:
    options = asked()
    MADE.mkdir(exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the script is ended too
    for folder in (MADE / "before").glob("*"):  # of a call that was killed
        put_back(folder.name, [path.name for path in folder.iterdir()])
        shutil.rmtree(folder)
    failed, table = [], [run for run in runs(options.whole) if not options.names or run.script in options.names]
    for number, run in enumerate(table, 1):
        told = f"[{number} of {len(table)}] {run.script} {run.arguments}".rstrip()
        if why := left_out(run, options):
            print(f"{told}: left out, {why}")
            continue
        print(f"{told}{'' if run.whole else ' (short form)'}", flush=True)
        if not ended_well(run, options.data):
            failed.append(run.script)
    subprocess.run([sys.executable, HERE / "table.py", "--write"], check=True)
    print(
        f"{len(failed)} failed: {', '.join(failed)}" if failed else "All done; the tables of the pages are up to date."
    )
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
