"""Scored rows → what to say of them: AUC with its interval, the top of the list, the paired difference, in words."""

from ordain.evaluation.figures import MAX_FPR, Duel, Evaluation, compare, evaluate
from ordain.evaluation.scored import Scored, read_scored
from ordain.evaluation.words import auc_in_words, top_in_words

__all__ = [
    "MAX_FPR",
    "Duel",
    "Evaluation",
    "Scored",
    "auc_in_words",
    "compare",
    "evaluate",
    "read_scored",
    "top_in_words",
]
