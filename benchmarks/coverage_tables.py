"""Tables of docs/*.md on how often intervals hold: a function for each, from the CSV files to its lines."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from figures import Row, grid, numbers, read, row, rows, share, short

LEVELS = ("0.9", "0.95", "0.99")


def worst(found: Sequence[Row]) -> str:
    """The least coverage."""
    return share(min(numbers(found, "coverage")))


def size(of: Row) -> str:
    """Rows of the two classes."""
    return f"{int(of['positives']):,} × {int(of['negatives']):,}"


def laws(found: Sequence[Row]) -> int:
    return len({of["law"] for of in found})


def row_intervals() -> list[str]:
    """docs/theory.md: worst coverage for independent rows, by the set of cells."""

    def cells(kind: str, method: str, level: str = "0.95", **more: object) -> list[Row]:
        return rows("interval_coverage", set=kind, method=method, level=level, **more)

    def wider(kind: str, **more: object) -> str:
        ours, theirs = (fmean(numbers(cells(kind, of, **more), "width")) for of in ("effective", "delong"))
        return f"{ours / theirs:.2f}"

    at = wider("tuning", positives=200, negatives=200)
    told = {
        "tuning": f"{laws(cells('tuning', 'exact'))} laws the formula was chosen on, 5 × 5 to 1,000 × 1,000",
        "held out": f"{laws(cells('held out', 'exact'))} laws it was not, 6 × 6 to 300 × 300",
        "gross": "one class loses a little, few of it everything; 4 or more of these expected",
        "unseen": "the same, 1 expected: *no goal*, a third of the samples hold none",
    }
    lines = []
    for kind, name in told.items():
        line = [name, f"{len(cells(kind, 'exact'))}"]
        line += [worst(cells(kind, method, level)) for method in ("effective", "delong") for level in LEVELS]
        more = f" ({at} at 200 × 200)" if kind == "tuning" else ""
        lines.append([*line, worst(cells(kind, "exact")), wider(kind) + more])
    head = ["independent rows", "cells", "`effective` 90 %", "95 %", "99 %", "`delong` 90 %", "95 %", "99 %"]
    return grid([*head, "`exact` 95 %", "width"], lines)


def bootstraps() -> list[str]:
    """docs/theory.md: coverage beside two bootstraps."""
    lines = []
    for of in rows("interval_coverage", set="bootstrap", method="effective"):
        cell = {key: of[key] for key in ("set", "positives", "negatives", "law", "auc")}
        methods = ("effective", "delong", "percentile bootstrap", "BCa bootstrap")
        law = of["law"].replace("mixture", "a positive beats all or none")
        if law.startswith("spread"):
            law = f"{float(law.split(', ')[1].split('%')[0]):g} % of the positives lose everything"
        found = [share(row("interval_coverage", method=method, **cell)["coverage"]) for method in methods]
        lines.append([size(of), law, share(of["auc"], 2), *found])
    return grid(["rows", "law", "AUC", "`effective`", "`delong`", "percentile", "BCa"], lines)


def unit_intervals() -> list[str]:
    """docs/theory.md: worst coverage where rows are not alike."""

    def cells(kind: str, method: str, level: str = "0.95", equal: bool | None = None) -> list[Row]:
        found = rows("unit_coverage", set=kind, method=method, level=level)
        return [of for of in found if equal is None or (float(of["truth"]) == 0) == equal]

    def three(kind: str, method: str, equal: bool | None = None) -> str:
        return ", ".join(worst(cells(kind, method, level, equal)) for level in LEVELS)

    def widths(kind: str, units: str) -> str:
        found = [of for of in cells(kind, "effective") if of["positives"] == units]
        ratios = [float(of["width"]) / float(of["needed"]) for of in found]
        return f"{short(min(ratios))} to {short(max(ratios))} at {units}"

    lines = [["weights, three laws, 20 × 20 to 200 × 200; 90, 95, 99 %", f"{len(cells('weights', 'effective'))}",
              three("weights", "effective"), three("weights", "delong"), ""]]  # fmt: skip
    for kind, more in {"clusters": ", little to much in common", "groups": ""}.items():
        both = [worst(cells(kind, method)) for method in ("effective", "delong")]
        count = f"{len(cells(kind, 'effective'))}"
        lines.append([f"{kind}, 10 to 60{more}", count, *both, f"{widths(kind, '10')}, {widths(kind, '60')}"])
    for equal, told in {True: "two equally good scorers, 10 × 10 to 100 × 100, 10 × 1,000, ties; 90, 95, 99 %",
                        False: "two scorers of which one is better"}.items():  # fmt: skip
        both = [three("comparison", method, equal) for method in ("paired", "paired delong")]
        lines.append([told, f"{len(cells('comparison', 'paired', equal=equal))}", *both, ""])
    alike = [of for of in read("unit_coverage") if of["set"].startswith("paired") and of["law"] == "equally good"]
    lines.append(["two equally good scorers on 6 to 25 clusters or groups", f"{len(alike)}", worst(alike), "", ""])
    return grid(["what", "cells", "worst coverage", "DeLong's or the plain jackknife's", "width"], lines)


def top_intervals() -> list[str]:
    """docs/theory.md: how often the intervals of the first k hold."""
    lines = []
    for what, column in {"precision, worst coverage (holds by proof)": "precision_coverage",
                         "recall, worst coverage": "recall_coverage"}.items():  # fmt: skip
        lines.append([what, *(share(min(numbers(rows("top_coverage", level=of), column))) for of in LEVELS)])
    widths = []
    for level in LEVELS:
        found = rows("top_coverage", level=level)
        widths.append(share(fmean(float(of["recall_width"]) / float(of["binomial_width"]) for of in found), 2))
    lines.append(["recall, width over that of Clopper and Pearson for hits of positives", *widths])
    count = len(rows("top_coverage", level="0.9"))
    head = f"first k of n, {count} laws of chances (`benchmarks/top_coverage.py`)"
    return grid([head, "90 %", "95 %", "99 %"], lines)


def board_intervals() -> list[str]:
    """docs/votes.md: how often the intervals of a board hold, by the number of items."""
    lines = []
    for items in dict.fromkeys(of["items"] for of in read("board_coverage")):
        found = rows("board_coverage", items=items)
        [boards] = {of["boards"] for of in found}
        mean = {column: fmean(numbers(found, column)) for column in found[0] if column not in ("design", "law")}
        least = {column: min(numbers(found, column)) for column in ("differences", "ranks")}
        ours = [f"{share(mean[of])}, {share(least[of])}" for of in ("differences", "ranks")]
        theirs = ", ".join(share(mean[f"bootstrap_{of}"], 2) for of in ("differences", "ranks"))
        widths = ", ".join(share(mean[of], 2) for of in ("width", "bootstrap_width"))
        lines.append([items, f"{len(found)} × {int(boards):,}", *ours, theirs, widths])
    head = ["items", "cells × boards", "differences: mean, worst cell", "all ranks of a board: mean, worst cell"]
    return grid([*head, "bootstrap: differences, ranks", "width of a win chance, ours and bootstrap's"], lines)
