"""Validation at the doors: every check returns the cleaned array, or says what must hold, what came and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain._types import Labels, Mask, Scores, Vector

EXTREME = 64
"""Weights beyond 2 to this power, or below 2 to minus it, are scaled."""


def check_labels(labels: Labels, positive: Any = None) -> Mask:
    """True where the label is the positive class; both classes must be there."""
    array = _one_dimensional(labels, "labels")
    mask = _understood(array) if positive is None else _named(array, positive)
    positives = int(np.count_nonzero(mask))
    if positives in (0, len(mask)):
        raise ValueError(
            f"labels must contain both classes. Got {positives} positives and {len(mask) - positives} negatives. "
            "Is the label column right?"
        )
    return mask


def check_grades(labels: Labels) -> Vector:
    """Grades as whole numbers 0, 1, 2, … in their order; at least two different ones must be there."""
    grades, codes = np.unique(check_numbers(labels, "labels"), return_inverse=True)
    if len(grades) < 2:
        raise ValueError(f"graded labels must contain two different grades. Got only {grades[0]:g}.")
    return codes


def check_numbers(values: Any, name: str, length: int | None = None) -> Vector:
    """Finite numbers in one dimension, in the precision they came in."""
    array = _one_dimensional(values, name, length)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be numbers. Got {array.dtype} such as {array[0]!r}. Convert the column first.")
    if array.dtype.kind == "f" and not (finite := np.isfinite(array)).all():
        where = int(np.argmin(finite))
        raise ValueError(
            f"{name} must be finite. Got {array[where]} at position {where}. Remove such rows, or give a number."
        )
    return array


def check_scores(scores: Scores, length: int, name: str = "scores") -> Vector:
    """Finite scores, one per label."""
    return check_numbers(scores, name, length)


def check_weights(weights: Any, length: int) -> Vector:
    """Finite weights ≥ 0 as float64, one per label; only their ratios count, so extreme ones come in other units.

    Examples
    --------
    >>> check_weights([1e300, 3e300], 2).round(3)
    array([0.187, 0.56 ])
    """
    array = check_numbers(weights, "weights", length).astype(np.float64)
    if array.min() < 0:
        where = int(np.argmin(array))
        raise ValueError(f"weights must not be negative. Got {array[where]:g} at position {where}. Drop such rows.")
    return moderate(array)


def moderate(weights: Vector, largest: float | None = None) -> Vector:
    """The same weights, by a power of two so that the largest is in [½, 1) where it is beyond 2^±EXTREME.

    That changes no digit, and neither sums nor products of two overflow, nor do they where a row is kept in float32.
    The largest may be given, where others have further weights.
    """
    exponent = int(np.frexp(weights.max() if largest is None else largest)[1])
    return weights if abs(exponent) <= EXTREME else np.ldexp(weights, -exponent)


def check_codes(values: Any, length: int, name: str) -> Vector:
    """Groups or clusters as whole numbers 0, 1, 2, …, one per label."""
    array = _one_dimensional(values, name, length)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError(f"{name} must not be missing. Got nan at position {int(np.argmax(np.isnan(array)))}.")
    try:
        return np.unique(array, return_inverse=True)[1]
    except TypeError:
        raise ValueError(f"{name} must be all text or all numbers. Got a mixture. Convert the column first.") from None


def check_share(value: float, name: str) -> float:
    """A number strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1. Got {value}. For 95 % write 0.95.")
    return float(value)


def _one_dimensional(values: Any, name: str, length: int | None = None) -> Any:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional. Got shape {array.shape}. Pass one number per item.")
    if length is not None and len(array) != length:
        raise ValueError(f"{name} must be as many as labels. Got {len(array)} for {length} labels.")
    if len(array) == 0:
        raise ValueError(f"{name} must not be empty. Got no rows. Is the file right?")
    return array


def _understood(array: Any) -> Mask:
    """The mask of labels whose positive class needs no naming: False/True, 0/1, -1/1."""
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind in "iuf":
        mask = array == 1
        rest = array[~mask]
        if not len(rest) or ((rest == rest[0]).all() and rest[0] in (0, -1)):
            return mask
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise ValueError(f"labels must not be missing. Got nan at position {int(np.argmax(np.isnan(array)))}.")
    raise ValueError(_which_is_positive(array))


def _named(array: Any, positive: Any) -> Mask:
    """The mask of labels equal to the class the caller named."""
    values = _distinct(array)
    if len(values) > 2:
        raise ValueError(_which_is_positive(array))
    mask = np.asarray(array == positive, dtype=bool)
    if mask.ndim != 1 or not mask.any():
        raise ValueError(f"positive must be one of the labels. Got {positive!r}, labels are {_shown(values)}.")
    return mask


def _which_is_positive(array: Any) -> str:
    values = _distinct(array)
    if len(values) <= 2:
        return (
            f"labels must be 0/1, -1/1 or False/True, or positive must be given. Got {_shown(values)}. "
            "Say which one is positive."
        )
    return (
        f"labels must have two values. Got {len(values)}: {_shown(values)}. "
        "If they are grades, larger being better, ask for graded=True; otherwise make two classes of them first."
    )


def _distinct(array: Any) -> list[Any]:
    """Different values in the order they first came; a mixture of kinds is fine."""
    return list(dict.fromkeys(array.tolist()))


def _shown(values: list[Any]) -> str:
    return ", ".join(repr(value) for value in values[:4]) + (", …" if len(values) > 4 else "")
