"""Answers as links between items: margins, gradients, and the information that all the answers hold.

The unknowns are x = (s, b), the items' scores and what the first place is worth. The margins are d = B x, a row of B
having 1 for the item shown first, -1 for the second, and 1 for b; nothing but products with B is ever needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from ordain._types import Answers, Pairs, Vector

POSITION_SPREAD = 3.0
"""Prior standard deviation of the position term."""

DENSE, DRAWS = 2000, 64
"""Most items for which the information is inverted, and the draws from the posterior that serve beyond."""


class Graph:
    """The answers as links between items. The unknowns are x = (s, b), the margins d = B x."""

    def __init__(self, pairs: Pairs, answers: Answers, n: int, position: bool) -> None:
        self.first, self.second = pairs[:, 0], pairs[:, 1]
        self.answers, self.n, self.shown = answers, n, float(position)
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

    def variances(self) -> Vector:
        """Variances of the scores about their mean and of the position term, see `BradleyTerry.standard_errors`."""
        return self._inverted() if self.graph.n <= DENSE else self._drawn()

    def _inverted(self) -> Vector:
        dense = np.diag(self.diagonal)
        dense[:-1, :-1] -= self.links.toarray()
        dense[-1, :-1] = dense[:-1, -1] = self.border
        root, _ = linalg.lapack.dtrtri(linalg.cholesky(dense, lower=True), lower=1)  # L⁻¹
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
