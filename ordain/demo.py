"""The tour: real applicants for a loan, two scorers fitted on the spot, and how far each can be trusted."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from ordain import evaluation, tables, terminal
from ordain.scored import read_scored

LABEL = "bad_risk"
OUT = Path("ordain-demo.csv")


def run(seed: int = 0) -> None:
    """Fit two scorers on half of the applicants, score the other half, then evaluate and compare the file written."""
    applicants = pl.read_csv(files("ordain") / "data" / "german_credit.csv")  # type: ignore[arg-type]
    rows = np.random.default_rng(seed).permutation(len(applicants))
    known, new = applicants[rows[:500]], applicants[rows[500:]]
    with terminal.working("Fitting two scorers on 500 applicants"):
        scores = {name: _scores(model, known, new) for name, model in _models(known.drop(LABEL)).items()}
    scored = new.select("amount", "duration", LABEL).with_columns(**scores)
    tables.write_table(scored.sort("linear", descending=True), str(OUT), force=True)
    terminal.say(
        f"{len(applicants):,} applicants for a loan, {applicants[LABEL].sum()} bad risks (Hofmann 1994, CC BY 4.0).",
        f"Two scorers fitted on {len(known)} of them; the other {len(new)}, scored, are in {OUT}.",
    )
    for name in scores:
        terminal.say("", f"$ ordain evaluate {OUT} --label {LABEL} --score {name}")
        table = read_scored(str(OUT), label=LABEL, scores=[name])
        terminal.print_evaluation(evaluation.evaluate(table), name)
    terminal.say("", f"$ ordain compare {OUT} --label {LABEL} --score linear --score boosted")
    table = read_scored(str(OUT), label=LABEL, scores=list(scores))
    terminal.print_duel(evaluation.compare(table, list(scores)), "linear and boosted")


def _models(features: Any) -> dict[str, Any]:
    """A linear and a boosted scorer for these columns, text taken as categories."""
    text = [name for name, kind in features.schema.items() if kind == pl.String]
    numbers = [name for name in features.columns if name not in text]
    one_hot = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), text), (StandardScaler(), numbers))
    codes = make_column_transformer(
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), text), ("passthrough", numbers)
    )
    return {
        "linear": make_pipeline(one_hot, LogisticRegression()),
        "boosted": make_pipeline(codes, HistGradientBoostingClassifier(max_iter=50, random_state=0)),
    }


def _scores(model: Any, known: Any, new: Any) -> Any:
    """Log-odds of being a bad risk for the new rows, learned from the known ones."""
    return model.fit(known.drop(LABEL), known[LABEL]).decision_function(new.drop(LABEL))
