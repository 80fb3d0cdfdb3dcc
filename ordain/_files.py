"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

ROOM = 65536
"""Bytes: a disk with fewer is full."""


class DiskFull(OSError):  # noqa: N818
    """A file could not be written whole; the message says which disk is full, in one line."""


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


def check_parts(path: str | os.PathLike[str], force: bool = False) -> None:
    """Refuse, before any work, a place where :func:`whole_parts` could not put a folder; only parts are replaced."""
    target = os.path.realpath(path)
    if not os.path.isdir(target):
        check_place(path)
        return
    if not force:
        raise ValueError(f"{path} exists. Add --force to replace it, or choose another name.")
    if other := sorted(name for name in os.listdir(target) if not name.endswith(".parquet")):
        got = f"It has {other[0]!r} too"
        raise ValueError(f"{path} must hold Parquet files only, to be replaced. {got}. Choose another name.")


@contextmanager
def whole_parts(path: str | os.PathLike[str], force: bool = False) -> Iterator[Path]:
    """A new folder beside `path` that takes its place at the end; nothing is left behind if that is not reached.

    Parts that were begun by :func:`whole`, and whose process was killed, are not of it.
    """
    check_parts(path, force)
    target = Path(os.path.realpath(path))
    work, old = (target.with_name(f".{secrets.token_hex(8)}.{kind}") for kind in ("part", "old"))
    work.mkdir()
    try:
        yield work
        for begun in work.glob(".*.part"):
            begun.unlink()
        if target.is_dir():
            target.rename(old)
        work.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


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
    except Exception as error:
        if _no_space(error):
            raise DiskFull(_full(path, target.parent)) from error
        raise
    finally:
        part.unlink(missing_ok=True)


def _no_space(error: Exception) -> bool:
    """Whether a disk is full; polars has an error of its own for it, and says so."""
    known = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    return known or "No space left on device" in str(error)


def _full(path: str | os.PathLike[str], folder: Path) -> str:
    """Which disk is full: that of the file, or the one for what is kept meanwhile."""
    if shutil.disk_usage(folder).free < ROOM:
        return f"{path} must fit on its disk. It is full, and nothing was written. Make room, or choose another place."
    meanwhile = tempfile.gettempdir()
    return f"{meanwhile} must hold what is kept meanwhile. It is full. Make room, or name another folder by TMPDIR."


def _placed(part: Path, target: Path, path: str | os.PathLike[str]) -> None:
    """Give the file its name, unless the name was taken meanwhile."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise ValueError(f"{path} exists. Add --force to replace it, or choose another name.") from None
    except OSError:  # a file system without links
        os.replace(part, target)
