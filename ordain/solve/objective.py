"""What solvers ask of the function they minimise."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from ordain._types import Vector
from ordain.solve.coarse import Coarse


class Objective(ABC):
    """A smooth function of a vector, and all that solvers ask of it; the last two only make them faster."""

    @abstractmethod
    def value_gradient(self, x: Vector) -> tuple[float, Vector]:
        """The value and the gradient at x."""

    @abstractmethod
    def hessp(self, x: Vector, v: Vector) -> Vector:
        """The Hessian at x times v."""

    def coarse_hessian(self, x: Vector) -> Coarse:
        """Close to the Hessian at x; unless it is known, the identity."""
        return Coarse(np.ones(len(x)))

    def preconditioner(self, x: Vector) -> Callable[[Vector], Vector]:
        """Close to v ↦ H⁻¹v, H the Hessian at x; unless it is known, v itself."""
        return lambda v: v
