"""From Parquet files that many workers read to a model: some rows are compared here, the one picked is fitted to all.

The rows that are compared are those that one machine would draw (:mod:`ordain.choice.drawn_rows`). What is learned of
columns comes from summaries that add (:mod:`ordain.prepare.merged`), and the ranker is fitted where the rows are
(:mod:`ordain.learn.on_dask`). Here is no more than these, the counts of labels and the names of groups or clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ordain import tables
from ordain._types import Vector
from ordain.choice.candidates import USUAL_TREES
from ordain.choice.compared import Choice, Trial
from ordain.choice.drawn_rows import Draw
from ordain.choice.fitting import summary_of
from ordain.choice.known_columns import known_columns
from ordain.choice.piece import Asked, Facts, Piece, Place
from ordain.choice.search import Search
from ordain.choice.spread_means import ValueSums, with_means
from ordain.engine.spread import gathered
from ordain.learn.on_dask import fit_parts
from ordain.model import Model
from ordain.prepare import Preparation
from ordain.prepare.merged import Summary, unit_notices
from ordain.rows.dealing import Part, common_codes
from ordain.rows.elsewhere import Elsewhere
from ordain.tables.slices import Where, slices


@dataclass(frozen=True)
class SpreadTraining:
    """Rows that workers hold, piece by piece, each with its place among all, and what is known of all of them."""

    pieces: list[Any]
    places: list[Place]
    rows: Elsewhere
    columns: list[Summary]
    asked: Asked
    meaning: tables.Meaning
    notices: tuple[str, ...]


def read_spread(
    client: Any, where: Where, *, seed: int = 0, report: Callable[[float], None] = lambda share: None, **asked: Any
) -> SpreadTraining:
    """Let workers read the files, and draw the rows to compare; `report` is told which share of the files is read."""
    of = Asked(**{**asked, "drop": tuple(asked.get("drop", ()))})
    pieces = [client.submit(Piece, one, of, pure=False) for one in slices(where)]
    looks = [client.submit(Piece.facts, piece, pure=False) for piece in pieces]
    facts = gathered(client, looks, lambda share: report(0.6 * share))
    values, lacking = dict.fromkeys(value for one in facts for value in one.labels), sum(of.unlabelled for of in facts)
    meaning = tables.meaning(of.label, list(values), lacking, positive=of.positive, graded=of.graded)
    kinds, amounts = _counted(facts, meaning.of)
    columns = known_columns(client, pieces, lambda share: report(0.6 + 0.3 * share))
    starts = np.cumsum([0] + [one.rows for one in facts])
    units = common_codes([one.units for one in facts]) if of.units else [None] * len(facts)
    places = [Place(meaning.of, int(start), codes, seed) for start, codes in zip(starts[:-1], units, strict=True)]
    draw = Draw(client, pieces, places, lambda share: report(0.9 + 0.1 * share))
    drawn = draw.groups() if of.group else draw.rows(kinds, amounts)
    about = {"graded": of.graded, "weighted": of.weight is not None, "grouped": of.group is not None}
    rows = Elsewhere(drawn.features.width, kinds, amounts, drawn, **about)
    own = () if of.units else unit_notices(columns)
    return SpreadTraining(pieces, places, rows, columns, of, meaning, (*meaning.notices, *own))


def _counted(facts: list[Facts], known: Mapping[Any, Any]) -> tuple[Vector, Vector]:
    """What the labels mean, in order, and how many rows each has."""
    kinds, places = np.unique(np.array(list(known.values())), return_inverse=True)
    place, amounts = dict(zip(known, places.tolist(), strict=True)), np.zeros(len(kinds), np.int64)
    for one in facts:
        np.add.at(amounts, [place[value] for value in one.labels], one.counts)
    return kinds, amounts


def fit_on_workers(
    client: Any,
    spread: SpreadTraining,
    search: Search,
    choice: Choice,
    *,
    asked: Any = None,
    report: Callable[[int], None] | None = None,
) -> Model:
    """The model that a comparison picked, fitted to all rows where they are.

    `report` is told the number of every step, or tree, that is done.
    """
    rows, meaning = spread.rows, spread.meaning
    preparation, ranker = _fitted(client, spread, choice.picked, search.seed, report)
    about = summary_of(rows, choice, search.seed) | {"asked": {name: of for name, of in (asked or {}).items() if of}}
    said = (*spread.notices, *preparation.notices)
    model = Model(preparation, ranker, spread.asked.label, meaning.positive, rows.grades, search.goal, about)
    return replace(model, choice=choice, notices=said)


def known_steps(trial: Trial) -> int | None:
    """How many trees are to grow; how many steps a linear ranker takes is not known before."""
    return int(trial.setting or USUAL_TREES) if trial.candidate.model == "boosted" else None


def _fitted(
    client: Any, spread: SpreadTraining, trial: Trial, seed: int, report: Callable[[int], None] | None
) -> tuple[Preparation, Any]:
    """The preparation and the ranker, both learned from the rows of all workers."""
    preparation = Preparation.told(spread.columns, spread.rows.drawn.features, spread.rows.drawn.labels)
    preparation, means = with_means(client, spread, preparation) if trial.manner.means else (preparation, None)
    model, across = trial.candidate.model, trial.candidate.across
    parts = [
        client.submit(_matrix, preparation, model, across, piece, place, means, pure=False)
        for piece, place in zip(spread.pieces, spread.places, strict=True)
    ]
    shape = (len(spread.rows), len(preparation.features(model)))
    ranker = trial.candidate.ranker(shape, preparation.categorical, seed, trial.manner, trial.setting)
    fit_parts(client, ranker, parts, report=report and (lambda step: report(step + 1)))
    if trial.held_out is not None:
        ranker.calibrate(*trial.held_out)
    return preparation, ranker


def _matrix(
    preparation: Preparation, model: str, across: bool, piece: Piece, place: Place, means: ValueSums | None
) -> Part:
    """The rows as a learner takes them."""
    known = {} if means is None else means.of_others(preparation, piece, place)
    X = preparation.codes(piece.features, known) if known else preparation.matrix(piece.features, model)
    return Part(X, piece.labels(place.known), piece.weights, **piece.units(None if across else place.codes))
