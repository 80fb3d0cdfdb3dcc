"""Files of votes → :class:`Votes`, and sentences on what was understood."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ordain.tables.frames import Table
from ordain.tables.reading import Reading
from ordain.votes.cast_votes import Votes
from ordain.votes.counted_votes import CountedVotes
from ordain.votes.exports import Named
from ordain.votes.vote_file import VoteFile
from ordain.votes.vote_notices import vote_notices


def read_votes(
    files: Sequence[Table],
    *,
    left: str | None = None,
    right: str | None = None,
    winner: str | None = None,
    loser: str | None = None,
    left_score: str | None = None,
    right_score: str | None = None,
    order: str | None = None,
    ties: Sequence[str] = (),
    weight: str | None = None,
    judge: str | None = None,
    group: str | None = None,
    date: str | None = None,
    reading: Reading | None = None,
) -> tuple[Votes, list[str]]:
    """The votes in some files, and sentences on what was taken for what.

    Without names of columns each file must be an export that is known. Memory grows with the votes that differ.

    Parameters
    ----------
    files : sequence of paths or frames
        Tables of any format; `-` is standard input. What is named holds for all of them.
    left, right, winner : str, optional
        Columns of the two items of a vote, and of who won: an item of the row, or a word such as left, b or tie.
    loser : str, optional
        With `winner`, and without `left` and `right`: columns of the item that won and of the one that lost.
    left_score, right_score : str, optional
        Columns of the points of both items, instead of `winner`.
    order : str, optional
        A column of ballots: JSON lists, in which lists are ties, or names with > and = between.
    ties : sequence of str
        More words for a tie.
    weight : str, optional
        A column of how many votes a row stands for: of as many people, or of its judge.
    judge, group, date : str, optional
        Columns of who voted, of the board a vote belongs to, and of when it was cast.
    reading : Reading, optional
        How to read the files.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"x": ["a", "b"], "y": ["c", "a"], "won": ["c", "draw"]})
    >>> votes, sentences = read_votes([frame], left="x", right="y", winner="won")
    >>> votes.items, votes.pairs.tolist(), votes.answers.tolist()
    (('a', 'b', 'c'), [[0, 2], [1, 0]], [0.0, 0.5])
    >>> print(*sentences)
    x, y, won: 2 votes; 1 by name, 1 'draw' as ties
    """
    named = Named(left, right, winner, loser, left_score, right_score, order, weight, judge, group, date)
    reading, counted = reading or Reading(), CountedVotes()
    if not len(files):
        raise ValueError("at least one file of votes must be given. Got none. Name one.")
    signatures = _signatures(files)
    parts = [VoteFile(file, counted, named, ties, reading, sign) for file, sign in zip(files, signatures, strict=True)]
    sentences = [part.read() for part in parts]
    layouts = [part.layout for part in parts]
    votes = counted.votes(dated=date is not None, shown=all(layout.shown for layout in layouts))
    return votes, sentences + vote_notices(votes, [layout.shown for layout in layouts])


def _signatures(files: Sequence[Table]) -> list[str]:
    """What each of several files is called as a judge: its name without the ending, or its path if names are alike."""
    if len(files) < 2:
        return [""] * len(files)
    names = [
        Path(file).name.partition(".")[0] if isinstance(file, (str, os.PathLike)) else f"table {place}"
        for place, file in enumerate(files, 1)
    ]
    return names if len(set(names)) == len(names) else [str(file) for file in files]
