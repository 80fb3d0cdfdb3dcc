"""What `ordain fit` picks, and how it ranks rows it has not seen, beside other learners on the same folds.

    python benchmarks/choice.py --data ../shared/data               every table, at most 20,000 rows of each; an hour
    python benchmarks/choice.py --data ../shared/data heart adult   these two
    python benchmarks/choice.py --data ../shared/data --raced       `ordain fit` alone, which is half of it

Five stratified folds. On each, `ordain fit` sees the four others: it compares its candidates on folds of its own, picks
one and fits it to all of them. Logistic regression gets standardised numbers and one-hot categories, the trees get
categories as such; all four have their default settings. CatBoost and FLAML are those of choice_peers.csv, which
choice_peers.py writes. The difference is to the best of the four, with its standard error over the folds. It *holds* if
it is not below -0.003, or not below minus one standard error where that is more.

Every learner on every fold is appended to choice_folds.csv, candidates with what a comparison without a race saw of
them; what is there already is left out. Two lines are of `ordain fit` itself, with a race and without: what
they picked, its AUC, and the seconds they took. choice.csv sums it up. The *bias* is how much more a candidate is said
to be below the best than it is on the fold, on average; *same* on how many folds race and no race pick the same.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections import Counter
from collections.abc import Iterator
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
OTHERS = Path(__file__).with_name("choice_peers.csv")
MOST, FOLDS, INNER, ALLOWED = 20_000, 5, 5, 0.003
OURS = ("ordain", "ordain without race")
CLASSIFIERS = ("logistic", "balanced logistic", "histogram boosting", "xgboost")
TABLE = ["data", "rows", "columns", "positive"]
PEERS = ("catboost", "flaml")
FIELDS = [*TABLE, "ordain", *CLASSIFIERS, *PEERS, "best", "difference", "error", "holds"]
FIELDS += [f"{who} {what}" for who in PEERS for what in ("folds", "difference", "seconds")]
FIELDS += ["seconds", "without_race", "same", "bias", "picked"]
COLUMNS = [*TABLE, "fold", "learner", "compared", "auc", "seconds"]


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


def trials(name: str, rows: Rows, done: set[tuple[str, str]], raced: bool) -> Iterator[list[dict[str, Any]]]:
    """Lines of every learner that is not done, fold by fold: what the comparison saw of it, and its AUC on the fold."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(rows.labels, rows.labels)
    for number, (train, test) in enumerate(folds, 1):
        known, fresh = rows.take(train), rows.take(test)
        row = {"data": name, "rows": len(rows), "columns": rows.features.width, "fold": number}
        row |= {"positive": f"{np.mean(rows.labels):.4f}"}
        wanted = [who for who in (*OURS, *CLASSIFIERS) if (str(number), who) not in done]
        for who in wanted[:1] if raced and "ordain" in wanted else [] if raced else wanted:
            if who in OURS:
                yield [row | line for line in compared(known, fresh, who)]
            else:
                yield [
                    row | {"learner": who, "auc": f"{auc(fresh.labels, classifier(who, known, fresh.features)):.5f}"}
                ]


def compared(known: Rows, fresh: Rows, who: str) -> list[dict[str, Any]]:
    """What `ordain fit` picks and its AUC; without a race the figures of every candidate too."""
    start = time.perf_counter()
    choice = choose(known, candidates(), Goal.parse("auc"), race=who == "ordain")
    found = {"learner": who, "compared": choice.picked.candidate.name, "auc": of(choice.picked, known, fresh)}
    lines = [found | {"seconds": f"{time.perf_counter() - start:.1f}"}]
    for trial in choice.trials if who != "ordain" else []:
        seen = " ".join(f"{value:.5f}" for value in trial.goal)
        lines.append({"learner": trial.candidate.name, "compared": seen, "auc": of(trial, known, fresh)})
    return lines


def of(trial: Trial, known: Rows, fresh: Rows) -> str:
    """The AUC on fresh rows of what a trial found, fitted to all known ones."""
    preparation, ranker = fitted(trial, known, 0)
    scores = ranker.decision_function(preparation.matrix(fresh.features, trial.candidate.model))
    return f"{auc(fresh.labels, scores):.5f}"


def chosen(rows: list[dict[str, str]]) -> Choice:
    """The comparison of `ordain fit`, of the learners on a fold: those that were compared have their figures."""
    by_name = {row["learner"]: row for row in rows}
    seen = {known: np.array(by_name[known.name]["compared"].split(), float) for known in candidates()}
    trials = [Trial(known, figures, figures, None, 0.0) for known, figures in seen.items()]
    return Choice(Goal.parse("auc"), trials, 0, np.arange(len(trials[0].goal)) // INNER)


def bias(rows: list[dict[str, str]]) -> float:
    """How much more candidates are said to be below the best than they are on the fold."""
    choice, found = chosen(rows), {row["learner"]: float(row["auc"]) for row in rows}
    others = [trial for trial in choice.trials if trial is not choice.best]
    best = found[choice.best.candidate.name]
    return float(np.mean([choice.above(trial).mean - (best - found[trial.candidate.name]) for trial in others]))


def summary(rows: list[dict[str, str]], peers: dict[tuple[str, str, str], dict[str, str]]) -> dict[str, Any]:
    """One row of the table."""
    learners = (*OURS, *CLASSIFIERS)
    lines = {who: [row for row in rows if row["learner"] == who] for who in learners}
    found = {who: np.array([float(row["auc"]) for row in lines[who]]) for who in learners}
    best = max(CLASSIFIERS, key=lambda who: found[who].mean())
    apart = found["ordain"] - found[best]
    error = float(apart.std(ddof=1) / np.sqrt(FOLDS))
    row = {name: rows[0][name] for name in TABLE}
    row |= {who: f"{found[who].mean():.4f}" for who in ("ordain", *CLASSIFIERS)}
    row |= {"best": best, "difference": f"{apart.mean():+.4f}", "error": f"{error:.4f}"}
    row["holds"] = "yes" if apart.mean() >= -max(ALLOWED, error) else "no"
    row |= {"seconds": _mean([line["seconds"] for line in lines["ordain"]], ".1f")}
    names, full = ({line["fold"]: line["compared"] for line in lines[who]} for who in OURS)
    row["same"] = f"{sum(names[fold] == full[fold] for fold in full)} of {len(full)}"
    if full:
        row |= {"without_race": _mean([line["seconds"] for line in lines["ordain without race"]], ".1f")}
        row["bias"] = f"{np.mean([bias([row for row in rows if row['fold'] == fold]) for fold in full]):+.4f}"
    for who in PEERS:
        others = [peers[key] for fold in range(1, FOLDS + 1) if (key := (row["data"], str(fold), who)) in peers]
        row[f"{who} folds"] = len(others)
        if others:
            theirs = np.array([float(other["auc"]) for other in others])
            ours = np.array([found["ordain"][int(other["fold"]) - 1] for other in others])
            row |= {who: f"{theirs.mean():.4f}", f"{who} difference": f"{(ours - theirs).mean():+.4f}"}
            row[f"{who} seconds"] = _mean([other["seconds"] for other in others], ".1f")
    return row | {"picked": ", ".join(f"{what} ({count})" for what, count in Counter(names.values()).most_common())}


def _mean(values: list[str], how: str) -> str:
    return format(np.mean([float(value) for value in values]), how)


def asking(about: str | None) -> argparse.ArgumentParser:
    """What a command line may ask for."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with binary/*.parquet")
    parser.add_argument("names", nargs="*", help="the tables, all of them without")
    return parser


def tables(options: argparse.Namespace) -> list[Path]:
    """The tables that it asks for, the smallest first."""
    paths = sorted((options.data / "binary").glob("*.parquet"), key=lambda path: path.stat().st_size)
    return [path for path in paths if not options.names or path.stem in options.names]


def main() -> None:
    parser = asking(__doc__)
    parser.add_argument("--raced", action="store_true", help="only `ordain fit` with its race")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for path in tables(options):
        done = {(row["fold"], row["learner"]) for row in _raw().get(path.stem, [])}
        for lines in trials(path.stem, read(path), done, options.raced):
            with RAW.open("a", newline="") as file:
                csv.DictWriter(file, COLUMNS).writerows(lines)
        print(path.stem, "done", flush=True)
    found = {
        name: rows for name, rows in _raw().items() if {row["learner"] for row in rows} >= {"ordain", *CLASSIFIERS}
    }
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(summary(rows, _peers()) for rows in found.values())


def _peers() -> dict[tuple[str, str, str], dict[str, str]]:
    """What CatBoost and FLAML found, by table, fold and learner."""
    if not OTHERS.exists():
        return {}
    with OTHERS.open(newline="") as file:
        return {(row["data"], row["fold"], row["learner"]): row for row in csv.DictReader(file)}


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
