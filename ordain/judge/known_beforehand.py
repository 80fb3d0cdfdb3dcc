"""From what a run learns, as a plan keeps it. What reads columns and texts is loaded where something is learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ordain.judge.judged_items import Item
from ordain.tables.vectors import digest_of, read_vectors

if TYPE_CHECKING:
    from ordain.judge.item_features import ItemFeatures


@dataclass(frozen=True)
class Learning:
    """From what it is learned: a column with a starting score, a file of embeddings, its digest.

    `texts` is false where the items have none but the names of files.
    """

    start: str | None = None
    embeddings: str | None = None
    digest: str | None = None
    texts: bool = True

    @classmethod
    def of(cls, start: str | None, embeddings: str | None, items: Sequence[Item], *, texts: bool = True) -> Learning:
        """What was typed; the column and the file are looked at before anything is asked, the texts are not."""
        if not texts and embeddings is None:
            raise ValueError(
                "--learn looks at no pictures, only at numbers of theirs. Got none. Add --embeddings FILE."
            )
        if start is not None:
            _reader().columns_of(items, start)
        if embeddings is None:
            return cls(start, texts=texts)
        read_vectors(embeddings, [item.id for item in items])
        return cls(start, embeddings, digest_of(embeddings), texts)

    def features(self, items: Sequence[Item]) -> ItemFeatures:
        """What is known of the items."""
        found: ItemFeatures = _reader().features_of(items, self)
        return found


def _reader() -> Any:
    return import_module("ordain.judge.item_features")
