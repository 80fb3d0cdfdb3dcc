"""How much memory there is, so that a table that cannot fit is refused before it is read and not in the middle."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MEGABYTE = 1 << 20
GROUPS, OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
"""Where Linux keeps its control groups, which containers are, and where it says in which of them this process is."""

ADDRESSES = 2 << 30
"""Bytes of addresses, which are not memory, that the largest command takes on two cores; 1.75 GB are too few."""


class TooLittleMemory(MemoryError):  # noqa: N818
    """There is less than a command needs at least; the message says what to do, in one line."""


def check_addresses() -> None:
    """Refuse, before polars is loaded, an address space in which its threads cannot start: it spins then, or aborts."""
    limits = [limit for limit, used in _own_limits() if used == "VmSize"] if sys.platform.startswith("linux") else []
    if limits and limits[0] < ADDRESSES:
        raise TooLittleMemory(
            f"ulimit -v must allow {ADDRESSES // MEGABYTE:,} MB of addresses, most of which are never used. It allows "
            f"{limits[0] // MEGABYTE:,} MB. Raise it: ulimit -v {ADDRESSES // 1024}"
        )


def check_memory(path: object, times: float, instead: str) -> None:
    """Refuse a file, if it is one, that takes more memory than there is: at least so many times its size."""
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        return
    need, there = times * os.path.getsize(path), available()
    if there is not None and need > there:
        raise TooLittleMemory(
            f"{path} must fit into memory. Tables of its size need {need / MEGABYTE:,.0f} MB or more, and "
            f"{there // MEGABYTE:,} MB are free. {instead}"
        )


def available() -> int | None:
    """Bytes that this process may still take, by the machine, its container and `ulimit`; None where nobody says."""
    if not sys.platform.startswith("linux"):
        return None
    own = _kilobytes("/proc/self/status")
    rooms = [_kilobytes("/proc/meminfo").get("MemAvailable")]
    rooms += list(rooms_of_groups(own["VmRSS"]))
    rooms += [limit - own[used] for limit, used in _own_limits()]
    return min((max(room, 0) for room in rooms if room is not None), default=None)


def rooms_of_groups(own: int, where: Path = OWN_GROUPS, groups: Path = GROUPS) -> Iterator[int]:
    """Bytes left in the control group of this process and in each that this lies in; what files keep can be given back.

    Groups of version 2 are in one tree, for which no kind is named; those of version 1 have a tree for each kind.
    """
    for line in where.read_text().splitlines() if where.exists() else []:
        _, kinds, path = line.split(":", 2)
        if kinds and "memory" not in kinds.split(","):
            continue
        tree = groups / "memory" if kinds else groups
        limit_in, used_in = ("memory.limit_in_bytes", "total_rss") if kinds else ("memory.max", "anon")
        for group in (PurePosixPath(path), *PurePosixPath(path).parents):
            folder = tree / str(group).lstrip("/")
            if (limit := _limit(folder / limit_in)) is not None:
                yield limit - _statistics(folder / "memory.stat").get(used_in, own)


def _statistics(place: Path) -> dict[str, int]:
    """Name → number, of the lines of a file; empty if it is not there."""
    try:
        return {name: int(number) for name, number in map(str.split, place.read_text().splitlines())}
    except (OSError, ValueError):
        return {}


def _kilobytes(place: str) -> dict[str, int]:
    """Name → bytes, of the lines of a file that end in kB."""
    lines = (line.split() for line in Path(place).read_text().splitlines() if line.endswith("kB"))
    return {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines}


def _limit(place: Path) -> int | None:
    """The number in a file; none if it is not there or says max."""
    try:
        return int(place.read_text())
    except (OSError, ValueError):
        return None


def _own_limits() -> list[tuple[int, str]]:
    """What `ulimit -d` and `ulimit -v` allow, and what counts for each."""
    import resource  # not on every system

    kinds = ((resource.RLIMIT_DATA, "VmData"), (resource.RLIMIT_AS, "VmSize"))
    found = ((resource.getrlimit(kind)[0], used) for kind, used in kinds)
    return [(limit, used) for limit, used in found if limit != resource.RLIM_INFINITY]
