"""A fitted ranker as plain data: its settings, its numbers, and what makes scores probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ordain._json import record
from ordain.learn.by_name import KINDS, ranker_class
from ordain.learn.scorer import Chance
from ordain.losses import LOSSES, PAIRINGS, Loss
from ordain.model.archive import floats_read, floats_written
from ordain.model.foreign import classifier_read, classifier_written
from ordain.model.trees import trees_read, trees_written
from ordain.names import REDUCTIONS
from ordain.prepare import Preparation
from ordain.prepare.column_kinds import Text

SHAPES: dict[str, tuple[Any, ...]] = {
    "coef_": (1, "d"),
    "direction_": ("d",),
    "references_": ("k", "d"),
    "shares_": ("k",),
    "intercept_": (1,),
}
"""The arrays that rankers have, with d features and k reference rows."""

ARRAYS: dict[str, tuple[set[str], set[str]]] = {
    "LinearRanker": ({"coef_", "intercept_"}, set()),
    "BoostedRanker": (set(), set()),
    "PreferenceRanker": ({"references_", "shares_"}, {"direction_"}),
}
"""Which arrays a ranker must have, and which it may have."""

VALUES: dict[str, dict[str, Any]] = {
    "LinearRanker": {"alpha_": float, "n_iter_": int},
    "BoostedRanker": {"intercept_": float, "n_iter_": int},
    "PreferenceRanker": {"intercept_": float, "n_pairs_": int},
}
"""The numbers it must have; an array it may have and has not is None."""

RENAMED = {"PreferenceRanker": {"seed": "random_state"}}
"""Settings that had another name in earlier files."""

WIDTHS = {"difference": 1, "concatenation": 2, "both": 3}
"""How many times the features of a row those of a pair are."""


class Features(NamedTuple):
    """What a ranker is given: how many columns if it is linear, and of those for trees how many categories each has."""

    linear: int
    sizes: list[int]  # 0 for numbers

    @classmethod
    def of(cls, preparation: Preparation) -> Features:
        """What a preparation makes of a table."""
        sizes = [len(one.values) + one.other if isinstance(one, Text) else 0 for one in preparation.columns]
        return cls(len(preparation.features("linear")), sizes)

    def width(self, kind: str) -> int:
        """The columns that a kind of ranker takes."""
        return len(self.sizes) if kind == "BoostedRanker" else self.linear


def ranker_written(ranker: Any, features: Features) -> tuple[dict[str, Any], dict[str, bytes]]:
    """A ranker as plain data, and the entries that hold its numbers."""
    kind = type(ranker).__name__
    if kind not in KINDS or not hasattr(ranker, "chance_"):
        raise ValueError(f"the ranker must be a fitted {', '.join(KINDS)}. Got {kind}.")
    entries, arrays, values = dict[str, bytes](), dict[str, list[int]](), dict[str, Any]()
    for name, value in sorted(vars(ranker).items()):
        if not name.endswith("_") or name in ("classes_", "chance_", "n_features_in_", "feature_names_in_"):
            continue
        if name in SHAPES and (sparse.issparse(value) or isinstance(value, np.ndarray)):
            value = value.toarray() if sparse.issparse(value) else value
            arrays[name], entries[f"{name}.npy"] = list(value.shape), floats_written(value)
        elif name == "booster_":
            entries["trees.json"] = trees_written(value, features.sizes)
        elif name == "classifier_":
            entries["classifier.skops"] = classifier_written(value)
        else:
            values[name] = _scalar(name, value)
    plain = {
        "kind": kind,
        "settings": _settings(ranker),
        "classes": np.asarray(ranker.classes_).tolist(),
        "chance": _chance_written(ranker.chance_),
        "arrays": arrays,
        "values": values,
    }
    return plain, entries


def ranker_read(plain: Any, entries: Mapping[str, bytes], features: Features) -> Any:
    """The ranker that :func:`ranker_written` gave; anything else is refused."""
    plain = record(plain, "ranker", kind=str, settings=dict, classes=list, chance=dict, arrays=dict, values=dict)
    kind, settings = plain["kind"], plain["settings"]
    if kind not in KINDS:
        raise ValueError(f"ranker must be one of {', '.join(KINDS)}. Got {kind[:40]!r}. Update ordain?")
    settings = {RENAMED.get(kind, {}).get(name, name): value for name, value in settings.items()}
    _check_entries(kind, plain["arrays"], entries)
    ranker = _unfitted(ranker_class(kind), settings)
    ranker.chance_, ranker.classes_ = _chance_read(plain["chance"]), _classes(plain["classes"], ranker.graded)
    ranker.n_features_in_ = features.width(kind)
    for name, array in _arrays(plain["arrays"], entries, ranker.n_features_in_).items():
        setattr(ranker, name, array)
    absent = dict.fromkeys(ARRAYS[kind][1] - plain["arrays"].keys(), type(None))
    for name, value in record(plain["values"], "the values of a ranker", **VALUES[kind], **absent).items():
        setattr(ranker, name, value)
    if kind == "BoostedRanker":
        ranker.booster_ = trees_read(entries["trees.json"], features.sizes)
    if kind == "PreferenceRanker":
        ranker.classifier = ranker.classifier_ = _pair_classifier(entries["classifier.skops"], ranker)
    return ranker


_SCALARS = (bool, int, float, str, type(None))


def _scalar(name: str, value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if type(value) not in _SCALARS:
        raise ValueError(f"{name} of the ranker must be a plain value. Got {type(value).__name__}.")
    return value


def _settings(ranker: Any) -> dict[str, Any]:
    """The parameters of a ranker as plain data, a loss by its name, without its classifier."""
    settings = ranker.get_params(deep=False)
    settings.pop("classifier", None)
    return {name: _setting(name, value) for name, value in settings.items()}


def _setting(name: str, value: Any) -> Any:
    if isinstance(value, Loss):
        return _loss_name(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_scalar(name, item) for item in value]
    if isinstance(value, dict):
        return {str(key): _setting(name, item) for key, item in value.items()}
    return _scalar(name, value)


def _loss_name(loss: str | Loss) -> str:
    """The name of a loss that a reader will know."""
    if isinstance(loss, Loss) and LOSSES.get(loss.name) is not loss:
        raise ValueError(f"the loss of a saved model must be one of {', '.join(LOSSES)}. Got one of your own.")
    return loss.name if isinstance(loss, Loss) else loss


def _unfitted(ranker: type, settings: dict[str, Any]) -> Any:
    """A ranker with these settings, which must be all it has, of plain values."""
    expected = set(ranker().get_params(deep=False)) - {"classifier"}
    if settings.keys() != expected:
        got = sorted(settings.keys() ^ expected)[0]
        raise ValueError(f"ranker must have the settings of {ranker.__name__}. Got {got[:40]!r} wrong. Update ordain?")
    if "loss" in settings and settings["loss"] not in (*LOSSES, *PAIRINGS):
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}. Got {settings['loss']!r:.40}. Update ordain?")
    if settings.get("reduction", "pairwise") not in REDUCTIONS or type(settings.get("graded")) is not bool:
        raise ValueError(f"reduction must be one of {', '.join(REDUCTIONS)}, and graded true or false. Fit again.")
    if settings.get("features", "both") not in tuple(WIDTHS):
        raise ValueError(f"features must be one of {', '.join(WIDTHS)}. Got {settings['features']!r:.40}.")
    return ranker(**settings)


def _chance_written(chance: Chance) -> dict[str, Any]:
    share = None if chance.share is None else float(chance.share)
    return {
        "loss": _loss_name(chance.loss),
        "share": share,
        "slope": float(chance.slope),
        "middle": float(chance.middle),
    }


def _chance_read(plain: Any) -> Chance:
    found = record(plain, "chance", loss=str, share=(float, type(None)), slope=float, middle=float)
    share = found["share"]
    if found["loss"] not in LOSSES or not found["slope"] > 0 or not (share is None or 0 < share < 1):
        raise ValueError("chance must have a known loss, a share in (0, 1) and a slope above 0. Got others. Fit again.")
    return Chance(found["loss"], share, found["slope"], found["middle"])


def _classes(plain: list[Any], graded: bool) -> Any:
    """The classes in order: two, or several grades; all of one type."""
    kinds = {type(value) for value in plain}
    if len(kinds) != 1 or not kinds <= {bool, int, float, str} or len(plain) < 2 or (len(plain) > 2 and not graded):
        raise ValueError("ranker must have two classes, or grades, of one type. Got others. Fit again.")
    if sorted(set(plain)) != plain or (kinds == {int} and max(map(abs, plain)) >= 2**63):
        raise ValueError("ranker must have different classes in order. Got others. Fit again.")
    return np.array(plain)


def _check_entries(kind: str, arrays: dict[str, Any], entries: Mapping[str, bytes]) -> None:
    """The file has what this kind of ranker needs and nothing else."""
    needed, possible = ARRAYS[kind]
    expected = {f"{name}.npy" for name in arrays}
    expected |= {"BoostedRanker": {"trees.json"}, "PreferenceRanker": {"classifier.skops"}}.get(kind, set())
    if not needed <= arrays.keys() <= needed | possible or entries.keys() != expected:
        raise ValueError(f"the file of a {kind} must have the entries it needs and no other. Got otherwise. Fit again.")


def _arrays(shapes: dict[str, Any], entries: Mapping[str, bytes], width: int) -> dict[str, Any]:
    """The arrays of a ranker, each of the shape it must have."""
    sizes = {"d": width}
    found = {}
    for name, shape in sorted(shapes.items()):
        if type(shape) is not list or any(type(side) is not int or not 0 < side < 2**31 for side in shape):
            raise ValueError(f"{name} must have a shape of whole numbers. Got another. Fit again.")
        expected = tuple(side if type(side) is int else sizes.setdefault(side, shape[0]) for side in SHAPES[name])
        if tuple(shape) != expected or 8 * math.prod(expected) > len(entries[f"{name}.npy"]):
            raise ValueError(f"{name} must have shape {expected}. Got {tuple(shape)!s:.60}. Fit again.")
        found[name] = floats_read(entries[f"{name}.npy"], expected, f"{name}.npy")
    return found


def _pair_classifier(data: bytes, ranker: Any) -> Any:
    """The classifier of pairs, which must take as many features as a pair has."""
    classifier = classifier_read(data)
    classes, width = getattr(classifier, "classes_", None), WIDTHS[ranker.features] * ranker.n_features_in_
    if not np.array_equal(np.asarray(classes), [0, 1]) or getattr(classifier, "n_features_in_", None) != width:
        raise ValueError(f"classifier.skops must tell two classes by {width} features. Got others. Fit again.")
    return classifier
