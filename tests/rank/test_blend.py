"""Features and items in one model: compared with dense matrices, with its own bound, and with what it promises."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit

import ordain
from ordain.preference import Spent
from ordain.preference.questions import is_lists
from ordain.rank import averaging, field, list_field, list_window, play, window
from ordain.rank.blended import own_terms
from ordain.rank.blended.blend import PLACE, Asked, Law, Means, Spreads, at_spreads, blended
from ordain.rank.blended.doubted import Doubted
from ordain.rank.blended.known_features import Features, given_features, in_blocks, nothing_known
from ordain.rank.blended.learned import learned
from ordain.rank.blended.telling import told


def world(n=60, m=300, own=0.5, seed=0):
    """Features, the truth, and answers to random pairs of the first two thirds of the items."""
    rng = np.random.default_rng(seed)
    features = given_features(rng.standard_normal((n, 4)), n)
    truth = features.X @ rng.normal(scale=3.0, size=4) + rng.normal(scale=own, size=n)
    pairs = np.array([rng.permutation(2 * n // 3)[:2] for _ in range(m)])
    return features, truth, pairs, (rng.random(m) < expit(truth[pairs[:, 0]] - truth[pairs[:, 1]])).astype(float)


def dense(asked, X, curvatures, spread):
    """D, and S = (1 + DᵀΛD)⁻¹, from their definitions."""
    graph = asked.graph
    B = np.eye(graph.n)[graph.first] - np.eye(graph.n)[graph.second]
    D = np.column_stack((spread * B, B @ X, np.full(len(B), PLACE)))
    return D, np.linalg.inv(np.eye(D.shape[1]) + D.T @ (curvatures[:, None] * D))


@pytest.mark.parametrize("spread", [0.0, 0.3, 4.0])
def test_the_law_is_that_of_the_dense_matrices(spread):
    features, _, pairs, answers = world()
    asked, rng = Asked.of(pairs, answers, features), np.random.default_rng(1)
    X = asked.features.X * 1.7
    curvatures = rng.random(len(asked.graph.first))
    law, (D, S), n = Law(asked, X, curvatures, spread), dense(asked, X, curvatures, spread), asked.graph.n
    assert_allclose(law.margin_variances(), np.einsum("ij,jk,ik->i", D, S, D), rtol=1e-8)
    assert_allclose(law.own_trace, np.trace(S[:n, :n]), rtol=1e-8)
    assert_allclose(law.weight_variances, np.diag(S)[n:], rtol=1e-8)
    m = rng.standard_normal(len(S))
    assert_allclose(np.concatenate(law.step(Means(m[:n], m[n:]))), S @ m, atol=1e-9)
    divergence = (m @ m + np.trace(S) - len(S) - np.linalg.slogdet(S)[1]) / 2
    assert_allclose(law.divergence(Means(m[:n], m[n:])), divergence, rtol=1e-8)


def test_errors_are_those_of_the_dense_covariance_of_all_items():
    features, _, pairs, answers = world()
    once = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)[1]  # so that every link is one question
    fit, n = blended(Asked.of(pairs[once], answers[once], features), features), features.n
    graph, items = fit.asked.graph, fit.asked.items
    curvatures = fit.law.own.links.toarray()[graph.first, graph.second]
    X, B = features.X * features.spread_out(fit.spreads.features), np.eye(n)[items]
    rows = B[graph.first] - B[graph.second]
    D = np.column_stack((fit.spreads.own * rows, rows @ X, np.full(len(rows), PLACE)))
    S = np.linalg.inv(np.eye(D.shape[1]) + D.T @ (curvatures[:, None] * D))
    T = np.column_stack((fit.spreads.own * np.eye(n), X, np.zeros(n)))
    C, centre = T @ S @ T.T, np.eye(n) - 1 / n
    assert_allclose(fit.standard_errors, np.sqrt(np.diag(centre @ C @ centre)), rtol=1e-6)
    first, second = np.array([0, 3, 50, 59]), np.array([1, 45, 51, 2])
    wanted = C[first, first] + C[second, second] - 2 * C[first, second]
    assert_allclose(fit.difference_variances(first, second), wanted, rtol=1e-6)


@pytest.mark.parametrize("own", [0.2, 2.0])
def test_the_spreads_make_the_bound_least(own):
    features, _, pairs, answers = world(own=own)
    fit = blended(Asked.of(pairs, answers, features), features, most=300)
    for factor in (0.6, 1.6):
        spreads = fit.spreads
        assert at_spreads(fit, Spreads(spreads.own * factor, spreads.features, spreads.lapse)).bound > fit.bound - 0.05
        assert at_spreads(fit, Spreads(spreads.own, spreads.features * factor, spreads.lapse)).bound > fit.bound - 0.05


def test_features_order_what_was_never_asked_about_and_are_said_to_help():
    features, truth, pairs, answers = world()
    found = learned(pairs, answers, features)
    unseen = np.arange(40, 60)
    assert found.helped
    assert np.corrcoef(found.scores[unseen], truth[unseen])[0, 1] > 0.9
    assert found.model.standard_errors[unseen].mean() > found.model.standard_errors[:40].mean()
    assert "helped" in str(found)


@pytest.mark.parametrize("seed", range(3))
def test_features_that_mean_nothing_are_not_believed_and_the_rest_comes_last_as_given(seed):
    _, _, pairs, answers = world(seed=seed)
    noise = given_features(np.random.default_rng(seed + 9).standard_normal((60, 4)), 60)
    found = learned(pairs, answers, noise)
    assert not found.helped
    unseen = sorted({*range(60)} - {*pairs.ravel().tolist()})
    assert found.order[-len(unseen) :].tolist() == unseen
    assert np.isnan(found.scores[unseen]).all()
    assert "did not help" in str(found)


def test_weights_are_repeats_and_fractions_are_shares_of_both():
    features, _, pairs, answers = world(m=100)
    twice = blended(Asked.of(np.repeat(pairs, 2, axis=0), np.repeat(answers, 2), features), features)
    weighed = blended(Asked.of(pairs, answers, features, np.full(100, 2.0)), features)
    assert_allclose(weighed.scores, twice.scores, atol=1e-9)
    shares = blended(Asked.of(pairs, np.where(answers > 0, 0.8, 0.2), features), features)
    both = Asked.of(
        np.repeat(pairs, 2, axis=0), np.tile([1.0, 0.0], 100), features,
        np.where(np.tile([1, 0], 100) == np.repeat(answers, 2), 0.8, 0.2),
    )  # fmt: skip
    assert_allclose(blended(both, features).scores, shares.scores, atol=1e-9)


def test_many_items_go_by_conjugate_gradients_to_nearly_the_same_scores(monkeypatch):
    features, _, pairs, answers = world()
    exact = blended(Asked.of(pairs, answers, features), features)
    monkeypatch.setattr(own_terms, "DENSE", 5)
    near = blended(Asked.of(pairs, answers, features), features)
    assert np.corrcoef(near.scores, exact.scores)[0, 1] > 0.99
    assert_allclose(near.standard_errors, exact.standard_errors, rtol=0.3)


def test_nothing_is_made_of_items_that_are_not_asked_about():
    """A hundred thousand items cost a product, no matrix of them."""
    features, _, pairs, answers = world()
    more = Features(np.vstack((features.X, np.zeros((99_940, 4)))), features.sizes, features.names)
    fit = blended(Asked.of(pairs, answers, more), more)
    assert fit.law.own.graph.n == len(np.unique(pairs))
    assert_allclose(fit.scores[:60] - fit.scores[0], blended(Asked.of(pairs, answers, features), features).scores
                    - blended(Asked.of(pairs, answers, features), features).scores[0], atol=1e-9)  # fmt: skip


def test_intervals_of_differences_hold_for_items_asked_about_and_never_asked_about():
    held = {"asked": [], "never": []}
    for seed in range(8):
        features, truth, pairs, answers = world(own=1.0, seed=seed)
        doubted = Doubted.of(blended(Asked.of(pairs, answers, features), features))
        for kind, items in (("asked", np.unique(pairs)), ("never", np.arange(40, 60))):
            first, second = (of.ravel() for of in np.meshgrid(items, items))
            off = (truth[first] - truth[second]) - (doubted.scores[first] - doubted.scores[second])
            held[kind].append(np.mean(np.abs(off) <= 1.96 * np.sqrt(doubted.difference_variances(first, second))))
    assert np.mean(held["asked"]) > 0.93
    assert np.mean(held["never"]) > 0.93


def test_pairs_of_unknown_items_tell_more_than_those_of_known_ones():
    features, _, pairs, answers = world(own=2.0)
    fit = blended(Asked.of(pairs, answers, features), features)
    known, unknown = fit.scores[:40], fit.scores[40:]
    near = np.array([np.abs(known[:, None] - known + 9 * np.eye(40)).argmin() // 40,
                     np.abs(known[:, None] - known + 9 * np.eye(40)).argmin() % 40])  # fmt: skip
    other = 40 + np.array(np.unravel_index(np.abs(unknown[:, None] - unknown + 9 * np.eye(20)).argmin(), (20, 20)))
    here, there = told(fit, np.array([near, other]))
    assert there > here


def test_without_own_terms_a_pair_tells_what_is_open_of_the_features():
    """Of two columns the items asked about show one: a pair apart in the other tells more, one alike nothing."""
    rng, n = np.random.default_rng(0), 60
    X = np.column_stack((rng.standard_normal(n), np.where(np.arange(n) < 40, 0.0, rng.standard_normal(n))))
    X[[50, 51, 52, 53]] = [[0.0, 0.0], [0.5, 0.0], [0.0, 0.5], [0.0, 0.5]]
    features, pairs = given_features(X, n), np.array([rng.permutation(40)[:2] for _ in range(300)])
    answers = (rng.random(300) < expit(3 * (X[pairs[:, 0], 0] - X[pairs[:, 1], 0]))).astype(float)
    fit = blended(Asked.of(pairs, answers, features), features, own=False)
    assert fit.spreads.own == 0 and not fit.own_variances.any()
    known, unknown, alike = told(fit, np.array([[50, 51], [50, 52], [52, 53]]))
    assert unknown > 2 * known > 0
    assert alike == 0


def test_blocks_are_scaled_and_constant_ones_left_out():
    rng = np.random.default_rng(0)
    found = in_blocks({"a": 100 + 7 * rng.standard_normal((50, 3)), "b": np.ones((50, 2)), "c": rng.random((50, 1))})
    assert (found.names, found.sizes) == (("a", "c"), (3, 1))
    for part in found.parts():
        assert_allclose((found.X[:, part] ** 2).sum(axis=1).mean(), 1.0)
    assert nothing_known(4).X.shape == (4, 0)


def coin(truth, seed=0):
    rng = np.random.default_rng(seed)
    return lambda pairs: (rng.random(len(pairs)) < expit(truth[pairs[:, 0]] - truth[pairs[:, 1]])).astype(float)


def agreement(order, truth):
    return np.corrcoef(-np.argsort(order), truth)[0, 1]


@pytest.mark.parametrize("budget", [40, 200, 300, 2000])
def test_any_pairs_are_asked_first_where_something_is_known(budget):
    """Two hundred calls, rounded up to rounds; without features only the first round."""
    n = 813
    rounds = [averaging.Round(n, n), *averaging._narrowing(n, 10)]
    found = averaging._wide_first(rounds, budget)
    calls = averaging._shares(rounds, budget)
    wide = [asked for stage, asked in zip(found, calls, strict=True) if stage.span == n]
    assert sum(wide[:-1]) < 200 and sum(wide) >= min(budget, 200)
    spans = [stage.span for stage in found]
    assert spans == sorted(spans, reverse=True)
    assert found[len(wide) :] == rounds[len(wide) :]


def test_few_questions_order_many_items_by_what_is_known_of_them():
    features, truth, _, _ = world(n=400)
    order = play(window(400, np.random.default_rng(0), 120, features=features), coin(truth))
    alone = play(window(400, np.random.default_rng(0), 120), coin(truth))
    assert agreement(order, truth) > 0.8 > agreement(alone, truth)
    top = play(field(400, 5, np.random.default_rng(0), 150, features=features), coin(truth))
    assert truth[top[:5]].mean() > np.sort(truth)[-40]


def test_lists_too():
    features, truth, _, _ = world(n=300)

    def ordered(lists):
        shown = np.where(lists < 0, np.inf, -truth[lists])
        return np.where(lists < 0, np.nan, np.argsort(np.argsort(shown, axis=1), axis=1))

    texts = []
    judge = lambda lists: (texts.append((lists >= 0).sum()), ordered(lists))[1]  # noqa: E731
    order = play(list_window(300, np.random.default_rng(0), 200, features=features), judge)
    assert sum(texts) <= 200
    assert agreement(order, truth) > 0.9
    top = play(list_field(300, 5, np.random.default_rng(0), 200, features=features), judge)
    assert truth[top[:5]].mean() > np.sort(truth)[-30]


@pytest.mark.parametrize(
    "ranker",
    [
        lambda features, rng: window(40, rng, 200, features=features),
        lambda features, rng: field(40, 5, rng, 200, features=features),
        lambda features, rng: list_window(40, rng, 200, features=features),
        lambda features, rng: list_field(40, 5, rng, 200, features=features),
    ],
    ids=["window", "field", "lists", "field of lists"],
)
@pytest.mark.parametrize("spent", [True, False])
def test_where_nothing_was_said_the_order_is_the_given_one(ranker, spent):
    features, _, _, _ = world(n=40)

    def silent(shown):
        if spent or not is_lists(shown):
            raise Spent()
        return np.full(shown.shape, np.nan)

    assert play(ranker(features, np.random.default_rng(0)), silent).tolist() == list(range(40))


def test_sort_learns_from_features_and_says_whether_they_helped(caplog):
    features, truth, _, _ = world(n=200, own=0.1)
    with caplog.at_level("INFO", logger="ordain"):
        order = ordain.sort(range(200), lambda a, b: truth[a] > truth[b], features=features.X, budget=100, seed=1)
    assert "The features helped" in caplog.text
    assert agreement(order, truth) > 0.9
    again = ordain.sort(range(200), lambda a, b: truth[a] > truth[b], features=features.X, budget=100, seed=1)
    assert order == again
    by_lists = ordain.sort(
        range(200),
        order=lambda some: sorted(some, key=lambda item: -truth[item]),
        features=features.X,
        seed=1,
        budget=200,
    )
    assert agreement(by_lists, truth) > 0.9


@pytest.mark.parametrize(
    ("features", "method", "message"),
    [
        (np.ones((3, 2)), "quicksort", "method must be 'window'"),
        (np.ones((4, 2)), None, "a row for each of the 3 items"),
        ([[1.0], [np.nan], [2.0]], None, "finite"),
        ([["a"], ["b"], ["c"]], None, "numbers"),
    ],
)
def test_features_that_do_not_fit_are_refused(features, method, message):
    with pytest.raises(ValueError, match=message):
        ordain.sort("abc", lambda a, b: a < b, features=features, method=method)
