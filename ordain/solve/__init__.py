"""Smooth objectives and how they are minimised: trust-region Newton on products with the Hessian."""

from ordain.solve.newton import DENSE_LIMIT, Linear, Solution, WithHessian, inverse_of, minimise
from ordain.solve.objective import Objective

__all__ = ["DENSE_LIMIT", "Linear", "Objective", "Solution", "WithHessian", "inverse_of", "minimise"]
