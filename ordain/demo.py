"""The tour: real applicants for a loan, linear scorers fitted on the spot, and how far each can be trusted."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ordain import evaluation, tables, terminal
from ordain.learn.linear import LinearRanker
from ordain.scored import read_scored

LABEL = "bad_risk"
OUT = Path("ordain-demo.csv")
RANKERS: dict[str, dict[str, Any]] = {
    "pointwise": {"reduction": "pointwise"},
    "balanced": {"reduction": "balanced"},
    "pairwise": {"reduction": "pairwise"},
    "push": {"reduction": "pairwise", "push": 4},
}


def run(seed: int = 0) -> None:
    """Fit the scorers on half of the applicants, score the other half, then evaluate and compare the file written."""
    applicants = pl.read_csv(files("ordain") / "data" / "german_credit.csv")  # type: ignore[arg-type]
    rows = np.random.default_rng(seed).permutation(len(applicants))
    known, new = applicants[rows[:500]], applicants[rows[500:]]
    with terminal.working("Fitting four linear scorers on 500 applicants; the first time they are compiled too"):
        scores = {name: _scores(options, known, new) for name, options in RANKERS.items()}
    scored = new.select("amount", "duration", LABEL).with_columns(**scores)
    tables.write_table(scored.sort("pairwise", descending=True), str(OUT), force=True)
    terminal.say(
        f"{len(applicants):,} applicants for a loan, {applicants[LABEL].sum()} bad risks (Hofmann 1994, CC BY 4.0).",
        f"Four linear scorers fitted on {len(known)} of them: row by row, each class weighing one half, to all pairs,",
        f"and to all pairs looking harder at the top. The other {len(new)}, scored, are in {OUT}.",
        "",
    )
    table = read_scored(str(OUT), label=LABEL, scores=list(scores))
    terminal.print_scorers({name: evaluation.evaluate(table, which=k) for k, name in enumerate(scores)})
    terminal.say("", f"$ ordain evaluate {OUT} --label {LABEL} --score pairwise")
    terminal.print_evaluation(evaluation.evaluate(table, which=2), f"pairwise in {OUT}")
    terminal.say("", f"$ ordain compare {OUT} --label {LABEL} --score pairwise --score pointwise")
    names = ["pairwise", "pointwise"]
    terminal.print_duel(evaluation.compare(read_scored(str(OUT), label=LABEL, scores=names), names), str(OUT))


def _scores(options: dict[str, Any], known: Any, new: Any) -> Any:
    """Scores of the new rows by a linear ranker fitted to the known ones, text columns taken as categories."""
    features = known.drop(LABEL)
    text = [name for name, kind in features.schema.items() if kind == pl.String]
    numbers = [name for name in features.columns if name not in text]
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), text), (StandardScaler(), numbers))
    model = make_pipeline(encoder, LinearRanker(alpha=0.01, **options))
    return model.fit(features, known[LABEL]).decision_function(new.drop(LABEL))
