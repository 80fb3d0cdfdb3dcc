"""`ordain export`: a run's questions and answers as votes."""

from __future__ import annotations

from ordain._files import whole
from ordain.commands.console import say
from ordain.judge.exported import as_lines
from ordain.judge.run import Run


def run(place: str, *, out: str = "-", force: bool = False) -> None:
    """Write the votes."""
    if out != "-" and not out.endswith((".jsonl", ".ndjson")):
        raise ValueError(f"{out} must end in .jsonl, as votes are lines of JSON. Choose such a name, or - for here.")
    with Run.look(place) as found:
        lines = [f"{line}\n" for line in as_lines(found.store)]
    if not lines:
        raise ValueError(f"the run {place} must have an answer to export. It has none yet. Start it first.")
    if out == "-":
        print("".join(lines), end="")
        return
    with whole(out, force) as file:
        file.writelines(line.encode() for line in lines)
    say(f"{len(lines):,} votes are in {out}. A board of them: ordain rank {out}")
