"""The one-dimensional kernel sum F(x) = Σ c_j k(x - s_j), mergeable; see :mod:`ordain.sketch.sketch`."""

from ordain.sketch.sketch import (
    CANONICAL_EXPONENTIAL,
    KERNELS,
    LOGISTIC,
    Grid,
    Kernel,
    Runs,
    Sketch,
    binned,
    node_sums,
    pair_sum,
)

__all__ = [
    "CANONICAL_EXPONENTIAL",
    "KERNELS",
    "LOGISTIC",
    "Grid",
    "Kernel",
    "Runs",
    "Sketch",
    "binned",
    "node_sums",
    "pair_sum",
]
