"""Ballots as PrefLib keeps them, as a table: how many people cast each ballot, and its order as JSON.

A line `# ALTERNATIVE NAME 3: x` names an alternative, and `12: 3,{1,2},4` says that 12 people put 3 first, then 1 and 2
level, then 4.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ordain.tables.messages import shown
from ordain.tables.raw import blocks
from ordain.tables.source import Source

COLUMNS = ("count", "order")
"""What the columns of such a table are called."""

_NAME = re.compile(r"#\s*ALTERNATIVE NAME\s+([0-9]+)\s*:\s*(.*?)\s*$", re.IGNORECASE)
_BALLOT = re.compile(r"\s*([0-9]+)\s*:\s*(.*?)\s*$")
_LEVEL = re.compile(r"\{([0-9,\s]*)\}|([0-9]+)")


def ballot_rows(source: Source) -> Iterator[tuple[str, str, str]]:
    """The place of each ballot, its count, and its order as JSON."""
    names: dict[str, str] = {}
    for block in blocks(source, quoted=False):
        for index, line in enumerate(block.data.decode().split("\n")[:-1]):
            if found := _NAME.match(line):
                names[found[1]] = found[2]
            elif line.strip() and not line.startswith("#"):
                yield block.where(index), *_ballot(line, names, block.where(index))


def _ballot(line: str, names: dict[str, str], place: str) -> tuple[str, str]:
    """The count and the order of one line."""
    found = _BALLOT.match(line)
    if not found or re.sub(r"[\s,]", "", _LEVEL.sub("", found[2])):
        hint = "Write how many, a colon and the order, such as 12: 3,{1,2},4"
        raise ValueError(f"{place}: must be a ballot of PrefLib. Got {shown(line)}. {hint}.")
    levels = [re.findall("[0-9]+", together or alone) for together, alone in _LEVEL.findall(found[2])]
    for number in (number for level in levels for number in level):
        if number not in names:
            hint = f"Add a line # ALTERNATIVE NAME {number}: …"
            raise ValueError(f"{place}: every alternative must have a name. Got {number}, which has none. {hint}")
    return found[1], json.dumps([[names[number] for number in level] for level in levels if level], ensure_ascii=False)
