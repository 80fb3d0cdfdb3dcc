"""How a loss pairs: all that is asked of φ where φ(s - t) is summed over pairs, said once, by the loss itself.

There are four ways to make such sums without the pairs, and the form of φ decides between them:

    factors     φ(u) = e^-u
    moments     φ(u) = scale · (1 - u)²
    sweep       φ(u) = max(0, 1 - u)^power
    sketch      φ analytic in |Im u| < strip
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Way = Literal["factors", "moments", "sweep", "sketch"]


@dataclass(frozen=True)
class Form:
    """Which of the four ways φ takes, and the number that goes with it.

    `square` has a, b, c with (φ')² = aφ + bφ' + cφ'', where there are such numbers: the push needs sums of it.
    """

    way: Way
    scale: float = 1.0
    power: int = 1
    strip: float = 0.0
    square: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Pairing:
    """A margin loss as pairs see it.

    Examples
    --------
    >>> HINGE.phi(np.array([0.0, 2.0])), HINGE.form.way
    (array([1., 0.]), 'sweep')
    """

    name: str
    phi: Callable[[Array], Array]
    phi_slope: Callable[[Array], Array]
    phi_curvature: Callable[[Array], Array]
    form: Form
    sigmoid_slope: float | None = None  # of the loss, with which the best scores of pairs are those of rows


def _hinge(u: Array) -> Array:
    return np.maximum(0, 1 - u)


def _hinge_slope(u: Array) -> Array:
    return np.where(u < 1, -1.0, 0.0)


def _hinge_curvature(u: Array) -> Array:
    return np.zeros_like(u, dtype=float)


HINGE = Pairing("hinge", _hinge, _hinge_slope, _hinge_curvature, Form("sweep", power=1, square=(0, -1, 0)))
"""φ(u) = max(0, 1 - u): of no proper loss, so it is for pairs only."""
