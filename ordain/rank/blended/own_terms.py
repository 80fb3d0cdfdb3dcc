"""What answers leave open of the items' own terms: M = (1 + τ² L)⁻¹, L being the Laplacian of the answers.

Its products are exact, by a matrix to 2000 items and by conjugate gradients beyond, where its diagonal is that of the
Neumann series to the second order and what two items share is left out.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import linalg

from ordain._types import Vector
from ordain.rank.bradley_terry.conjugate import conjugated
from ordain.rank.bradley_terry.links import DENSE, Graph

GOOD = 1e-6
"""Relative error of products by conjugate gradients."""


class OwnTerms:
    """M for answers of these curvatures, the terms having the prior N(0, spread²)."""

    def __init__(self, graph: Graph, curvatures: Vector, spread: float) -> None:
        self.graph, self.square = graph, spread**2
        links = graph.links(curvatures)
        self.links = (links + links.T).tocsr()
        first, second = graph.sums(curvatures)
        self.degrees, self.leaning = first + second, first - second

    def laplacian(self, V: Vector) -> Vector:
        """L V."""
        return (self.degrees * V.T).T - self.links @ V

    @cached_property
    def _root(self) -> Vector:
        """R, lower triangular, R Rᵀ = 1 + τ² L."""
        dense = -self.square * self.links.toarray()
        dense[np.diag_indices_from(dense)] += 1 + self.square * self.degrees
        return linalg.cholesky(dense, lower=True, overwrite_a=True, check_finite=False)

    @cached_property
    def _inverse(self) -> Vector:
        """M, the lower triangle of it."""
        return linalg.lapack.dpotri(self._root, lower=1)[0]

    @property
    def small(self) -> bool:
        """Whether there is a matrix."""
        return self.graph.n <= DENSE

    def __call__(self, V: Vector) -> Vector:
        """M V, of columns."""
        if not self.square:
            return V
        if self.small:
            return linalg.cho_solve((self._root, True), V, check_finite=False)
        diagonal = 1 + self.square * self.degrees
        return conjugated(lambda v: v + self.square * self.laplacian(v), diagonal, V, GOOD)

    @cached_property
    def diagonal(self) -> Vector:
        """The shares of the prior variances that are left."""
        if not self.square:
            return np.ones(self.graph.n)
        if self.small:
            return np.diag(self._inverse).copy()
        first = 1 / (1 + self.square * self.degrees)
        return first + self.square**2 * first**2 * ((self.links * self.links) @ first)

    def shared(self, first: Vector, second: Vector) -> Vector:
        """What the terms of two items have in common, M_uv."""
        if not self.square or not self.small:
            return np.zeros(len(first))
        return self._inverse[np.maximum(first, second), np.minimum(first, second)]

    @property
    def log_det(self) -> float:
        """log det(1 + τ² L); beyond 2000 items that of its diagonal, which is never less."""
        if not self.square:
            return 0.0
        if self.small:
            return 2 * float(np.log(np.diag(self._root)).sum())
        return float(np.log1p(self.square * self.degrees).sum())
