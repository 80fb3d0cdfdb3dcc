"""Search results: only pairs within a query count. NDCG of pairs within queries, and of pairs across them."""

import numpy as np

import ordain


def results(queries=120, each=12, seed=0):
    """Features, grades 0 to 3 and the query of each result; whole queries differ in a feature that says nothing."""
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(queries), each)
    X = rng.normal(size=(len(query), 3))
    X[:, 2] += rng.normal(scale=3, size=queries)[query]
    worth = 1.2 * X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=len(query))
    return X, np.digitize(worth, [0.5, 1.5, 2.5]), query


def main() -> None:
    X, grades, query = results()
    old, new = query < 80, query >= 80
    for name, groups in {"within queries": query[old], "across queries": None}.items():
        ranker = ordain.LinearRanker(graded=True, alpha=1e-3).fit(X[old], grades[old], groups=groups)
        scores = ranker.decision_function(X[new])
        within = ordain.auc(grades[new], scores, groups=query[new], graded=True)
        print(f"{name}: NDCG@10 {ordain.ndcg(grades[new], scores, 10, groups=query[new]):.3f}, AUC {within:.3f}")


if __name__ == "__main__":
    main()
