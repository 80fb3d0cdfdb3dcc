"""A coarse Hessian of risks of scores: enough to precondition the solver.

The Hessian of a pair risk is diag(h) - M, M_ij = m_i m_j φ''(s_i - s_j) for a positive i and a negative j and 0 within
a class, m the masses and h_i = Σ_j M_ij. In one look at the rows, those of one class with nearly the same score are put
into one cell, with φ'' taken at the cells' mean scores. It stays the Hessian of a mean over pairs with weights ≥ 0, so
Xᵀ(diag(h) - M)X stays positive semidefinite, and it is exact where φ'' is constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._types import Mask, Vector
from ordain.engine import LOCAL, Engine

CELLS = 64
"""Of each class; the scores beyond the middle 99 % share the first and the last one."""


@dataclass(frozen=True)
class Coarse:
    """diag(diagonal) - S C Sᵀ, where S_ik = mass_i if row i is in cell k; without cells the diagonal alone, all ≥ 0."""

    diagonal: Vector
    cells: Any = None
    mass: Any = None
    coupling: Any = None


def in_cells(
    curvature: Callable[[Vector], Vector], positive: Mask, mass: Vector, scores: Vector, engine: Engine = LOCAL
) -> Coarse:
    """The coarse Hessian of Σ m_i m_j φ(s_i - s_j) over the pairs of a positive i and a negative j."""
    cells = _cells(scores, engine) + CELLS * positive
    weight, total = engine.sum(np.array([np.bincount(cells, part, 2 * CELLS) for part in (mass, mass * scores)]))
    middle = total / np.where(weight > 0, weight, 1.0)
    coupling = np.zeros((2 * CELLS, 2 * CELLS))
    coupling[CELLS:, :CELLS] = curvature(middle[CELLS:, None] - middle[:CELLS])
    coupling += coupling.T
    return Coarse(mass * (coupling * weight).sum(1)[cells], cells, mass, coupling)


def in_one_cell(diagonal: Vector, engine: Engine = LOCAL) -> Coarse:
    """diag(h) - hhᵀ/Σh, as if every two rows were coupled by their curvatures: it does not see a common shift."""
    coupling = np.array([[1 / max(engine.sum(diagonal.sum()), 1e-300)]])
    return Coarse(diagonal, np.zeros(len(diagonal), np.int64), diagonal, coupling)


def _cells(scores: Vector, engine: Engine) -> Vector:
    """Cells of equal width over the middle of the scores, by about a thousand of them."""
    low, high = np.quantile(engine.together(scores[:: len(scores) // 1000 + 1]), [0.005, 0.995])
    with np.errstate(over="ignore", invalid="ignore"):
        places = (scores - low) * (CELLS / max(high - low, 1e-300))
    return np.clip(np.nan_to_num(places, nan=0.0), 0, CELLS - 1).astype(np.int64)
