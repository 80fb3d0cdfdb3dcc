"""Answers as links between items: margins, gradients, and the information that all the answers hold.

The unknowns are x = (s, b), the items' scores and what the first place is worth. The margins are d = B x, a row of B
having 1 for the item shown first, -1 for the second, and 1 for b; nothing but products with B is ever needed.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse

from ordain._types import Answers, Pairs, Vector
from ordain.rank.bradley_terry.questions import counted

POSITION_SPREAD = 3.0
"""Prior standard deviation of the position term."""

DENSE, DRAWS = 2000, 64
"""Most items for which the information is inverted, and the draws from the posterior that serve beyond."""


class Graph:
    """The answers as links between items, equal questions counted together: the margins are d = B x."""

    def __init__(self, pairs: Pairs, answers: Answers, n: int, position: bool, weights: Vector | None = None) -> None:
        self.first, self.second, self.answers, self.weights = counted(pairs, answers, weights, n, position)
        self.n, self.shown = n, float(position)
        rows, columns = np.append(self.first, self.second), np.append(self.second, self.first)
        self.places = np.argsort(rows, kind="stable")
        self.columns = columns[self.places]
        self.starts = np.append(0, np.cumsum(np.bincount(rows, minlength=n)))

    def margins(self, x: Vector) -> Vector:
        """B x: s_first - s_second + b, or without b if the position is not fitted."""
        return x[self.first] - x[self.second] + self.shown * x[-1]

    def gathered(self, g: Vector) -> Vector:
        """Bᵀ g."""
        return np.append(self.balances(g), self.shown * g.sum())

    def balances(self, g: Vector) -> Vector:
        """For each item, Σ g over answers in which it was first less Σ g where it was second."""
        return np.bincount(self.first, g, self.n) - np.bincount(self.second, g, self.n)

    def degrees(self, weights: Vector) -> Vector:
        """For each item, Σ of the weights of its answers."""
        return np.bincount(self.first, weights, self.n) + np.bincount(self.second, weights, self.n)

    def links(self, weights: Vector) -> Any:
        """The weights as a symmetric sparse matrix over the items."""
        return sparse.csr_array((np.tile(weights, 2)[self.places], self.columns, self.starts), shape=(self.n, self.n))

    def prior(self, spread: float) -> Vector:
        """Prior precisions of the unknowns."""
        return np.append(np.full(self.n, spread**-2.0), POSITION_SPREAD**-2.0)


class Information:
    """H = Bᵀ diag(w) B + diag(prior), applied along the last axis."""

    def __init__(self, graph: Graph, weights: Vector, prior: Vector) -> None:
        self.graph, self.weights, self.prior = graph, weights, prior
        self.links = graph.links(weights)
        self.border = graph.shown * graph.balances(weights)
        self.diagonal = np.append(graph.degrees(weights), graph.shown * weights.sum()) + prior

    def __call__(self, v: Vector) -> Vector:
        scores, position = v[..., :-1], v[..., -1:]
        product = self.diagonal * v
        product[..., :-1] += self.border * position - (self.links @ scores.T).T
        product[..., -1] += (self.border * scores).sum(axis=-1)
        return product

    def solved(self, right: Vector, tolerance: float = 1e-10) -> Vector:
        """H⁻¹ of one or several vectors, along the last axis; beyond 2000 items to a relative `tolerance`."""
        rows = np.reshape(right, (-1, len(self.diagonal)))
        if self.graph.n > DENSE:
            return solved(self, rows, tolerance).reshape(np.shape(right))
        return linalg.cho_solve((self._root, True), rows.T, check_finite=False).T.reshape(np.shape(right))

    def covariance(self) -> Vector:
        """H⁻¹, to 2000 items; its scores are not centred, so variances of differences are what it is for."""
        if self.graph.n > DENSE:
            raise ValueError(f"covariance() must hold at most {DENSE} items. Got {self.graph.n}. Use solved().")
        lower, _ = linalg.lapack.dpotri(self._root, lower=1)
        return np.tril(lower) + np.tril(lower, -1).T

    def variances(self) -> Vector:
        """Variances of the scores about their mean and of the position term, see `BradleyTerry.standard_errors`."""
        return self._inverted() if self.graph.n <= DENSE else self._drawn()

    @cached_property
    def _root(self) -> Vector:
        """L, lower triangular, H = L Lᵀ."""
        dense = np.diag(self.diagonal)
        dense[:-1, :-1] -= self.links.toarray()
        dense[-1, :-1] = dense[:-1, -1] = self.border
        return linalg.cholesky(dense, lower=True, overwrite_a=True, check_finite=False)

    def _inverted(self) -> Vector:
        root, _ = linalg.lapack.dtrtri(self._root, lower=1)  # L⁻¹
        variances = np.einsum("ij,ij->j", root, root)  # H⁻¹ = L⁻ᵀ L⁻¹
        variances[:-1] -= 1 / self.prior[:-1].sum()  # (1, 0) is an eigenvector of H, its eigenvalue τ⁻²
        return np.maximum(variances, 0.0)

    def _drawn(self) -> Vector:
        rng = np.random.default_rng(0)
        spread = np.sqrt(self.weights)
        right = np.array([self.graph.gathered(spread * rng.standard_normal(len(spread))) for _ in range(DRAWS)])
        right += np.sqrt(self.prior) * rng.standard_normal(right.shape)
        draws = solved(self, right, 1e-3)  # N(0, H⁻¹)
        draws[:, :-1] -= draws[:, :-1].mean(axis=1, keepdims=True)
        means = draws - self(draws) / self.diagonal
        variances = 1 / self.diagonal + (means**2).mean(axis=0)
        # The common mean had a share of (1 - τ⁻²/H_uu)² τ²/n in the conditional means, and all of τ²/n in the whole.
        variances[:-1] -= (2 - self.prior[:-1] / self.diagonal[:-1]) / (self.graph.n * self.diagonal[:-1])
        return variances


def solved(information: Information, right: Vector, tolerance: float) -> Vector:
    """H⁻¹ of one or several vectors, by conjugate gradients preconditioned with the diagonal."""

    def inner(u: Vector, v: Vector) -> Vector:
        return (u * v).sum(axis=-1, keepdims=True)

    tiny = np.finfo(float).tiny
    x, residual = np.zeros_like(right), right
    direction = scaled = residual / information.diagonal
    size = inner(residual, scaled)
    goal = tolerance**2 * size
    for _ in range(10 * right.shape[-1]):
        if (size <= goal).all():
            break
        image = information(direction)
        length = size / np.maximum(inner(direction, image), tiny)
        x, residual = x + length * direction, residual - length * image
        scaled = residual / information.diagonal
        before, size = size, inner(residual, scaled)
        direction = scaled + size / np.maximum(before, tiny) * direction
    return x
