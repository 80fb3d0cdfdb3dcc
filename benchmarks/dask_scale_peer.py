"""The seconds that LogisticRegression of dask_ml, at its defaults, takes for rows like those of dask_scale.py.

python benchmarks/peers.py dask_ml benchmarks/dask_scale_peer.py ROWS COLUMNS WORKERS
"""

import sys
import time

import dask.array as da
from dask_ml.linear_model import LogisticRegression
from distributed import Client, LocalCluster, wait


def main() -> None:
    rows, columns, workers = (int(word) for word in sys.argv[1:])
    settings = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
    with LocalCluster(n_workers=workers, **settings) as cluster, Client(cluster) as client:
        rng = da.random.default_rng(0)
        X = rng.normal(size=(rows, columns), chunks=(rows // workers, columns))
        y = X[:, 0] - X[:, 1] + rng.logistic(size=rows, chunks=rows // workers) > 2
        X, y = client.persist([X, y])
        wait([X, y])
        start = time.perf_counter()
        LogisticRegression().fit(X, y)
        print(f"{time.perf_counter() - start:.2f}")


if __name__ == "__main__":
    main()
