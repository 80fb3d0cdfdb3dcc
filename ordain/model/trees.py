"""XGBoost's trees as its own JSON, reduced to the fields that count, each of them checked.

XGBoost follows the numbers in a file without looking where they lead, so a tree whose children, features or categories
do not exist would make it read memory that is not its own. Nothing is given to it that has not been checked here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ordain._json import parsed, record, written
from ordain._types import Vector

OBJECTIVES = ("reg:squarederror", "binary:logistic", "binary:logitraw")
"""What XGBoost may have been told to minimise; with an objective of our own it writes the first."""

DEEPEST = 512
"""A tree has at most this many levels."""

SINGLE = float(np.finfo(np.float32).max)
"""The largest number of single precision."""

_WHOLE = ("left_children", "right_children", "parents", "split_indices", "split_type", "default_left")
_REAL = ("split_conditions", "base_weights", "loss_changes", "sum_hessian")
_SETS = ("categories", "categories_nodes", "categories_segments", "categories_sizes")
_NOBODY = 2**31 - 1  # the parent of a root
_NUMBER = re.compile(r"\[?([-+0-9.eE]{1,30})\]?")


def trees_written(booster: Any, sizes: Sequence[int]) -> bytes:
    """The JSON of a booster.

    Parameters
    ----------
    booster : xgboost.Booster
    sizes : sequence of int
        Per feature how many categories it has; 0 for numbers.
    """
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    model = learner["gradient_booster"].get("model", {})
    trees = [
        {key: tree[key] for key in (*_WHOLE, *_REAL, *_SETS, "tree_param", "id")} for tree in model.get("trees", ())
    ]
    weighed = any(weight != 1 for weight in model.get("weight_drop", ()))  # some were dropped while others grew
    if weighed or any(model.get("cats", {}).values()) or learner["gradient_booster"]["name"] != "gbtree":
        raise ValueError("the booster must be of trees, fitted to numbers and codes. Got another. Use BoostedRanker.")
    found = _NUMBER.fullmatch(learner["learner_model_param"]["base_score"])
    if not found:
        raise ValueError("the booster must have one score per row. Got several. Use BoostedRanker.")
    plain = _document(len(trees), len(sizes), learner["objective"]["name"], float(found[1]))
    types = ["float" if kind in ("int", "i") else kind for kind in learner["feature_types"]]
    plain["learner"] |= {"feature_types": types, "attributes": learner["attributes"]}
    plain["learner"]["gradient_booster"]["model"]["trees"] = trees
    return written(plain)


def most_categories(booster: Any, columns: Sequence[int]) -> dict[int, int]:
    """For each of these columns, which hold codes of categories, one more than the largest code that splits it."""
    most = dict.fromkeys(map(int, columns), 1)
    model = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"].get("model", {})
    for tree in model.get("trees", ()):
        places = zip(*(tree[f"categories_{part}"] for part in ("nodes", "segments", "sizes")), strict=True)
        for node, start, count in places:
            column = tree["split_indices"][node]
            most[column] = max(most[column], 1, *(code + 1 for code in tree["categories"][start : start + count]))
    return most


def trees_read(data: bytes, sizes: Sequence[int]) -> Any:
    """The booster whose JSON :func:`trees_written` wrote; anything else is refused."""
    _check(parsed(data, "trees.json"), sizes)
    try:
        import xgboost
    except ImportError:
        raise ValueError('trees need XGBoost. There is none. Install it: pip install "ordain[boost]"') from None
    booster = xgboost.Booster()
    try:
        booster.load_model(bytearray(data))
    except xgboost.core.XGBoostError as wrong:
        raise ValueError(f"trees.json must be readable for XGBoost. Got: {wrong!s:.80}. Fit again.") from None
    return booster


def _document(count: int, width: int, objective: str, base: float) -> dict[str, Any]:
    """XGBoost's document around so many trees, without types and attributes."""
    parameters = {"boost_from_average": "0", "num_class": "0", "num_feature": str(width), "num_target": "1"}
    model = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(count)},
        "iteration_indptr": list(range(count + 1)),
        "tree_info": [0] * count,
        "trees": [],
    }
    learner = {
        "attributes": {},
        "feature_names": [],
        "feature_types": [],
        "gradient_booster": {"model": model, "name": "gbtree"},
        "learner_model_param": {"base_score": repr(base), **parameters},
        "objective": {"name": objective, "reg_loss_param": {"scale_pos_weight": "1"}},
    }
    return {"learner": learner, "version": [3, 0, 0]}


def _check(plain: Any, sizes: Sequence[int]) -> None:
    """Everything around the trees is as it must be, then every tree."""
    try:
        trees, objective, types = _check_document(plain, len(sizes))
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            "trees.json must be XGBoost's trees as ordain writes them. Got something else. Fit again."
        ) from None
    if objective not in OBJECTIVES:
        raise ValueError(f"trees.json must have one of the objectives {', '.join(OBJECTIVES)}. Got {objective!r:.40}.")
    if types not in ([], ["c" if size else "q" for size in sizes], ["c" if size else "float" for size in sizes]):
        raise ValueError("trees.json must have the features of the model. Got other types. Fit again.")
    sizes = sizes if types else [0] * len(sizes)  # without types all are numbers
    for number, tree in enumerate(trees):
        _check_tree(tree, sizes, f"tree {number}")


def _check_document(plain: Any, width: int) -> tuple[list[Any], str, Any]:
    """The trees, the objective and the types of the features; the rest is as it must be, or something is raised."""
    learner = plain["learner"]
    model = learner["gradient_booster"]["model"]
    objective, types, attributes = learner["objective"]["name"], learner["feature_types"], learner["attributes"]
    base, trees = float(learner["learner_model_param"]["base_score"]), list(model["trees"])
    expected = _document(len(trees), width, objective, base)
    expected["learner"] |= {"feature_types": types, "attributes": attributes}
    around = {**plain, "learner": {**learner, "gradient_booster": {"model": {**model, "trees": []}, "name": "gbtree"}}}
    if written(expected) != written(around) or type(model["trees"]) is not list or not abs(base) <= SINGLE:
        raise ValueError
    if learner["gradient_booster"].keys() != {"model", "name"} or learner["gradient_booster"]["name"] != "gbtree":
        raise ValueError
    if type(attributes) is not dict or any(type(value) is not str for value in attributes.values()):
        raise ValueError
    return trees, objective, types


def _check_tree(tree: Any, sizes: Sequence[int], what: str) -> None:
    kinds = dict.fromkeys((*_WHOLE, *_REAL, *_SETS), list)
    record(tree, what, tree_param=dict, id=int, **kinds)
    numbers = {key: _whole(tree[key], f"{key} of {what}") for key in (*_WHOLE, *_SETS)}
    n = len(numbers["left_children"])
    numbers |= {key: _real(tree[key], f"{key} of {what}") for key in _REAL}
    counts = {"num_deleted": "0", "num_feature": str(len(sizes)), "num_nodes": str(n), "size_leaf_vector": "1"}
    number = str(tree["id"])
    if n < 1 or any(len(numbers[key]) != n for key in (*_WHOLE, *_REAL)) or tree["tree_param"] != counts:
        raise ValueError(f"{what} must have {n} nodes in every list. Got another number. Fit again.")
    if number != what.removeprefix("tree "):
        raise ValueError(f"{what} must have its own number. Got {number:.20}. Fit again.")
    _check_shape(numbers["left_children"], numbers["right_children"], numbers["parents"], what)
    _check_splits(numbers, np.asarray(sizes), what)


def _check_shape(left: Vector, right: Vector, parents: Vector, what: str) -> None:
    """From node 0 every node is reached once, and children know their parents."""
    n = len(left)
    inner = np.flatnonzero(left != -1)
    children = np.concatenate((left[inner], right[inner]))
    leaves_end = (right[left == -1] == -1).all()
    if not leaves_end or (children < 1).any() or (children >= n).any() or len(np.unique(children)) != n - 1:
        raise ValueError(
            f"{what} must lead to every node once. Got children that do not exist or are shared. Fit again."
        )
    if parents[0] != _NOBODY or (parents[children] != np.concatenate((inner, inner))).any():
        raise ValueError(f"{what} must have the parents of its children. Got others. Fit again.")
    level, reached = np.zeros(1, np.int64), 1
    for _ in range(DEEPEST):
        level = level[left[level] != -1]
        level = np.concatenate((left[level], right[level]))
        reached += len(level)
        if not len(level):
            break
    if reached != n:
        raise ValueError(f"{what} must be a tree of at most {DEEPEST} levels. Got a circle, or more. Fit again.")


def _check_splits(numbers: dict[str, Vector], sizes: Vector, what: str) -> None:
    """Features exist; those with categories are split by them, by some that exist."""
    inner = numbers["left_children"] != -1
    features, kinds = numbers["split_indices"], numbers["split_type"]
    if (features < 0).any() or (features >= len(sizes)).any():
        raise ValueError(f"{what} must split by the {len(sizes)} features of the model. Got another. Fit again.")
    if ((numbers["default_left"] != 0) & (numbers["default_left"] != 1)).any() or (
        kinds != (inner & (sizes[features] > 0))
    ).any():
        raise ValueError(f"{what} must split numbers by size and text by categories. Got otherwise. Fit again.")
    nodes, starts, counts = (numbers[f"categories_{part}"] for part in ("nodes", "segments", "sizes"))
    held = numbers["categories"]
    same = np.array_equal(nodes, np.flatnonzero(kinds)) and len(starts) == len(counts) == len(nodes)
    if not same or (counts < 1).any() or (counts > len(held)).any() or counts.sum() != len(held):
        raise ValueError(f"{what} must have categories for every split by them. Got otherwise. Fit again.")
    most = np.repeat(sizes[features[nodes]], counts)
    if (starts != np.cumsum(counts) - counts).any() or (held < 0).any() or (held >= most).any():
        raise ValueError(f"{what} must split by categories that exist. Got others. Fit again.")


def _whole(values: list[Any], what: str) -> Vector:
    """Whole numbers of 32 bits."""
    if values and (set(map(type, values)) != {int} or max(values) > _NOBODY or min(values) < -_NOBODY):
        raise ValueError(f"{what} must be whole numbers of 32 bits. Got something else. Fit again.")
    return np.array(values, np.int64)


def _real(values: list[Any], what: str) -> Vector:
    """Finite numbers of single precision."""
    if not set(map(type, values)) <= {float}:
        raise ValueError(f"{what} must be numbers with a point. Got something else. Fit again.")
    numbers = np.array(values, np.float64)
    if (np.abs(numbers) > SINGLE).any():
        raise ValueError(f"{what} must be finite in single precision. Got larger ones. Fit again.")
    return numbers
