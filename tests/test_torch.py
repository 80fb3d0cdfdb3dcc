"""The loss of pairs in torch is that of a double sum of torch's own, and so are its first and second derivatives."""

import runpy
from pathlib import Path

import naive
import numpy as np
import page_blocks
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ordain.losses import get_pairing
from ordain.torch import PairLoss

ROOT = Path(__file__).parent.parent
PHI = {
    "logistic": lambda u: torch.nn.functional.softplus(-u),
    "exponential": lambda u: torch.exp(-u),
    "squared": lambda u: (1 - u) ** 2,
    "squared_hinge": lambda u: torch.relu(1 - u) ** 2,
    "hinge": lambda u: torch.relu(1 - u),
    "canonical_exponential": lambda u: torch.sqrt(1 + u**2 / 4) - u / 2,
}
every_loss = pytest.mark.parametrize("loss", PHI)


def double_sum(loss, scores, labels, *, weights=None, groups=None, push=1):
    """The risk by a matrix of all pairs, which torch derives by itself."""
    weights = torch.ones_like(scores) if weights is None else weights
    groups = torch.zeros(len(scores), dtype=int) if groups is None else groups
    better = (labels[:, None] > labels) & (groups[:, None] == groups)
    pairs = better * weights[:, None] * weights
    costs = PHI[loss](scores[:, None] - scores)
    if push == 1:
        return (pairs * costs).sum() / pairs.sum()
    levels = (pairs * costs).sum(0) / pairs.sum(0).clamp(min=1e-300)  # of two classes in one group
    return (weights * better.any(0) * levels**push).sum() / (weights * better.any(0)).sum()


def drawn(seed=0, n=40, dtype=torch.float64):
    rng = np.random.default_rng(seed)
    labels = torch.tensor(rng.permutation(np.arange(n) % 3 == 0))
    scores = torch.tensor(rng.normal(size=n), dtype=dtype, requires_grad=True)
    return scores, labels, torch.tensor(rng.exponential(size=n)), torch.tensor(rng.integers(0, 4, n))


@every_loss
@pytest.mark.parametrize("which", ["plain", "weights", "groups", "both"])
def test_value_and_gradient_are_those_of_a_double_sum(loss, which):
    scores, labels, weights, groups = drawn()
    options = {} if which in ("plain", "groups") else {"weights": weights}
    options |= {} if which in ("plain", "weights") else {"groups": groups}
    ours, theirs = PairLoss(loss)(scores, labels, **options), double_sum(loss, scores, labels, **options)
    assert ours.item() == pytest.approx(theirs.item(), rel=1e-12)
    np.testing.assert_allclose(*(torch.autograd.grad(risk, scores)[0] for risk in (ours, theirs)), atol=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "exponential", "squared", "canonical_exponential"])
@pytest.mark.parametrize("push", [1, 2, 3.5])
def test_it_derives_twice(loss, push):
    """Of |g(s)|² · R(s) both derivatives are needed, and the value of each."""
    slopes = []
    for risk in (PairLoss(loss, push=push), lambda s, y: double_sum(loss, s, y, push=push)):
        scores, labels, *_ = drawn(1)
        value = risk(scores, labels)
        (slope,) = torch.autograd.grad(value, scores, create_graph=True)
        slopes.append(torch.autograd.grad((slope**2).sum() * value + (slope.sin() ** 2).sum(), scores)[0])
    np.testing.assert_allclose(*slopes, rtol=1e-9, atol=1e-12)


@every_loss
def test_gradcheck(loss):
    scores, labels, *_ = drawn(2, 12)
    assert torch.autograd.gradcheck(lambda s: PairLoss(loss)(s, labels), scores)


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_gradgradcheck(loss):
    scores, labels, *_ = drawn(2, 12)
    assert torch.autograd.gradgradcheck(lambda s: PairLoss(loss)(s, labels), scores)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_precision_and_shape_are_those_of_the_scores(dtype):
    scores, labels, *_ = drawn(3, dtype=dtype)
    column = scores.detach()[:, None].requires_grad_()
    risk = PairLoss()(column, labels[:, None])
    risk.backward()
    assert risk.dtype == column.grad.dtype == dtype
    assert column.grad.shape == column.shape
    exact = double_sum("logistic", scores.detach().double(), labels)
    assert risk.item() == pytest.approx(exact.item(), rel=4 * torch.finfo(dtype).eps)


@given(st.lists(st.tuples(st.floats(-50, 50), st.integers(0, 3)), min_size=2, max_size=30))
def test_grades(rows):
    scores, grades = (np.array(part) for part in zip(*rows, strict=True))
    ours = PairLoss(graded=True)(torch.tensor(scores), torch.tensor(grades)).item()
    pairs = [(a, b) for a in range(len(rows)) for b in range(len(rows)) if grades[a] > grades[b]]
    phi = get_pairing("logistic").phi
    theirs = np.mean([float(phi(scores[a] - scores[b])) for a, b in pairs]) if pairs else 0.0
    assert ours == pytest.approx(theirs, rel=1e-11, abs=1e-300)


def test_it_is_the_risk_of_the_slow_reference():
    scores, labels, *_ = drawn(4)
    expected, *_ = naive.pair_risk(get_pairing("logistic"), labels.numpy(), scores.detach().numpy())
    assert PairLoss()(scores, labels).item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("options", [{}, {"push": 4}, {"graded": True}])
@pytest.mark.parametrize("labels", [[0, 0, 0], [1, 1, 1]])
def test_one_class_has_no_loss_and_no_gradient(options, labels):
    scores = torch.tensor([1.0, float("inf"), -2.0], requires_grad=True)
    risk = PairLoss(**options)(scores, torch.tensor(labels))
    (slope,) = torch.autograd.grad(risk, scores, create_graph=True)
    assert risk.item() == 0 and slope.tolist() == [0, 0, 0]
    assert torch.autograd.grad(slope.sum(), scores)[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("labels, groups, weights", [
    ([1, 0, 1, 0], [0, 1, 2, 3], None), ([1, 1, 0, 0], [0, 0, 1, 1], None), ([1, 0, 1, 1], None, [1, 0, 1, 1]),
])  # fmt: skip
def test_no_pair_within_a_group_or_with_weight_is_no_loss(labels, groups, weights):
    risk = PairLoss()(torch.zeros(4, requires_grad=True), labels, groups=groups, weights=weights)
    risk.backward()
    assert risk.item() == 0


def test_far_scores_are_finite():
    """A margin of -1000 costs 1000, with slope -1: a sum of exponentials would overflow."""
    scores = torch.tensor([-500.0, 500.0], requires_grad=True)
    risk = PairLoss()(scores, torch.tensor([1, 0]))
    risk.backward()
    assert risk.item() == pytest.approx(1000) and scores.grad.tolist() == [-1, 1]


def test_a_network_learns_by_it():
    generator = torch.Generator().manual_seed(0)
    X = torch.randn(300, 3, generator=generator)
    labels = X[:, 0] * X[:, 1] + 0.1 * torch.randn(300, generator=generator) > 1
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    optimiser, risk = torch.optim.Adam(network.parameters(), 0.05), PairLoss("logistic")
    values = []
    for _ in range(100):
        optimiser.zero_grad()
        value = risk(network(X), labels)
        value.backward()
        optimiser.step()
        values.append(value.item())
    assert values[0] > 0.6 and values[-1] < 0.1


@pytest.mark.parametrize("wrong, says", [
    (lambda: PairLoss("logstic"), "logistic"),
    (lambda: PairLoss(push=0.5), "push must be a number ≥ 1"),
    (lambda: PairLoss(push=2, graded=True), "push needs two classes"),
    (lambda: PairLoss()(torch.zeros(2, 2), torch.tensor([1, 0])), r"shape \(n,\) or \(n, 1\)"),
    (lambda: PairLoss()(torch.zeros(3), torch.tensor([1, 0])), "same length. Got 3 and 2"),
    (lambda: PairLoss()(torch.zeros(3), torch.tensor([1, 0, 2])), "labels must"),
    (lambda: PairLoss()(torch.tensor([0.0, float("nan")]), torch.tensor([1, 0])), "scores must"),
])  # fmt: skip
def test_wrong_input_is_one_line(wrong, says):
    with pytest.raises(ValueError, match=says) as refused:
        wrong()
    assert "\n" not in str(refused.value)


def test_networks_as_the_page_on_learning_has_them():
    [block] = [block for block in page_blocks.blocks(ROOT / "docs" / "learning.md") if "torch.nn" in block.text]
    names = {"X": torch.randn(200, 30), "y": torch.arange(200) % 4 == 0}
    exec(block.text, names)
    assert all(torch.isfinite(weight.grad).all() for weight in names["network"].parameters())


def test_the_example_of_a_network_runs_and_ranks(capsys):
    runpy.run_path(str(ROOT / "examples" / "torch_network.py"), run_name="__main__")
    pairs, rows = capsys.readouterr().out.splitlines()
    assert pairs.startswith("all pairs: AUC 0.") and rows.startswith("rows: AUC 0.")
    assert all(float(line.split("AUC ")[1][:4]) > 0.75 for line in (pairs, rows))
