"""The rankers by name, loaded on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

KINDS = {
    "LinearRanker": "ordain.learn.linear",
    "BoostedRanker": "ordain.learn.boosted",
    "PreferenceRanker": "ordain.learn.auc_train",
}
"""Every ranker, and its module."""


def ranker_class(kind: str) -> Any:
    """The class of a ranker."""
    return getattr(import_module(KINDS[kind]), kind)
