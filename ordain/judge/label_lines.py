"""Orders written as labels: a chain such as ``C > A = B``, letters in a line, or a line for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

from ordain.judge.verdict import NOUN

Levels = list[list[str]]
"""Labels from the best to the worst, each level those that are equal."""

LABEL = (
    rf"(?:(?i:{NOUN})\s+)?(?<![\w'-])(?:\([A-Za-z]\)|\[[A-Za-z]\]|[A-Za-z])(?![\w'])"
    r"(?!(?<=[AaIi])\s+(?!(?:because|since|as|and|then)\b)[a-z])"
)
"""A single letter; "A" and "I" before a further word are words themselves."""

_STEP = r"\s*(?:[-=]*>+|≻|→|⇒|,\s*then\b|\bthen\b|,\s*and\b|\band\b|[,;]|={1,2}|[~≈])\s*"
_REMARK = r"(?:\s*\([^()\n]{2,80}\))?"

CHAIN = re.compile(rf"{LABEL}{_REMARK}(?:{_STEP}{LABEL}{_REMARK})+")
"""Labels with signs between them."""

CHAIN_LINE = re.compile(rf"(?m)^[^\w\n<\[]*(?P<chain>{CHAIN.pattern})[^\w\n<]*$")
"""A line with nothing but a chain."""

TIE = re.compile(r"[=~≈]+")
"""The signs between labels that are equal."""

ARROW = re.compile(r"[>≻→⇒]|then")
"""The signs that stand before a worse one and nowhere else."""

_LETTERS = re.compile(r"(?m)[A-Z](?: [A-Z])+(?=[ .]*$)")
_LINE = re.compile(
    r"[\s|]*(?:[-•·‣–][ \t]+)?(?:(?i:(?:rank|place|number|no\.?)\s*|#\s*|\()?(?P<number>\d{1,2})(?:st|nd|rd|th)?"
    rf"(?:\s+place)?\s*[.):\]|–—-]*\s*)?(?P<labels>{LABEL}(?:\s*[=~≈]\s*{LABEL})*)"
    rf"(?!\s*[,;/&]\s*{LABEL})(?:(?P<rest>\s*[.:)\],;|–—(-].*)|\s*)"
)
_ON_ONE_LINE = re.compile(rf"[,;]?[ \t]+(?=\(?\d{{1,2}}[.)][ \t]*{LABEL})")


@dataclass(frozen=True)
class Row:
    """A line that names a label, or several that are equal: with its number, and whether it says more."""

    number: int | None
    labels: list[str]
    remark: bool


def label_of(part: str) -> str:
    """The letter in a label."""
    return re.findall(r"(?<!\w)[A-Za-z](?!\w)", part)[-1].upper()


def chain_levels(plain: str, start: int) -> Levels | None:
    """The levels of a chain that begins here."""
    chain = CHAIN.match(plain, start)
    return levels_of_chain(chain[0]) if chain else None


def letters_levels(plain: str, start: int) -> Levels | None:
    """The levels of a line of capital letters with blanks between them that begins here."""
    letters = _LETTERS.match(plain, start)
    return [[letter] for letter in letters[0].split()] if letters else None


def levels_of_chain(chain: str) -> Levels | None:
    """The levels of labels with signs between them; None where > and commas are mixed, or "and" is all there is.

    Examples
    --------
    >>> levels_of_chain("C > A = B")
    [['C'], ['A', 'B']]
    """
    chain = re.sub(r"\([^()\n]{2,80}\)", "", chain)
    first, *others = re.split(f"({_STEP})", chain)
    steps, labels = [step.strip() for step in others[::2]], others[1::2]
    arrows, commas = (
        any(map(ARROW.search, steps)),
        any(step[:1] in (",", ";") and "then" not in step for step in steps),
    )
    ands = [step for step in steps if step.endswith("and")]
    if (arrows and (commas or ands)) or len(ands) > 1 or (ands and not (commas and steps[-1] == ands[0])):
        return None
    levels = [[label_of(first)]]
    for step, label in zip(steps, labels, strict=True):
        if TIE.fullmatch(step):
            levels[-1].append(label_of(label))
        else:
            levels.append([label_of(label)])
    return levels


def rows_of(plain: str) -> list[Row | None]:
    """A row for each line that is not blank, None for one that names no label."""
    return [row_of(line) for line in _ON_ONE_LINE.sub("\n", plain).splitlines() if line.strip()]


def row_of(line: str) -> Row | None:
    """What a line names, if it begins with a label.

    Examples
    --------
    >>> row_of("2. A = C: they burn")
    Row(number=2, labels=['A', 'C'], remark=True)
    """
    match = _LINE.fullmatch(line)
    if not match:
        return None
    labels = [label_of(part) for part in TIE.split(match["labels"])]
    number = None if match["number"] is None else int(match["number"])
    return Row(number, labels, bool(re.search(r"\w", match["rest"] or "")))


def runs_of(rows: list[Row | None], *, headed: bool) -> Iterator[Levels]:
    """Orders in lines: numbered ones, whatever stands between them, and lines with nothing but labels.

    After a heading the order begins with the next line, and lines without a number may say more than their label.
    """
    first = rows[0] if rows else None
    if not headed or (first and first.number is not None):
        yield from _numbered_runs([row for row in rows if row and row.number is not None])
    if headed and not first:
        return
    for alone, run in groupby(rows, lambda row: bool(row and row.number is None and (headed or not row.remark))):
        levels = [row.labels for row in run if row]
        if alone and len(levels) > 1:
            yield levels


def _numbered_runs(rows: list[Row]) -> Iterator[Levels]:
    """Orders by numbers from 1 up; equal numbers are a tie, unless all are, as lazy lists are."""
    starts = [place for place, row in enumerate(rows) if not place or (row.number or 0) < (rows[place - 1].number or 0)]
    for start, end in pairwise([*starts, len(rows)]):
        levels: dict[int, list[str]] = {}
        for row in rows[start:end]:
            levels.setdefault(row.number or 0, []).extend(row.labels)
        if len(levels) > 1 and min(levels) == 1:
            yield list(levels.values())
