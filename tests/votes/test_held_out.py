"""Folds of votes are dealt person by person and judge by judge; figures are those counted one vote at a time."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from ordain.bounds.paired_folds import Difference, best_elsewhere
from ordain.votes.cast_votes import Votes
from ordain.votes.held_out import MethodsCompared, agreement, compare_methods, log_loss, parted
from ordain.votes.methods import METHODS, Ranked, ranked


def seeded(seed=0):
    return np.random.default_rng(seed)


def simulated(seed=0, n=8, rows=200, spread=1.5, **others):
    """Votes by strengths, one a row."""
    rng = seeded(seed)
    strengths = np.sort(rng.normal(0, spread, n))[::-1]
    left = rng.integers(0, n, rows)
    right = (left + rng.integers(1, n, rows)) % n
    answers = (rng.random(rows) < 1 / (1 + np.exp(strengths[right] - strengths[left]))).astype(float)
    answers[rng.random(rows) < 0.1] = 0.5
    ones = np.ones(rows)
    return Votes(tuple(range(n)), left, right, answers, ones, ones, ones, **others)


def test_every_person_is_held_out_once_and_folds_are_of_equal_size():
    left, right = np.triu_indices(8, 1)
    ones, people = np.ones(28), seeded(1).integers(1, 1000, 28)
    votes, held = Votes(tuple(range(8)), left, right, ones, people, ones, ones), np.zeros((8, 8))
    for known, fresh in parted(votes, 4, seeded()):
        kept = np.zeros((8, 8))
        kept[known.left, known.right] += known.people
        kept[fresh.left, fresh.right] += fresh.people
        held[fresh.left, fresh.right] += fresh.people
        assert_allclose(kept[left, right], people)
        assert people.sum() // 4 <= fresh.people.sum() <= people.sum() // 4 + 1
        assert (known.people > 0).all()
        assert (fresh.people > 0).all()
    assert_allclose(held[left, right], people)


def test_a_count_is_dealt_as_so_many_people_by_lot():
    """600 against 400 people in two folds: those of the first kind in a fold are hypergeometric."""
    pair = np.array([0, 0]), np.array([1, 1])
    votes = Votes(("a", "b"), *pair, np.array([1.0, 0.0]), np.array([600, 400]), np.ones(2), np.ones(2))
    held = [next(parted(votes, 2, seeded(seed)))[1].people[0] for seed in range(2000)]
    law = stats.hypergeom(1000, 600, 500)
    assert abs(np.mean(held) - law.mean()) < 4 * law.std() / math.sqrt(2000)
    assert np.std(held) == pytest.approx(law.std(), rel=0.1)


def test_counts_too_large_to_deal_evenly_draw_their_folds():
    one = np.ones(1)
    votes = Votes(("a", "b"), np.array([0]), np.array([1]), one, 3e9 * one, one, one)
    held = [float(fresh.people[0]) for _, fresh in parted(votes, 3, seeded())]
    assert sum(held) == 3e9
    assert_allclose(held, 1e9, rtol=1e-3)


def test_a_fraction_of_a_person_is_in_one_fold():
    one = np.ones(1)
    votes = Votes(("a", "b"), np.array([0]), np.array([1]), one, 7.25 * one, one, one)
    held = [fresh.people.sum() for _, fresh in parted(votes, 3, seeded())]
    assert sum(held) == 7.25
    assert sum(people % 1 > 0 for people in held) == 1


def test_whole_judges_stay_together():
    clusters = seeded(2).integers(0, 20, 200)
    votes = simulated(clusters=clusters, judges=tuple(range(20)))
    for known, fresh in parted(votes, 5, seeded()):
        assert not set(known.clusters) & set(fresh.clusters)
        assert len(set(fresh.clusters)) == 4
    assert compare_methods(votes, methods=["degree"]).together == "judges"


def test_a_ballot_of_many_people_is_dealt_whole_person_by_person():
    clusters = np.repeat(np.arange(4), 3)
    votes = replace(simulated(rows=12), clusters=clusters, people=np.repeat([100, 50, 7, 1], 3))
    total = np.zeros(4)
    for _, fresh in parted(votes, 3, seeded()):
        for cluster in np.unique(fresh.clusters):
            people = fresh.people[fresh.clusters == cluster]
            assert len(people) == 3
            assert len(set(people)) == 1
            total[cluster] += people[0]
    assert_allclose(total, [100, 50, 7, 1])
    assert compare_methods(votes, methods=["degree"]).together == "ballots"


def test_one_judge_counts_as_independent_votes_and_it_is_said():
    votes = simulated(clusters=np.zeros(200, int), judges=("only",))
    found = compare_methods(votes, methods=["degree"])
    assert found.together == "votes"
    assert "All votes are of one judge" in str(found)
    without = compare_methods(replace(votes, clusters=None, judges=None), methods=["degree"])
    assert_allclose(found.found[0].agreement, without.found[0].agreement)


def test_fewer_judges_than_folds_make_fewer_folds():
    votes = simulated(clusters=np.arange(200) % 3, judges=tuple("abc"))
    found = compare_methods(votes, methods=["degree"])
    assert found.folds == 3
    assert found.notice == "3 judges make 3 folds, not 5."


def test_too_few_votes_to_hold_out_are_refused():
    with pytest.raises(ValueError, match=r"two folds or more. Got 5 folds and 1 votes"):
        compare_methods(simulated(rows=1))
    with pytest.raises(ValueError, match=r"two folds or more. Got 1 folds"):
        compare_methods(simulated(), folds=1)


def figures_one_by_one(made, votes, linked):
    """Agreement and log loss, from every single vote."""
    right, decided, loss, count = 0.0, 0, 0.0, 0
    for row in range(len(votes)):
        u, v, y = votes.left[row], votes.right[row], votes.answers[row]
        chance = made.chances(np.array([[u, v]]))
        q = 0.5 if not linked[row] else None if chance is None else chance[0]
        for _ in range(int(votes.counts[row])):
            if y != 0.5:
                decided += 1
                better = made.scores[u] - made.scores[v] if made.scores is not None else made.places[v] - made.places[u]
                right += 0.5 if better == 0 or not linked[row] else float((better > 0) == (y > 0.5))
            count += 1
            loss -= 0 if q is None else y * math.log(q) + (1 - y) * math.log(1 - q)
    return right / decided, loss / count


@pytest.mark.parametrize("method", METHODS)
def test_agreement_and_log_loss_are_those_of_votes_one_by_one(method):
    votes = replace(simulated(3, rows=40), people=seeded(4).integers(1, 4, 40))
    made, linked = ranked(votes, method), seeded(5).random(40) < 0.8
    share, loss = figures_one_by_one(made, votes, linked)
    assert agreement(made, votes, linked) == pytest.approx(share)
    found = log_loss(made, votes, linked)
    assert found is None if made.fit is None else found == pytest.approx(loss)


def test_level_items_and_votes_all_tied_agree_by_half():
    votes = simulated()
    level, all_linked = Ranked("degree", np.arange(8), np.zeros(8)), np.ones(200, bool)
    assert agreement(level, votes, all_linked) == 0.5
    assert agreement(ranked(votes), replace(votes, answers=np.full(200, 0.5)), all_linked) == 0.5


def test_what_no_known_vote_links_is_a_coin():
    """Two pairs, each voted on by one judge: held out, nothing else speaks of them."""
    ones = np.ones(2)
    pair = np.array([0, 2]), np.array([1, 3])
    votes = Votes(tuple("abcd"), *pair, ones, ones, ones, ones, np.arange(2), tuple("xy"))
    found = compare_methods(votes)
    for one in found.found:
        assert_allclose(one.agreement, 0.5)
    assert_allclose(found.found[0].log_loss, math.log(2))


@pytest.mark.parametrize("method", METHODS)
def test_a_comparison_is_each_method_fitted_to_the_other_folds(method):
    votes = simulated(6, rows=300)
    found = compare_methods(votes, methods=["degree", method] if method != "degree" else ["degree"], folds=3, seed=7)
    for k, (known, fresh) in enumerate(parted(votes, 3, seeded(7))):
        made = ranked(known, method, seed=7)
        share, loss = figures_one_by_one(made, fresh, np.ones(len(fresh), bool))
        assert found.found[-1].agreement[k] == pytest.approx(share)
        if made.fit is not None:
            assert found.found[-1].log_loss[k] == pytest.approx(loss)


def test_strengths_foresee_more_than_shares_of_wins_where_opponents_differ():
    """Eight strong and eight weak items meet mostly their like; the last of the strong beats the first of the weak."""
    rng = seeded(8)
    strengths = np.repeat([2.0, -2.0], 8) + np.tile(np.linspace(1.5, -1.5, 8), 2)
    left = rng.integers(0, 16, 3000)
    near = left // 8 * 8 + (left % 8 + rng.integers(1, 8, 3000)) % 8
    right = np.where(rng.random(3000) < 0.8, near, 15 - left)
    answers = (rng.random(3000) < 1 / (1 + np.exp(strengths[right] - strengths[left]))).astype(float)
    ones = np.ones(3000)
    votes = Votes(tuple(range(16)), left, right, answers, ones, ones, ones)
    found = compare_methods(votes, methods=["bradley_terry", "degree"])
    assert found.below(found.found[1]).low > 0
    assert found.found[0].log_loss.mean() < math.log(2)


def test_differences_are_to_the_best_on_the_other_folds():
    found = compare_methods(simulated(9))
    shares = np.array([one.agreement for one in found.found])
    losses = found.found[0].log_loss
    for one in found.found:
        expected = Difference.of(best_elsewhere(shares, np.zeros(5, int)) - one.agreement, 5, 0.95)
        assert found.below(one) == expected
        assert found.above(one) is None
    twice = MethodsCompared((*found.found, replace(found.found[0], log_loss=losses + 0.1)), 200.0, "votes", 0.95)
    assert twice.above(twice.found[-1]).mean == pytest.approx(0.1)


def test_a_comparison_prints_a_table_and_is_plain_data():
    found = compare_methods(simulated(10))
    lines = str(found).splitlines()
    assert [line.split()[0] for line in lines[1:5]] == list(METHODS)
    assert lines[-1] == "200 votes were held out in 5 folds."
    data = json.loads(json.dumps(found.as_json(), allow_nan=False))
    for one, described in zip(found.found, data["methods"], strict=True):
        assert described["agreement"] == pytest.approx(one.agreement.mean())
        assert (described["log_loss"] is None) == (one.log_loss is None)
    assert f"{found.found[0].log_loss.mean():.4f}" in lines[1]
