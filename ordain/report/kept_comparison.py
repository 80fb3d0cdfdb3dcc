"""The comparison of candidates that a model file keeps for people to read, if it is one that can be shown.

The summary of a model is plain data of any kind, so what is drawn from it is looked at first.
"""

from __future__ import annotations

from typing import Any

from ordain.model import Model

FAR = 1e6
"""No figure of a comparison is as large."""

_NEEDED, _OPTIONAL = ("auc", "goal"), ("below_best", "low", "high")


def kept_comparison(model: Model) -> dict[str, Any]:
    """What :meth:`ordain.Choice.as_json` gave at the fit; nothing where nothing was compared or kept."""
    found: Any = model.summary.get("comparison") or {}
    trials: Any = found.get("trials", []) if isinstance(found, dict) else None
    if trials == []:
        return {}
    listed = isinstance(trials, list) and all(map(_shown, trials))
    named = listed and all(isinstance(found.get(name), str) for name in ("goal", "picked"))
    if not (named and all(isinstance(found.get(name), int) for name in ("folds", "rows"))):
        raise ValueError(
            "the comparison in the model must be as ordain fit writes it, so that it can be drawn. Got something else. "
            "Fit the model again."
        )
    return dict(found)


def _shown(trial: Any) -> bool:
    """Whether a candidate has a name and the figures that are shown of it; one that was left out has none."""
    if not isinstance(trial, dict) or not isinstance(trial.get("name"), str):
        return False
    if trial.get("goal") is None:
        return trial.get("below_best") is None
    told = trial.get("below_best") is None or all(_is_figure(trial.get(name)) for name in ("low", "high"))
    optional = all(trial.get(name) is None or _is_figure(trial[name]) for name in _OPTIONAL)
    folds, dropped = isinstance(trial.get("folds"), int), isinstance(trial.get("dropped"), str | None)
    untimed = trial.get("seconds") is None  # else two fits alike would give two files
    return told and optional and folds and dropped and untimed and all(_is_figure(trial.get(name)) for name in _NEEDED)


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < FAR
