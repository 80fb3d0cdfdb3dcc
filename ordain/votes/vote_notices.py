"""What may not be as it seems in votes that were read: sentences for the reader."""

from __future__ import annotations

from collections.abc import Sequence

from ordain.tables.messages import listed
from ordain.votes.cast_votes import Votes

ALWAYS = 5
"""So many votes, all for the left one, are worth a word."""


def vote_notices(votes: Votes, shown: Sequence[bool]) -> list[str]:
    """Sentences on names that are nearly alike, on votes that are all for the left one, and on files that differ."""
    sentences = []
    alike: dict[str, list[str]] = {}
    for item in votes.items:
        alike.setdefault("".join(str(item).split()).casefold(), []).append(item)
    sets = [names for names in alike.values() if len(names) > 1]
    if sets:
        more = f" ({len(sets)} such sets)" if len(sets) > 1 else ""
        sentences.append(f"{listed(sets[0], 3)} differ only by case or spaces and are different items{more}.")
    if always_left(votes):
        count = f"{votes.counts[votes.answers != 0.5].sum():,.10g}"
        sentences.append(
            f"The left item won all {count} votes that somebody won, so its place cannot be told from its strength. "
            "Add --no-position if left is just where winners are written."
        )
    if len(set(shown)) > 1:
        sentences.append("Some files do not tell which item was shown first, so no position is fitted.")
    return sentences


def always_left(votes: Votes) -> bool:
    """Whether the left item won whenever one did, so that its strength cannot be told from its place."""
    decided = votes.answers != 0.5
    return bool(votes.shown and votes.counts[decided].sum() >= ALWAYS and (votes.answers[decided] > 0.5).all())
