"""Drifting strengths are found, strengths that stay are not, and the half-life is the one later votes choose."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ordain.votes.account import days_of
from ordain.votes.cast_votes import Votes
from ordain.votes.drift import CUTS, _cut, _ends, _one_by_one, _tried, _windows, drift, faded
from ordain.votes.methods import fitted


def dated(seed, drifting, n=12, rows=1200):
    """A vote a day; strengths walk at random, or stay."""
    rng = np.random.default_rng(seed)
    steps = np.vstack([rng.standard_normal(n), drifting * rng.standard_normal((19, n))])
    strengths = np.cumsum(steps, axis=0)[np.arange(rows) * 20 // rows]
    left = rng.integers(0, n, rows)
    right = (left + rng.integers(1, n, rows)) % n
    margins = strengths[np.arange(rows), left] - strengths[np.arange(rows), right]
    answers = (rng.random(rows) < 1 / (1 + np.exp(-margins))).astype(float)
    ones = np.ones(rows)
    return Votes(tuple(range(n)), left, right, answers, ones, ones, ones, days=np.arange(rows) * 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_drifting_strengths_are_found_and_old_votes_fade(seed):
    found = drift(dated(seed, drifting=1.0, n=8))
    assert found.drifts
    assert found.half_life < 600
    assert found.losses.min() < found.losses[0]
    assert str(found).startswith("Strengths drift: the last tenth by time")
    assert "loses half its weight in" in str(found)


def test_strengths_that_stay_are_seldom_taken_to_drift():
    found = [drift(dated(seed, drifting=0.0, n=6, rows=500)) for seed in range(10)]
    assert sum(one.drifts for one in found) <= 1
    assert sum(math.isfinite(one.half_life) for one in found) <= 3
    ratios = np.array([one.apart.mean / one.apart.error for one in found])
    assert abs(ratios.mean()) < 3 / math.sqrt(10)
    still = next(one for one in found if not one.drifts and math.isinf(one.half_life))
    assert still.votes.worth.min() == 1
    assert str(still).startswith("Strengths are not seen to drift: ")
    assert str(still).endswith("if old ones count in full.")


def test_closer_pairs_and_newcomers_are_no_drift():
    """The last tenth is of like items, and often of one seen once before: it costs more, but not vote by vote."""
    rng, ones = np.random.default_rng(4), np.ones(2000)
    strengths = np.append(np.repeat([2.0, 0.0, -2.0], 4), 4.0)
    left = rng.integers(0, 12, 2000)
    right = (left + rng.integers(1, 12, 2000)) % 12
    right[1800:] = left[1800:] // 4 * 4 + (left[1800:] % 4 + rng.integers(1, 4, 200)) % 4
    left[1900:] = left[1700] = 12
    answers = (rng.random(2000) < 1 / (1 + np.exp(strengths[right] - strengths[left]))).astype(float)
    answers[1700] = 0.0
    found = drift(Votes(tuple(range(13)), left, right, answers, ones, ones, ones, days=np.arange(2000.0)))
    assert found.later > found.shuffled + 0.05
    assert not found.drifts


def test_the_half_life_is_that_of_the_least_mean_loss_over_the_cuts_by_hand():
    votes = dated(5, drifting=1.0, n=6, rows=600)
    half_lives, figures = _tried(votes, True)
    assert math.isinf(half_lives[0])
    assert_allclose(half_lives[1:], 599 / 2.0 ** np.arange(len(half_lives) - 1))
    for half_life, losses in zip(half_lives, figures, strict=True):
        for share, loss in zip(CUTS, losses, strict=True):
            before, after = votes.days < 600 * share, (votes.days >= 600 * share) & (votes.days < 600 * (share + 0.1))
            ages = 600 * share - 1 - votes.days[before]
            weights = 0.5 ** (ages / half_life)
            kept = weights >= 1e-6
            known = replace(votes.take(before).take(kept), worth=weights[kept])
            fit, fresh = fitted(known, True), votes.take(after)
            d = fit.scores[fresh.left] - fit.scores[fresh.right] + fit.position
            q = fit.lapse + (1 - 2 * fit.lapse) / (1 + np.exp(-d))
            assert loss == pytest.approx(-np.mean(np.log(np.where(fresh.answers == 1, q, 1 - q))), abs=1e-9)
    found = drift(votes)
    gain = figures[0] - figures[(best := np.argmin(figures.mean(axis=1)))]
    assert gain.mean() > gain.std(ddof=1) * math.sqrt(1 / 5 + 1 / 4)
    assert found.half_life == half_lives[best]
    assert_allclose(found.votes.worth, 0.5 ** ((599 - votes.days) / found.half_life))
    assert found.votes.weights.max() == 1


def test_cuts_leave_whole_days_together_and_at_most_their_share_before():
    votes = _one_by_one(replace(dated(6, 0.0), days=np.random.default_rng(0).integers(0, 30, 1200)))
    for share in CUTS:
        end = _ends(votes, share)
        assert (votes.days <= end).mean() <= share < (votes.days <= end + 1).mean()
    for known, fresh in _windows(votes):
        assert known.days.max() < fresh.days.min()
    parts = [fresh for _, fresh in _windows(votes)]
    assert sum(len(fresh) for fresh in parts) == np.count_nonzero(votes.days > _ends(votes, CUTS[0]))


def test_most_votes_on_one_day_are_still_cut():
    days = np.where(np.arange(1200) < 1100, 5, np.arange(1200))
    found = drift(replace(dated(7, 0.0), days=days))
    assert math.isfinite(found.later)
    known, last = _cut(_one_by_one(replace(dated(7, 0.0), days=days)), 5, math.inf)
    assert (len(known), len(last)) == (1100, 100)


def test_counts_are_as_many_votes_of_a_day():
    """The same votes row by row and counted give the same figures of what is not shuffled."""
    votes = dated(8, 0.5, n=6, rows=300)
    counted, repeated = replace(votes, people=np.full(300, 3)), votes.take(np.repeat(np.arange(300), 3))
    one, other = drift(counted), drift(repeated)
    assert one.later == pytest.approx(other.later, abs=1e-6)
    assert_allclose(one.losses, other.losses, atol=1e-6)
    assert one.shuffled == pytest.approx(other.shuffled, abs=0.01)


def test_half_lives_are_told_in_the_unit_that_fits():
    votes = dated(0, 1.0)
    for scale, unit, days in ((0.002, "hours", 1 / 24), (1, "days", 1), (60, "years", 365.25)):
        found = drift(replace(votes, days=votes.days * scale))
        said = re.search(r"loses half its weight in ([\d.]+) (\w+)", str(found))
        assert said[2] == unit
        assert float(said[1]) * days == pytest.approx(found.half_life, rel=0.006)


@pytest.mark.parametrize("typed", ["soon", "", "0", "-3", "nan", "inf", "1e400"])
def test_a_half_life_that_is_none_is_refused(typed):
    with pytest.raises(ValueError, match=f"^--half-life must be auto or a number of days above 0. Got '{typed}'.$"):
        days_of(typed)


def test_what_dates_say_is_plain_data():
    found = drift(dated(9, 1.0, n=6, rows=500))
    data = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert data["tried"][0]["half_life"] is None
    assert data["drifts"] == found.drifts
    assert data["half_life"] == pytest.approx(found.half_life)


def test_votes_without_days_or_with_too_few_are_refused():
    votes = dated(10, 0.0, rows=40)
    with pytest.raises(ValueError, match="must have days"):
        drift(replace(votes, days=None))
    with pytest.raises(ValueError, match="Got 40 votes of 4 days"):
        drift(replace(votes, days=np.arange(40) % 4))


def test_votes_do_not_fade_without_an_end():
    votes = dated(11, 0.0, rows=40)
    assert faded(votes, math.inf) is votes


def test_a_last_tenth_of_newcomers_alone_tells_nothing():
    votes = dated(12, 0.0, n=6, rows=200)
    late = np.arange(200) >= 180
    left, right = np.where(late, 6, votes.left), np.where(late, 7, votes.right)
    found = drift(replace(votes, items=tuple(range(8)), left=left, right=right))
    assert not found.drifts
    assert "no votes can be foreseen both ways" in str(found)
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["apart"]["mean"] is None
