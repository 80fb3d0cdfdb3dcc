"""Rankers: what they return, what they ask, what they do when the budget ends, and the theorems that name them."""

import asyncio
import threading
from contextlib import nullcontext
from itertools import pairwise, permutations, product

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.stats import chisquare

import ordain.rank.least_disagreement as tournament
from ordain.measure import auc_loss
from ordain.preference import (
    Spent,
    ask,
    batch,
    budgeted,
    counted,
    from_function,
    from_matrix,
    from_scores,
    journalled,
    remembering,
    rounded,
    shown_in_random_order,
    symmetrised,
)
from ordain.rank import (
    averaged_quicksort,
    by_scores,
    degree,
    fairly,
    feedback_arc_set,
    field,
    greedy,
    minimum_feedback,
    play,
    quicksort,
    top_k,
    window,
)
from ordain.rank.items import METHODS, Asked, Options, sort
from ordain.rank.items import top_k as plain_top_k
from ordain.theorems.exact.quicksort_law import expected_calls, output_distribution

RANKERS = {
    "quicksort": quicksort,
    "top_k": lambda n, rng: top_k(n, min(n, 3), rng),
    "averaged_quicksort": lambda n, rng: averaged_quicksort(n, rng, runs=3),
    "degree": degree,
    "greedy": greedy,
    "feedback_arc_set": feedback_arc_set,
}
AVERAGING = {
    "window": lambda n, rng: window(n, rng, 3 * n),
    "field": lambda n, rng: field(n, min(n, 3), rng, 3 * n),
}
guaranteed_and_averaging = pytest.mark.parametrize("name", [*RANKERS, *AVERAGING])
every_ranker = pytest.mark.parametrize("ranker", RANKERS.values(), ids=RANKERS)
sorting_rankers = pytest.mark.parametrize("name", sorted(RANKERS.keys() - {"top_k"}))


def cyclic(n):
    """Around a circle every item beats those in the half before it; the one opposite is a coin."""
    ahead = np.subtract.outer(np.arange(n), np.arange(n)) % n
    return from_matrix(np.where(2 * ahead == n, 0.5, 2 * ahead < n))


JUDGES = {
    "first": lambda n, rng: lambda pairs: np.ones(len(pairs)),
    "half": lambda n, rng: lambda pairs: np.full(len(pairs), 0.5),
    "random": lambda n, rng: lambda pairs: rng.random(len(pairs)),
    "cyclic": lambda n, rng: cyclic(n),
    "scores": lambda n, rng: from_scores(np.arange(n)),
}
every_judge = pytest.mark.parametrize("judge", JUDGES.values(), ids=JUDGES)


def seeded(seed=0):
    return np.random.default_rng(seed)


@every_ranker
@every_judge
@pytest.mark.parametrize("n", [1, 2, 7, 17])
def test_every_ranker_terminates_with_an_order_within_any_budget(ranker, judge, n):
    needed = counted(judge(n, seeded(1)))
    order = play(ranker(n, seeded()), needed)
    assert_array_equal(np.sort(order), np.arange(n))
    for budget in {0, 1, 2, n, needed.calls // 2, needed.calls, needed.calls + 1}:
        asked = counted(judge(n, seeded(1)))
        order = play(ranker(n, seeded()), budgeted(asked, budget))
        assert_array_equal(np.sort(order), np.arange(n))
        assert asked.calls == min(budget, needed.calls)


@every_ranker
def test_nothing_to_rank(ranker):
    assert len(play(ranker(0, seeded()), from_scores([0]))) == 0


@sorting_rankers
@settings(max_examples=25)
@given(scores=st.lists(st.integers(0, 50), min_size=1, max_size=18), seed=st.integers(0, 99))
def test_every_ranker_sorts_by_a_clean_judge(name, scores, seed):
    order = play(RANKERS[name](len(scores), seeded(seed)), from_scores(scores))
    assert_array_equal(np.asarray(scores)[order], sorted(scores, reverse=True))


@every_ranker
def test_no_batch_is_empty_and_items_are_never_compared_with_themselves(ranker):
    log = []
    play(ranker(9, seeded()), naive.logged(cyclic(9), log))
    assert all(len(pairs) and (pairs[:, 0] != pairs[:, 1]).all() for pairs, _ in log)


@pytest.mark.parametrize("name", sorted(RANKERS.keys() - {"averaged_quicksort"}))
def test_no_pair_is_asked_twice(name):
    log = []
    play(RANKERS[name](30, seeded()), naive.logged(lambda pairs: np.full(len(pairs), 0.5), log))
    asked = [frozenset(pair) for pairs, _ in log for pair in pairs.tolist()]
    assert len(set(asked)) == len(asked)


def noisy(seed):
    """A judge of 12 items who never answers alike."""
    rng = seeded(seed)
    return lambda pairs: rng.random(len(pairs))


def ranker_of(name, n, seed):
    return (RANKERS | AVERAGING)[name](n, seeded(seed))


def in_any_order(journal, rng, most=np.inf):
    """A judge who gives the answers of a journal, each once, in random order within a batch, and fails after `most`."""
    left = {}
    for (question, _), answer in sorted(journal.items()):
        left.setdefault(question, []).append(answer)
    given = []

    def answers(pairs):
        found = [left[question].pop(0) for question in map(tuple, pairs.tolist())]
        for row in rng.permutation(len(pairs)).tolist():
            if len(given) == most:
                raise ConnectionError("the line is dead")
            given.append(found[row])
            yield row, found[row]

    answers.given = given
    return answers


@guaranteed_and_averaging
@given(share=st.floats(0, 1), seed=st.integers(0, 99))
@settings(max_examples=15)
def test_a_run_resumes_from_any_part_of_its_journal(name, share, seed):
    whole, rng = {}, seeded(seed)
    order = play(ranker_of(name, 12, seed), journalled(noisy(seed), whole))
    part = {key: answer for key, answer in whole.items() if rng.random() < share}
    missing = {key: answer for key, answer in whole.items() if key not in part}
    judge = in_any_order(missing, rng)
    assert_array_equal(play(ranker_of(name, 12, seed), journalled(judge, part)), order)
    assert len(judge.given) == len(missing)
    assert part == whole
    assert_array_equal(play(ranker_of(name, 12, seed), journalled(journal=whole)), order)


@guaranteed_and_averaging
@given(most=st.integers(0, 30), seed=st.integers(0, 99))
@settings(max_examples=15)
def test_every_answer_before_a_failure_is_kept_and_none_is_asked_again(name, most, seed):
    whole, kept, rng = {}, {}, seeded(seed)
    order = play(ranker_of(name, 12, seed), journalled(noisy(seed), whole))
    with pytest.raises(ConnectionError) if most < len(whole) else nullcontext():
        play(ranker_of(name, 12, seed), journalled(in_any_order(whole, rng, most), kept))
    assert kept.items() <= whole.items()
    assert len(kept) == min(most, len(whole))
    so_far = play(ranker_of(name, 12, seed), journalled(journal=dict(kept)))
    assert_array_equal(np.sort(so_far), np.arange(12))
    rest = in_any_order({key: answer for key, answer in whole.items() if key not in kept}, rng)
    assert_array_equal(play(ranker_of(name, 12, seed), journalled(rest, kept)), order)
    assert len(rest.given) == len(whole) - min(most, len(whole))


def gappy(judge, batches, share, rng, came):
    """`judge`, that ends in a batch of which only a share is answered; what it said is in `came`."""

    def answers(pairs):
        given = judge(pairs)
        if answers.left == 0:
            given = np.where(rng.random(len(pairs)) < share, given, np.nan)
        came.extend((u, v, answer) for (u, v), answer in zip(pairs.tolist(), given.tolist(), strict=True))
        answers.left -= 1
        if answers.left < 0:
            raise Spent(given)
        return given

    answers.left = batches
    return answers


def respected(order, came):
    """For each answer that came, whether the order agrees with it."""
    place = np.argsort(order)
    return [(answer > 0.5) == (place[u] < place[v]) for u, v, answer in came if not np.isnan(answer)]


@guaranteed_and_averaging
@given(n=st.integers(2, 12), batches=st.integers(0, 4), share=st.floats(0, 1), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_every_ranker_takes_answers_with_gaps(name, n, batches, share, seed):
    came = []
    judge = gappy(from_scores(seeded(seed).permutation(n)), batches, share, seeded(seed + 1), came)
    order = play(ranker_of(name, n, seed), judge)
    assert_array_equal(np.sort(order), np.arange(n))
    if name in ("quicksort", "top_k", "feedback_arc_set"):
        assert all(respected(order, came))


@pytest.mark.parametrize(("batches", "share"), [(0, 0.3), (0, 0.7), (1, 0.5)])
@guaranteed_and_averaging
def test_the_answers_that_came_count_wherever_in_the_batch(name, batches, share):
    """The last of them alone, too: a prefix of the batch would have none of these."""
    agreed = []
    for seed in range(30):
        came = []
        judge = gappy(from_scores(seeded(seed).permutation(12)), batches, share, seeded(seed + 1), came)
        agreed += respected(play(ranker_of(name, 12, seed), judge), came)
    assert np.mean(agreed) > 0.8


@guaranteed_and_averaging
@pytest.mark.parametrize("seed", range(5))
def test_a_budget_that_ends_with_the_last_answer_changes_nothing(name, seed):
    batches = []
    order = play(ranker_of(name, 12, seed), naive.logged(noisy(seed), batches))
    judge = gappy(noisy(seed), len(batches) - 1, 1.0, seeded(), [])
    assert_array_equal(play(ranker_of(name, 12, seed), judge), order)


def test_a_question_asked_again_is_another_entry():
    journal, pairs = {}, np.array([[0, 1], [1, 0], [0, 1]])
    first = ask(journalled(noisy(0), journal), pairs)
    assert journal == {((0, 1), 0): first[0], ((1, 0), 0): first[1], ((0, 1), 1): first[2]}
    judge = journalled(noisy(1), journal)
    assert_array_equal(judge(pairs[:1]), first[:1])
    assert_array_equal(judge(pairs[:1]), first[2:])
    judge(pairs[:1])
    assert len(journal) == 4 and ((0, 1), 2) in journal


def test_a_failed_batch_can_be_asked_again():
    journal, pairs = {}, np.array([[0, 1], [0, 2], [0, 1]])
    lines = iter([iter([(2, 0.25)]), iter([(0, 1.0), (1, 0.0)])])
    judge = journalled(lambda asked: next(lines), journal)
    with pytest.raises(ValueError, match=r"one answer per question. Got 1 answers for 3 questions"):
        judge(pairs)
    assert journal == {((0, 1), 1): 0.25}
    assert_array_equal(judge(pairs), [1, 0, 0.25])


def test_a_ranker_that_goes_on_when_spent_is_stopped():
    def stubborn():
        while True:
            try:
                yield np.array([[0, 1]])
            except Spent:
                continue

    with pytest.raises(RuntimeError, match="must return its order"):
        play(stubborn(), budgeted(noisy(0), 3))


def test_an_error_of_the_judge_is_not_the_end_of_the_ranking():
    answers = iter([])
    with pytest.raises(RuntimeError, match="StopIteration"):
        play(quicksort(3, seeded()), lambda pairs: [next(answers)])


@given(st.integers(0, 99), st.integers(0, 8))
def test_asking_fairly_answers_the_pairs_as_given(seed, budget):
    first, second = np.array([0, 1, 2, 3, 4]), np.array([5, 4, 3, 2, 1])
    h = np.triu(seeded(seed).random((6, 6)), 1)
    h += np.tril(1 - h.T, -1)

    def ranker():
        try:
            return (yield from fairly(first, second, seeded(seed)))
        except Spent as spent:
            return spent.answers

    answers = play(ranker(), budgeted(from_matrix(h), budget))
    np.testing.assert_allclose(answers[:budget], h[first, second][:budget], atol=1e-15)
    assert np.isnan(answers[budget:]).all()


def fractional_cycle(n):
    """A preference in quarters with cycles and coins."""
    h = np.array([[((u * 7 + v * 5) % 5) / 4 for v in range(n)] for u in range(n)])
    return np.triu(h, 1) + np.tril(1 - h.T, -1)


def agreement(observed, law):
    """p-value of the counts of `observed` under `law`; nothing impossible may be observed."""
    counts = dict.fromkeys(law, 0)
    for key in observed:
        counts[key] += 1
    expected = np.array([float(chance) for chance in law.values()]) * len(observed)
    return chisquare(list(counts.values()), expected).pvalue


@pytest.mark.parametrize(("n", "runs"), [(3, 1000), (4, 1500), (5, 2500)])
def test_quicksort_has_its_law(n, runs):
    h, rng = fractional_cycle(n), seeded(n)
    orders = [tuple(play(quicksort(n, rng), from_matrix(h)).tolist()) for _ in range(runs)]
    assert agreement(orders, output_distribution(h)) > 1e-3


def test_top_k_has_the_law_of_the_first_k_and_its_expected_calls():
    n, k, runs = 5, 2, 2000
    h, rng = fractional_cycle(n), seeded(2)
    law = {}
    for order, chance in output_distribution(h).items():
        law[order[:k]] = law.get(order[:k], 0) + chance
    judge = counted(from_matrix(h))
    firsts = [tuple(play(top_k(n, k, rng), judge)[:k].tolist()) for _ in range(runs)]
    assert agreement(firsts, law) > 1e-3
    assert abs(judge.calls / runs - expected_calls(h, k)) < 0.1


@pytest.mark.parametrize("k", [1, 10, 999, 1000])
def test_top_k_gives_the_first_k_of_the_sort(k):
    scores = seeded(k).permutation(1000)
    order = play(top_k(1000, k, seeded()), from_scores(scores))
    assert_array_equal(scores[order[:k]], np.arange(999, 999 - k, -1))


def test_calls_and_batches_on_a_clean_judge_at_a_thousand_items():
    n, runs = 1000, 120
    judge, first = counted(from_scores(np.arange(n))), counted(from_scores(np.arange(n)))
    for seed in range(runs):
        play(quicksort(n, seeded(seed)), judge)
        play(top_k(n, 1, seeded(seed)), first)
    assert abs(judge.calls / runs / (2 * (n + 1) * naive.harmonic(n) - 4 * n) - 1) < 0.02
    assert judge.batches / runs <= 22
    assert abs(first.calls / runs / (2 * n - 2 * naive.harmonic(n)) - 1) < 0.1


@pytest.mark.parametrize("judge", [JUDGES["first"], JUDGES["cyclic"], JUDGES["half"]], ids=["first", "cyclic", "half"])
def test_no_judge_makes_quicksort_ask_much_more_than_a_clean_one(judge):
    n, runs = 501, 20
    asked = counted(judge(n, seeded()))
    for seed in range(runs):
        play(quicksort(n, seeded(seed)), asked)
    assert asked.calls / runs <= 1.02 * (2 * (n + 1) * naive.harmonic(n) - 4 * n)


@sorting_rankers
def test_every_part_of_a_budget_helps(name):
    n, runs = 20, 40
    judge = from_scores(np.arange(n))
    needed = counted(judge)
    play(RANKERS[name](n, seeded()), needed)

    def mean(budget):
        orders = (play(RANKERS[name](n, seeded(seed)), budgeted(judge, budget)) for seed in range(runs))
        return np.mean([naive.inversions(order[::-1]) for order in orders])

    means = [mean(int(share * needed.calls)) for share in (0, 0.1, 0.3, 0.6, 5)]
    assert abs(means[0] / (n * (n - 1) / 4) - 1) < 0.1
    assert all(late < 0.95 * early for early, late in pairwise(means))
    assert means[-1] == 0


def test_known_winners_come_before_the_unasked_and_those_before_known_losers():
    n, asked = 9, 5
    log = []
    order = play(quicksort(n, seeded(3)), budgeted(naive.logged(from_scores(np.arange(n)), log), asked))
    pairs, answers = log[0]
    pivot = set(pairs[0]).intersection(*map(set, pairs.tolist())).pop()
    beat = [u if answer else v for (u, v), answer in zip(pairs, answers, strict=True)]
    winners = {winner for winner in beat if winner != pivot}
    losers = set(pairs.ravel().tolist()) - winners - {pivot}
    assert set(order[: len(winners)]) == winners
    assert set(order[n - len(losers) :]) == losers


def test_averaging_several_quicksorts_orders_by_the_mean_place():
    n, runs = 12, 4
    orders = [play(quicksort(n, child), cyclic(n)) for child in seeded(5).spawn(runs)]
    mean_place = np.mean([np.argsort(order) for order in orders], axis=0)
    averaged = play(averaged_quicksort(n, seeded(5), runs=runs), cyclic(n))
    assert (np.diff(mean_place[averaged]) >= 0).all()


def test_averaging_lessens_the_loss_of_a_noisy_judge():
    n, losses = 60, {quicksort: 0, averaged_quicksort: 0}
    for ranker, seed in product(losses, range(10)):
        flips = seeded(seed)
        order = play(
            ranker(n, seeded(seed)), lambda pairs, f=flips: (pairs[:, 0] < pairs[:, 1]) ^ (f.random(len(pairs)) < 0.2)
        )
        losses[ranker] += naive.inversions(order)
    assert losses[averaged_quicksort] < 0.75 * losses[quicksort]


@pytest.mark.parametrize(("n", "shapes"), [(2, 1), (3, 2), (4, 4), (5, 12), (6, 56)])
def test_every_least_disagreeing_order_makes_at_most_twice_the_mistakes(n, shapes):
    """g' ≤ 2f for every tournament, every optimal order and every labelling, and ours is an optimal order."""
    orders = naive.orders(n)
    all_shapes = naive.tournaments(n)
    assert len(all_shapes) == shapes
    worst = 0
    for h in all_shapes:
        weights = naive.back_edges(h, orders)
        ours = minimum_feedback(h, seeded())
        assert ours.weight == ours.bound == weights.min()
        assert_array_equal(naive.back_edges(h, ours.order[None, :]), weights.min())
        places = np.argsort(orders[weights == weights.min()], axis=1)
        for labels in product([False, True], repeat=n):
            pairs = [(u, v) for u, v in product(range(n), repeat=2) if labels[u] and not labels[v]]
            if pairs:
                winners, losers = np.array(pairs).T
                mistakes = h[losers, winners].sum()
                inverted = (places[:, losers] < places[:, winners]).sum(axis=1)
                assert (inverted <= 2 * mistakes).all()
                worst = max(worst, max(inverted / mistakes) if mistakes else 0)
    assert worst == (2 if n > 2 else 1)


@settings(max_examples=60)
@given(st.integers(2, 6), st.sampled_from([1, 2, 10]), st.integers(0, 10**6))
@pytest.mark.parametrize("method", ["subsets", "program", "search"])
def test_all_three_ways_to_arrange_agree_with_brute_force(method, n, grain, seed):
    h = np.triu(np.round(seeded(seed).random((n, n)) * grain) / grain, 1)
    h += np.tril(1 - h.T, -1)
    least = naive.back_edges(h, naive.orders(n)).min()
    sizes = {"subsets": (16, 40), "program": (1, 40), "search": (1, 1)}[method]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tournament, "BY_SUBSETS", sizes[0])
        patch.setattr(tournament, "BY_PROGRAM", sizes[1])
        patch.setattr(tournament, "MOVES", 30)
        ours = minimum_feedback(h, seeded(seed))
    assert abs(ours.weight - naive.back_edges(h, ours.order[None, :])[0]) < 1e-9
    assert ours.bound <= least + 1e-5
    assert ours.weight >= least - 1e-9
    if method != "search":
        assert ours.weight <= least + 1e-5
        assert str(ours).endswith("the least possible.")


@pytest.mark.parametrize("moves", [4000, 0], ids=["searched", "unsearched"])
@pytest.mark.parametrize("seed", [2, 5, 25])
def test_integer_programming_agrees_with_dynamic_programming_beyond_it(seed, moves, monkeypatch):
    """Random tournaments whose relaxation is not whole; without a search there is something left to find."""
    h = np.triu(seeded(seed).random((18, 18)) < 0.5, 1).astype(float)
    h += np.tril(1 - h.T, -1)
    monkeypatch.setattr(tournament, "MOVES", moves)
    ours = minimum_feedback(h, seeded())
    assert ours.gap == 0
    monkeypatch.setattr(tournament, "BY_SUBSETS", 18)
    assert minimum_feedback(h, seeded()).weight == ours.weight


@given(st.integers(3, 6), st.sampled_from([1, 10]), st.integers(0, 10**6))
def test_disjoint_cycles_bound_the_disagreement_of_every_order(n, grain, seed):
    h = np.triu(np.round(seeded(seed).random((n, n)) * grain) / grain, 1)
    h += np.tril(1 - h.T, -1)
    least = naive.back_edges(h, naive.orders(n)).min()
    assert tournament._cycle_bound(h, seeded(seed).permutation(n)) <= least + 1e-9
    assert tournament._cycle_bound(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]), np.arange(3)) == 1


def test_large_tournaments_report_a_gap_that_is_one():
    rng = seeded(4)
    h = np.triu(rng.random((60, 60)) < 0.8, 1).astype(float)
    h += np.tril(1 - h.T, -1)
    ours = minimum_feedback(h, rng)
    planted = np.tril(h, -1).sum()
    assert 0 < ours.bound <= ours.weight <= planted
    assert str(ours) == f"Disagreement {ours.weight:g}, at most {ours.gap:.3g} above the least possible."
    assert ours.gap < 0.25 * ours.weight


def test_only_a_strong_component_needs_arranging():
    h = np.triu(np.ones((300, 300)), 1)
    for u, v in ((5, 7), (290, 299)):
        h[u, v], h[v, u] = 0, 1
    ours = minimum_feedback(h, seeded())
    assert ours.weight == ours.bound == 2
    shuffled = seeded(1).permutation(300)
    order = minimum_feedback(h[np.ix_(shuffled, shuffled)], seeded()).order
    assert_array_equal(shuffled[order][10:280], np.arange(10, 280))


@settings(max_examples=40)
@given(st.integers(2, 5), st.integers(0, 10**6))
def test_the_greedy_order_keeps_half_of_the_best_agreement(n, seed):
    """l(greedy) ≤ ½ + l(best)/2, l being the share of disagreement."""
    h = np.triu(np.round(seeded(seed).random((n, n)) * 4) / 4, 1)
    h += np.tril(1 - h.T, -1)
    pairs = n * (n - 1) / 2
    order = play(greedy(n, seeded(seed)), from_matrix(h))
    least = naive.back_edges(h, naive.orders(n)).min() / pairs
    assert naive.back_edges(h, order[None, :])[0] / pairs <= 0.5 + least / 2 + 1e-12


@given(st.integers(2, 7), st.integers(0, 10**6))
def test_the_greedy_order_always_takes_the_most_preferred_of_those_left(n, seed):
    h = np.triu(np.round(seeded(seed).random((n, n)) * 4) / 4, 1)
    h += np.tril(1 - h.T, -1)
    order = play(greedy(n, seeded(seed)), from_matrix(h)).tolist()
    for place, item in enumerate(order):
        left = order[place:]
        assert h[item, left].sum() == max(h[other, left].sum() for other in left)


@given(st.integers(2, 9), st.integers(0, 10**6))
def test_degree_orders_by_wins_and_draws_ties_by_lot(n, seed):
    h = np.triu(seeded(seed).integers(0, 2, (n, n)), 1)
    h += np.tril(1 - h.T, -1)
    wins = [sum(h[u, v] for v in range(n) if v != u) for u in range(n)]
    order = play(degree(n, seeded(seed)), from_matrix(h))
    assert [wins[item] for item in order] == sorted(wins, reverse=True)


@pytest.mark.parametrize("ranker", [degree, greedy, feedback_arc_set])
def test_ties_are_broken_by_lot(ranker):
    rng = seeded(7)
    half = from_matrix(np.full((3, 3), 0.5))
    orders = [tuple(play(ranker(3, rng), half).tolist()) for _ in range(600)]
    assert agreement(orders, dict.fromkeys(permutations(range(3)), 1 / 6)) > 1e-3


@given(st.lists(st.integers(0, 30), min_size=2, max_size=12), st.integers(0, 99))
def test_a_scorer_ranks_as_degree_does_and_loses_what_it_loses(scores, seed):
    """B-scorer: n scores and no comparison; ties stay together; the AUC loss is the preference's on distinct scores."""
    n, values = len(scores), np.array(scores)
    order = by_scores(scores, seeded(seed))
    assert_array_equal(values[order], values[play(degree(n, seeded(seed)), from_scores(scores))])
    assert_array_equal(np.sort(order), np.arange(n))
    labels = np.arange(n) % 2
    if len(set(scores)) == n:
        pairs = np.array(list(product(range(n), repeat=2)))
        assert auc_loss(labels, order) == auc_loss(labels, from_scores(scores)(pairs).reshape(n, n))


def test_equal_scores_are_drawn_by_lot():
    rng = seeded(8)
    orders = [tuple(by_scores([1, 1, 1], rng).tolist()) for _ in range(600)]
    assert agreement(orders, dict.fromkeys(permutations(range(3)), 1 / 6)) > 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_sort_returns_the_items_best_first(method):
    words = ["fig", "banana", "pear", "kiwis", "o", "so"]
    expected = sorted(words, key=len, reverse=True)
    assert sort(iter(words), lambda a, b: len(a) > len(b), method=method, seed=1) == expected
    longer = batch(lambda firsts, seconds: [len(a) > len(b) for a, b in zip(firsts, seconds, strict=True)])
    assert sort(words, longer, method=method) == expected


def test_sort_takes_unhashable_items_equal_items_and_arrays():
    assert sort([[1], [3], [3], [2]], lambda a, b: 0.5 + (a > b) / 2 - (a < b) / 2) == [[3], [3], [2], [1]]
    assert sort(np.arange(50), batch(lambda a, b: a > b)) == list(range(49, -1, -1))
    assert sort([], lambda a, b: True) == []


@pytest.mark.parametrize("budget", [0, 1, 30, 10**6])
def test_sort_and_top_k_never_call_more_than_their_budget(budget):
    calls = []

    def prefer(a, b):
        calls.append((a, b))
        return a > b

    assert sorted(sort(range(40), prefer, budget=budget, seed=0)) == list(range(40))
    assert len(calls) <= budget
    calls.clear()
    assert len(set(plain_top_k(range(40), prefer, 5, budget=budget, seed=0))) == 5
    assert len(calls) <= budget


def test_the_same_seed_gives_the_same_order():
    orders = {tuple(sort(range(20), lambda a, b: 0.5, seed=seed)) for seed in (3, 3, 4)}
    assert len(orders) == 2


def test_top_k_is_the_head_of_the_sort():
    assert plain_top_k(range(100), lambda a, b: a > b, 3) == [99, 98, 97]
    assert plain_top_k("hello", lambda a, b: a < b, 5) == sorted("hello")


def test_the_window_plans_for_its_budget():
    calls = []

    def prefer(a, b):
        calls.append((a, b))
        return a > b

    order = sort(range(40), prefer, method="window", budget=300, seed=0)
    assert sorted(order) == list(range(40))
    assert 200 <= len(calls) <= 300
    assert naive.inversions(np.array(order)[::-1]) < 40


WRONG = {
    "either prefer(a, b) or order(list) must be given. Got neither": lambda: sort([1, 2]),
    "either prefer(a, b) or order(list) must be given. Got both": lambda: sort([1, 2], max, order=sorted),
    "method is for prefer(a, b). Got 'degree' beside order": lambda: sort([1, 2], order=sorted, method="degree"),
    "size must be a whole number, 2 or more": lambda: sort([1, 2], order=sorted, size=1),
    "k must be a whole number from 1 to the number of items, 2. Got None": lambda: plain_top_k([1, 2], order=sorted),
    "method 'window' must be given a budget": lambda: sort([1, 2], lambda a, b: True, method="window"),
    "method must be one of quicksort, ": lambda: sort([1, 2], lambda a, b: True, method="bubble"),
    "k must be a whole number from 1 to the number of items, 2. Got 3": lambda: plain_top_k([1, 2], max, 3),
    "k must be a whole number from 1 to the number of items, 2. Got 0": lambda: plain_top_k([1, 2], max, 0),
    "budget must be a whole number of calls": lambda: sort([1, 2], lambda a, b: True, budget=-1),
    "budget must be a whole number of calls, 0 or more. Got inf.": lambda: sort([1, 2], max, budget=float("inf")),
    "budget must be a whole number of calls, 0 or more. Got nan.": lambda: sort([1, 2], max, budget=float("nan")),
    "budget must be a whole number of texts, 0 or more. Got -1.": lambda: sort([1, 2], order=sorted, budget=-1),
    "budget must be a whole number of texts, 0 or more. Got inf.": lambda: sort(
        [1, 2], order=sorted, budget=float("inf")
    ),
    "Got 7 for the pair": lambda: sort([7, 7], max),  # a builtin that does not say what it takes
    "Got None for the pair": lambda: sort([1, 2], lambda a, b: None),
    "Got 2 for the pair": lambda: sort([1, 2], lambda a, b: 2),
    "known must have pairs of item numbers, from 0 to 1, as keys. Got (0, 2)": lambda: sort(
        [1, 2], lambda a, b: True, known={(0, 2): 1.0}
    ),
    "known must have pairs of item numbers, from 0 to 1, as keys. Got 'fig'": lambda: sort(
        [1, 2], lambda a, b: True, known={"fig": 1.0}
    ),
    "known must have one place per item of a list. Got [0, 1] for (0, 2, 1)": lambda: sort(
        "abc", order=sorted, known={(0, 2, 1): [0, 1]}
    ),
    "Got 3 for the pair (0, 1)": lambda: sort([1, 2], lambda a, b: True, known={(0, 1): 3}),
    "prefer must be a function of two items, prefer(a, b). Got len,": lambda: sort([1, 2], len),
    "prefer must be a function of two items, prefer(a, b). Got <lambda>,": lambda: sort(
        [1, 2], counted(lambda pairs: pairs[:, 0] < pairs[:, 1])
    ),
    "must know every item. Got one of 3 for 2 items": lambda: sort([1, 2], counted(from_scores([1, 2, 3]))),
}


@pytest.mark.parametrize(("message", "call"), WRONG.items(), ids=WRONG)
def test_wrong_use_gets_one_line(message, call):
    with pytest.raises(ValueError) as refused:
        call()
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def longer(a, b):
    return len(a) > len(b)


WORDS = ["fig", "banana", "pear", "kiwis", "o", "so", "passion fruit"]
BY_LENGTH = sorted(WORDS, key=len, reverse=True)
OVER_ITEMS = {
    "remembering": remembering,
    "counted": counted,
    "rounded": rounded,
    "symmetrised": symmetrised,
    "budgeted": lambda prefer: budgeted(prefer, 100),
    "shown_in_random_order": lambda prefer: shown_in_random_order(prefer, seeded()),
    "journalled": journalled,
    "several": lambda prefer: counted(remembering(symmetrised(budgeted(prefer, 100)))),
}


@pytest.mark.parametrize("wrapper", OVER_ITEMS.values(), ids=OVER_ITEMS)
def test_wrappers_take_functions_of_items(wrapper):
    assert sort(WORDS, wrapper(longer), seed=0) == BY_LENGTH
    assert plain_top_k(WORDS, wrapper(longer), 2, seed=0) == BY_LENGTH[:2]
    together = batch(lambda firsts, seconds: [longer(a, b) for a, b in zip(firsts, seconds, strict=True)])
    assert sort(WORDS, wrapper(together), seed=0) == BY_LENGTH


LENGTHS = np.array([len(word) for word in WORDS])
OF_NUMBERS = {
    "scores": from_scores(LENGTHS),
    "matrix": from_matrix(0.5 + np.sign(LENGTHS[:, None] - LENGTHS) / 2),
    "function": from_function(WORDS, longer),
}


@pytest.mark.parametrize("prefer", OF_NUMBERS.values(), ids=OF_NUMBERS)
def test_a_preference_of_item_numbers_sorts_the_items(prefer):
    assert sort(WORDS, prefer, seed=0) == BY_LENGTH
    judge = counted(remembering(prefer))
    assert sort(WORDS, judge, method="degree", seed=0) == BY_LENGTH
    assert judge.calls == len(WORDS) * (len(WORDS) - 1) // 2


def test_what_wrappers_count_and_remember_is_theirs_over_many_sorts():
    judge = counted(remembering(longer))
    sort(WORDS, judge, method="degree", seed=0)
    assert judge.calls == len(WORDS) * (len(WORDS) - 1) // 2
    assert {(u, v): longer(WORDS[u], WORDS[v]) for u, v in judge.prefer.known} == judge.prefer.known
    assert len(judge.prefer.known) == judge.calls
    assert sort(WORDS, remembering(lambda a, b: 1 / 0, judge.prefer.known)) == BY_LENGTH


def test_a_journal_of_functions_of_items_can_be_asked_alone():
    journal = {}
    assert sort(WORDS, journalled(longer, journal), seed=0) == BY_LENGTH
    assert sort(WORDS, journalled(journal=journal), seed=0) == BY_LENGTH
    assert sorted(sort(WORDS, journalled(), seed=0)) == sorted(WORDS)


class Crowd:
    """A judge who answers nobody until `size` questions wait."""

    def __init__(self, size):
        self.size, self.waiting, self.full = size, 0, asyncio.Event()

    async def __call__(self, a, b):
        self.waiting += 1
        if self.waiting == self.size:
            self.full.set()
        await asyncio.wait_for(self.full.wait(), 60)
        return a > b


async def larger(a, b):
    await asyncio.sleep(0)
    return a > b


def test_an_async_judge_is_asked_all_pairs_of_a_batch_at_once():
    assert sort(range(40), Crowd(39), seed=0) == list(range(39, -1, -1))
    assert plain_top_k(range(40), Crowd(39), 3, seed=0) == [39, 38, 37]


def test_an_async_judge_may_be_wrapped():
    judge = remembering(larger)
    assert sort(range(20), judge, seed=0, budget=500) == list(range(19, -1, -1))
    assert judge.known and judge.known == {(u, v): u > v for u, v in judge.known}


def test_an_async_judge_works_in_a_loop_that_is_running():
    async def notebook():
        return sort(range(20), larger, seed=0)

    assert asyncio.run(notebook()) == list(range(19, -1, -1))


def test_an_async_judge_may_take_batches():
    async def together(firsts, seconds):
        await asyncio.sleep(0)
        return [a > b for a, b in zip(firsts, seconds, strict=True)]

    assert sort(range(20), batch(together), seed=0) == list(range(19, -1, -1))


def test_all_batches_are_awaited_in_one_loop():
    loops = set()

    async def judge(a, b):
        loops.add(asyncio.get_running_loop())
        return a > b

    sort(range(20), judge, seed=0)
    assert len(loops) == 1


def awaiting():
    return [thread for thread in threading.enumerate() if thread.name == "ordain"]


@pytest.mark.parametrize("wrapper", [lambda prefer: prefer, remembering, batch], ids=["plain", "wrapped", "batch"])
@pytest.mark.parametrize("inside", [False, True], ids=["no loop runs", "a loop runs"])
def test_no_thread_is_left_of_a_sort(wrapper, inside):
    async def judge(a, b):
        if failing:
            raise ConnectionError
        return [first > second for first, second in zip(a, b, strict=True)] if wrapper is batch else a > b

    def both_ends():
        nonlocal failing
        sort(range(20), wrapper(judge), seed=0)
        assert not awaiting()
        failing = True
        try:
            sort(range(20), wrapper(judge), seed=0)
        except ConnectionError as error:
            assert error.__traceback__ is not None  # which holds all that the sort had
            assert not awaiting()

    async def notebook():
        both_ends()

    failing = False
    asyncio.run(notebook()) if inside else both_ends()
    assert failing


def test_a_thread_ends_with_its_preference():
    judge = from_function(range(20), larger)
    for _ in range(2):
        assert play(quicksort(20, seeded()), judge).tolist() == list(range(19, -1, -1))
    assert len(awaiting()) == 1
    del judge
    assert not awaiting()


def test_the_answers_that_an_async_judge_gave_before_it_failed_are_kept():
    """Of the first batch some come, then one fails, and the others never come."""
    batches, answered, all_answered = [], [], asyncio.Event()

    @batch
    def first_of_each(firsts, seconds):
        batches.append([*zip(firsts, seconds, strict=True)])
        return [True] * len(firsts)

    sort(range(30), first_of_each, seed=0)
    come, fails = set(batches[0][5:15]), batches[0][2]

    async def judge(a, b):
        if (a, b) in come:
            answered.append((a, b))
            if len(answered) == len(come):
                all_answered.set()
            return a > b
        await asyncio.wait_for((all_answered if (a, b) == fails else asyncio.Event()).wait(), 60)
        raise ConnectionError(f"no answer to {a} and {b}")

    with pytest.raises(ConnectionError, match="no answer to") as failed:
        sort(range(30), judge, seed=0)
    assert failed.value.known == {(a, b): a > b for a, b in come}
    assert failed.value.__notes__[0].startswith("10 questions were answered before")


def cyclic_number(a, b):
    """A judge that contradicts itself and is consistent: around a circle of 23, the nearer way."""
    return float((b - a) % 23 <= 11)


@pytest.mark.parametrize("method", [*METHODS, "window", "top_k"])
@pytest.mark.parametrize("error", [ConnectionError, KeyboardInterrupt])
@given(calls=st.integers(0, 60), seed=st.integers(0, 20))
@settings(max_examples=10)
def test_a_judge_that_fails_loses_nothing(method, error, calls, seed):
    def run(prefer, **options):
        if method == "top_k":
            return plain_top_k(range(23), prefer, 4, **options)
        return sort(range(23), prefer, method=method, budget=80 if method == "window" else None, **options)

    whole, before, after = run(cyclic_number, seed=seed), [], []

    def failing(a, b):
        if len(before) == calls:
            raise error("enough")
        before.append((a, b))
        return cyclic_number(a, b)

    def asked(a, b):
        after.append((a, b))
        return cyclic_number(a, b)

    try:
        assert run(failing, seed=seed) == whole
    except error as failed:
        assert failed.known == {pair: cyclic_number(*pair) for pair in before}
        assert len(set(failed.order)) == len(whole)
        assert failed.seed == seed
        assert run(asked, seed=failed.seed, known=failed.known) == whole
        assert not {frozenset(pair) for pair in before} & {frozenset(pair) for pair in after}
        assert set(failed.known) == {*before, *after}


@pytest.mark.parametrize(("prefer", "most"), [(np.greater, 10), (lambda a, b: 1 / (1 + np.exp((b - a) / 999)), 16)])
def test_an_answer_is_kept_in_few_bytes(prefer, most):
    n = 2000
    asked = Asked(np.arange(n), batch(prefer), None, Options(0, None, None, None))
    play(quicksort(n, seeded()), asked)
    assert sum(pairs.nbytes + answers.nbytes for pairs, answers in asked.log) == most * asked.count
    assert all(answer == prefer(u, v) for (u, v), answer in asked.known.items())


def test_the_order_so_far_agrees_with_the_answers_and_a_drawn_seed_is_told():
    calls = iter(range(30))

    def failing(a, b):
        if next(calls) == 25:
            raise ConnectionError
        return a > b

    with pytest.raises(ConnectionError) as failed:
        sort(range(40), failing)
    place = {item: place for place, item in enumerate(failed.value.order)}
    assert all((place[u] < place[v]) == answer for (u, v), answer in failed.value.known.items())
    first, second = (sort(range(40), lambda a, b: 0.5, seed=failed.value.seed) for _ in range(2))
    assert first == second != list(range(40))


def test_of_a_question_asked_again_the_first_answer_is_known():
    asked = []

    def failing(a, b):
        if len(asked) == 40:
            raise ConnectionError
        asked.append((a, b))
        return asked.count((a, b)) == 1

    with pytest.raises(ConnectionError) as failed:
        sort(range(6), failing, method="averaged_quicksort", seed=0)
    assert failed.value.known == dict.fromkeys(asked, 1.0) and len(failed.value.known) < 40


def test_known_answers_are_not_asked_and_new_ones_are_added_at_once():
    known, seen = {(0, 1): 0.0, (3, 2): 1.0}, []

    def prefer(a, b):
        seen.append((a, b))
        assert len(known) == 1 + len(seen)
        assert {a, b} not in ({0, 1}, {2, 3})
        return a > b

    assert sort(range(4), prefer, method="degree", known=known, seed=0, budget=4) == [3, 2, 1, 0]
    assert known == {(0, 1): 0.0, (3, 2): 1.0} | {(a, b): a > b for a, b in seen}


@pytest.mark.parametrize("options", [{}, {"known": {}}], ids=["plain", "known"])
def test_progress_tells_how_many_questions_are_answered(options):
    told, calls = [], []

    def prefer(a, b):
        assert len(told) == len(calls)
        calls.append((a, b))
        return a > b

    sort(range(12), prefer, progress=told.append, seed=0, **options)
    assert told == list(range(1, len(calls) + 1))
    told.clear()
    sort(range(12), batch(lambda firsts, seconds: [True] * len(firsts)), method="degree", progress=told.append)
    assert told == [66]


@pytest.mark.parametrize(
    ("library", "name"), [("pandas", "DataFrame"), ("polars", "DataFrame"), ("polars", "LazyFrame")]
)
@pytest.mark.parametrize("call", [sort, lambda items, prefer: plain_top_k(items, prefer, 1)], ids=["sort", "top_k"])
def test_tables_are_refused_in_one_line_and_columns_are_not(library, name, call):
    frames = pytest.importorskip(library)
    table = getattr(frames, name)({"a": [1, 2], "b": [3, 4]})
    with pytest.raises(ValueError, match=rf"items must be a list .* Got a {name}, which lists its columns") as refused:
        call(table, lambda a, b: a > b)
    assert "\n" not in str(refused.value)
    assert call(frames.Series([1, 2]), lambda a, b: a > b)[0] == 2


@pytest.mark.parametrize("name", ["table", "record_batch"])
def test_tables_of_pyarrow_are_refused_and_arrays_are_not(name):
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match=r"which lists its columns. .* to_pylist\(\) in pyarrow"):
        sort(getattr(pa, name)({"a": [1, 2], "b": [3, 4]}), lambda a, b: a > b)
    for items in (pa.array([1, 3, 2]), pa.chunked_array([[1], [3, 2]])):
        assert sort(items, lambda a, b: a > b, seed=0) == [3, 2, 1]
