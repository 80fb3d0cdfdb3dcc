"""How many rank patterns scorers can make on a sample: rank matrices, ψ(m, n), and shatter coefficients [Agarwal05]_.

The *bipartite rank matrix* of a scorer on m positives and n negatives has 1 where the positive scores higher, ½ where
they tie and 0 elsewhere; the AUC is its mean. r(F, m, n) is the largest number of rank matrices that scorers in F make
on one sample, s(H, N) the largest number of sign patterns that functions in H make on N points. For scorers on R^d
with f(x) = w·x + b,

    s(F̃, N) = faces(N, d),   F̃ = {sign(f(x) - f(x'))} on pairs,
    s(F̌, N) = s(F̄, N) = faces(N, d + 1),   F̌ = {sign(f(x) - f(z))}, F̄ = {sign f(x)} on points,
    r(F, m, n) ≤ s(F̃, mn),   with equality at d = 1, where both are 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordain._types import Scores

Matrix = NDArray[Any]


def rank_matrix(positives: Scores, negatives: Scores) -> Matrix:
    """1 where the positive's score is higher, ½ where they tie, else 0.

    Examples
    --------
    >>> rank_matrix([3, 1], [1, 2])
    array([[1. , 1. ],
           [0.5, 0. ]])
    """
    above, below = np.asarray(positives)[:, None], np.asarray(negatives)
    return 0.5 * (above > below) + 0.5 * (above >= below)


def forbidden() -> list[Matrix]:
    """The 30 matrices of two rows and two columns that no scorer makes [Agarwal05]_.

    x₁ ≥ z₁ ≥ x₂ ≥ z₂ ≥ x₁ leaves only ties, so no matrix with ½ or 1 on its diagonal and 0 or ½ beside it is made
    except the one of ties; nor is such a matrix with its columns exchanged. Twice fifteen.

    Examples
    --------
    >>> len(forbidden()), bool(realisable(forbidden()).any())
    (30, False)
    """
    ways = product((0.5, 1.0), (0.0, 0.5), (0.0, 0.5), (0.5, 1.0))
    cyclic = [np.reshape(entries, (2, 2)) for entries in ways if set(entries) != {0.5}]
    return cyclic + [matrix[:, ::-1] for matrix in cyclic]


def realisable(matrices: ArrayLike) -> Any:
    """Whether some scorer makes this rank matrix: no two of its rows and columns form a forbidden one [Agarwal05]_.

    Two rows hold a forbidden matrix if the first is ≥ ½ ≥ the second in one column and ≤ ½ ≤ in another, and they
    differ in one of the two. Leading axes are for many matrices at once.

    Examples
    --------
    >>> realisable([[[1, 0], [0, 1]], [[1, 0.5], [0.5, 0]]])
    array([False,  True])
    """
    given = _check_matrix(matrices)
    first, second = given[..., :, None, :], given[..., None, :, :]
    down, up = (first >= 0.5) & (second <= 0.5), (first <= 0.5) & (second >= 0.5)
    strict = (down & (first != second)).any(-1)  # the other way round it is these rows exchanged
    return ~(down.any(-1) & up.any(-1) & strict).any((-2, -1))


def witness(matrix: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Scores of positives and negatives that have this rank matrix; None if there are none.

    A positive scores its row sum, since rows of a rank matrix are ordered by their scores; a negative scores as the
    positive it ties with, or midway between the positives it must separate.

    Examples
    --------
    >>> print(*witness([[1, 0.5], [0.5, 0]]))
    [1.5 0.5] [0.5 1.5]
    """
    given = _check_matrix(matrix)
    above = given.sum(axis=1)
    below = np.array([_between(above, column) for column in given.T])
    return (above, below) if np.array_equal(rank_matrix(above, below), given) else None


def psi(m: int, n: int) -> int:
    """ψ(m, n), how many matrices of m rows and n columns are rank matrices of some scorer [Agarwal05]_.

    A rank matrix is a sequence of blocks of equal score: positives only, negatives only, or both, where two blocks of
    positives only never meet, nor two of negatives only, as the matrix would not tell them from one. By inclusion and
    exclusion over the first block, with ψ(0, 0) = 1,

        ψ(m, n) = Σ_{i≥1} (-1)^{i+1} C(m, i) ψ(m-i, n) + Σ_{j≥1} (-1)^{j+1} C(n, j) ψ(m, n-j)
                  + Σ_{i,j≥1} C(m, i) C(n, j) ψ(m-i, n-j),

    that is, Σ ψ(m, n) x^m y^n / m! n! = 1/(e^-x + e^-y + e^x + e^y - e^{x+y} - 2).

    Examples
    --------
    >>> psi(2, 2), psi(2, 3), psi(3, 3)
    (51, 261, 2067)
    """
    check_counts(least=0, m=m, n=n)
    counts: list[list[int]] = []
    mixed: list[list[int]] = []  # Σ_{j≥1} C(n, j) ψ(m, n-j), which serves every later m
    for i in range(m + 1):
        counts.append([])
        mixed.append([])
        for j in range(n + 1):
            tied, negatives = _sums(counts[i])
            positives = _sums([row[j] for row in counts[:i]])[1]
            together = _sums([row[j] for row in mixed[:i]])[0]
            mixed[i].append(tied)
            counts[i].append(positives + negatives + together if i + j else 1)
    return counts[m][n]


def faces(N: int, d: int) -> int:
    """The most sign patterns (sign w·v₁, …, sign w·v_N), w in R^d, that N vectors have: faces of a central arrangement.

        faces(N, d) = 1 + Σ_{i<d} 2^{i+1+e} C(N-1, i),   e = 1 if d-1-i is odd, else 0,   for N ≥ d,

    and 3^N for N ≤ d. *Proof.* Let v_N depend on the others, as some vector does if N > d. A face of the others is
    cut in three by the hyperplane of v_N, or kept. The cut ones meet it, and the faces that meet it are the patterns
    of N - 1 vectors in d - 1 dimensions, among them the face of zeros, which is not cut. So
    faces(N, d) ≤ faces(N-1, d) + 2 (faces(N-1, d-1) - 1), with equality in general position, from 3^d at N = d and 1
    at d = 0. The sum satisfies this, because C(N-1, i) = C(N-2, i) + C(N-2, i-1), and is 3^d at N = d by the binomial
    theorem at -2.

    It is 3 at d = 1 and 4N + 1 at d = 2, and at most :func:`affine_faces`, which is the count of [Agarwal05]_.

    Examples
    --------
    >>> faces(10, 1), faces(10, 2), faces(3, 7)
    (3, 41, 27)
    """
    check_counts(least=0, N=N, d=d)
    rank = min(N, d)
    total, binomial = 1, 1
    for i in range(rank):
        total += binomial << (i + 1 + (rank - 1 - i) % 2)
        binomial = binomial * (N - 1 - i) // (i + 1)
    return total


def affine_faces(N: int, d: int) -> int:
    """Σ_{i≤d} 2^i C(N, i), the faces of N hyperplanes in R^d that need not meet in a point [Agarwal05]_.

    As printed this is at most (2eN/d)^d, which is false for N < d, where it is 3^N.
    """
    check_counts(least=0, N=N, d=d)
    return sum(comb(N, i) << i for i in range(min(N, d) + 1))


def sign_patterns(vectors: ArrayLike) -> set[tuple[int, ...]]:
    """All patterns (sign w·v₁, …, sign w·v_N), w in R^d: exactly, for vectors of whole numbers and d ≤ 3.

    With the unit vectors added there are rays, that is w ≠ 0 orthogonal to d - 1 independent vectors, and every
    pattern is that of w₁ + εw₂ + ε²w₃ for rays and small ε: the first of three signs that is not zero.

    Examples
    --------
    >>> sorted(sign_patterns([[1], [-2]]))
    [(-1, 1), (0, 0), (1, -1)]
    """
    given = np.asarray(vectors)
    if given.ndim != 2 or given.dtype.kind not in "iu" or given.shape[1] not in (1, 2, 3):
        raise ValueError(f"vectors must be whole numbers in 1 to 3 columns. Got {given.dtype} of shape {given.shape}.")
    count, d = given.shape
    complete = np.vstack((given, np.eye(d, dtype=given.dtype)))
    rays = np.unique(np.sign(_normals(complete) @ complete.T), axis=0)
    found = np.zeros((1, count + d), dtype=rays.dtype)
    for _ in range(d):
        composed = np.where(found[:, None], found[:, None], rays).reshape(-1, count + d)
        found = np.unique(np.concatenate((found, composed)), axis=0)
    return {tuple(pattern) for pattern in found[:, :count].tolist()}


def check_counts(*, least: int = 1, **counts: int) -> None:
    """Refuse what is no whole number from `least` on, by name."""
    for name, count in counts.items():
        if int(count) != count or count < least:
            raise ValueError(f"{name} must be a whole number, {least} or more. Got {count}.")


def _check_matrix(matrix: ArrayLike) -> Matrix:
    given = np.asarray(matrix, dtype=float)
    if given.ndim < 2 or not ((given == 0) | (given == 0.5) | (given == 1)).all():
        raise ValueError(f"a rank matrix must have two dimensions and entries 0, 0.5 or 1. Got {given.tolist()}.")
    return given


def _between(above: NDArray[Any], column: NDArray[Any]) -> float:
    """A score that ties with the positives at ½, or lies between those at 0 and those at 1."""
    if (column == 0.5).any():
        return float(above[column == 0.5][0])
    low = above[column == 0].max(initial=above.min() - 2)
    return float((low + above[column == 1].min(initial=above.max() + 2)) / 2)


def _sums(before: Sequence[int]) -> tuple[int, int]:
    """Σ_{k≥1} C(i, k) a(i-k), and the same with the sign (-1)^{k+1}, of a(0), …, a(i-1)."""
    size = len(before)
    terms = [comb(size, k) * before[size - k] for k in range(1, size + 1)]
    return sum(terms), sum(terms[0::2]) - sum(terms[1::2])


def _normals(vectors: Matrix) -> Matrix:
    """Both directions orthogonal to every d - 1 independent ones of the vectors."""
    d = vectors.shape[1]
    if d == 1:
        return np.array([[1], [-1]])
    if d == 2:
        normals = np.column_stack((-vectors[:, 1], vectors[:, 0]))
    else:
        normals = np.array([np.cross(first, second) for first, second in combinations(vectors, 2)])
    normals = normals[normals.any(axis=1)]
    return np.concatenate((normals, -normals))
