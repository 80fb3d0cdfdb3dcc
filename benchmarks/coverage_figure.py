"""Draw docs/coverage.svg from interval_coverage.csv: how often each interval covers, at its worst, by sample size.

python benchmarks/coverage_figure.py        (needs the extra `report`)
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import polars as pl

HERE = Path(__file__).parent
COLOURS = {"effective": "#0b6e4f", "guaranteed": "#7a7a7a", "delong": "#c8553d"}
NAMES = {"effective": "ordain (effective)", "guaranteed": "ordain (guaranteed)", "delong": "DeLong"}


def main() -> None:
    cells = pl.read_csv(HERE / "interval_coverage.csv").filter(pl.col("set") == "tuning", pl.col("level") == 0.95)
    sizes = [(5, 5), (5, 1000), (20, 20), (50, 50), (200, 200), (1000, 1000)]
    plt.rcParams["svg.hashsalt"] = "ordain"  # the same names in the file on every run
    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    for method, colour in COLOURS.items():
        by_size = cells.filter(pl.col("method") == method).group_by("positives", "negatives").agg(pl.min("coverage"))
        worst = {(m, n): coverage for m, n, coverage in by_size.iter_rows()}
        axes.plot(range(len(sizes)), [worst[size] for size in sizes], "o-", color=colour, label=NAMES[method])
    axes.axhline(0.95, color="black", lw=0.8, ls=":")
    axes.set_xticks(range(len(sizes)), [f"{m} × {n}" for m, n in sizes])
    axes.set_xlabel("positives × negatives")
    axes.set_ylabel("coverage in the worst cell")
    axes.set_ylim(0, 1.02)
    axes.set_title("95 % intervals for the AUC: how often they hold", loc="left")
    axes.legend(frameon=False, loc="lower right")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE.parent / "docs" / "coverage.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
