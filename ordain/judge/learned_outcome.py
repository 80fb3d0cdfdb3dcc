"""The order of all items by what was learned from the answers to some of them, and how sure it is.

Ranks and tiers are by bands of the scores that hold together, as those of large boards. Where features did not help,
items never asked about have no score: they share one last tier, in their order, and may have any rank.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordain.judge.judged_items import Item
from ordain.judge.outcome import Outcome, counts_of, weighed
from ordain.preference.journal import Answer, Question
from ordain.rank.blended.doubted import Doubted
from ordain.rank.blended.known_features import Features
from ordain.rank.blended.learned import Learned
from ordain.rank.blended.said_in_lists import learned_once
from ordain.rank.list_model import at_most_one
from ordain.votes.learned_ranks import learned_ranks


def learned_from(said: Sequence[tuple[Question, Answer]], features: Features) -> Learned | None:
    """What questions and their answers teach, as the rankers learn it; None where nothing was said.

    A pair asked both ways round is one question to them, whatever the judge says of it.
    """
    every = weighed(said).said
    if not any(isinstance(answer, tuple) for _, answer in said):
        every = at_most_one(every, features.n)
    return learned_once(every, features) if len(every.answers) else None


def learned_outcome(
    items: Sequence[Item], said: Sequence[tuple[Question, Answer]], found: Learned | None, level: float = 0.95
) -> Outcome:
    """The outcome of what was learned; without an answer the items as they came.

    Examples
    --------
    >>> from ordain.rank.blended.known_features import given_features
    >>> items, rng = [Item(str(k), "x") for k in range(40)], np.random.default_rng(0)
    >>> pairs = [tuple(rng.permutation(20)[:2].tolist()) for _ in range(80)]
    >>> said = [(pair, float(rng.random() < 1 / (1 + np.exp((pair[1] - pair[0]) / 3)))) for pair in pairs]
    >>> learned_outcome(items, said, learned_from(said, given_features(np.arange(40.0), 40))).ids[:3]
    ['39', '38', '37']
    """
    n, every = len(items), weighed(said)
    shown = np.bincount([item for question, _ in said for item in question], minlength=n)
    order, scores, errors, fits = np.arange(n), np.full(n, np.nan), np.full(n, np.nan), []
    if found is not None:
        order, scores, doubted = found.order, found.scores, Doubted.of(found.model)
        errors = np.where(np.isnan(scores), np.nan, doubted.standard_errors)
        fits = doubted.by_each(order[: np.count_nonzero(~np.isnan(scores))])
    bands = learned_ranks(n, fits, level)
    counts = counts_of(every, order, n)
    return Outcome(items, said, order, scores[order], errors[order], *bands, *counts, shown[order], level)
