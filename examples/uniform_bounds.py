"""Figure 1 of [Agarwal05] again: what training rows say about the AUC on new rows, and what test rows say.

    python examples/uniform_bounds.py docs/uniform_bounds.svg

Linear scorers on one feature, 99 % confidence. The two upper lines are those of the paper; the third is what the same
rows give by :func:`ordain.bounds.uniform.matching`; the lowest is the interval of one scorer on test rows of its own.
"""

import sys

import numpy as np

from ordain.bounds.interval import guaranteed
from ordain.bounds.uniform import width
from ordain.bounds.variance import Evidence

DELTA = 0.01
SHARES = (0.5, 0.25, 0.1, 0.02)
LINES = {"freund": "Freund et al.", "corollary 1": "Corollary 1", "matching": "matching (ordain)"}
TEST = "test rows (guaranteed)"


def figure(share, totals):
    """The width of each line over the sample sizes, for one share of positives."""
    counts = [(round(share * total), total - round(share * total)) for total in totals]
    lines = {name: [width(m, n, 1, DELTA, method=method) for m, n in counts] for method, name in LINES.items()}
    units = np.array([min(m, n) for m, n in counts])
    return lines | {TEST: [half(int(r)) for r in units]}


def half(units):
    """Half the guaranteed interval around an AUC of one half, its widest, with `units` rows in the smaller class."""
    low, high = guaranteed(Evidence(0.5, np.nan, np.nan, np.nan, units, np.nan), 1 - DELTA)
    return float(high - low) / 2


def draw(path):
    """One panel for each share."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "ordain", "svg.fonttype": "none"})
    from matplotlib import pyplot as plt

    totals = np.unique(np.geomspace(200, 100_000, 60).astype(int)).tolist()
    axes = plt.subplots(1, len(SHARES), figsize=(12, 3.4), sharey=True, layout="constrained")[1]
    for axis, share in zip(axes, SHARES, strict=True):
        for name, widths in figure(share, totals).items():
            axis.plot(totals, widths, label=name)
        axis.axhline(0.5, color="grey", linewidth=0.8, linestyle=":")
        axis.set(xscale="log", ylim=(0, 2), xlabel="rows M", title=f"m/(m+n) = {share:g}")
    axes[0].set_ylabel("width ε")
    axes[0].legend(fontsize="small")
    plt.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    draw(sys.argv[1] if len(sys.argv) > 1 else "uniform_bounds.svg")
