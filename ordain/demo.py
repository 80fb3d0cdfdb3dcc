"""The tour: fit, score and evaluate, on data that comes with the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import polars as pl

from ordain import evaluation, fitting, scoring, tables, terminal
from ordain.learn.model import load, save
from ordain.noticed import Noticed
from ordain.ranked import Ranked
from ordain.scored import read_scored

LABEL = "bad_risk"
TRAIN, NEW, MODEL, RANKED = (
    Path(f"ordain-demo-{name}") for name in ("train.csv", "new.csv", "model.ordain", "ranked.csv")
)


def run(seed: int = 0) -> None:
    """Learn from 700 applicants which ones are bad risks, rank the other 300, and say how well that went."""
    applicants = pl.read_csv(files("ordain") / "data" / "german_credit.csv")  # type: ignore[arg-type]
    rows = np.random.default_rng(seed).permutation(len(applicants))
    tables.write_table(applicants[rows[:700]], TRAIN, force=True)
    tables.write_table(applicants[rows[700:]], NEW, force=True)
    terminal.say(
        f"{len(applicants):,} applicants for a loan, {applicants[LABEL].sum()} bad risks (Hofmann 1994, CC BY 4.0).",
        f"700 of them are in {TRAIN}, the others in {NEW}.",
        "",
        f"$ ordain fit {TRAIN} --label {LABEL} --out {MODEL}",
    )
    training = fitting.read_training(str(TRAIN), label=LABEL)
    with terminal.steps(fitting.count(training)) as report:
        fitted, choice = fitting.fit(training, asked={"label": LABEL}, report=report)
    save(fitted, MODEL, force=True)
    terminal.print_choice(choice, fitted)
    terminal.say("", f"$ ordain score {NEW} --model {MODEL} --out {RANKED}")
    model = load(MODEL)
    noticed = Noticed(model)
    tables.write_frames(scoring.score(str(NEW), model, noticed=noticed), RANKED, force=True)
    terminal.print_ranked(Ranked(str(NEW), str(MODEL), str(RANKED), None, model, noticed))
    terminal.say("", f"$ ordain evaluate {RANKED} --label {LABEL}")
    table = read_scored(str(RANKED), label=LABEL, scores=["score"])
    terminal.print_evaluation(evaluation.evaluate(table), f"score in {RANKED}", LABEL)
