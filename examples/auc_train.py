"""A tree that learned which of two applicants is the worse risk goes in circles, and still ranks: AUC-TRAIN.

Trained on 500 of the 1,000 applicants of German credit, it is asked about 200 others. QuickSort loses on average what
the tree itself loses, DEGREE at most twice that; averages over many comparisons do better than one sort.
"""

from importlib.resources import files

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ordain.learn.auc_train import PreferenceRanker
from ordain.measure import auc, auc_loss
from ordain.preference import from_matrix, rounded
from ordain.rank import degree, play, quicksort


def applicants(seed: int = 0):
    """Features and labels of 500 applicants to learn from and 200 to rank; text columns become indicators."""
    table = pl.read_csv(files("ordain") / "data" / "german_credit.csv")
    X = table.drop("bad_risk").to_dummies(pl.selectors.string()).to_numpy().astype(float)
    y, rows = table["bad_risk"].to_numpy(), np.random.default_rng(seed).permutation(len(table))
    X = StandardScaler().fit(X[rows[:500]]).transform(X)
    return X[rows[:500]], y[rows[:500]], X[rows[500:700]], y[rows[500:700]]


def main() -> None:
    X, y, new, truth = applicants()
    tree = PreferenceRanker(DecisionTreeClassifier(min_samples_leaf=50, random_state=0), pairs=10_000).fit(X, y)
    print(f"Trained on {tree.n_pairs_:,} pairs in both orders.")
    print(f"Triples of applicants in a circle: {tree.cyclicity(new, seed=0)}.")

    every = np.indices((len(new), len(new))).reshape(2, -1)
    h = tree.preference(new[every[0]], new[every[1]]).reshape(len(new), len(new))
    judge = rounded(from_matrix(h))
    tournament = judge(every.T).reshape(h.shape)
    sorts = [play(quicksort(len(new), np.random.default_rng(seed)), judge) for seed in range(100)]
    losses = [auc_loss(truth, order) for order in sorts]
    print(f"AUC loss of the tree's preference: {auc_loss(truth, tournament):.3f}")
    spread = f"± {np.std(losses) / 10:.3f}, from {min(losses):.3f} to {max(losses):.3f}"
    print(f"    of QuickSort, 100 times: {np.mean(losses):.3f} {spread}")
    print(f"    of DEGREE: {auc_loss(truth, play(degree(len(new), np.random.default_rng(0)), judge)):.3f}")
    print(f"    of the mean preference over training rows: {1 - auc(truth, tree.decision_function(new)):.3f}")

    linear = PreferenceRanker(LogisticRegression(C=0.001), pairs=10_000).fit(X, y)
    print(
        f"    of logistic regression on pairs, a scorer, no comparison asked: {auc_loss(truth, linear.rank(new)):.3f}"
    )


if __name__ == "__main__":
    main()
