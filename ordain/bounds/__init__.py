"""Theorems as functions, numbers in, certificates out: intervals, regret bounds and uniform convergence."""

from typing import TYPE_CHECKING

from ordain._lazy import lazy

if TYPE_CHECKING:
    from ordain.bounds import calibration as calibration
    from ordain.bounds import comparison as comparison
    from ordain.bounds import interval as interval
    from ordain.bounds import records as records
    from ordain.bounds import regret as regret
    from ordain.bounds import shatter as shatter
    from ordain.bounds import uniform as uniform
    from ordain.bounds.comparison import compare_auc as compare_auc
    from ordain.bounds.interval import auc_interval as auc_interval
    from ordain.bounds.records import RegretBound as RegretBound
    from ordain.bounds.regret import balanced_bound as balanced_bound
    from ordain.bounds.regret import low_noise_bound as low_noise_bound
    from ordain.bounds.regret import pair_bound as pair_bound
    from ordain.bounds.regret import plug_in_bound as plug_in_bound
    from ordain.bounds.regret import prevalence_bound as prevalence_bound
    from ordain.bounds.regret import regret_bound as regret_bound

_HOMES = {
    "RegretBound": "ordain.bounds.records",
    "auc_interval": "ordain.bounds.interval",
    "balanced_bound": "ordain.bounds.regret",
    "calibration": "ordain.bounds",
    "compare_auc": "ordain.bounds.comparison",
    "comparison": "ordain.bounds",
    "interval": "ordain.bounds",
    "low_noise_bound": "ordain.bounds.regret",
    "pair_bound": "ordain.bounds.regret",
    "plug_in_bound": "ordain.bounds.regret",
    "prevalence_bound": "ordain.bounds.regret",
    "records": "ordain.bounds",
    "regret": "ordain.bounds",
    "regret_bound": "ordain.bounds.regret",
    "shatter": "ordain.bounds",
    "uniform": "ordain.bounds",
}

if not TYPE_CHECKING:  # to types a name that is mistyped is none
    __getattr__, __dir__, __all__ = lazy("ordain.bounds", _HOMES)
