"""Preferences: a batch of index pairs in, numbers in [0, 1] out, how surely the first of each pair beats the second.

A judge may also be asked for the order of lists of more items, and answers with their places, see
:mod:`ordain.preference.questions`; a pair is a list of two.

Everything that costs or changes something wraps a preference and gives a preference again, so that rankers know nothing
of it. Answers pass through all wrappers as they arrive, in any order, and what can run out raises :class:`Spent` after
them. A budget is therefore used up to its last call, and :func:`journalled` keeps what came before a judge failed. What
stands inside is what is counted: ``budgeted(symmetrised(judge), 100)`` is 100 pairs, ``symmetrised(budgeted(judge,
100))`` is 100 questions.
"""

from ordain.preference.answers import Preference, Spent, Stream, arriving, ask, check_answers, check_matrix
from ordain.preference.journal import Journal, Known, journalled, remembering
from ordain.preference.list_pairs import by_wins, list_pairs
from ordain.preference.orders import from_order, positions
from ordain.preference.sources import batch, from_function, from_matrix, from_scores, pair_features
from ordain.preference.wrappers import (
    Position,
    Wrapper,
    budgeted,
    checked,
    counted,
    rounded,
    shown_in_random_order,
    symmetrised,
    with_progress,
)

__all__ = [
    "Journal",
    "Known",
    "Position",
    "Preference",
    "Spent",
    "Stream",
    "Wrapper",
    "arriving",
    "ask",
    "batch",
    "budgeted",
    "by_wins",
    "check_answers",
    "check_matrix",
    "checked",
    "counted",
    "from_function",
    "from_matrix",
    "from_order",
    "from_scores",
    "journalled",
    "list_pairs",
    "pair_features",
    "positions",
    "remembering",
    "rounded",
    "shown_in_random_order",
    "symmetrised",
    "with_progress",
]
