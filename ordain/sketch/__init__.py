"""The one-dimensional kernel sum F(x) = Σ c_j k(x - s_j), mergeable; see :mod:`ordain.sketch.kernel_sum`."""

from ordain.sketch.kernel_sum import (
    CANONICAL_EXPONENTIAL,
    KERNELS,
    LOGISTIC,
    Grid,
    Kernel,
    Runs,
    Sketch,
    binned,
    grid_span,
    node_sums,
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
    "grid_span",
    "node_sums",
]
