"""Parts of a board: items that no chain of votes links are in different parts, and nothing can compare them."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ordain._types import Vector
from ordain.votes.cast_votes import Votes


def parts(votes: Votes) -> Vector:
    """Each item's part as a number from 0, the part with the most items first, of equal ones that of the first item.

    Examples
    --------
    >>> one = np.ones(3)
    >>> parts(Votes(tuple("abcde"), np.array([0, 3, 4]), np.array([1, 2, 3]), one, one, one, one))
    array([1, 1, 0, 0, 0])
    """
    n = len(votes.items)
    links = sparse.coo_array((np.ones(len(votes)), (votes.left, votes.right)), shape=(n, n))
    found = connected_components(links, directed=False)[1]
    _, first, numbers, sizes = np.unique(found, return_index=True, return_inverse=True, return_counts=True)
    places = np.empty(len(sizes), dtype=np.intp)
    places[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return places[numbers]


def centred(values: Vector, of: Vector) -> Vector:
    """Values, or rows of a matrix, less the mean over their part."""
    members = sparse.csr_array((np.ones(len(of)), (of, np.arange(len(of)))))
    sizes = np.bincount(of).reshape(-1, *[1] * (values.ndim - 1))
    return values - ((members @ values) / sizes)[of]
