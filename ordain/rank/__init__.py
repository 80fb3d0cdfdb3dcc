"""Rankers: generators that yield batches of pairs, are sent answers and return the order, best first.

*Guaranteed* ones, whose loss is bounded by that of the judge, whoever the judge is: :func:`quicksort`, :func:`top_k`,
:func:`degree`, :func:`feedback_arc_set`, :func:`greedy`. *Averaging* ones, which fit a model and are better where
the judge's errors are independent: :func:`window`, :func:`field`, on :func:`bradley_terry`; :func:`list_window` and
:func:`list_field` ask for the order of ten items at a time. :func:`play` drives them.
"""

from ordain.rank.averaging import field, window
from ordain.rank.bradley_terry.posterior import bradley_terry
from ordain.rank.least_disagreement import Arrangement, degree, feedback_arc_set, greedy, minimum_feedback
from ordain.rank.lists import list_field, list_window
from ordain.rank.play import Spent, fairly, play
from ordain.rank.quicksorts import averaged_quicksort, by_scores, quicksort, top_k

__all__ = [
    "Arrangement",
    "Spent",
    "averaged_quicksort",
    "bradley_terry",
    "by_scores",
    "degree",
    "fairly",
    "feedback_arc_set",
    "field",
    "greedy",
    "list_field",
    "list_window",
    "minimum_feedback",
    "play",
    "quicksort",
    "top_k",
    "window",
]
