"""Answers as links between items: margins, gradients, and the information that all the answers hold.

The unknowns are x = (s, b), the items' scores and what the first place is worth. The margins are d = B x, a row of B
having 1 for the item shown first, -1 for the second, and 1 for b; nothing but products with B is ever needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse

from ordain._one_thread import one_blas_thread
from ordain._types import Answers, Pairs, Vector
from ordain.rank.bradley_terry.conjugate import conjugated
from ordain.rank.bradley_terry.noise import Noise
from ordain.rank.bradley_terry.pair_counts import counted

FEW, DENSE = 256, 2000
"""Most items for which every step of a fit takes the root of the information, and for which it is taken in the end."""

DRAWS, MOST_DRAWS, GOOD = 16, 64, 0.02
"""Beyond, draws from the posterior serve: so many at a time until standard errors are that good, and the most."""

BLOCK = 1 << 13
"""Questions that are looked at together: their numbers stay in the cache."""


class Graph:
    """The answers as links between items, equal questions counted together: the margins are d = B x."""

    def __init__(self, pairs: Pairs, answers: Answers, n: int, position: bool, weights: Vector | None = None) -> None:
        self.first, self.second, self.answers, self.weights = counted(pairs, answers, weights, n, position)
        self.n, self.shown = n, float(position)
        self.counts = np.bincount(self.first, minlength=n)
        self._columns = self.second.astype(np.int32)
        self._starts = np.append(0, np.cumsum(self.counts)).astype(np.int32)
        self._ones = np.ones(n)

    def blocks(self) -> Iterator[slice]:
        """The questions in parts of which all numbers stay in the cache."""
        return (slice(start, start + BLOCK) for start in range(0, len(self.first), BLOCK))

    def margins(self, x: Vector) -> Vector:
        """B x: s_first - s_second + b, or without b if the position is not fitted."""
        d = np.repeat(x[:-1] + self.shown * x[-1], self.counts)  # questions are in the order of their first items
        return np.subtract(d, x[self.second], out=d)

    def gathered(self, g: Vector) -> Vector:
        """Bᵀ g."""
        first, second = self.sums(g)
        return np.append(first - second, self.shown * first.sum())

    def sums(self, g: Vector, links: Any = None) -> tuple[Vector, Vector]:
        """For each item, Σ g over the questions in which it is first, and where it is second."""
        if len(g) <= BLOCK:
            return np.bincount(self.first, g, self.n), np.bincount(self.second, g, self.n)
        links = self.links(g) if links is None else links  # quicker than counting where questions are many
        return links @ self._ones, links.T @ self._ones

    def links(self, g: Vector) -> Any:
        """The numbers as a sparse matrix, from the first item to the second."""
        return sparse.csr_array((g, self._columns, self._starts), shape=(self.n, self.n))

    def prior(self, noise: Noise) -> Vector:
        """Prior precisions of the unknowns."""
        return np.append(np.full(self.n, noise.spread**-2.0), noise.place**-2.0)


class Information:
    """H = Bᵀ diag(w) B + diag(prior)."""

    def __init__(self, graph: Graph, weights: Vector, prior: Vector) -> None:
        self.graph, self.weights, self.prior = graph, weights, prior
        self.links = graph.links(weights)
        first, second = graph.sums(weights, self.links)
        self.border = graph.shown * (first - second)
        self.diagonal = np.append(first + second, graph.shown * first.sum()) + prior

    def __call__(self, v: Vector) -> Vector:
        """H v, of one vector or of several columns."""
        scores, position = v[:-1], v[-1]
        product = (self.diagonal * v.T).T
        product[:-1] -= self.links @ scores
        product[:-1] -= self.links.T @ scores
        if self.graph.shown:
            product[:-1] += np.multiply.outer(self.border, position)
            product[-1] += np.einsum("i,i...->...", self.border, scores)
        return product

    def solved(self, right: Vector, tolerance: float = 1e-10) -> Vector:
        """H⁻¹ of one or several vectors, along the last axis; beyond 2000 items to a relative `tolerance`."""
        rows = np.reshape(right, (-1, len(self.diagonal)))
        if self.graph.n > DENSE:
            left = self.iterated(rows.T, tolerance)
        else:
            with one_blas_thread():
                left = linalg.cho_solve((self._root, True), rows.T, check_finite=False)
        return left.T.reshape(np.shape(right))

    def covariance(self) -> Vector:
        """H⁻¹, to 2000 items; the scores are not centred in it, variances of differences are what it is for."""
        if self.graph.n > DENSE:
            raise ValueError(f"covariance() must hold at most {DENSE} items. Got {self.graph.n}. Use solved().")
        with one_blas_thread():
            lower, _ = linalg.lapack.dpotri(self._root, lower=1)
        return np.tril(lower) + np.tril(lower, -1).T

    def iterated(self, right: Vector, tolerance: float) -> Vector:
        """H⁻¹ of one vector or of columns, by conjugate gradients."""
        return conjugated(self, self.diagonal, right, tolerance)

    def variances(self) -> Vector:
        """Variances of the scores about their mean and of the position term, see `BradleyTerry.standard_errors`."""
        return self._inverted() if self.graph.n <= DENSE else self._drawn()

    @cached_property
    def _root(self) -> Vector:
        """L, lower triangular, H = L Lᵀ."""
        dense, links = np.diag(self.diagonal), self.links.toarray()
        dense[:-1, :-1] -= links + links.T
        dense[-1, :-1] = dense[:-1, -1] = self.border
        with one_blas_thread():
            return linalg.cholesky(dense.T, lower=True, overwrite_a=True, check_finite=False)

    def _inverted(self) -> Vector:
        with one_blas_thread():
            root, _ = linalg.lapack.dtrtri(self._root, lower=1)  # L⁻¹
        variances = np.einsum("ij,ij->j", root, root)  # H⁻¹ = L⁻ᵀ L⁻¹
        variances[:-1] -= 1 / self.prior[:-1].sum()  # (1, 0) is an eigenvector of H, its eigenvalue τ⁻²
        return np.maximum(variances, 0.0)

    def _drawn(self) -> Vector:
        """An item's variance is 1/H_uu plus that of its conditional mean; draws estimate the second."""
        rng, squares, draws, error = np.random.default_rng(0), np.zeros_like(self.diagonal), 0, np.inf
        # The common mean had a share of (1 - τ⁻²/H_uu)² τ²/n in the conditional means, and all of τ²/n in the whole.
        share = (2 - self.prior / self.diagonal) / (self.graph.n * self.diagonal)
        share[-1] = 0.0
        while error > GOOD and draws < MOST_DRAWS:
            squares += (self._conditional_means(rng, DRAWS) ** 2).sum(axis=1)
            draws += DRAWS
            variances = 1 / self.diagonal + squares / draws - share
            # The variance of a normal mean's square is twice its own squared, and a root halves relative errors.
            error = float(np.sqrt(0.5 / draws * np.mean((squares / draws / variances) ** 2)))
        return variances

    def _conditional_means(self, rng: np.random.Generator, count: int) -> Vector:
        """Columns: what each unknown would be given all the others, these having covariance H⁻¹ and mean zero."""
        right = (np.sqrt(self.prior) * rng.standard_normal((count, len(self.prior)))).T
        roots = np.sqrt(self.weights)
        for column in right.T:
            column += self.graph.gathered(roots * _signs(rng, len(roots)))
        draws = self.iterated(np.ascontiguousarray(right), 1e-3)
        draws[:-1] -= draws[:-1].mean(axis=0)
        return draws - (self(draws).T / self.diagonal).T


def _signs(rng: np.random.Generator, count: int) -> Vector:
    """1 or -1 by lot: what is summed over many answers is as if they were normal."""
    bits = np.unpackbits(np.frombuffer(rng.bytes(-(-count // 8)), dtype=np.uint8), count=count)
    return 2.0 * bits - 1.0
