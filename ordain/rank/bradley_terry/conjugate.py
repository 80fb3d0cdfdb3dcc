"""Conjugate gradients: H⁻¹ v from products with H alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ordain._types import Vector


def conjugated(apply: Callable[[Vector], Vector], diagonal: Vector, right: Vector, tolerance: float) -> Vector:
    """H⁻¹ of one vector or of columns, preconditioned with the diagonal of H, which `apply` multiplies with.

    Examples
    --------
    >>> H = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> conjugated(lambda v: H @ v, np.diag(H), np.array([4.0, 7.0]), 1e-12).round(9)
    array([1., 2.])
    """
    tiny, inverse = np.finfo(float).tiny, (1 / diagonal).reshape(-1, *[1] * (right.ndim - 1))
    x, residual = np.zeros_like(right), right
    direction = scaled = inverse * residual
    size = _inner(residual, scaled)
    goal = tolerance**2 * size
    for _ in range(10 * len(right)):
        if (size <= goal).all():
            break
        image = apply(direction)
        length = size / np.maximum(_inner(direction, image), tiny)
        x, residual = x + length * direction, residual - length * image
        scaled = inverse * residual
        before, size = size, _inner(residual, scaled)
        direction = scaled + size / np.maximum(before, tiny) * direction
    return x


def _inner(u: Vector, v: Vector) -> Vector:
    return np.einsum("i...,i...->...", u, v)
