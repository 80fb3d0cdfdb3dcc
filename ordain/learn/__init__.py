"""Scikit-learn estimators that learn a scorer from labelled rows: linear, boosted trees, any classifier on pairs."""

from typing import TYPE_CHECKING

from ordain._lazy import lazy

if TYPE_CHECKING:
    from ordain.learn.auc_train import PreferenceRanker as PreferenceRanker
    from ordain.learn.boosted import BoostedRanker as BoostedRanker
    from ordain.learn.linear import LinearRanker as LinearRanker

_HOMES = {
    "BoostedRanker": "ordain.learn.boosted",
    "LinearRanker": "ordain.learn.linear",
    "PreferenceRanker": "ordain.learn.auc_train",
}

if not TYPE_CHECKING:  # to types a name that is mistyped is none
    __getattr__, __dir__, __all__ = lazy("ordain.learn", _HOMES)
