"""The minimiser on functions whose minimum is known, and the linear composition against finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import rosen, rosen_der, rosen_hess_prod

from ordain.losses import LOSSES
from ordain.losses.row_risk import PointRisk
from ordain.pairs import PairRisk
from ordain.solve import newton
from ordain.solve.newton import Linear, WithHessian, inverse_of, minimise
from ordain.solve.objective import Objective


class Rosenbrock(Objective):
    def value_gradient(self, x):
        return rosen(x), rosen_der(x)

    def hessp(self, x, v):
        return rosen_hess_prod(x, v)


class Quadratic(Objective):
    """½ xᵀAx - bᵀx."""

    def __init__(self, A, b):
        self.A, self.b = A, b

    def value_gradient(self, x):
        return 0.5 * x @ self.A @ x - self.b @ x, self.A @ x - self.b

    def hessp(self, x, v):
        return self.A @ v


class Saddle(Objective):
    """x⁴/4 - x²/2 + y²/2: negative curvature at the start, minima at x = ±1."""

    def value_gradient(self, x):
        return x[0] ** 4 / 4 - x[0] ** 2 / 2 + x[1] ** 2 / 2, np.array([x[0] ** 3 - x[0], x[1]])

    def hessp(self, x, v):
        return np.array([(3 * x[0] ** 2 - 1) * v[0], v[1]])


class Wall(Objective):
    """‖x‖² that overflows where an entry is below -1."""

    overflows = 0

    def value_gradient(self, x):
        if x.min() < -1:
            self.overflows += 1
            raise OverflowError
        return float(x @ x), 2 * x

    def hessp(self, x, v):
        return 0.01 * v


def test_curved_valleys_are_followed_to_the_end():
    solution = minimise(Rosenbrock(), np.array([-1.2, 1.0]), tolerance=1e-9, iterations=200)
    assert_allclose(solution.x, 1, atol=1e-7)
    assert solution.converged
    assert solution.gradient_norm <= 1e-9


def spread_out(n):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(n, n))
    return root @ root.T + 0.1 * np.eye(n), rng.normal(size=n)


def test_a_quadratic_is_solved():
    A, b = spread_out(6)
    assert_allclose(minimise(Quadratic(A, b), np.zeros(6), tolerance=1e-10).x, np.linalg.solve(A, b), rtol=1e-7)


def test_negative_curvature_is_left_behind():
    solution = minimise(Saddle(), np.array([1e-3, 1.0]), tolerance=1e-10)
    assert_allclose(np.abs(solution.x), [1, 0], atol=1e-8)


def test_an_overflow_takes_the_step_back():
    wall = Wall()
    assert_allclose(minimise(wall, np.array([1.5, -1.0]), tolerance=1e-6, iterations=500).x, 0, atol=1e-6)
    assert wall.overflows


def test_it_stops_where_rounding_hides_all_progress():
    A, b = spread_out(6)
    solution = minimise(Quadratic(A, b), np.zeros(6), tolerance=0.0, quiet=True)
    assert solution.iterations < 50 and not solution.converged
    assert_allclose(solution.x, np.linalg.solve(A, b), rtol=1e-11)


def test_a_hessian_close_to_the_true_one_serves():
    A, b = np.diag([1.0, 3.0, 5.0]), np.ones(3)
    solution = minimise(WithHessian(Quadratic(A, b), 1.1 * A), np.zeros(3), tolerance=1e-9)
    assert_allclose(solution.x, b / np.diag(A), rtol=1e-8)


def test_not_converging_is_said():
    with pytest.warns(UserWarning, match="Got .* after 2 steps"):
        solution = minimise(Rosenbrock(), np.array([-1.2, 1.0]), tolerance=1e-9, iterations=2)
    assert not solution.converged


class Distance(Objective):
    """½ ‖s - t‖², with the two methods that every objective has."""

    def __init__(self, target):
        self.target = target

    def value_gradient(self, scores):
        apart = scores - self.target
        return 0.5 * float(apart @ apart), apart

    def hessp(self, scores, v):
        return v


def test_two_methods_are_enough_for_an_objective():
    """All else that solvers ask has a default, which makes least squares one step: its Hessian is exact."""
    rng = np.random.default_rng(1)
    X, target = rng.normal(size=(30, 4)) * [1, 10, 100, 1000], rng.normal(size=30)
    solution = minimise(Linear(Distance(target), X, 0.5), np.zeros(4), tolerance=1e-7)
    assert_allclose(solution.x, np.linalg.solve(X.T @ X + 0.5 * np.eye(4), X.T @ target), rtol=1e-9)
    assert solution.iterations <= 2
    assert_allclose(Distance(target).preconditioner(target)(X[:, 0]), X[:, 0])
    with pytest.raises(TypeError, match="hessp"):
        type("Half", (Objective,), {"value_gradient": Distance.value_gradient})()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("intercept", [False, True])
def test_linear_composition_by_finite_differences(kind, intercept):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(40, 3)).astype(float)
    model = Linear(PairRisk(np.arange(40) % 3 == 0, "logistic"), kind(X), 0.3, intercept=intercept)
    w, v = rng.normal(size=(2, 3 + intercept))
    step = 1e-5
    value, gradient = model.value_gradient(w)
    up, down = model.value_gradient(w + step * v), model.value_gradient(w - step * v)
    assert gradient @ v == pytest.approx((up[0] - down[0]) / (2 * step), rel=1e-6)
    assert_allclose(model.hessp(w, v), (up[1] - down[1]) / (2 * step), rtol=1e-6, atol=1e-9)
    assert value == pytest.approx(model.objective.value_gradient(X @ w[:3])[0] + 0.15 * w[:3] @ w[:3])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("intercept", [False, True])
def test_wide_tables_are_preconditioned_by_the_diagonal(kind, intercept, monkeypatch):
    monkeypatch.setattr(newton, "DENSE_LIMIT", 2)
    rng = np.random.default_rng(2)
    X, w = rng.integers(-3, 4, size=(40, 5)).astype(float), rng.normal(size=5 + intercept)
    model = Linear(PointRisk(X[:, 0] > 0, LOSSES["logistic"], np.full(40, 1 / 40)), kind(X), 0.3, intercept=intercept)
    diagonal = np.array([unit @ model.hessp(w, unit) for unit in np.eye(len(w))])
    assert_allclose(model.preconditioner(w)(np.ones(len(w))), 1 / diagonal, rtol=1e-12)


def test_a_matrix_is_inverted_or_only_its_diagonal_where_it_is_not_positive():
    v = np.array([3.0, -4.0])
    assert_allclose(inverse_of(np.array([[2.0, 1.0], [1.0, 5.0]]))(v), np.linalg.solve([[2, 1], [1, 5]], v), rtol=1e-8)
    assert_allclose(inverse_of(np.array([[2.0, 9.0], [9.0, 5.0]]))(v), v / [2, 5])
    assert_allclose(inverse_of(np.array([[2.0, 9.0], [9.0, -1.0]]))(v), v / [2, 0.5e-6])


@pytest.mark.parametrize("radius", [0.01, 1.0, 1.5, 2.5])
def test_a_step_to_the_edge_of_the_region_has_its_length_and_goes_down(radius):
    """After one inner step the next one is cut off at the edge, where ⟨p, d⟩ is not 0."""
    A, b = np.diag([1.0, 4.0, 30.0]), np.array([3.0, 5.0, 2.0])
    step, length, gain = newton._steihaug(Quadratic(A, b), np.zeros(3), -b, radius, lambda v: v)
    assert length == pytest.approx(np.linalg.norm(step)) == pytest.approx(radius)
    assert gain == pytest.approx(b @ step - 0.5 * step @ A @ step)
    assert gain > 0
