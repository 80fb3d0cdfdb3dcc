"""ordain turns any way of telling which of two things comes first into a ranking, and says how far to trust it.

>>> import ordain
>>> ordain.auc([1, 0, 1, 0], [3, 2, 1, 0])
0.75

Names load on first use, so that importing ordain costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordain import audit as audit
    from ordain import bounds as bounds
    from ordain import losses as losses
    from ordain import measure as measure
    from ordain import pairs as pairs
    from ordain import preference as preference
    from ordain import rank as rank
    from ordain.bounds.comparison import compare_auc as compare_auc
    from ordain.bounds.interval import auc_interval as auc_interval
    from ordain.bounds.records import RegretBound as RegretBound
    from ordain.bounds.regret import regret_bound as regret_bound
    from ordain.certificate import Comparison as Comparison
    from ordain.certificate import Interval as Interval
    from ordain.learn.auc_train import PreferenceRanker as PreferenceRanker
    from ordain.learn.boosted import BoostedRanker as BoostedRanker
    from ordain.learn.linear import LinearRanker as LinearRanker
    from ordain.measure import auc as auc
    from ordain.measure import partial_auc as partial_auc
    from ordain.measure import top as top
    from ordain.rank.items import sort as sort
    from ordain.rank.items import top_k as top_k

__version__ = "0.1.0"

_HOMES = {
    "BoostedRanker": "ordain.learn.boosted",
    "Comparison": "ordain.certificate",
    "Interval": "ordain.certificate",
    "LinearRanker": "ordain.learn.linear",
    "PreferenceRanker": "ordain.learn.auc_train",
    "RegretBound": "ordain.bounds.records",
    "auc": "ordain.measure",
    "audit": "ordain",
    "auc_interval": "ordain.bounds.interval",
    "bounds": "ordain",
    "compare_auc": "ordain.bounds.comparison",
    "losses": "ordain",
    "measure": "ordain",
    "pairs": "ordain",
    "partial_auc": "ordain.measure",
    "preference": "ordain",
    "rank": "ordain",
    "regret_bound": "ordain.bounds.regret",
    "sort": "ordain.rank.items",
    "top": "ordain.measure",
    "top_k": "ordain.rank.items",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ordain' has no attribute {name!r}")
    value = import_module(f"ordain.{name}") if home == "ordain" else getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
