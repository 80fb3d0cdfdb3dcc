"""Scored rows → what to say of them: AUC, NDCG, their intervals, the top of the list, paired differences, in words."""

from ordain.evaluation.along_list import AlongList, FirstRows, along_list
from ordain.evaluation.figures import MAX_FPR, Duel, Evaluation, compare, evaluate
from ordain.evaluation.gains import Gains, gains
from ordain.evaluation.scored import Scored, read_scored
from ordain.evaluation.words import auc_in_words, gains_in_words, top_in_words

__all__ = [
    "MAX_FPR",
    "AlongList",
    "Duel",
    "Evaluation",
    "FirstRows",
    "Gains",
    "Scored",
    "along_list",
    "auc_in_words",
    "compare",
    "evaluate",
    "gains",
    "gains_in_words",
    "read_scored",
    "top_in_words",
]
