"""ordain turns any way of telling which of two things comes first into a ranking, and says how far to trust it.

>>> import ordain
>>> ordain.auc([1, 0, 1, 0], [3, 2, 1, 0])
0.75

Names load on first use, so that importing ordain costs nothing.
"""

from typing import TYPE_CHECKING

from ordain._lazy import lazy

if TYPE_CHECKING:
    from ordain import audit as audit
    from ordain import bounds as bounds
    from ordain import judge as judge
    from ordain import learn as learn
    from ordain import losses as losses
    from ordain import measure as measure
    from ordain import pairs as pairs
    from ordain import preference as preference
    from ordain import rank as rank
    from ordain import report as report
    from ordain import scorers as scorers
    from ordain import tables as tables
    from ordain.bounds.comparison import compare_auc as compare_auc
    from ordain.bounds.interval import auc_interval as auc_interval
    from ordain.bounds.records import RegretBound as RegretBound
    from ordain.bounds.regret import regret_bound as regret_bound
    from ordain.certificate import Comparison as Comparison
    from ordain.certificate import Interval as Interval
    from ordain.choice.compared import Choice as Choice
    from ordain.choice.learning import choose as choose
    from ordain.choice.learning import fit as fit
    from ordain.learn.auc_train import PreferenceRanker as PreferenceRanker
    from ordain.learn.boosted import BoostedRanker as BoostedRanker
    from ordain.learn.linear import LinearRanker as LinearRanker
    from ordain.measure import auc as auc
    from ordain.measure import ndcg as ndcg
    from ordain.measure import partial_auc as partial_auc
    from ordain.measure import top as top
    from ordain.model.either import load as load
    from ordain.model.either import save as save
    from ordain.model.file import Model as Model
    from ordain.rank.items import sort as sort
    from ordain.rank.items import top_k as top_k
    from ordain.votes.board import Leaderboard as Leaderboard
    from ordain.votes.board import leaderboard as leaderboard

__version__ = "1.0.0rc1"

_HOMES = {
    "BoostedRanker": "ordain.learn.boosted",
    "Choice": "ordain.choice.compared",
    "Comparison": "ordain.certificate",
    "Interval": "ordain.certificate",
    "Leaderboard": "ordain.votes.board",
    "LinearRanker": "ordain.learn.linear",
    "Model": "ordain.model.file",
    "PreferenceRanker": "ordain.learn.auc_train",
    "RegretBound": "ordain.bounds.records",
    "auc": "ordain.measure",
    "auc_interval": "ordain.bounds.interval",
    "audit": "ordain",
    "bounds": "ordain",
    "choose": "ordain.choice.learning",
    "compare_auc": "ordain.bounds.comparison",
    "fit": "ordain.choice.learning",
    "judge": "ordain",
    "leaderboard": "ordain.votes.board",
    "learn": "ordain",
    "load": "ordain.model.either",
    "losses": "ordain",
    "measure": "ordain",
    "ndcg": "ordain.measure",
    "pairs": "ordain",
    "partial_auc": "ordain.measure",
    "preference": "ordain",
    "rank": "ordain",
    "regret_bound": "ordain.bounds.regret",
    "report": "ordain",
    "save": "ordain.model.either",
    "scorers": "ordain",
    "sort": "ordain.rank.items",
    "tables": "ordain",
    "top": "ordain.measure",
    "top_k": "ordain.rank.items",
}

if not TYPE_CHECKING:  # to types a name that is mistyped is none
    __getattr__, __dir__, __all__ = lazy("ordain", _HOMES)
    __all__ += ["__version__"]
