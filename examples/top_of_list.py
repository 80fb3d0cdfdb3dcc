"""Fraud-like data: 2 % positives, fifty rows a day can be looked at; the mean over pairs beside a push to the top."""

from sklearn.datasets import make_classification

import ordain

LOOKED_AT = 50


def cases():
    """Rows to learn from and rows to rank."""
    X, y = make_classification(
        8000, 8, n_informative=5, n_redundant=0, weights=[0.98], flip_y=0.01, class_sep=0.8, random_state=0
    )
    return X[:4000], y[:4000], X[4000:], y[4000:]


def main() -> None:
    X, y, new, truth = cases()
    for push in (1, 8):
        scores = ordain.LinearRanker(push=push, alpha=1e-3).fit(X, y).decision_function(new)
        print(f"push {push}: {ordain.auc_interval(truth, scores)}")
        print(f"    {ordain.top(truth, scores, LOOKED_AT)}")


if __name__ == "__main__":
    main()
