"""What a run has learned as a model file: `ordain score` then ranks items that nobody was ever asked about.

Only the features' part goes into it, as the own terms belong to the items of the run. Weights of letters are those
of their dimensions, brought back to the bins, so that a text is scored by a sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain._types import Vector
from ordain.judge.item_features import COLUMNS, EMBEDDINGS, START, ItemFeatures
from ordain.judge.run import Run
from ordain.learn.linear import LinearRanker
from ordain.learn.scorer import Chance
from ordain.model import Model
from ordain.prepare import Preparation
from ordain.prepare.column_kinds import Number
from ordain.prepare.letter_bins import BINS
from ordain.prepare.letter_space import LetterSpace
from ordain.prepare.text_blocks import LETTERS, SURFACE
from ordain.prepare.text_counts import COUNTS
from ordain.prepare.word_column import Words
from ordain.rank.blended.learned import Learned

LABEL = "preferred"
"""What the label is called that a judge's answers stand for."""


def learned_model(run: Run, text: str = "text") -> Model:
    """The scorer that a run has learned, for tables whose texts are in a column of this name."""
    known, found = run.learns_from, run.learned()
    if known is None:
        raise ValueError(f"--save keeps what --learn learned. The run {run.store.path} learned nothing. Add --learn.")
    if found is None:
        raise ValueError(f"--save needs answers to learn from. The run {run.store.path} has none yet. Go on with it.")
    if not found.helped:
        raise ValueError(f"--save needs features that helped. {found} Nothing was saved: ask more, or add features.")
    preparation, weights = _columns(known, found, text)
    ranker = LinearRanker(graded=True)
    ranker.coef_, ranker.intercept_ = weights[None, :], np.array([_shift(known, found)])
    ranker.alpha_, ranker.n_iter_, ranker.n_features_in_ = 0.0, found.both.steps, len(weights)
    ranker.classes_, ranker.chance_ = np.array([0, 1]), Chance()
    summary: dict[str, Any] = {
        "question": run.store.facts["question"], "items": run.n, "learned": str(known), "helped": str(found),
        "answers": float(found.both.asked.graph.weights.sum()),
    }  # fmt: skip
    forms = {name: form for name, form in known.forms.items() if name in preparation.names}
    return Model(preparation, ranker, LABEL, None, (0, 1), "preference", summary, None, forms)


def _raw(known: ItemFeatures, found: Learned, name: str, width: int) -> Vector:
    """The weights of the columns of a block as they were before they were scaled; zeros where it was left out."""
    part, units = known.features.block(name), known.features.units
    return np.zeros(width) if part is None or units is None else found.both.weights[part] / units[part]


def _shift(known: ItemFeatures, found: Learned) -> float:
    """What makes the scores those of the run, but for the items' own terms."""
    units, centres = known.features.units, known.features.centres
    return 0.0 if units is None or centres is None else -float((centres / units) @ found.both.weights)


def _columns(known: ItemFeatures, found: Learned, text: str) -> tuple[Preparation, Vector]:
    """How a table becomes features, and the weight of each."""
    columns: list[Any] = []
    weights: list[Vector] = []
    if known.start is not None:
        columns.append(known.start)
        weights.append(_raw(known, found, START, len(known.start.features)))
    if known.columns is not None:
        columns += known.columns.columns
        weights.append(_raw(known, found, COLUMNS, len(known.columns.features("linear"))))
    if (part := known.features.block(EMBEDDINGS)) is not None:
        width = part.stop - part.start
        columns += [Number(f"embedding_{place}", 1.0, 0.0, 1.0, False) for place in range(1, width + 1)]
        weights.append(_raw(known, found, EMBEDDINGS, width))
    if known.space is not None:
        columns.append(_words(known, known.space, found, text))
        weights.append(np.ones(1))
    return Preparation(tuple(columns)), np.concatenate(weights)


def _words(known: ItemFeatures, space: LetterSpace, found: Learned, text: str) -> Words:
    """The texts as one feature."""
    axes = space.axes
    bins = axes @ _raw(known, found, LETTERS, axes.shape[1])
    counts = _raw(known, found, SURFACE, len(COUNTS) + 1)
    assert len(bins) == BINS
    return Words(text, tuple(counts.tolist()), tuple(space.rarity.tolist()), tuple(bins.tolist()))
