"""What `ordain fit` picks, and how it ranks rows it has not seen, beside four usual classifiers on the same folds.

    python benchmarks/choice.py --data ../shared/data               every table, at most 20,000 rows of each; an hour
    python benchmarks/choice.py --data ../shared/data heart adult   these two

Five stratified folds. On each, `ordain fit` sees the four others: it compares its candidates on folds of its own, picks
one and fits it to all of them. Logistic regression gets standardised numbers and one-hot categories, the trees get
categories as such; all four have their default settings. The difference is to the best of the four, with its standard
error over the folds. It *holds* if it is not below -0.003, or not below minus one standard error where that is more.

Every learner on every fold is appended to choice_folds.csv, with what the comparison saw of it; a table that is there
already is left out. choice.csv sums it up: what is picked follows from what was seen, by the rule of `ordain fit`. The
*bias* is how much more a candidate is said to be below the best than it is on the fold, on average.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import xgboost
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ordain.choice.candidates import candidates
from ordain.choice.choose import choose, fitted
from ordain.choice.compared import Choice, Trial
from ordain.choice.goal import Goal
from ordain.measure import auc
from ordain.rows.record import Rows

FILE, RAW = Path(__file__).with_suffix(".csv"), Path(__file__).with_name("choice_folds.csv")
MOST, FOLDS, INNER, ALLOWED = 20_000, 5, 5, 0.003
CLASSIFIERS = ("logistic", "balanced logistic", "histogram boosting", "xgboost")
TABLE = ["data", "rows", "columns", "positive"]
FIELDS = [*TABLE, "ordain", *CLASSIFIERS, "best", "difference", "error", "holds", "bias", "picked"]
COLUMNS = [*TABLE, "fold", "learner", "compared", "auc"]


def read(path: Path) -> Rows:
    """At most MOST rows of a table."""
    table = pl.read_parquet(path)
    if len(table) > MOST:
        table = table[np.random.default_rng(0).permutation(len(table))[:MOST]]
    return Rows(table.drop("label"), table["label"].to_numpy() == 1)


def logistic(train: Rows, test: pl.DataFrame, **options: Any) -> Any:
    """Scores by standardised numbers and one-hot categories."""
    known, fresh = (frame.with_columns(pl.col(pl.String).fill_null("")).to_pandas() for frame in (train.features, test))
    text = train.features.select(pl.col(pl.String)).columns
    scaled = make_pipeline(SimpleImputer(), StandardScaler())
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), text), remainder=scaled)
    model = make_pipeline(encoder, LogisticRegression(max_iter=1000, **options))
    return model.fit(known, train.labels).decision_function(fresh)


def trees(model: Any, train: Rows, test: pl.DataFrame) -> Any:
    """The chance of a positive; text as pandas' categories, those of both parts."""
    both = pl.concat([train.features, test]).with_columns(pl.col(pl.String).cast(pl.Categorical)).to_pandas()
    return model.fit(both[: len(train)], train.labels).predict_proba(both[len(train) :])[:, 1]


def classifier(name: str, train: Rows, test: pl.DataFrame) -> Any:
    """The scores that one of the four gives."""
    if name.endswith("logistic"):
        return logistic(train, test, class_weight="balanced" if name.startswith("balanced") else None)
    if name == "xgboost":
        return trees(xgboost.XGBClassifier(enable_categorical=True, n_jobs=1), train, test)
    return trees(HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0), train, test)


def trials(name: str, rows: Rows) -> Iterator[dict[str, Any]]:
    """Every candidate and classifier on every fold: what the comparison saw of it, and its AUC on the fold."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(rows.labels, rows.labels)
    for number, (train, test) in enumerate(folds, 1):
        known, fresh = rows.take(train), rows.take(test)
        choice = choose(known, candidates(), Goal.parse("auc"))
        row = {"data": name, "rows": len(rows), "columns": rows.features.width, "fold": number}
        row |= {"positive": f"{np.mean(rows.labels):.4f}"}
        for trial in choice.trials:
            preparation, ranker = fitted(trial.candidate, known, 0)
            scores = ranker.decision_function(preparation.matrix(fresh.features, trial.candidate.model))
            seen = " ".join(f"{value:.5f}" for value in trial.goal)
            yield row | {"learner": trial.candidate.name, "compared": seen, "auc": f"{auc(fresh.labels, scores):.5f}"}
        for who in CLASSIFIERS:
            yield row | {"learner": who, "auc": f"{auc(fresh.labels, classifier(who, known, fresh.features)):.5f}"}


def chosen(rows: list[dict[str, str]]) -> Choice:
    """The comparison of `ordain fit`, of the learners on a fold: those that were compared have their figures."""
    of = {row["learner"]: row for row in rows}
    seen = {known: np.array(of[known.name]["compared"].split(), float) for known in candidates()}
    trials = [Trial(known, figures, figures, None, 0.0) for known, figures in seen.items()]
    return Choice(Goal.parse("auc"), trials, 0, np.arange(len(trials[0].goal)) // INNER)


def pick(rows: list[dict[str, str]]) -> dict[str, str]:
    """What `ordain fit` picks."""
    return {row["learner"]: row for row in rows}[chosen(rows).picked.candidate.name]


def bias(rows: list[dict[str, str]]) -> float:
    """How much more candidates are said to be below the best than they are on the fold."""
    choice, found = chosen(rows), {row["learner"]: float(row["auc"]) for row in rows}
    others = [trial for trial in choice.trials if trial is not choice.best]
    best = found[choice.best.candidate.name]
    return float(np.mean([choice.above(trial).mean - (best - found[trial.candidate.name]) for trial in others]))


def summary(rows: list[dict[str, str]]) -> dict[str, Any]:
    """One row of the table."""
    found = {who: np.array([float(row["auc"]) for row in rows if row["learner"] == who]) for who in CLASSIFIERS}
    folds = [[row for row in rows if row["fold"] == str(fold)] for fold in range(1, FOLDS + 1)]
    picked = [pick(fold) for fold in folds]
    best = max(CLASSIFIERS, key=lambda who: found[who].mean())
    ours = np.array([float(row["auc"]) for row in picked])
    apart = ours - found[best]
    error = float(apart.std(ddof=1) / np.sqrt(FOLDS))
    row = {name: rows[0][name] for name in TABLE}
    row |= {who: f"{values.mean():.4f}" for who, values in {"ordain": ours, **found}.items()}
    row |= {"best": best, "difference": f"{apart.mean():+.4f}", "error": f"{error:.4f}"}
    row["holds"] = "yes" if apart.mean() >= -max(ALLOWED, error) else "no"
    row["bias"] = f"{np.mean([bias(fold) for fold in folds]):+.4f}"
    counts = Counter(row["learner"] for row in picked).most_common()
    return row | {"picked": ", ".join(f"{what} ({count})" for what, count in counts)}


def tables(about: str | None, done: Callable[[], Iterable[str]]) -> Iterator[Path]:
    """The tables that the command line asks for and that are not done, the smallest first."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with binary/*.parquet")
    parser.add_argument("names", nargs="*", help="the tables, all of them without")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for path in sorted((options.data / "binary").glob("*.parquet"), key=lambda path: path.stat().st_size):
        if path.stem not in done() and (not options.names or path.stem in options.names):
            yield path


def main() -> None:
    for path in tables(__doc__, _raw):
        found = list(trials(path.stem, read(path)))
        with RAW.open("a", newline="") as file:
            csv.DictWriter(file, COLUMNS).writerows(found)
        print(path.stem, "done", flush=True)
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(map(summary, _raw().values()))


def _raw() -> dict[str, list[dict[str, str]]]:
    """What was found so far, by table."""
    if not RAW.exists():
        RAW.write_text(",".join(COLUMNS) + "\n")
    found: dict[str, list[dict[str, str]]] = {}
    with RAW.open(newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["data"], []).append(row)
    return found


if __name__ == "__main__":
    main()
