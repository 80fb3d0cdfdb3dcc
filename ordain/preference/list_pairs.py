"""Between lists and pairs: what a list says about its pairs, and a judge of pairs who orders lists.

The place of one of k alike items has variance (k² - 1)/12 in a list of them; as its number of wins over the others in
independent answers it would have (k - 1)/4. So a list tells as much of its order as 3/(k + 1) independent answers on
each of its pairs would: that is what one of its pairs is worth.
"""

from __future__ import annotations

import numpy as np

from ordain._types import Answers, Pairs, Vector
from ordain.preference.answers import Preference, Stream, arriving
from ordain.preference.questions import blank, is_lists
from ordain.preference.wrappers import Wrapper


def list_pairs(lists: Pairs, places: Answers) -> tuple[Pairs, Answers, Vector]:
    """The pairs of all lists in the order shown, their answers, and what each is worth.

    In a list of which k items were ranked every pair of these weighs 3/(k + 1); a tie is answered ½. What was not
    ranked says nothing.

    Examples
    --------
    >>> pairs, answers, weights = list_pairs(np.array([[4, 2, 7]]), np.array([[1.0, 0.0, 1.0]]))
    >>> print(pairs.tolist(), answers, weights)
    [[4, 2], [4, 7], [2, 7]] [0.  0.5 1. ] [0.75 0.75 0.75]
    """
    first, second = np.triu_indices(lists.shape[1], k=1)
    ahead = places[:, second] - places[:, first]
    row, at = np.nonzero(~np.isnan(ahead))
    worth = 3 / (np.count_nonzero(~np.isnan(places), axis=1) + 1)
    pairs = np.column_stack((lists[row, first[at]], lists[row, second[at]]))
    return pairs, 0.5 + np.sign(ahead[row, at]) / 2, worth[row]


class ByWins(Wrapper):
    """A judge of pairs as one of lists: a list is put in order by wins inside it, once all its pairs are answered."""

    def through(self, prefer: Preference, pairs: Pairs) -> Stream:
        if not is_lists(pairs):
            yield from arriving(prefer, pairs)
            return
        inside = list_pairs(pairs, np.where(pairs >= 0, 0.0, np.nan))[0]
        sizes = np.count_nonzero(pairs >= 0, axis=1)
        ends = np.cumsum(sizes * (sizes - 1) // 2)
        owner = np.repeat(np.arange(len(pairs)), np.diff(ends, prepend=0))
        given = np.full(len(inside), np.nan)
        for rows, answers in arriving(prefer, inside):
            given[rows] = answers
            for row in np.unique(owner[rows]).tolist():
                of = slice(ends[row - 1] if row else 0, ends[row])
                if not np.isnan(given[of]).any():
                    yield row, _by_wins(pairs[row], inside[of], given[of])


def _by_wins(shown: Vector, inside: Pairs, answers: Answers) -> Answers:
    """Places by wins, most first; equal wins tie."""
    places = blank(shown[None])[0]
    items = shown[shown >= 0]
    wins = [answers[inside[:, 0] == item].sum() + (1 - answers[inside[:, 1] == item]).sum() for item in items]
    places[: len(items)] = np.unique(-np.array(wins), return_inverse=True)[1]
    return places


def by_wins(prefer: Preference) -> ByWins:
    """`prefer`, a judge of pairs, as a judge of lists, who asks all pairs inside a list and orders it by wins.

    Examples
    --------
    >>> by_wins(lambda pairs: pairs[:, 0] < pairs[:, 1])(np.array([[5, 3, 9, -1], [1, 2, 0, 7]]))
    array([[ 1.,  0.,  2., nan],
           [ 1.,  2.,  0.,  3.]])
    """
    return ByWins(prefer)
