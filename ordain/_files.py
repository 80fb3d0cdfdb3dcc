"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def check_place(path: str | os.PathLike[str], force: bool = False) -> None:
    """Refuse, before any work, a place where :func:`whole` could not write."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        raise ValueError(f"{path} must be a file. It is a folder. Name a file in it.")
    if os.path.exists(target) and not os.path.isfile(target):
        raise ValueError(f"{path} must be a regular file. It is a device or a pipe. Choose another name.")
    if os.path.exists(target) and not force:
        raise ValueError(f"{path} exists. Add --force to replace it, or choose another name.")
    if not os.path.isdir(folder):
        raise ValueError(f"{path} must lie in an existing folder. There is no {folder}. Make it first.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError(f"{path} must lie in a folder that may be written to. {folder} may not. Choose another.")


@contextmanager
def whole(path: str | os.PathLike[str], force: bool = False) -> Iterator[IO[bytes]]:
    """A new file beside `path` that takes its place at the end; nothing is left behind if that is not reached."""
    check_place(path, force)
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if force:
            os.replace(part, target)
        else:
            _placed(part, target, path)
    finally:
        part.unlink(missing_ok=True)


def _placed(part: Path, target: Path, path: str | os.PathLike[str]) -> None:
    """Give the file its name, unless the name was taken meanwhile."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise ValueError(f"{path} exists. Add --force to replace it, or choose another name.") from None
    except OSError:  # a file system without links
        os.replace(part, target)
