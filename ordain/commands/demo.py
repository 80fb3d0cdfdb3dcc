"""The tour: fit, score and evaluate, on data that comes with the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import polars as pl

from ordain import tables
from ordain.commands import evaluate, fit, score
from ordain.commands.console import say
from ordain.report.html_page import can_draw

LABEL = "bad_risk"
TRAIN, NEW, MODEL, RANKED = (
    Path(f"ordain-demo-{name}") for name in ("train.csv", "new.csv", "model.ordain", "ranked.csv")
)
PAGE = Path("ordain-demo.html")


def run(seed: int = 0) -> None:
    """Learn from 700 applicants which ones are bad risks, rank the other 300, and say how well that went."""
    applicants = pl.read_csv(files("ordain") / "data" / "german_credit.csv")  # type: ignore[arg-type]
    rows = np.random.default_rng(seed).permutation(len(applicants))
    tables.write_table(applicants[rows[:700]], TRAIN, force=True)
    tables.write_table(applicants[rows[700:]], NEW, force=True)
    say(
        f"{len(applicants):,} applicants for a loan, {applicants[LABEL].sum()} bad risks (Hofmann 1994, CC BY 4.0).",
        f"700 of them are in {TRAIN}, the others in {NEW}.",
        "",
        f"$ ordain fit {TRAIN} --label {LABEL} --out {MODEL}",
    )
    fit.run(str(TRAIN), label=LABEL, out=str(MODEL), force=True)
    say("", f"$ ordain score {NEW} --model {MODEL} --out {RANKED}")
    score.run(str(NEW), model_file=str(MODEL), out=str(RANKED), force=True)
    drawn = can_draw()
    shown = f" --report {PAGE}" if drawn else ""
    say("", f"$ ordain evaluate {RANKED} --label {LABEL}{shown}")
    evaluate.run(str(RANKED), label=LABEL, report=str(PAGE) if drawn else None, force=True)
    if not drawn:
        say('For a page with pictures too: pip install "ordain[report]"')
