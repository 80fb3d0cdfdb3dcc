"""Rows on two workers of Dask, one ranking: the weights are those of one machine."""

import dask.array as da
import numpy as np
from distributed import Client
from sklearn.datasets import make_classification

import ordain


def main() -> None:
    X, y = make_classification(4000, 5, weights=[0.9], random_state=0)
    here = ordain.LinearRanker(alpha=1e-3, tol=1e-12).fit(X, y)
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0"):
        rows, labels = da.from_array(X, chunks=(1000, 5)), da.from_array(y, chunks=1000)
        spread = ordain.LinearRanker(alpha=1e-3, tol=1e-12).fit(rows, labels)
    print(f"The weights differ by {np.abs(spread.coef_ - here.coef_).max():.0e} at most.")
    print(f"AUC {ordain.auc(y, here.decision_function(X)):.4f}")


if __name__ == "__main__":
    main()
