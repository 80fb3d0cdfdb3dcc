"""Several commands one after the other in one process, each as `python -m ordain` runs it, with an output of its own.

As a script it is given the folder for these outputs and, as JSON, the words of the commands.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from ordain.__main__ import main

ROOT = Path(__file__).parents[2]


class Ended(NamedTuple):
    """Its exit code, none where the process did not get so far, and what it printed."""

    code: int | None
    out: bytes
    err: bytes


def in_turn(commands, folder, before=(), reader=True, known=os.environ, **settings):
    """Name → how that command ended, in a process with these words before it; without a reader nobody takes output."""
    with tempfile.TemporaryDirectory() as kept:
        script = [
            sys.executable,
            __file__,
            kept,
            json.dumps([*map(list, commands.values())], ensure_ascii=False),
            *["gone"] * (not reader),
        ]
        known = known | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""} | settings
        done = subprocess.run([*before, *script], cwd=folder, env=known, capture_output=True, timeout=600)
        assert (done.stdout, done.stderr) == (b"", b"")
        return {name: Ended(*_read(Path(kept), place)) for place, name in enumerate(commands)}


def _read(kept, place):
    for what in ("code", "out", "err"):
        file = kept / f"{place}.{what}"
        data = file.read_bytes() if file.exists() else b""
        yield data if what != "code" else int(data) if data else None


def _turned(descriptor, file):
    os.dup2(file, descriptor)
    os.close(file)


def _nobody():
    read_end, write_end = os.pipe()
    os.close(read_end)
    return write_end


def _run(kept, commands, gone):
    out, err, errors = sys.stdout, sys.stderr, sys.stdout.errors
    for place, words in enumerate(commands):
        made = os.O_WRONLY | os.O_CREAT
        _turned(1, _nobody() if gone else os.open(kept / f"{place}.out", made))
        _turned(2, os.open(kept / f"{place}.err", made))
        sys.argv = ["ordain", *words]
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code or 0
        sys.stdout.flush()
        sys.stderr.flush()
        _turned(1, os.open(os.devnull, os.O_WRONLY))
        out.reconfigure(errors=errors)  # this lets go of what nobody took
        sys.stdout, sys.stderr = out, err
        (kept / f"{place}.code").write_text(str(code))


if __name__ == "__main__":
    _run(Path(sys.argv[1]), json.loads(sys.argv[2]), len(sys.argv) > 3)
