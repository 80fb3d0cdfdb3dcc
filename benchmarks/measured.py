"""The table of docs/measured.md: what was measured, ordain's figure, what stands beside it, and the script.

README.md has some lines of it. Ratios of times are all to what the line names, and less is quicker.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable
from datetime import date
from statistics import fmean, median
from typing import NamedTuple

from figures import HERE, grid, numbers, row, rows, share, short, signed


class Line(NamedTuple):
    """A line of the table."""

    what: str
    ordain: str
    beside: str
    script: str


def exact_auc() -> Line:
    of = row("auc_speed", case="10 % positive", rows=10**6)
    theirs = float(of["sklearn_over_auc"]) * float(of["auc_over_argsort"])
    what = "exact AUC of 10⁶ scores, time beside `np.argsort` of them"
    return Line(what, f"{of['auc_over_argsort']} ×", f"scikit-learn's `roc_auc_score`: {short(theirs)} ×", "auc_speed")


def interval() -> Line:
    def cells(method: str) -> list[dict[str, str]]:
        return rows("interval_coverage", set="held out", level=0.95, method=method)

    def width(method: str) -> float:
        at = {"set": "tuning", "level": 0.95, "positives": 200, "negatives": 200}
        return fmean(numbers(rows("interval_coverage", method=method, **at), "width"))

    ours, theirs = (min(numbers(cells(method), "coverage")) for method in ("effective", "delong"))
    wider = f"{width('effective') / width('delong'):.2f}"
    what = f"95 % interval of an AUC: how often it holds in the worst of {len(cells('effective'))} cases not tuned on"
    told = f"{share(ours)}, at 200 + 200 rows {wider} × as wide as DeLong's"
    return Line(what, told, f"DeLong: {share(theirs)}", "interval_coverage")


def pair_risk() -> Line:
    of = row("pair_risk", case="one group", loss="logistic", rows=10**7)
    theirs = float(of["over_argsort"]) / float(of["over_pointwise"])
    what = "risk of all 9 · 10¹² pairs of 10⁷ rows, its gradient and Hessian diagonal, time beside `np.argsort`"
    beside = f"one logistic pass over the rows in numpy: {short(theirs)} ×"
    return Line(what, f"{short(of['over_argsort'])} ×", beside, "pair_risk")


def linear_fit() -> Line:
    equal, mixed = (row("linear_fit", data=f"{of}", rows=10**6)["wall_ratio"] for of in ("unit scale", "mixed scales"))
    ours = f"{short(equal)} ×; {short(mixed)} × where columns differ in scale"
    what = "linear fit to all pairs, 10⁶ rows × 30, to the same gradient"
    return Line(what, ours, "scikit-learn's `LogisticRegression` on rows: 1 ×", "linear_fit")


def trees() -> Line:
    small, large = (row("boosted_fit_times", rows=n)["wall_ratio"] for n in (10**5, 10**6))
    ours, theirs = (
        share(row("boosted_fit_others", data="made up", rows=10**5, learner=of)["auc"])
        for of in ("ordain pairwise", "XGBoost rank:pairwise")
    )
    beside = f"XGBoost on rows: 1 ×; its `rank:pairwise`: AUC {theirs}; LightGBM and CatBoost refuse so many rows"
    figure = f"{small} × ({large} × at 10⁶ rows); AUC {ours}"
    return Line("100 trees on all pairs, 10⁵ rows × 30", figure, beside, "boosted_fit")


def choice() -> Line:
    sets = sorted(rows("choice"), key=lambda of: float(of["difference"]))
    worst, *others = sets
    least = share(max(-float(of["difference"]) for of in others), 4)
    below = f"{share(-float(worst['difference']), 4)} ± {share(worst['error'], 4)}"
    to = {who: signed(median(numbers(sets, f"{who} difference"))) for who in ("flaml", "catboost")}
    ours = f"at most {least} below the best of four plain models on {len(others)}, {below} on {worst['data']}"
    beside = f"median difference to FLAML with 60 s {to['flaml']}, to CatBoost {to['catboost']}"
    return Line(f"what `ordain fit` picks on {len(sets)} real tables, test AUC", ours, beside, "choice")


def fit_time() -> Line:
    sizes = ("1000x20", "10000x20", "50000x20", "500000x20")
    ratios, stricter = (
        " / ".join(f"{float(row('fit_time', table=size)[of]):.1f} ×" for size in sizes) for of in ("ratio", "stricter")
    )
    told = " / ".join(f"{int(size.split('x')[0]):,}" for size in sizes)
    beside = "a script that cross-validates LogisticRegressionCV, then XGBoost: 1 ×; "
    beside += f"if loading packages counts for ordain only, ordain takes {stricter}"
    return Line(f"`ordain fit`, {told} rows × 20", ratios, beside, "fit_time")


def votes() -> Line:
    def ratio(items: int, program: str, of: str = "of_evalica") -> str:
        return short(row("votes_speed", items=items, votes=10**6, program=program)[of])

    fitted = "ordain, noise fitted"
    ours = f"{ratio(200, fitted)} × and {ratio(5000, fitted)} ×, with standard errors"
    ours += f"; on 10⁵ items {ratio(10**5, fitted, 'of_evalica_5000')} × evalica's on 5,000"
    arena = f"arena-rank with intervals: {ratio(200, 'arena-rank')} × and {ratio(5000, 'arena-rank')} ×"
    beside = f"evalica, scores alone: 1 ×; {arena}; on 10⁵ items both run out of memory"
    return Line("a board of 10⁶ votes on 200 and 5,000 items", ours, beside, "votes_speed")


def held_out() -> Line:
    ours = rows("votes_held_out", method="ordain")
    verdicts = [of["verdict"] for of in ours]
    told = ", ".join(f"{verdicts.count(of)} {of}" for of in ("better", "level", "worse"))
    sets = len({of["data"] for of in ours})
    what = f"log loss of votes held out, {len(ours)} comparisons on {sets} sets"
    return Line(what, told, "the best of evalica and choix", "votes_held_out")


def lists() -> Line:
    def told(method: str, texts: int) -> str:
        of = row("lists", part="order", judge="Plackett-Luce 3", method=method, texts=texts)
        return (
            f"{100 * float(of['kendall']):.1f} % after {texts:,} texts shown in {float(of['requests']):,.0f} requests"
        )

    what = "1,000 items by a noisy judge: pairs in the wrong order"
    return Line(what, f"lists of ten: {told('list_window 10', 12_000)}", f"pairs: {told('window', 30_000)}", "lists")


def first_ten() -> Line:
    def told(way: str, budget: int) -> str:
        of = row("judge_asking", goal="first ten", judge="Plackett-Luce 3", way=way, budget=budget)
        asked = f"{int(of['requests']):,} requests, {int(of['tokens']) / 1e6:.2g} million tokens"
        return f"{share(of['recall'], 2)} found with {asked}"

    lotus, sift = told("LOTUS's way", 0), told("SiftRank's way", 32_000)
    what = "the first ten of 1,000 by a noisy judge"
    beside = f"LOTUS's way, pairs with a pivot: {lotus}; SiftRank's, mean place in random lists: {sift}"
    return Line(what, told("lists (list_field)", 4000), beside, "judge_asking")


def kills() -> Line:
    cases = rows("judge_kills")
    answers = sum(int(of["acknowledged"]) for of in cases)
    lost, again = (sum(int(of[column] or 0) for of in cases) for column in ("lost", "paid_again"))
    times = sum(not of["same_order"] for of in cases)  # the last of each way is its end
    return Line(
        f"a judging run killed {times} times over {answers:,} answers",
        f"{lost} lost, {again} paid twice",
        "",
        "judge_kills",
    )


def people() -> Line:
    of = row("judge_people", overlap="0.0")
    what = f"{of['people']} people on one page, {int(of['votes']):,} votes, {of['kills']} kills of the server"
    return Line(what, f"{of['lost']} lost, {of['double']} double, p99 {float(of['p99_ms']):.0f} ms", "", "judge_people")


def learned() -> Line:
    both, items, features = (
        share(fmean(numbers(rows("learn", part="text", judge="0.15", answers=1000, method=of), "value")), 2)
        for of in ("both", "items", "features")
    )
    what = "813 texts in order from 1,000 noisy answers, Kendall's τ"
    return Line(
        what, f"{both}: features and items in one model", f"{items} items alone, {features} features alone", "learn"
    )


def network() -> Line:
    def told(way: str) -> str:
        of = row("torch_pairs", loss="logistic", rows=10_000, way=way)
        return f"{short(1000 * float(of['seconds']))} ms, {of['memory']} MB"

    beside = f"LibAUC {told('libauc')}; a matrix of the pairs {told('double sum')}"
    return Line("one step of a network on all pairs of 10,000 rows", told("ordain"), beside, "torch_pairs")


def mutations() -> Line:
    cases = rows("mutations")
    noticed = sum(bool(of["noticed"]) for of in cases)
    what = f"{len(cases)} wrong signs, constants and factors put into the numeric code"
    return Line(what, f"{noticed} noticed by a theorem row or a test", "", "mutations")


def damaged() -> Line:
    cases = rows("mutated_inputs")
    files, wrong = (sum(int(of[column]) for of in cases) for column in ("files", "wrong"))
    commands = len({of["command"].split()[0] for of in cases})
    what = f"{files:,} damaged files given to {commands} commands: taken whole or refused in one line, within a minute"
    return Line(what, f"all but {wrong}" if wrong else "all", "", "mutated_inputs")


def stopped() -> Line:
    cases = rows("stopped")
    hit, wrong = (sum(int(of[column]) for of in cases) for column in ("hit", "wrong"))
    commands = len({of["command"] for of in cases})
    what = f"{commands} commands stopped {hit} times by Ctrl-C or `kill` in their midst: one line, nothing half-written"
    return Line(what, f"all but {wrong}" if wrong else "all", "", "stopped")


def rankers() -> Line:
    ours, theirs = (
        f"{100 * float(row('rankers', part='all', items=1000, case='flip 10 %', ranker=of)['kendall']):.1f} %"
        for of in ("window 1 L", "random pairs 1 L")
    )
    what = "1,000 items by a judge wrong on 10 % of the pairs, n log₂ n questions: pairs in the wrong order"
    return Line(what, f"{ours} (`window`)", f"{theirs}: Bradley–Terry of random pairs", "rankers")


LINES: list[Callable[[], Line]] = [
    exact_auc, interval, pair_risk, linear_fit, trees, choice, fit_time, votes, held_out, rankers, lists,
    first_ten, learned, kills, people, network, mutations, damaged, stopped,
]  # fmt: skip


IN_README = (exact_auc, interval, linear_fit, trees, choice, votes, lists)


def readme() -> list[str]:
    """Some lines, for README.md, each linked to its script."""
    lines = [make() for make in IN_README]
    return grid(
        ["what", "ordain", "beside it"], [(f"[{of.what}](benchmarks/{of.script}.py)", *of[1:3]) for of in lines]
    )


def measured() -> list[str]:
    """All lines, and when each script was run."""
    lines = [make() for make in LINES]
    table = grid(["what", "ordain", "beside it", "script"], [(*of[:3], f"`{of.script}.py`") for of in lines])
    return [*table, "", days(lines)]


def days(lines: list[Line]) -> str:
    """The day of each script's run, by runs.csv."""
    with (HERE / "runs.csv").open(newline="") as file:
        ran = {of["script"]: of["day"] for of in csv.DictReader(file)}
    by_day: dict[str, list[str]] = defaultdict(list)
    for script in dict.fromkeys(of.script for of in lines):
        by_day[ran[script]].append(script)
    told = "; ".join(f"{date.fromisoformat(day):%-d %B %Y}: {', '.join(by_day[day])}" for day in sorted(by_day))
    return f"Run on {told}."
