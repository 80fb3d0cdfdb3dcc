"""Preferences: a batch of index pairs in, numbers in [0, 1] out, how surely the first of each pair beats the second.

Everything that costs or changes something wraps a preference and gives a preference again, so that rankers know nothing
of it. What can run out raises :class:`Spent` with the answers it still has to the first pairs of the batch; every
wrapper hands these on in its own terms. A budget is therefore used up to its last call. What stands inside is what is
counted: ``budgeted(symmetrised(judge), 100)`` is 100 pairs, ``symmetrised(budgeted(judge, 100))`` is 100 questions.
"""

from ordain.preference.answers import Preference, Spent, check_answers, check_matrix
from ordain.preference.sources import batch, from_classifier, from_function, from_matrix, from_scores, pair_features
from ordain.preference.wrappers import (
    Position,
    budgeted,
    checked,
    counted,
    remembering,
    rounded,
    shown_in_random_order,
    symmetrised,
    with_progress,
)

__all__ = [
    "Position",
    "Preference",
    "Spent",
    "batch",
    "budgeted",
    "check_answers",
    "check_matrix",
    "checked",
    "counted",
    "from_classifier",
    "from_function",
    "from_matrix",
    "from_scores",
    "pair_features",
    "remembering",
    "rounded",
    "shown_in_random_order",
    "symmetrised",
    "with_progress",
]
