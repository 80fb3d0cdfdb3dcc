"""Chains of wins: what bounds, by votes alone, how far one item may be behind another.

If an item beat one that beat … the other, the votes say how far it may be behind at most. If there is no such chain,
all that the item ever beat, directly or not, may be moved down together with it, as far as one likes, and every vote
becomes likelier: no vote says how much better the other one may be. A tie is a win of both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ordain._types import Mask
from ordain.votes.cast_votes import Votes


def wins_between(votes: Votes) -> Any:
    """A sparse matrix with an entry where the item of the row beat that of the column or tied with it."""
    left, right = votes.answers > 0, votes.answers < 1
    winners = np.concatenate((votes.left[left], votes.right[right]))
    losers = np.concatenate((votes.right[left], votes.left[right]))
    return sparse.coo_array((np.ones(len(winners)), (winners, losers)), shape=2 * (len(votes.items),)).tocsr()


def beaten_by(votes: Votes, item: int) -> Mask:
    """True for the items to which a chain of wins leads from this one.

    Examples
    --------
    >>> one = np.ones(2)
    >>> beaten_by(Votes(tuple("abc"), np.array([0, 1]), np.array([1, 2]), one, one, one, one), 0)
    array([ True,  True,  True])
    """
    found = np.zeros(len(votes.items), dtype=bool)
    found[breadth_first_order(wins_between(votes), item, return_predecessors=False)] = True
    return found


def chains(votes: Votes) -> Mask:
    """For every two items whether a chain of wins leads from the first to the second."""
    wins = wins_between(votes)
    count, knots = connected_components(wins, connection="strong")  # in a knot chains lead from each to each
    if count == 1:
        return np.ones(wins.shape, dtype=bool)
    knotted = wins.tocoo()
    between = sparse.coo_array((knotted.data, (knots[knotted.row], knots[knotted.col])), shape=(count, count)).tocsr()
    found = np.zeros((count, count), dtype=bool)
    for knot in range(count):
        found[knot, breadth_first_order(between, knot, return_predecessors=False)] = True
    return found[np.ix_(knots, knots)]
