"""Products of a sparse table with itself and with cells of its rows, dense and in one pass over its entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain._compiled import FAST, compiled
from ordain._types import Vector


def sparse_gram(rows: Any, weights: Vector) -> Any:
    """Xᵀ diag(w) X of a CSR matrix."""
    half = np.zeros((rows.shape[1], rows.shape[1]))
    _add_halves(rows.indptr, rows.indices, rows.data, weights, half)
    return half + half.T


def cell_sums(rows: Any, cells: Vector, mass: Vector, count: int) -> Any:
    """Σ m_i x_i over the rows i of each cell, of a CSR matrix."""
    sums = np.zeros((count, rows.shape[1]))
    _add_rows(rows.indptr, rows.indices, rows.data, cells, mass, sums)
    return sums


@compiled(fastmath=FAST)
def _add_halves(starts: Any, columns: Any, values: Any, weights: Any, out: Any) -> None:
    """Add w x_a x_b for every two entries of a row in one order, and half of it for an entry with itself."""
    for i in range(len(starts) - 1):
        for a in range(starts[i], starts[i + 1]):
            value, row = weights[i] * values[a], out[columns[a]]
            for b in range(starts[i], a):
                row[columns[b]] += value * values[b]
            row[columns[a]] += 0.5 * value * values[a]


@compiled(fastmath=FAST)
def _add_rows(starts: Any, columns: Any, values: Any, cells: Any, mass: Any, out: Any) -> None:
    for i in range(len(starts) - 1):
        row = out[cells[i]]
        for a in range(starts[i], starts[i + 1]):
            row[columns[a]] += mass[i] * values[a]
