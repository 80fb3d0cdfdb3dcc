"""Chebyshev nodes on [0, 1], and the matrices between polynomials through them, their series and their powers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from ordain._types import Vector


@lru_cache
def chebyshev_nodes(terms: int) -> Vector:
    """Chebyshev nodes on [0, 1]."""
    return (1 + np.cos(np.pi * (np.arange(terms) + 0.5) / terms)) / 2


@lru_cache
def lagrange_series(terms: int) -> Vector:
    """Lagrange polynomials of the Chebyshev nodes, L_m = Σ_k B_mk T_k with B_mk = (2 - [k=0]) T_k(x_m) / terms."""
    matrix = 2 * chebvander(2 * chebyshev_nodes(terms) - 1, terms - 1) / terms
    matrix[:, 0] /= 2
    return matrix


@lru_cache
def lagrange_powers(terms: int, cells: int, powers: int) -> Vector:
    """The Lagrange polynomials of a bin as powers of t in each of its equal cells, as matrix [node, cell · power].

    The polynomials are read at the nodes of the cell, as many as there are powers. So the matrix takes moments of cells
    to weights of nodes, and its transpose takes values at nodes to polynomials on cells.
    """
    places = (np.arange(cells)[:, None] + chebyshev_nodes(powers)) / cells
    lagrange = chebvander(2 * places - 1, terms - 1) @ lagrange_series(terms).T
    inverse = np.linalg.inv(np.vander(2 * chebyshev_nodes(powers) - 1, increasing=True))
    return np.einsum("km,cmn->nck", inverse, lagrange).reshape(terms, -1)
