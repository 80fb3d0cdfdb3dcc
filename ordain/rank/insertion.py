"""New items into an old order: each finds its place by a few comparisons with items whose scores are known.

A new item's score is s with chance p(s). Of an old item with score t the new one wins with chance

    q(s - t) = ε + (1 - 2ε) σ(s - t),

ε being the judge's lapses. After each answer p is multiplied by it, and the next opponent is the one whose score is
nearest to the median of p among those not yet asked: of a judge who never errs this is binary search, and with one who
does it goes on until the place is known as well as the scores allow. All new items are asked one question a round.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_expit

from ordain._types import Answers, Vector
from ordain.preference import Spent
from ordain.rank.play import Order, Ranker, fairly

BEYOND = 3.0
"""How far below the lowest and above the highest score a new one may be, in standard deviations of the scores."""

CLOSE = 0.4
"""Places up or down, as a standard deviation, at which a new item's place is known well enough."""

SURER = 0.7
"""A new item's score is known well enough once its error is so many times the usual one."""

MORE = 4
"""The most questions for a new item are so many times log₂ n."""


def insert(
    scores: ArrayLike, count: int, rng: np.random.Generator, *, error: float = 0.0, lapse: float = 0.0
) -> Ranker:
    """An order of old and new items; the old ones, 0 … m - 1, keep the order of their scores.

    Parameters
    ----------
    scores : array of shape (m,)
        Those of the old items, in log-odds, as :func:`ordain.rank.bradley_terry` gives them.
    count : int
        Number of new items, m … m + count - 1.
    rng : numpy.random.Generator
        Draws the order in which pairs are shown.
    error : float
        The usual standard error of the scores: a new item is asked about until its own is 0.7 times that.
    lapse : float
        How often the judge errs on pairs that are far apart, from 0 to below ½.

    Examples
    --------
    >>> from ordain.rank import play
    >>> place = lambda items: np.where(items == 4, 1.5, items)  # the new item, 4, belongs between 1 and 2
    >>> ranker = insert([9.0, 3.0, -3.0, -9.0], 1, np.random.default_rng(0))
    >>> play(ranker, lambda pairs: place(pairs[:, 0]) < place(pairs[:, 1]))
    array([0, 1, 4, 2, 3])
    """
    known = np.asarray(scores, dtype=float)
    if known.ndim != 1 or not len(known) or not np.isfinite(known).all() or count < 1:
        raise ValueError(
            f"scores must be finite numbers of old items, one or more, and so must new items. Got {count}."
        )
    places = [Place(known, error, lapse) for _ in range(count)]
    most = MORE * int(np.ceil(np.log2(len(known) + 1)))
    for _ in range(most):
        seeking = np.array([new for new, place in enumerate(places) if not place.found], dtype=np.intp)
        if not len(seeking):
            break
        opponents = np.array([places[new].opponent() for new in seeking])
        try:
            answers = yield from fairly(len(known) + seeking, opponents, rng)
        except Spent as spent:
            _learn(places, seeking, opponents, spent.answers if spent.answers.size else np.full(len(seeking), np.nan))
            break
        _learn(places, seeking, opponents, answers)
    return _ordered(known, [place.mean for place in places])


class Place:
    """What is known of a new item's score: its chances on a grid that has the middle between any two old scores."""

    def __init__(self, scores: Vector, error: float, lapse: float) -> None:
        self.scores, self.error, self.lapse = scores, error, lapse
        self.sorted = np.sort(scores)
        spread = max(float(scores.std()), 1.0)
        ends = spread * np.linspace(0, BEYOND, 25)[1:]
        between = (self.sorted[1:] + self.sorted[:-1]) / 2
        self.grid = np.sort(np.concatenate((self.sorted[0] - ends, between, self.sorted[-1] + ends)))
        self.places = np.searchsorted(self.sorted, self.grid).astype(float)
        self.log = -0.5 * (self.grid / (2 * spread)) ** 2
        self.asked = np.zeros(len(scores), dtype=bool)

    @property
    def chances(self) -> Vector:
        """p(s) on the grid."""
        weights = np.exp(self.log - self.log.max()) * np.gradient(self.grid)
        return weights / weights.sum()

    @property
    def mean(self) -> float:
        """The median of p, which is where the item goes."""
        return float(self.grid[np.searchsorted(np.cumsum(self.chances), 0.5)])

    @property
    def found(self) -> bool:
        """Whether the place, or the score, is known well enough, or everybody was asked."""
        place, score = (_deviation(self.chances, of) for of in (self.places, self.grid))
        return bool(place <= CLOSE or score <= SURER * self.error or self.asked.all())

    def opponent(self) -> int:
        """The old item whose score is nearest to the median, of those not yet asked."""
        apart = np.where(self.asked, np.inf, np.abs(self.scores - self.mean))
        return int(np.argmin(apart))

    def learn(self, opponent: int, answer: float) -> None:
        """Take in how surely the new item beat an old one."""
        ahead = self.grid - self.scores[opponent]
        self.log += answer * self._log_chance(ahead) + (1 - answer) * self._log_chance(-ahead)
        self.asked[opponent] = True

    def _log_chance(self, ahead: Vector) -> Vector:
        """log q(d)."""
        if not self.lapse:
            return log_expit(ahead)
        return np.logaddexp(np.log(self.lapse), np.log1p(-2 * self.lapse) + log_expit(ahead))


def _deviation(chances: Vector, values: Vector) -> float:
    """The standard deviation of values that have these chances."""
    return float(np.sqrt(chances @ (values - chances @ values) ** 2))


def _learn(places: list[Place], seeking: Vector, opponents: Vector, answers: Answers) -> None:
    """Each new item learns from the answer to its question, where one came."""
    for new, opponent, answer in zip(seeking.tolist(), opponents.tolist(), answers.tolist(), strict=True):
        if not np.isnan(answer):
            places[new].learn(opponent, answer)


def _ordered(known: Vector, new: list[float]) -> Order:
    """Everyone by score; of equal ones the older and the first."""
    return np.argsort(-np.append(known, new), kind="stable")
