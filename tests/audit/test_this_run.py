"""One run: the bound by enumeration of orders, labels and audits, and the limits of fractional answers."""

from fractions import Fraction
from itertools import combinations, permutations, product

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain import audit
from ordain.bounds.bounded_mean import mean_limits, mean_tail

THIRDS = [Fraction(k, 3) for k in range(4)]


@given(st.lists(st.sampled_from(THIRDS), min_size=6, max_size=6), st.permutations(range(4)))
def test_no_labels_cost_the_order_more_than_the_judge_and_what_they_differ_on(answers, order):
    h = dict(zip(combinations(range(4), 2), answers, strict=True))
    h |= {(v, u): 1 - answer for (u, v), answer in h.items()}
    differ = sum(1 - h[u, v] for u, v in combinations(order, 2)) / Fraction(6)
    for labels in product((0, 1), repeat=4):
        mixed = [(u, v) for u, v in permutations(range(4), 2) if labels[u] > labels[v]]
        if mixed:
            of_order = Fraction(sum(order.index(v) < order.index(u) for u, v in mixed), len(mixed))
            of_judge = sum((h[v, u] for u, v in mixed), Fraction(0)) / len(mixed)
            p = Fraction(sum(labels), 4)
            assert of_order <= of_judge + differ * 6 / len(mixed) <= of_judge + differ / (2 * p * (1 - p))


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("coins", [False, True])
def test_the_limit_of_the_disagreement_holds_over_all_audits(level, coins):
    """Four items, all sets of three of their six pairs, answers as they are or as coins of that chance."""
    order, pairs = [2, 0, 3, 1], list(combinations(range(4), 2))
    h = dict(zip(pairs, [0.9, 0.2, 0.7, 1.0, 0.0, 0.6], strict=True))
    apart = {(u, v): (1 - a) if order.index(u) < order.index(v) else a for (u, v), a in h.items()}
    missed = 0.0
    for drawn in combinations(pairs, 3):
        for said in product((0.0, 1.0), repeat=3) if coins else [tuple(h[pair] for pair in drawn)]:
            chance = np.prod([h[p] if s else 1 - h[p] for p, s in zip(drawn, said, strict=True)]) if coins else 1.0
            found = audit.certificate(order, np.array(drawn), said, prevalence=0.5, level=level)
            missed += chance / 20 * (found.disagreement < np.mean(list(apart.values())))
    assert missed <= 1 - level


def test_the_sentence_has_its_figures_and_says_when_it_says_nothing():
    pairs = audit.held_back(60, 400, np.random.default_rng(0))
    found = audit.certificate(np.arange(60), pairs, pairs[:, 0] < pairs[:, 1], prevalence=0.2)
    assert found.disagreement == pytest.approx(1 - 0.05 ** (1 / 400))  # none of 400: the binomial's own limit
    assert found.excess == pytest.approx(found.disagreement / 0.32)
    assert "400 audit pairs" in str(found) and "more of the pairs of a good and a bad item" in str(found)
    few = audit.certificate(np.arange(60), pairs[:5], pairs[:5, 0] > pairs[:5, 1], prevalence=0.01)
    assert few.disagreement == 1 and "that says nothing" in str(few)


def test_what_cannot_be_certified_is_refused():
    for options, said in [({"prevalence": 0.0}, "prevalence"), ({"prevalence": 0.5, "level": 0.4}, "level must lie")]:
        with pytest.raises(ValueError, match=said):
            audit.certificate([0, 1], np.array([[0, 1]]), [1], **options)


@pytest.mark.parametrize(("count", "total", "chance"), [(10, 9, 0.5), (10, 6.5, 0.5), (7, 7, 0.9), (30, 20.25, 0.4)])
def test_the_tail_is_that_of_bentkus_and_turns_the_limits_round(count, total, chance):
    assert mean_tail(total, count, chance) == pytest.approx(naive.bentkus(count, total, chance))
    low, _ = mean_limits(total / count, count, 0.9)
    assert mean_tail(total, count, float(low)) == pytest.approx(0.05)
    assert mean_tail(count * chance, count, chance) == 1


@pytest.mark.parametrize("values", [(0, 0.5, 1), (0, 0.75, 1), (0.1, 0.6, 0.9)])
def test_fractional_answers_have_the_limits_of_bentkus_by_proof(values):
    pairs = np.array([[0, 1]] * 3)
    found = audit.agreement([0, 1], pairs, values)
    assert (found.low, found.high) == pytest.approx(mean_limits(sum(values) / 3, 3, 0.95))
    assert str(found).endswith("(Bentkus).")
    assert found.p_value == pytest.approx(min(1, 2 * naive.bentkus(3, max(sum(values), 3 - sum(values)), 0.5)))
    assert str(audit.agreement([0, 1], pairs, [1, 0, 1])).endswith("(Clopper–Pearson).")
    sure = audit.agreement([0, 1], np.array([[0, 1]] * 9), [1, 1, 0.9, 1, 1, 0.8, 1, 1, 1])
    assert sure.p_value < 0.05
    assert sure.p_value == pytest.approx(2 * naive.bentkus(9, 8.7, 0.5))
