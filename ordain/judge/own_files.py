"""Files that a run wrote, which it may replace when it goes on: those that are still as it left them."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from ordain.judge.run import Run
from ordain.judge.store import Store

RUN = 0
"""The number under which a run, and no plan of it, settles something."""


def remember(store: Store, path: str | None) -> None:
    """Note in the run that it wrote a file."""
    if path is not None and (name := _mark(path)) is not None:
        store.decide(RUN, name, True)


def may_replace(store: Store, path: str, force: bool) -> bool:
    """Whether a file may be replaced: where that was said, or the run wrote it and nobody changed it since."""
    return force or (RUN, _mark(path) or "") in store.decisions


def may_replace_before(place: str, path: str, force: bool) -> bool:
    """The same before the run is open; a file that is no run, or cannot be read now, wrote nothing."""
    if force or not Path(place).exists() or not Path(path).is_file():
        return force
    with suppress(ValueError, OSError), Run.look(place) as found:
        return may_replace(found.store, path, force)
    return False


def _mark(path: str) -> str | None:
    """What tells a file as it is now: its place and its content."""
    if path == "-" or not os.path.isfile(path):
        return None
    return f"wrote {os.path.realpath(path)} {hashlib.sha256(Path(path).read_bytes()).hexdigest()}"
