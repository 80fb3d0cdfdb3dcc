"""Who won, in words: what stands in a winner's column → the left one, the right one or neither.

A value is an item of its row, or a word. Items come first, as an item may be called `a` or `tie`; where words are used
too, a value that may be both is refused. `A` is the first of `a` and `b`, or away of home and away: the other words of
the file tell.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.tables.messages import listed, shown

LEFT, RIGHT, TIE = 1.0, 0.0, 0.5
EITHER = 2.0
"""The answer of `A` until the other words are known."""

DROPPED = 3.0
"""The answer of a vote that says nothing."""

_SIDES = {
    LEFT: "left modela model1 1 first h home homewin white whitewins 1-0 1:0 leftvote leftwins awins model1wins "
    "player1 team1 option1 optiona response1 responsea system1 systema answera answer1 a>b a>>b >",
    RIGHT: "right modelb model2 2 second b away awaywin black blackwins 0-1 0:1 rightvote rightwins bwins model2wins "
    "player2 team2 option2 optionb response2 responseb system2 systemb answerb answer2 b>a b>>a a<b a<<b <",
    TIE: "tie tied ties draw drawn d both neither bothbad bothgood bothequal bothbadvote tiebothbad tievote "
    "tieinconsistent equal same noone remis similar = a=b b=a 1/2-1/2 1/2 0.5-0.5 ½-½ ½ both-bad even",
    EITHER: "a",
}
WORDS = {word: answer for answer, words in _SIDES.items() for word in words.split()}
"""What a value means, in lower case and without blanks, underscores and brackets."""

_ANSWERS = np.array([RIGHT, TIE, LEFT, EITHER, DROPPED])
_CODES = {answer: np.int8(code) for code, answer in enumerate(_ANSWERS.tolist())}
_UNKNOWN = np.int8(-1)

SEEN = 6
"""So many values are shown where one is refused."""


def bare(value: Any) -> str:
    """A value as words are known by: lower case, without blanks, underscores and brackets, 1 for 1.0.

    Examples
    --------
    >>> bare("Tie (both_bad)"), bare(2.0)
    ('tiebothbad', '2')
    """
    return re.sub(r"[\s_()\[\]\u00a0]+", "", str(value)).casefold().removesuffix(".0")


class Words:
    """The words of one winner's column: what they mean, how often each came, and where one may be a name as well.

    Parameters
    ----------
    ties, dropped : sequences of str
        More words for a tie, and words for votes that say nothing.
    home : bool
        Whether `A` is known to be the one away.
    hint : str
        What to do about a tie that is not known.
    """

    def __init__(
        self,
        ties: Iterable[str] = (),
        dropped: Iterable[str] = (),
        home: bool = False,
        hint: str = "Name ties with --tie VALUE",
    ) -> None:
        self._means = WORDS | {bare(word): DROPPED for word in dropped} | {bare(word): TIE for word in ties}
        self._home, self._hint = home, hint
        self.used: Counter[str] = Counter()
        self.named = 0
        self._codes: dict[Any, np.int8] = {}
        self._doubtful: dict[str, str] = {}
        self._places: dict[str, str] = {}

    def answers(
        self,
        sides: tuple[Vector, Vector],
        winner: Vector,
        values: Sequence[Any],
        items: Vector,
        counts: Vector,
        where: Callable[[int], str],
    ) -> Vector:
        """The answer of every row.

        Parameters
        ----------
        sides : pair of integer arrays
            The two items of each row.
        winner : integer array
            Which of `values` each row has.
        values : sequence
            The values of the winner's column.
        items : integer array
            Which item each value names, -1 where it names none.
        counts : array
            How many votes each row stands for.
        where : function
            The place of a row, and the start of a message about it.
        """
        words = np.array([self._code(value) for value in values], np.int8)[winner]
        named = items[winner]
        by_name = np.where(named == sides[0], _CODES[LEFT], np.where(named == sides[1], _CODES[RIGHT], _UNKNOWN))
        worded = by_name == _UNKNOWN
        found = np.where(worded, words, by_name)
        if (found == _UNKNOWN).any():
            raise self._unknown(int((found == _UNKNOWN).argmax()), winner, values, where)
        self._count(worded, winner, values, counts)
        self._remember(self._places, worded, winner, values, where)
        self._remember(self._doubtful, ~worded & (words != _UNKNOWN) & (by_name != words), winner, values, where)
        return _ANSWERS[found]

    @staticmethod
    def _remember(
        places: dict[str, str], rows: Vector, winner: Vector, values: Sequence[Any], where: Callable[[int], str]
    ) -> None:
        """The first place of each value that some of the rows have."""
        if not rows.any():
            return
        for number in np.flatnonzero(np.bincount(winner[rows], minlength=len(values))).tolist():
            if str(values[number]) not in places:
                places[str(values[number])] = where(int((rows & (winner == number)).argmax()))

    def _count(self, worded: Vector, winner: Vector, values: Sequence[Any], counts: Vector) -> None:
        """Count the words, and the votes by name."""
        self.named += round(counts[~worded].sum())
        if not worded.any():
            return
        for number, count in enumerate(np.bincount(winner[worded], counts[worded], len(values))):
            if count:
                self.used[str(values[number])] += round(count)

    def _unknown(self, row: int, winner: Vector, values: Sequence[Any], where: Callable[[int], str]) -> ValueError:
        """A value that is neither an item of its row nor a word."""
        value = values[winner[row]]
        if value is None or not str(value).strip():
            return ValueError(f"{where(row)} must say who won. Got an empty cell. Fill it in, or remove the row.")
        others = [other for other in values if other is not None]
        hint = f"The values seen are {listed(others, SEEN)}. {self._hint}"
        return ValueError(
            f"{where(row)} must be an item of its row, or a word such as left, b, model_1 or tie. Got {shown(value)}. "
            f"{hint}."
        )

    def _meaning(self, value: str) -> float:
        return self._means.get(bare(value), math.nan)

    def _code(self, value: Any) -> np.int8:
        """The code of a word's answer; a small integer, as there may be millions of them."""
        if value not in self._codes:
            self._codes[value] = _CODES.get(self._means.get(bare(value), math.nan), _UNKNOWN)
        return self._codes[value]

    def away(self, name: str) -> float:
        """What `A` means, told by the other words."""
        words = {bare(value) for value in self.used}
        homes, seconds = bool(words & {"h", "home"}) or self._home, "b" in words
        if "a" not in words or homes != seconds:
            return RIGHT if homes else LEFT
        raise ValueError(
            f"{name} must tell what 'A' means: a of a and b, or away of home and away. "
            f"Got {listed(list(self.used), SEEN)}. Write left and right."
        )

    def settle(self, items: Container[Any] = ()) -> None:
        """Refuse a word that is an item's name, and a name that may be a word where words are used."""
        for value, place in self._places.items():
            if value in items:
                raise ValueError(
                    f"{place} must be an item of its row, or a word. Got {shown(value)}, an item of another row and a "
                    "word as well. Rename the item, or write the winners' names in every row."
                )
        sides = [value for value in self.used if self._meaning(value) in (LEFT, RIGHT, EITHER)]
        for value, place in self._doubtful.items():
            if sides or any(bare(value) == bare(other) for other in self.used):
                raise ValueError(
                    f"{place} must say who won. Got {shown(value)}, an item of that row and a word of this column as "
                    "well. Rename the item, or write the winners' names in every row."
                )

    def said(self, a: float) -> list[str]:
        """What was understood, in parts of a sentence."""
        said = {LEFT: "for the left one", RIGHT: "for the right one", TIE: "as ties", DROPPED: "dropped"}
        parts = [f"{self.named:,} by name"] if self.named and self.used else []
        for answer, words in said.items():
            for value, count in sorted(self.used.items(), key=lambda pair: (-pair[1], pair[0])):
                meaning = self._meaning(value)
                if (a if meaning == EITHER else meaning) == answer:
                    parts.append(f"{count:,} {shown(value)} {words}")
        if self._doubtful:
            parts.append(f"{listed(list(self._doubtful), SEEN)} taken for the item of that name")
        return parts
