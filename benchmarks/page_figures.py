"""Figures within sentences of README.md and docs/: a function for each, from the CSV files to what is written.

A page names the function, and after it the words it is given; blanks within a word are written as _.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import exp, log
from statistics import fmean, median

from coverage_tables import worst
from figures import Row, numbers, read, row, rows, share, short, signed
from page_tables import gains, reduced


def listed(parts: Sequence[str]) -> str:
    """Parts of a sentence: a, b and c."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def between(values: Iterable[float], told: Callable[[float], str] = share) -> str:
    """From the least to the largest."""
    found = sorted(values)
    least, most = told(found[0]), told(found[-1])
    return least if least == most else f"{least} to {most}"


def two(value: float | str) -> str:
    """A share with two digits."""
    return share(value, 2)


def percent(value: float | str, digits: int = 1) -> str:
    return f"{100 * float(value):.{digits}f} %"


def thousands(value: float) -> str:
    return f"{value:,.0f}"


# docs/learning.md: trees and networks


def trees_ratio(count: str) -> str:
    """Time of trees on pairs over those on rows."""
    return row("boosted_fit_times", rows=count)["wall_ratio"]


def trees_ratios() -> str:
    return between(numbers(read("boosted_fit_times"), "wall_ratio"), short)


def gradient_off(way: str) -> str:
    """The largest difference to the gradient of the double sum in float64."""
    return f"{max(numbers(rows('torch_pairs', way=way.replace('_', ' ')), 'off')):.0e}".replace("e-0", "e-")


def preference_errors() -> str:
    """Standard errors of the AUCs by a learned preference."""
    return between(numbers((of for of in read("preference") if of["way"] != "cyclic"), "error"))


# docs/learning.md: the choice


def unraced() -> list[Row]:
    """Sets that were also run without a race."""
    return [of for of in read("choice") if of["bias"]]


def choice_sets() -> str:
    return f"{len(read('choice'))}"


def unraced_sets() -> str:
    return f"{len(unraced())}"


def bias_mean() -> str:
    return signed(fmean(numbers(unraced(), "bias")))


def bias_range() -> str:
    return between(numbers(unraced(), "bias"), signed)


def race_same() -> str:
    """Folds on which race and no race pick the same."""
    same, all_of_them = (sum(int(of["same"].split(" of ")[k]) for of in unraced()) for k in (0, 1))
    return f"{same} of {all_of_them}"


def below_the_best() -> str:
    """Sets on which what is picked is below the best of the four."""
    found = sorted((of for of in read("choice") if float(of["difference"]) < 0), key=lambda of: float(of["difference"]))
    return listed([f"{of['data']} ({signed(of['difference'])} ± {share(of['error'], 4)})" for of in found])


def above(peer: str) -> str:
    """Sets on which ordain is above another program."""
    return f"{sum(float(of[f'{peer} difference']) > 0 for of in read('choice'))}"


def median_to(peer: str) -> str:
    return signed(median(numbers(read("choice"), f"{peer} difference")))


def mean_to(peer: str) -> str:
    return signed(fmean(numbers(read("choice"), f"{peer} difference")))


def farthest(peer: str, side: str) -> str:
    """The three sets on which a program, or ordain, is farthest ahead."""
    column, sign = f"{peer} difference", 1 if side == "ahead" else -1
    found = sorted(read("choice"), key=lambda of: sign * float(of[column]))[:3]
    return listed([f"{of['data']} ({signed(of[column])})" for of in found])


def first_output() -> str:
    """Seconds until the first line."""
    return between(numbers(read("fit_time"), "first_s"), lambda value: f"{value:.1f}")


def compiling() -> str:
    """Seconds that the first fit on a machine takes longer."""
    of = row("fit_time", table="1000x20")
    return f"{float(of['fresh_s']) - float(of['ordain_s']):.0f}"


def reduction_gain(name: str, kind: str, way: str) -> str:
    """What a reduction gains in AUC over rows on a set."""
    return signed(gains(name, kind, way)[0])


def reduction_clear(side: str, kind: str, way: str) -> str:
    """Sets on which a reduction gains, or loses, two standard errors and .0005 or more."""
    sign, found = (1 if side == "gains" else -1), {of["data"]: gains(of["data"], kind, way) for of in reduced()}
    clear = {name: gain for name, (gain, error) in found.items() if sign * gain >= max(2 * error, 0.0005)}
    return listed([f"{name} ({signed(clear[name])})" for name in sorted(clear, key=lambda name: -sign * clear[name])])


def reduction_sets() -> str:
    return f"{len(reduced())}"


def push_clear(side: str, kind: str) -> str:
    """Sets on which a push of 8 gains, or loses, two standard errors of precision or more."""
    sign, parts = 1 if side == "gains" else -1, []
    for of in sorted(rows("push", model=kind), key=lambda of: -sign * float(of["precision_gain"])):
        gain, error = sign * float(of["precision_gain"]), float(of["precision_se"])
        if gain > 0 and gain >= 2 * error:
            parts.append(f"{of['data']} ({two(of['precision'])} to {two(of['push_precision'])})")
    return listed(parts) if parts else "no set"


def push_precision(name: str) -> str:
    of = row("push", data=name, model="linear")
    return f"{two(of['precision'])} → {two(of['push_precision'])}"


# docs/theory.md


def cell_samples(name: str) -> str:
    """Samples of a cell, where they were drawn."""
    return between((value for value in numbers(read(name), "samples") if value), thousands)


def cell_errors(kind: str) -> str:
    """The standard error of a coverage of .95, by the samples of a cell."""
    found = [of for of in read("interval_coverage") if (of["set"] == "bootstrap") == (kind == "bootstrap")]
    found = [of for of in found if of["set"] != "enumerated" and of["method"] != "guaranteed"]
    return between((0.95 * 0.05 / value) ** 0.5 for value in numbers(found, "samples"))


def interval_worst(kind: str, method: str) -> str:
    """The worst coverage of an interval at 95 %."""
    return worst(rows("interval_coverage", set=kind.replace("_", " "), method=method, level=0.95))


def interval_cells(kind: str) -> str:
    return f"{len(rows('interval_coverage', set=kind.replace('_', ' '), method='effective', level=0.95))}"


def guaranteed_width(law: str, column: str) -> str:
    """The width of the guaranteed interval at 100 × 5,000 rows and an AUC of .9, with blocks or without."""
    at = {"positives": 100, "negatives": 5000, "auc": 0.9}
    [of] = [of for of in rows("guaranteed_width", **at) if of["law"].startswith(law)]
    return share(of[column])


def guaranteed_wider() -> str:
    """By how much blocks made the interval wider at most."""
    return percent(max(numbers(read("guaranteed_width"), "largest_ratio")) - 1, 0)


def rare_clusters(count: str) -> str:
    return two(row("unit_coverage", set="rare clusters", positives=count)["coverage"])


def mutants(column: str = "") -> str:
    """Wrong signs and constants, those noticed, or rooms that they are in."""
    found = read("mutations")
    return (
        f"{len({of['room'] for of in found}) if column == 'rooms' else sum(bool(of[column or 'old']) for of in found)}"
    )


def band(which: str) -> str:
    """Coverage of the band of an ROC curve, on average or in the worst cell."""
    return share((min if which == "worst" else fmean)(numbers(read("report_coverage"), "band")))


def band_cells() -> str:
    return f"{len(read('report_coverage'))}"


# docs/votes.md


def board_worst() -> str:
    """The worst cell for differences of scores."""
    return share(min(numbers(read("board_coverage"), "differences")))


def held_out(verdict: str) -> str:
    """Comparisons with the best of the other programs, or those that ended so."""
    found = rows("votes_held_out", method="ordain")
    return f"{len(found) if verdict == 'all' else sum(of['verdict'] == verdict for of in found)}"


def held_out_level() -> str:
    """Those that are level."""
    found = [of for of in rows("votes_held_out", method="ordain") if of["verdict"] == "level"]
    parts = [
        f"{of['data']} by {of['held_out']} ({signed(of['above_best_peer'])} ± {share(of['error'], 4)})" for of in found
    ]
    return listed(parts)


def held_out_gain(name: str, by: str) -> str:
    return share(-float(row("votes_held_out", data=name, held_out=by, method="ordain")["above_best_peer"]))


def later_loss(method: str) -> str:
    """Log loss of later football matches."""
    return share(row("votes_held_out", data="football", held_out="later", method=method.replace("_", " "))["log_loss"])


def honest_named() -> str:
    """Tables of honest judges that name anybody."""
    found = rows("suspects", first="honest")
    return f"{sum(int(of['named']) for of in found):,} of {sum(int(of['tables']) for of in found):,}"


def honest_worst() -> str:
    of = max(rows("suspects", first="honest"), key=lambda of: int(of["named"]) / int(of["tables"]))
    return f"{of['named']} of {of['tables']}"


def suspects_found(who: str, votes: str, *judges: str) -> str:
    """How often a dishonest judge is found, from the least to the most often over the numbers of judges."""
    found = [row("suspects", first=who, votes=votes, judges=count) for count in judges]
    return between((int(of["found"]) / int(of["tables"]) for of in found), lambda value: f"{100 * value:.0f}") + " %"


def rank_command(votes: str, column: str) -> str:
    """What the command takes of 10⁵ or 10⁷ votes."""
    of = row("votes_speed", votes=votes, program="ordain rank")
    return short(of[column])


# docs/ranking.md


def top_recall(ranker: str, case: str = "flip_10_%") -> str:
    """Recall of the first ten of 1,000."""
    of = row(
        "rankers",
        part="top",
        items=1000,
        ranker=ranker.replace("_", " ").replace("top k", "top_k"),
        case=case.replace("_", " "),
    )
    return two(of["recall_10"])


def top_errors() -> str:
    found = [of for of in rows("rankers", part="top", items=1000, case="flip 10 %") if of["ranker"].startswith("field")]
    return between(numbers(found, "standard_error"), two)


def top_calls(case: str) -> str:
    """Calls of top_k, as multiples of n."""
    of = row("rankers", part="top", items=1000, ranker="top_k 10", case=case.replace("_", " "))
    return f"{float(of['calls']) / 1000:.1f}"


def wrong_after(ranker: str) -> str:
    """Share of pairs in the wrong order by a judge wrong on 10 % of them."""
    of = row("rankers", part="all", items=1000, ranker=ranker.replace("_", " "), case="flip 10 %")
    return percent(of["kendall"])


def sushi(ranker: str) -> str:
    """Agreement with answers kept back on 100 kinds of sushi, at 1, 2 and 5 L where a budget is given."""
    name = ranker.replace("_", " ")
    found = [
        of
        for of in rows("rankers_real", case="sushi100")
        if of["ranker"] in (name, *(f"{name} {k} L" for k in (1, 2, 5)))
    ]
    return "/".join(share(of["agreement"]) for of in sorted(found, key=lambda of: float(of["calls"])))


def sushi_error() -> str:
    found = [of for of in rows("rankers_real", case="sushi100") if of["ranker"].startswith(("window", "random pairs "))]
    found = [of for of in found if "lapses" not in of["ranker"]]
    return share(max(numbers(found, "standard_error")))


def sushi_rows() -> str:
    return f"{float(row('rankers_real', case='sushi100', ranker='fit by ordain all rows')['calls']):,.0f}"


def texts_needed(method: str, wrong: float) -> float:
    """Texts by which a way of asking has so many pairs wrong, the two nearest measurements joined by a power."""
    found = rows("lists", part="order", judge="Plackett-Luce 3", method=method)
    points = sorted((float(of["kendall"]), float(of["texts"])) for of in found)
    (low, more), (high, fewer) = next(pair for pair in pairwise(points) if wrong <= pair[1][0])
    return exp(log(fewer) + (log(more) - log(fewer)) * (log(wrong) - log(high)) / (log(low) - log(high)))


def window_most() -> Row:
    """`window` with most texts."""
    return max(rows("lists", part="order", judge="Plackett-Luce 3", method="window"), key=lambda of: int(of["texts"]))


def window_wrong() -> str:
    return percent(window_most()["kendall"])


def window_texts() -> str:
    return f"{int(window_most()['texts']):,}"


def fewer_texts() -> str:
    """By how many times fewer texts lists of ten reach what `window` does."""
    of = window_most()
    return short(float(of["texts"]) / texts_needed("list_window 10", float(of["kendall"])))


def fewer_requests() -> str:
    of = window_most()
    return short(float(of["requests"]) / (texts_needed("list_window 10", float(of["kendall"])) / 10))


def list_wrong(method: str, judge: str, texts: str = "12000") -> str:
    """Share of pairs in the wrong order."""
    name = method.replace("list_window_", "list_window ")
    of = row(
        "lists",
        judge=judge.replace("_", " "),
        part="readability" if judge == "readers" else "order",
        method=name,
        texts=texts,
    )
    return share(of["kendall"]) if judge == "readers" else percent(of["kendall"], 2)


def list_covered(which: str) -> str:
    """Coverage of differences of scores: over cells, on the worst seed, or for a judge who repeats himself."""
    found = [of for of in rows("lists", part="coverage") if of["judge"] != "repeats itself"]
    if which == "repeats":
        return two(row("lists", part="coverage", judge="repeats itself")["coverage"])
    return two(min(numbers(found, "least_coverage"))) if which == "worst" else between(numbers(found, "coverage"), two)


def audit_right(which: str) -> str:
    """How often the audit picked the better order, by kind of judge."""
    return between(numbers(rows("rankers", part="audit", ranker=f"{which} cases"), "agreement"), two)


# docs/cli.md and the tutorials


def odd_outcome(outcome: str) -> str:
    """Tables in forms that people have them in: all of them, or those that ended so."""
    found = [of for of in rows("odd_tables", version="after") if of["form"] != "plain"]
    return f"{len(found) if outcome == 'all' else sum(of['outcome'] == outcome for of in found)}"


def text_order(method: str) -> str:
    """Kendall's τ of 813 texts from 1,000 noisy answers."""
    return two(fmean(numbers(rows("learn", part="text", judge="0.15", answers=1000, method=method), "value")))


def believed(method: str, answers: str) -> str:
    """In how many runs on texts the features were believed, shuffled or not."""
    found = [of["helped"] == "True" for of in rows("learn", part="text", method=method, answers=int(answers))]
    return f"{sum(found)} of {len(found)}"


# docs/dask.md


def dask_cost(which: str) -> str:
    """What a number of the table and a sum over workers cost, how far off that is, and how many sums a step has."""
    if which == "sums":
        return between(numbers(read("dask_scale"), "sums_per_step"), thousands)
    of = row("dask_cost")
    return f"{100 * float(of['off']):.0f} %" if which == "off" else of[which]


def dask_numba() -> str:
    """What the first compiled loop takes in memory."""
    return between(numbers(read("dask_scale"), "numba_mb"), thousands)


def waited(way: str, column: str = "seconds") -> str:
    """How long one waits for workers in one of two ways, or what each of them takes in memory."""
    [of] = [of for of in read("starts") if of["way"].replace(" ", "_") == way]
    return f"{float(of['seconds']):.1f} s" if column == "seconds" else f"{float(of['memory_mb']):.0f} MB"


def hundred_million(what: str) -> str:
    """The seconds or the gigabytes of a hundred million scored rows."""
    of = row("evaluate_scale", rows=100_000_000)
    return f"{float(of['seconds']):.0f} s" if what == "seconds" else f"{float(of['memory_mb']) / 1e3:.1f} GB"


def cuts_apart(which: str) -> str:
    """On how many tables and numbers of bins our cuts are better, or worse, than XGBoost's by over a standard error."""
    found = read("cuts")
    if which == "all":
        return f"{len(found)}"
    sign = 1 if which == "better" else -1
    return f"{sum(sign * float(of['difference']) > float(of['error']) > 0 for of in found)}"


def cuts_worst() -> str:
    """The largest loss of AUC by our cuts, with its standard error."""
    of = min(read("cuts"), key=lambda of: float(of["difference"]))
    return f"{float(of['difference']):.4f} ± {float(of['error']):.4f} ({of['data']})".replace("-0.", "−.").replace(
        " 0.", " ."
    )


# docs/judge.md


def inserted(column: str) -> str:
    """Means of placing new items, where 10 and 20 % of the answers are wrong; questions also where none is."""
    flips = ("0", "0.1", "0.2") if column == "questions_each" else ("0.1", "0.2")
    return listed([f"{float(row('insertion', flips=one)[column]):.0f}" for one in flips])


def killed(what: str) -> str:
    """Of runs that were killed: how often, answers, those lost or paid twice, requests uncertain at most."""
    found = read("judge_kills")
    if what == "times":
        return f"{sum(of['kill'] != '0' for of in found)}"
    values = numbers(found, what)
    return thousands(max(values) if what == "uncertain" else sum(values))


def people_page(what: str) -> str:
    """Of many people on one page: votes, those lost or counted twice, and the time in which 99 of 100 are answered."""
    of = row("judge_people", overlap="0.0")
    return f"{float(of['p99_ms']):.0f} ms" if what == "p99_ms" else f"{int(of[what]):,}"
