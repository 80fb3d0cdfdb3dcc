"""Numbers that say how good a ranking is: exact, with no intervals. Labels first, then scores or the ranking."""

from ordain.measure.area import auc, partial_auc
from ordain.measure.ndcg import group_ndcg, ndcg
from ordain.measure.order import (
    auc_loss,
    bipartite,
    check_importance,
    generalised_ranking,
    importance_loss,
    kemeny,
    multipartite,
    top_heavy,
)
from ordain.measure.top import Top, top

__all__ = [
    "Top",
    "auc",
    "auc_loss",
    "bipartite",
    "check_importance",
    "generalised_ranking",
    "group_ndcg",
    "importance_loss",
    "kemeny",
    "multipartite",
    "ndcg",
    "partial_auc",
    "top",
    "top_heavy",
]
