"""The optimal scorers of the papers, found numerically, against their closed forms."""

from fractions import Fraction
from itertools import product

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from ordain.learn.linear import LinearRanker
from ordain.losses import LINE, LOSSES, balanced, p_classification, through_logit
from ordain.pairs import PairRisk
from ordain.theorems.exact.best_scorers import (
    BipartiteRisk,
    ClassificationRisk,
    Finite,
    PushRisk,
    bipartite_optimum,
    classification_optimum,
    decomposition_gap,
    distribution_link,
    fixed_point,
    is_auc_optimal,
    pair_chances,
    pair_optimum,
)


def some(seed, points=5):
    rng = np.random.default_rng(seed)
    return Finite(rng.dirichlet(np.ones(points)), rng.uniform(0.05, 0.95, points))


every_seed = pytest.mark.parametrize("seed", range(4))


def centred(scores):
    return scores - np.mean(scores)


@every_seed
@pytest.mark.parametrize("loss", ["logistic", "exponential", "squared_hinge", "canonical_exponential"])
def test_bipartite_risk_is_the_pair_classification_risk_of_differences(seed, loss):
    """½ E_{P×Q} [ℓ(1, s - s') + ℓ(-1, s' - s)], by the double sum over points."""
    finite, scores = some(seed), np.random.default_rng(seed).normal(size=5)
    weights = np.concatenate([finite.positives, finite.negatives])
    value, _ = PairRisk(finite.labels, loss, weights=weights).value_gradient(np.tile(scores, 2))
    ell = LOSSES[loss].value
    expected = sum(
        finite.positives[x] * finite.negatives[z] / 2 * (ell(1, scores[x] - scores[z]) + ell(-1, scores[z] - scores[x]))
        for x, z in product(range(5), repeat=2)
    )
    assert value == pytest.approx(float(expected), rel=1e-12)


@every_seed
@pytest.mark.parametrize("loss", LOSSES)
def test_classification_optimum_is_the_link_of_eta(seed, loss):
    finite = some(seed)
    found = classification_optimum(finite, loss)
    link = logit if LOSSES[loss].domain != (-np.inf, np.inf) else LOSSES[loss].link
    assert_allclose(found, link(finite.eta), atol=1e-5)


@every_seed
@pytest.mark.parametrize("p", [1, 2, 5])
def test_four_risks_have_one_ranking(seed, p):
    """Pointwise exponential, pairwise exponential, pair scorer and push, equal up to shift and the scale 1/(p + 1)."""
    finite = some(seed)
    pointwise = centred(classification_optimum(finite, "exponential"))
    pairwise = bipartite_optimum(finite, "exponential")
    pushed = bipartite_optimum(finite, "exponential", push=p)
    assert_allclose(pairwise, pointwise, atol=1e-8)
    assert_allclose(pushed, pointwise * 2 / (p + 1), atol=1e-8)
    assert_allclose(pair_optimum(finite, "exponential"), pointwise[:, None] - pointwise, atol=1e-8)
    assert_allclose(centred(classification_optimum(finite, p_classification(p))), pushed, atol=1e-8)


@every_seed
def test_pair_scorer_is_the_numeric_minimiser(seed):
    finite = some(seed)
    P, Q = finite.positives, finite.negatives
    for x, z in product(range(5), repeat=2):
        risk = minimize_scalar(lambda t, x=x, z=z: P[x] * Q[z] * np.exp(-t) + Q[x] * P[z] * np.exp(t), bracket=(-1, 1))
        assert pair_optimum(finite, "exponential")[x, z] == pytest.approx(risk.x, abs=1e-6)


@every_seed
def test_without_a_sigmoid_link_the_bipartite_optimum_is_not_the_link_of_eta(seed):
    """With at least three values of η; it still ranks like η."""
    finite = some(seed)
    found = bipartite_optimum(finite, "canonical_exponential")
    assert np.abs(found - centred(LOSSES["canonical_exponential"].link(finite.eta))).max() > 1e-3
    assert (np.argsort(found) == np.argsort(finite.eta)).all()


@pytest.mark.parametrize("reduction", ["pointwise", "balanced", "pairwise"])
def test_regret_goes_to_nothing_as_samples_grow(reduction):
    """On a class that holds every scorer, here one weight per point, each reduction becomes optimal."""
    rng = np.random.default_rng(0)
    finite = Finite(np.full(8, 1 / 8), expit(np.linspace(-2, 1, 8)))
    regrets = []
    for n in (100, 2_000, 40_000):
        points = rng.choice(8, n, p=finite.mass)
        labels = rng.random(n) < finite.eta[points]
        ranker = LinearRanker(reduction=reduction, alpha=1e-6).fit(np.eye(8)[points], labels)
        regrets.append(finite.ranking_regret(ranker.decision_function(np.eye(8))))
    assert regrets[0] > 10 * regrets[2] >= 0
    assert regrets[2] < 1e-4


SIGMOID = {
    "logistic": LOSSES["logistic"],
    "exponential": LOSSES["exponential"],
    "logit squared": through_logit("squared"),
    "logit spherical": through_logit("spherical"),
    "p = 2": p_classification(2),
    "p = 5": p_classification(5),
}
OTHER = {name: loss for name, loss in LOSSES.items() if loss.fits_pairs and loss.sigmoid_slope is None}
THREE = Finite(np.array([0.3, 0.3, 0.4]), np.array([0.15, 0.4, 0.8]))


@pytest.mark.parametrize("loss", SIGMOID.values(), ids=SIGMOID)
def test_with_a_sigmoid_the_bipartite_optimum_is_the_link_of_eta(loss):
    """Three values of η; two minimisers agree with ψ∘η up to a shift, and the pair optimum is a difference."""
    for seed in range(3):
        finite = some(seed, points=3)
        assert_allclose(bipartite_optimum(finite, loss), centred(loss.link(finite.eta)), atol=1e-10)
    assert_allclose(naive.bipartite_minimiser(THREE, loss), centred(loss.link(THREE.eta)), atol=1e-5)
    assert decomposition_gap(pair_optimum(THREE, loss)) < 1e-12


@pytest.mark.parametrize("loss", OTHER.values(), ids=OTHER)
def test_without_a_sigmoid_it_is_not_but_for_two_values_of_eta(loss):
    found = bipartite_optimum(THREE, loss)
    assert_allclose(found, naive.bipartite_minimiser(THREE, loss), atol=1e-5)
    assert np.abs(found - centred(loss.link(THREE.eta))).max() > 5e-3
    assert decomposition_gap(pair_optimum(THREE, loss)) > 5e-2
    assert loss.sigmoid_slope is None
    two = Finite(np.array([0.4, 0.6]), np.array([0.2, 0.7]))
    assert decomposition_gap(pair_optimum(two, loss)) < 1e-12
    gap = bipartite_optimum(two, loss)
    assert_allclose(gap[0] - gap[1], pair_optimum(two, loss)[0, 1], atol=1e-10)


def test_decomposition_gap_is_the_distance_from_differences():
    scores = np.array([0.3, -1.0, 2.0, 0.5])
    assert decomposition_gap(scores[:, None] - scores) < 1e-15
    cycle = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert decomposition_gap(cycle) == 3


@pytest.mark.parametrize("loss", OTHER.values(), ids=OTHER)
@every_seed
def test_the_fixed_point_solves_the_minimiser(seed, loss):
    """η = f∘s with the link that depends on the distribution, both ways; f rises."""
    finite = some(seed, points=4)
    best = bipartite_optimum(finite, loss)
    assert_allclose(distribution_link(finite, loss, best, best), finite.eta, atol=1e-10)
    if loss.name != "squared_hinge":  # its equations are flat beyond the margin
        assert_allclose(fixed_point(finite, loss), best, atol=1e-10)
        at = np.linspace(best.min(), best.max(), 200)
        assert np.all(np.diff(distribution_link(finite, loss, best, at)) > 0)


@pytest.mark.parametrize("loss", OTHER.values(), ids=OTHER)
def test_slip_the_printed_link_does_not_fit(loss):
    """With ℓ'(-1, ·) in the Q-term too, as on the poster, f∘s* is not η, not even in [0, 1]."""
    best = bipartite_optimum(THREE, loss)
    slopes, p = loss.gradient(-1, best[:, None] - best), THREE.prevalence
    up, down = p * slopes @ THREE.positives, (1 - p) * slopes @ THREE.negatives
    printed = up / (up - down)
    assert np.abs(printed - THREE.eta).max() > 0.05
    assert not np.all((printed >= 0) & (printed <= 1))


def test_slip_the_printed_condition_for_an_inverse_can_never_hold():
    """φ'(v) = 0 ⟺ φ'(-v) ≠ 0 contradicts itself at v = 0; with ⇒ every zoo loss satisfies it."""
    v = np.linspace(-3, 3, 601)
    for loss in (*OTHER.values(), LOSSES["logistic"], LOSSES["exponential"]):
        flat, mirrored = loss.phi_slope(v) == 0, loss.phi_slope(-v) == 0
        assert not np.array_equal(flat, ~mirrored)
        assert not np.any(flat & mirrored)


def test_pair_chances_are_sigmoids_of_differences_and_exact():
    finite = Finite(
        np.array([Fraction(1, 4)] * 4), np.array([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)])
    )
    chances = pair_chances(finite)
    assert chances[1, 2] == Fraction(1, 3)  # odds ½ : 1
    assert chances[3, 0] == 1
    assert chances[0, 3] == 0
    some_finite = some(0)
    odds = logit(some_finite.eta)
    assert_allclose(pair_chances(some_finite), expit(odds[:, None] - odds), rtol=1e-12)


@pytest.mark.parametrize("name", ["logistic", "exponential", "squared_hinge", "canonical_exponential"])
def test_pair_optimum_of_every_loss_by_search(name):
    phi = LOSSES[name].phi
    for x, z in product(range(3), repeat=2):
        up, down = THREE.positives[x] * THREE.negatives[z], THREE.positives[z] * THREE.negatives[x]
        found = minimize_scalar(lambda t, a=up, b=down: a * phi(t) + b * phi(-t), bracket=(-1, 1)).x
        assert pair_optimum(THREE, name)[x, z] == pytest.approx(found, abs=1e-6)


def test_slip_a_pair_scorer_that_is_not_antisymmetric_runs_away():
    """(3) as printed is E e^-t over positives first and negatives second: it falls without end as t grows."""
    weight = np.outer(THREE.positives, THREE.negatives)
    optimum = pair_optimum(THREE, "exponential")
    risks = [np.sum(weight * np.exp(-(optimum + shift))) for shift in (0, 1, 10, 100)]
    assert risks == sorted(risks, reverse=True)
    assert risks[-1] < 1e-40


def test_auc_optimal_scorers_exactly():
    """All weak orders of four points, two of them with the same η: optimal iff η(x) > η(z) ⇒ s(x) > s(z)."""
    finite = Finite(
        np.array([Fraction(1, 8), Fraction(3, 8), Fraction(1, 4), Fraction(1, 4)]),
        np.array([Fraction(1, 5), Fraction(1, 2), Fraction(1, 2), Fraction(4, 5)]),
    )
    labels = [True] * 4 + [False] * 4
    weights = [*(finite.mass * finite.eta), *(finite.mass * (1 - finite.eta))]
    areas = {scores: naive.auc(labels, scores * 2, weights) for scores in product(range(4), repeat=4)}
    best = {scores for scores, area in areas.items() if area == max(areas.values())}
    assert best == {scores for scores in areas if is_auc_optimal(finite, np.array(scores))}
    assert (0, 1, 2, 3) in best  # no function of η, let alone an increasing one: points 1 and 2 share theirs
    assert (0, 2, 1, 3) in best


def test_points_without_mass_do_not_matter():
    finite = Finite(np.array([0.5, 0.5, 0.0]), np.array([0.2, 0.6, 0.9]))
    assert is_auc_optimal(finite, np.array([0, 1, -1]))


def test_balanced_training_aims_at_a_shift_of_the_same_scores():
    """logit η minus logit p: pointwise, balanced and pairwise agree up to a shift for the logistic loss."""
    finite = some(3)
    even = classification_optimum(finite, balanced("logistic", float(finite.prevalence)))
    assert_allclose(even, logit(finite.eta) - logit(finite.prevalence), atol=1e-6)
    assert_allclose(centred(even), bipartite_optimum(finite, "logistic"), atol=1e-6)


def test_a_bipartite_risk_needs_every_score():
    with pytest.raises(ValueError, match=r"needs a loss of every score. Got spherical. through_logit"):
        bipartite_optimum(THREE, "spherical")
    assert LOSSES["spherical"].domain != LINE


@every_seed
@pytest.mark.parametrize("risk", [
    lambda finite: PushRisk(finite, LOSSES["logistic"], 3.5), lambda finite: BipartiteRisk(finite, LOSSES["logistic"]),
    lambda finite: ClassificationRisk(finite, LOSSES["logistic"]),
], ids=["push", "pairs", "rows"])  # fmt: skip
def test_slopes_and_curvatures_are_derivatives_of_the_risks(risk, seed):
    """By central differences; the solver would get to the best scores with wrong curvatures too."""
    rng = np.random.default_rng(seed)
    objective, (scores, v), step = risk(some(seed)), rng.normal(size=(2, 5)), 1e-5
    above, below = (objective.value_gradient(scores + move * v) for move in (step, -step))
    _, slope = objective.value_gradient(scores)
    assert_allclose(slope @ v, (above[0] - below[0]) / (2 * step), rtol=1e-6, atol=1e-9)
    assert_allclose(objective.hessp(scores, v), (above[1] - below[1]) / (2 * step), rtol=1e-5, atol=1e-8)
