"""A scikit-learn classifier as data, by skops: only types it knows to be safe, in a form that is always the same."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from sklearn.base import is_classifier

from ordain._json import parsed, written
from ordain.model.archive import packed, unpacked
from ordain.tables.npy_header import npy_header

COMPILED = {
    "sklearn.tree._tree.Tree",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    *(f"sklearn.svm._classes.{name}" for name in ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")),
}
"""Types whose compiled code follows numbers from the file without looking where they lead."""

_WHAT = "classifier.skops"


def classifier_written(classifier: Any) -> bytes:
    """The bytes of a fitted classifier; one that could not be read safely is refused."""
    skops = _skops()
    name = type(classifier).__name__
    try:
        data = skops.dumps(classifier)
    except Exception as wrong:
        raise ValueError(f"the classifier must be one that skops can save. Got {name}: {wrong!s:.80}.") from None
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    schema, order = _numbered(json.loads(entries.pop("schema.json")))
    _check_types(schema, name)
    renamed = {f"{number}.npy": entries.pop(f"{old}.npy") for old, number in order.items() if f"{old}.npy" in entries}
    if entries:
        raise ValueError(f"the classifier must be made of plain arrays. Got {name}, which is not. Use another.")
    data = packed({"schema.json": written(schema), **renamed})
    _check_untrusted(data, name)
    return data


def classifier_read(data: bytes) -> Any:
    """The classifier that :func:`classifier_written` wrote; anything else is refused."""
    skops = _skops()
    entries = unpacked(data, _WHAT)
    schema = parsed(entries.pop("schema.json", b""), f"schema.json of {_WHAT}")
    for entry, content in entries.items():
        _check_array(entry, content)
    _check_types(schema, _WHAT)
    _check_untrusted(data, _WHAT)
    try:
        classifier = skops.loads(data)
        right = is_classifier(classifier)
    except Exception as wrong:
        raise ValueError(f"{_WHAT} must be a classifier. Got something else: {wrong!s:.80}. Fit again.") from None
    if not right:
        raise ValueError(f"{_WHAT} must be a classifier. Got {type(classifier).__name__}. Fit again.")
    return classifier


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise ValueError("skops must be installed to save or load a classifier. Install ordain[skops].") from None
    return skops.io


def _numbered(schema: Any) -> tuple[Any, dict[Any, int]]:
    """The schema with objects numbered as they come, not by where they lie in memory, and the new numbers."""
    order: dict[Any, int] = {}

    def walk(node: Any) -> Any:
        if isinstance(node, list):
            return [walk(item) for item in node]
        if not isinstance(node, dict):
            return node
        node = dict(node)
        if node.get("__loader__") == "JsonNode":
            node.pop("__id__", None)
        if type(node.get("__id__")) is int:
            node["__id__"] = order.setdefault(node["__id__"], len(order) + 1)
        if isinstance(node.get("file"), str) and node["file"].endswith(".npy"):
            old = int(node["file"].removesuffix(".npy"))
            node["file"] = f"{order.setdefault(old, len(order) + 1)}.npy"
        return {key: walk(value) for key, value in sorted(node.items())}

    return walk(schema), order


def _check_types(schema: Any, what: str) -> None:
    """Nothing of the compiled types is inside."""
    found: set[str] = set()
    pending = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            found.add(f"{node.get('__module__')}.{node.get('__class__')}")
            pending += node.values()
        elif isinstance(node, list):
            pending += node
    _refuse_types(sorted(found & COMPILED), what)


def _check_untrusted(data: bytes, what: str) -> None:
    """Nothing of a type that skops does not know to be safe is inside."""
    try:
        untrusted = _skops().get_untrusted_types(data=data)
    except Exception as wrong:
        raise ValueError(f"{what} must be a classifier saved by skops. Got {wrong!s:.80}. Fit again.") from None
    _refuse_types(untrusted, what)


def _refuse_types(types: list[str], what: str) -> None:
    if types:
        raise ValueError(
            f"{what} must be made of types that are safe to load. Got {', '.join(types):.120}. "
            "Choose another classifier, such as logistic regression."
        )


def _check_array(entry: str, content: bytes) -> None:
    """A `.npy` file of plain numbers or text, exactly as long as its header says."""
    try:
        npy_header(content)
        plain = entry.endswith(".npy")
    except ValueError:
        plain = False
    if not plain:
        raise ValueError(f"{entry} of {_WHAT} must be a plain array. Got something else. Do not trust the file.")
