"""Language models by the votes of 124 people: who may be first, who cannot be told apart, and a picture of the board.

The votes come with the package (Ustalov 2023, CC BY 4.0). With matplotlib installed, `--draw FILE.svg` draws the board:
scores with 95 % intervals, tiers in two shades.
"""

import sys
from importlib.resources import files

import numpy as np
import polars as pl

import ordain


def board() -> ordain.Leaderboard:
    """The board of all votes; the votes of one person belong together."""
    votes = pl.read_csv(files("ordain") / "data" / "llm_votes.csv.gz")
    return ordain.leaderboard(votes["model_a"], votes["model_b"], votes["winner"], judges=votes["judge"])


def drawn(found: ordain.Leaderboard, path: str) -> None:
    """Items from the best down, with intervals."""
    import matplotlib.pyplot as plt

    plt.rcParams |= {"svg.hashsalt": "ordain", "svg.fonttype": "none"}  # the same picture every time
    figure, axes = plt.subplots(figsize=(7, 0.19 * len(found) + 0.9), layout="constrained")
    places, half = np.arange(len(found)), 1.96 * found.standard_errors
    for shade, colour in enumerate(("#0b6e4f", "#c8553d")):
        some = found.tier % 2 == 1 - shade
        axes.errorbar(found.scores[some], places[some], xerr=half[some], fmt="o", ms=4, lw=1.4, color=colour)
    axes.axvline(0, color="black", lw=0.8, ls=":")
    axes.set_yticks(places, [str(item) for item in found.items], fontsize=7)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.set_xlabel("log-odds of beating an average item, 95 % intervals; the colour changes with the tier", fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    found = board()
    print(found)
    print(found.win_chance("GPT 4", "GPT 3.5 Turbo"))
    if "--draw" in sys.argv:
        drawn(found, sys.argv[sys.argv.index("--draw") + 1])


if __name__ == "__main__":
    main()
