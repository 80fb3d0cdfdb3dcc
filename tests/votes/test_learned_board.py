"""Boards by votes and features together."""

import numpy as np
import pytest
from scipy.special import expit

import ordain


def cast(n=40, votes=300, seed=0):
    rng = np.random.default_rng(seed)
    features = {f"m{k}": rng.standard_normal(2) for k in range(n)}
    truth = {name: 3 * row[0] - row[1] for name, row in features.items()}
    left, right = np.array([rng.permutation(list(features)[: n // 2])[:2] for _ in range(votes)]).T
    wins = [rng.random() < expit(truth[a] - truth[b]) for a, b in zip(left, right, strict=True)]
    return features, truth, left, right, np.where(wins, left, right)


def test_items_without_a_vote_are_ranked_with_wider_errors():
    features, truth, left, right, winner = cast()
    board = ordain.leaderboard(left, right, winner, features=features)
    assert set(board.items) == set(features)
    assert np.corrcoef(board.scores, [truth[item] for item in board.items])[0, 1] > 0.9
    assert board.standard_errors[board.votes == 0].mean() > board.standard_errors[board.votes > 0].mean()
    assert (board.rank_low <= board.rank).all()
    assert (board.rank_high >= board.rank).all()
    assert "The features helped" in board.notices[0]
    assert board.rows()[0]["rank"] == 1
    assert str(board)


def test_features_that_mean_nothing_leave_items_without_a_vote_last():
    features, _, left, right, winner = cast()
    noise = {item: np.random.default_rng(k).standard_normal(2) for k, item in enumerate(features)}
    board = ordain.leaderboard(left, right, winner, features=noise)
    assert "did not help" in board.notices[0]
    last = board.votes == 0
    assert (np.diff(last.astype(int)) >= 0).all()
    assert len(set(board.tier[last])) == 1


def test_what_does_not_fit_is_refused():
    features, _, left, right, winner = cast()
    with pytest.raises(ValueError, match="method must be bradley_terry"):
        ordain.leaderboard(left, right, winner, features=features, method="degree")
    features.pop("m0")
    with pytest.raises(ValueError, match="every item of the votes"):
        ordain.leaderboard(left, right, winner, features=features)
