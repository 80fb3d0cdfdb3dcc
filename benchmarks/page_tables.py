"""Tables of docs/*.md: a function for each, from the CSV files to its lines."""

from __future__ import annotations

from statistics import fmean, stdev

from figures import Row, grid, numbers, read, row, rows, share, short


def units(value: str | float) -> str:
    """A difference in units of 0.0001, with its sign."""
    return f"{10_000 * float(value):+.0f}"


def by_size(found: list[Row]) -> list[Row]:
    """Sets from few rows to many, those alike as they come."""
    return sorted(found, key=lambda of: int(of["rows"]))


def milliseconds(way: str, n: int) -> str:
    """A step of torch_pairs.csv: time and memory, or what it would take."""
    of = row("torch_pairs", loss="logistic", rows=n, way=way)
    if of["note"]:
        return f"would take {of['note'].split(', ')[1]}"
    time = 1000 * float(of["seconds"])
    memory = "" if of["memory"] == "0" else f", {of['memory']} MB"
    return (f"{time:.2f}" if time < 1 else f"{time:.0f}") + " ms" + memory


def batches() -> list[str]:
    """docs/learning.md: one step of a network, by the rows of its batch."""
    head = ["rows in the batch", "`PairLoss`", "LibAUC's `PairwiseAUCLoss`", "a matrix of the pairs"]
    ways = ("ordain", "libauc", "double sum")
    return grid(head, [[f"{n:,}", *(milliseconds(way, n) for way in ways)] for n in (100, 10_000, 1_000_000)])


def chosen() -> list[str]:
    """docs/learning.md: what `ordain fit` picks, set by set."""
    others = ("logistic", "balanced logistic", "histogram boosting", "xgboost")
    head = ["set", "rows", "positive", "`ordain fit`", "logistic", "balanced", "histogram boosting", "XGBoost"]
    lines = []
    for of in by_size(read("choice")):
        four = [f"**{share(of[who], 4)}**" if of["best"] == who else share(of[who], 4) for who in others]
        to = [units(of["difference"]) + f" ± {10_000 * float(of['error']):.0f}"]
        to += [units(of[f"{who} difference"]) for who in ("catboost", "flaml")]
        size = [of["data"], f"{int(of['rows']):,}", f"{float(of['positive']):.3f}"]
        lines.append([*size, share(of["ordain"], 4), *four, *to, of["picked"]])
    return grid([*head, "to the best", "to CatBoost", "to FLAML", "picked"], lines)


def gains(name: str, kind: str, way: str) -> tuple[float, float]:
    """What a reduction gains in AUC over rows on the folds of a set, and its standard error."""
    plain, other = (
        numbers(rows("choice_folds", data=name, learner=f"{kind} {of}"), "auc") for of in ("pointwise", way)
    )
    found = [new - old for new, old in zip(other, plain, strict=True)]
    return fmean(found), stdev(found) / len(found) ** 0.5


def reduced() -> list[Row]:
    """A row of each set on which every reduction was fitted."""
    return by_size([of for of in rows("choice_folds", learner="linear pointwise") if of["fold"] == "1"])


def reductions() -> list[str]:
    """docs/learning.md: what balancing and pairs gain over rows, set by set."""
    ways = {"linear": ("balanced", "pairwise"), "boosted": ("pairwise",)}
    head = ["set", "rows", "positive"]
    for kind in ways:
        head += [f"{kind} AUC", *ways[kind]]
    lines = []
    for of in reduced():
        line = [of["data"], f"{int(of['rows']):,}", f"{float(of['positive']):.3f}"]
        for kind in ways:
            plain = numbers(rows("choice_folds", data=of["data"], learner=f"{kind} pointwise"), "auc")
            line.append(share(fmean(plain), 4))
            for way in ways[kind]:
                gain, error = gains(of["data"], kind, way)
                line.append(f"{units(gain)} ± {10_000 * error:.0f}")
        lines.append(line)
    return grid(head, lines)


def tree_aucs() -> list[str]:
    """docs/learning.md: trees on rows and on pairs, and other programs' on pairs."""
    ways = ["XGBoost binary:logistic", "ordain pointwise", "ordain balanced", "ordain pairwise"]
    ways += ["XGBoost rank:pairwise", "LightGBM lambdarank", "CatBoost PairLogit"]
    lines = []
    for of in rows("boosted_fit_others", learner=ways[0]):
        cell = {"data": of["data"], "rows": of["rows"]}
        found = [row("boosted_fit_others", learner=way, **cell)["auc"] for way in ways]
        size = [of["data"], f"{int(of['rows']):,}", of["trees"]]
        lines.append([*size, *(share(auc, 4) if auc else "refused" for auc in found)])
    head = ["set", "rows", "trees", "XGBoost `binary:logistic`", "`pointwise`", "`balanced`", "`pairwise`"]
    return grid([*head, "XGBoost `rank:pairwise`", "LightGBM `lambdarank`", "CatBoost `PairLogit`"], lines)


def pushed() -> list[str]:
    """docs/learning.md: precision in the first 1 % with a push of 8, set by set."""
    head = ["set", "rows", "first"]
    for kind in ("linear", "boosted"):
        head += [f"{kind}: p = 1", "p = 8", "gain", "AUC gain"]
    lines = []
    for name in [of["data"] for of in by_size(rows("push", model="linear"))]:
        line: list[str] = []
        for kind in ("linear", "boosted"):
            of = row("push", data=name, model=kind)
            line = line or [name, f"{int(of['rows']):,}", of["first"]]
            line += [f"{float(of[column]):.2f}" for column in ("precision", "push_precision")]
            line.append(f"{float(of['precision_gain']):+.2f} ± {float(of['precision_se']):.2f}")
            line.append(f"{units(of['auc_gain'])} ± {10_000 * float(of['auc_se']):.0f}")
        lines.append(line)
    return grid(head, lines)


def fit_seconds() -> list[str]:
    """docs/learning.md: seconds of a fit."""
    lines = []
    for of in read("fit_time"):
        size, _, values = of["table"].partition(", ")
        first, second = (f"{int(part):,}" for part in size.split("x"))
        told = f"{first} × {second}" + (f", one text column of {values}" if values else "")
        lines.append([told, of["by_hand_s"], of["ordain_s"], of["quick_s"], of["busy_s"]])
    return grid(["table", "by hand", "`ordain fit`", "`--quick`", "beside two busy processes"], lines)


WAYS = {
    "lists of ten": ("lists (list_field)", 4000, "lists (list_window)", 12_000),
    "pairs (`--pairs`)": ("pairs (field)", 8000, "pairs (window)", 48_000),
    "LOTUS's way": ("LOTUS's way", 0, "LOTUS's way", 0),
    "SiftRank's way": ("SiftRank's way", 32_000, "SiftRank's way", 48_000),
}
MORE = {
    "LOTUS's way": " (pairs with a pivot, one partition after the other)",
    "SiftRank's way": " (mean place in random lists)",
}


def asked(goal: str, way: str, budget: int, judge: str) -> Row:
    return row("judge_asking", goal=goal, way=way, budget=budget, judge=judge)


def cost(of: Row) -> list[str]:
    """Requests, rounds and tokens of a row."""
    return [f"{int(of['requests']):,}", of["rounds"], f"{int(of['tokens']) / 1e6:.2g} million"]


def first_ten_asked() -> list[str]:
    """docs/judge.md: ways to find the first ten of 1,000."""
    head = ["to find the first ten", "requests", "rounds", "tokens", "recall, Plackett–Luce 3"]
    lines = []
    for name, (way, budget, _, _) in WAYS.items():
        found = [
            asked("first ten", way, budget, judge) for judge in ("Plackett-Luce 3", "flips 10 %", "repeats itself")
        ]
        lines.append([name + MORE.get(name, ""), *cost(found[0]), *(share(of["recall"], 2) for of in found)])
    return grid([*head, "10 % of pairs wrong for good", "repeats itself"], lines)


def order_asked() -> list[str]:
    """docs/judge.md: ways to order 1,000 items."""
    head = ["for a whole order", "requests", "rounds", "tokens", "pairs wrong, Plackett–Luce 3"]
    lines = []
    for name, (_, _, way, budget) in WAYS.items():
        found = [asked("whole order", way, budget, judge) for judge in ("Plackett-Luce 3", "flips 10 %")]
        lines.append([name, *cost(found[0]), *(f"{100 * float(of['kendall']):.1f} %" for of in found)])
    return grid([*head, "10 % of pairs wrong for good"], lines)


def learned_mean(part: str, judge: str, method: str, answers: int, least: int = 20) -> tuple[float, float]:
    """The mean over seeds of a cell of learn.csv, and its standard error."""
    found = numbers(rows("learn", part=part, judge=judge, method=method, answers=answers), "value")
    assert len(found) >= least, f"{part} {judge} {method} {answers}: {len(found)} seeds"
    return fmean(found), stdev(found) / len(found) ** 0.5


def learned_line(part: str, judge: str, method: str, counts: tuple[int, ...], told: str) -> list[str]:
    """Means with their standard errors, by the number of answers."""
    means = [learned_mean(part, judge, method, answers) for answers in counts]
    return [told, *(f"{share(mean)} ± {share(error)}" for mean, error in means), *[""] * (5 - len(counts))]


def learned_texts() -> list[str]:
    """docs/judge.md: Kendall's τ on texts, by the number of answers."""
    counts, lines = (200, 500, 1000, 2000, 8000), []
    for judge in ("0.15", "0.5"):
        for method, told in {"items": "items alone (`window`)", "features": "features alone", "both": "both"}.items():
            lines.append(learned_line("text", judge, method, counts, f"T = {share(judge, 2)}, {told}"))
    lines.append(learned_line("text", "0.15", "embeddings", counts[:4], "T = .15, both, with MiniLM embeddings"))
    for part, method, some, told in (
        ("text", "items, same scale", (200, 1000, 8000), "items alone, by the same model"),
        ("text", "shuffled", (200, 1000, 8000), "both, features shuffled"),
        ("lists", "items", (500, 2000), "lists of ten, items alone"),
        ("lists", "both", (500, 2000), "lists of ten, both"),
    ):
        few = {answers: learned_line(part, "0.15", method, (answers,), "")[1] for answers in some}
        lines.append([f"T = .15, {told}", *(few.get(answers, "") for answers in counts)])
    return grid(["answers", *(f"{answers:,}" for answers in counts)], lines)


def learned_votes() -> list[str]:
    """docs/judge.md: Kendall's τ with the order of all recorded votes, by the number of votes taken."""
    lines = []
    for judge, who in {"gpt-4": "GPT-4", "people": "people", "gpt-3": "GPT-3"}.items():
        for method, told in {"counting": "counting", "items": "`window`", "both": "with features"}.items():
            lines.append(learned_line("llmfao", judge, method, (100, 200, 400), f"{who}, {told}")[:4])
    return grid(["votes", "100", "200", "400"], lines)


def gained(judge: str, method: str, answers: int) -> str:
    """What a way of asking gains over counting on the same seeds, and its standard error."""
    found = {of: rows("learn", part="llmfao", judge=judge, method=of, answers=answers) for of in ("counting", method)}
    values = {of: {line["seed"]: float(line["value"]) for line in lines} for of, lines in found.items()}
    assert values["counting"].keys() == values[method].keys()
    gains = [value - values["counting"][seed] for seed, value in values[method].items()]
    mean = fmean(gains)
    return f"{'+' if mean >= 0 else '−'}{share(abs(mean))} ± {share(stdev(gains) / len(gains) ** 0.5)}"


def learned_vote_gains() -> list[str]:
    """docs/judge.md: what `window` and features gain over counting, by the number of votes taken."""
    lines = []
    for judge, who in {"gpt-4": "GPT-4", "gpt-3": "GPT-3", "people": "people"}.items():
        for method, told in {"items": "`window`", "both": "with features"}.items():
            lines.append([f"{who}, {told}", *(gained(judge, method, answers) for answers in (100, 200, 400))])
    return grid(["gain over counting, votes", "100", "200", "400"], lines)


def learned_many() -> list[str]:
    """docs/judge.md: what it takes to rank a hundred thousand texts from five hundred answers."""
    head = ["texts", "answers", "seconds of CPU time", "by the clock", "memory at most", "Kendall's τ"]
    told = {"pairs": "to pairs", "lists": "to lists of ten"}
    lines = []
    for of in rows("learn", part="many"):
        seconds = [f"{float(of['cpu']):.0f}", f"{float(of['value']):.0f}"]
        most, tau = f"{int(of['asked']):,} MB", share(of["helped"].removeprefix("tau "))
        lines.append(["100,000", f"{of['answers']} {told[of['method']]}", *seconds, most, tau])
    return grid(head, lines)


def learned_intervals() -> list[str]:
    """docs/judge.md: how often 95 % intervals of score differences hold."""
    lines = []
    for judge, told in {"2+1": "features twice as large as own terms", "1+2": "own terms twice as large"}.items():
        for method in ("asked about", "never asked about"):
            means = [learned_mean("coverage", judge, method, answers)[0] for answers in (200, 800)]
            lines.append([f"{told}, items {method}", *map(share, means)])
    return grid(["answers", "200", "800"], lines)


def list_orders() -> list[str]:
    """docs/ranking.md: share of pairs in the wrong order after 12,000 texts, by judge and way of asking."""
    ways = {
        "lists of ten": "list_window 10", "of five": "list_window 5", "of two": "list_window 2",
        '`size="auto"`': "list_window auto", "`window`": "window", "SiftRank's way": "SiftRank's way",
        "QuickSort": "quicksort",
    }  # fmt: skip
    judges = dict.fromkeys(of["judge"] for of in rows("lists", part="order", method="list_window auto", texts=12_000))
    order = ["Plackett-Luce 3", "Plackett-Luce 6", "Thurstone", "Thurstone + 5 %", "Thurstone + 20 %", "flips 10 %"]
    order += ["flips 20 %", "first places", "repeats itself", "ties", "garbled"]
    assert {*order} == {*judges}
    lines = []
    for judge in order:
        found = [row("lists", part="order", judge=judge, method=way, texts=12_000) for way in ways.values()]
        told = [f"{100 * float(of['kendall']):.2f} %" for of in found]
        lines.append([judge.replace("Plackett-Luce", "Plackett–Luce"), *told])
    return grid(["judge", *ways], lines)


def rankers_reached() -> list[str]:
    """docs/ranking.md: share of pairs in the wrong order, by ranker and judge."""
    cases = {"flip 10 %": "flip 10 %", "flip 20 %": "flip 20 %", "flip 30 %": "flip 30 %",
             "Bradley–Terry 2": "Bradley-Terry 2", "cyclic blocks": "cyclic"}  # fmt: skip
    names = {"`quicksort`": "quicksort", "`averaged_quicksort`": "averaged quicksort",
             "`bradley_terry` of random pairs": "random pairs", "`window`": "window", "`degree`": "degree"}  # fmt: skip

    def cells(name: str, case: str) -> list[Row]:
        every = (
            (name,) if name in ("quicksort", "averaged quicksort", "degree") else (f"{name} {k} L" for k in (1, 2, 5))
        )
        return [row("rankers", part="all", items=1000, ranker=of, case=case) for of in every]

    lines = []
    for told, name in names.items():
        found = [cells(name, case) for case in cases.values()]
        calls = [[f"{float(of['calls']) / 9965:.1f}".removesuffix(".0") for of in cell] for cell in found]
        if len(calls[0]) == 1:
            least, most = (extreme((of[0] for of in calls), key=float) for extreme in (min, max))
            asked = least if least == most else f"{least}–{most}"
        else:
            asked = " / ".join(calls[0])
        batches = {round(float(of["batches"])) for cell in found for of in cell}
        spread = f"{min(batches)}–{max(batches)}" if len(batches) > 1 else f"{min(batches)}"
        wrong = ["/".join(share(of["kendall"]) for of in cell) for cell in found]
        lines.append([told, f"{asked} L", spread, *wrong])
    return grid(["ranker", "calls", "batches", *cases], lines)


def votes_times() -> list[str]:
    """docs/votes.md: a million votes, by the number of items."""
    head = ["items", "evalica, scores alone", "arena-rank, with intervals", "ordain, spread and lapses given"]
    head += ["ordain, all fitted, with standard errors", "errors that hold, ranks and tiers on top"]

    def told(items: str, program: str) -> str:
        of = row("votes_speed", items=items, votes=10**6, program=program)
        if not of["processor_s"]:
            return "dies for memory"
        seconds, memory = f"{short(of['processor_s'])} s", f"{int(of['peak_mb']):,} MB"
        return f"{seconds}, {memory}"

    programs = ["evalica", "arena-rank", "ordain, noise given", "ordain, noise fitted", "ordain, ranks and tiers"]
    sizes = ("200", "5000", "100000")
    return grid(head, [[f"{int(items):,}", *(told(items, of) for of in programs)] for items in sizes])


def list_recalls() -> list[str]:
    """docs/ranking.md: recall of the first ten, by way of asking and texts shown."""
    ways = {"lists of ten (`list_field`)": "list_field 10", "pairs (`field`)": "field",
            "SiftRank's way": "SiftRank's way", "sliding windows": "sliding windows"}  # fmt: skip
    lines = []
    for told, way in ways.items():
        at = {"part": "first ten", "judge": "Plackett-Luce 3", "method": way}
        found = [row("lists", texts=texts, **at) for texts in (4000, 8000)]
        lines.append([told, *(f"{share(of['recall'])} ± {share(of['recall_error'])}" for of in found)])
    return grid(["the first ten, Plackett–Luce 3", "recall after 4,000 texts", "after 8,000"], lines)


def pair_schedules() -> list[str]:
    """docs/ranking.md: recall of the first ten by pairs, asked by two schedules."""
    lines = []
    for of in rows("lists", part="first ten", method="list_field 2", texts=10_000):
        other = row("lists", part="first ten", method="field", texts=10_000, judge=of["judge"])
        both = [f"{share(found['recall'])} ± {share(found['recall_error'])}" for found in (other, of)]
        lines.append([of["judge"].replace("Plackett-Luce", "Plackett–Luce"), *both])
    return grid(["judge", "`field`", "lists of two by the schedule of `list_field`"], lines)


def preferences() -> list[str]:
    """docs/learning.md: what sorting by a learned preference reaches."""
    ways = {"in a circle": "cyclic", "QuickSort": "quicksort", "DEGREE": "degree", "`decision_function`": "mean",
            "a like one on rows": "rows"}  # fmt: skip
    lines = []
    for name in dict.fromkeys(of["classifier"] for of in read("preference")):
        found = {of["way"]: share(of["figure"]) for of in rows("preference", classifier=name)}
        told = f"`{name}`" if name == "LinearRanker" else name
        lines.append([told, *(found.get(way, "") for way in ways.values())])
    return grid(["classifier", *ways], lines)


def dask_steps() -> list[str]:
    """docs/dask.md: what a step of a linear fit takes."""
    head = [
        "rows × 30",
        "workers",
        "gradient",
        "product",
        "both, each worker apart",
        "the sums add",
        "both, in one process",
        "sent by a worker",
    ]
    lines = [
        [f"{int(of['rows']):,}", of["workers"], *(f"{of[name]} ms" for name in ("gradient_ms", "product_ms")),
         *(f"{of[name]} ms".replace("-", "−") for name in ("apart_ms", "overhead_ms", "local_ms")),
         f"{float(of['bytes_per_step']) / 1e3:.1f} kB"]
        for of in read("dask_scale")
    ]  # fmt: skip
    return grid(head, lines)


def dask_fits() -> list[str]:
    """docs/dask.md: whole fits, and the memory they take."""
    head = [
        "rows × 30",
        "workers",
        "memory beyond rows, of it numba's, of it not shared",
        "linear, on pairs",
        "on one machine",
    ]
    head += ["dask_ml, row by row", "100 trees on pairs", "100 of `binary:logistic`"]
    lines = [
        [f"{int(of['rows']):,}", of["workers"], f"{of['extra_mb']} MB, {of['numba_mb']}, {of['own_mb']}",
         *(f"{float(of[name]):.1f} s" if of[name] else "fails" for name in ("linear_s", "local_linear_s", "dask_ml_s")),
         *(f"{float(of[name]):.0f} s" for name in ("trees_s", "xgboost_s"))]
        for of in read("dask_scale")
    ]  # fmt: skip
    return grid(head, lines)


def dask_far() -> list[str]:
    """docs/dask.md: what far more rows would take, by the cost that was fitted; 50 steps, each sum 5 ms."""
    number, sums = float(row("dask_cost")["number_ns"]) / 1e9, float(read("dask_scale")[-1]["sums_per_step"])
    lines = []
    for power, machines in (("⁹", 10), ("¹¹", 900)):
        count = 10.0 ** {"⁹": 9, "¹¹": 11}[power]
        step = number * count * 30 / (8 * machines) + sums * 0.005
        memory = f"{count * 240 / 1e12:.0f} TB" if count > 1e10 else f"{count * 240 / 1e9:.0f} GB"
        lines.append([f"10{power}", memory, f"{machines}", f"{step:.1f} s", f"{50 * step:.0f} s"])
    return grid(["rows × 30", "memory", "machines of 64 GB and 8 cores", "a step", "a linear fit"], lines)


def sure_runs() -> list[str]:
    """docs/judge.md: runs that `--sure` ended."""
    told = {
        "Plackett-Luce 3": "Plackett–Luce 3", "Plackett-Luce 6": "Plackett–Luce 6",
        "Thurstone + 5 %": "Thurstone, noise that grows by 5 % an item", "garbled": "one list in twenty garbled",
        "repeats itself": "repeats itself (no goal)",
    }  # fmt: skip
    lines = [
        [told[of["judge"]], share(of["level"], 2), of["runs"], of["stopped"], share(of["share_right"]),
         share(of["share_exact"]), f"{100 * float(of['saved']):.0f} %"]
        for of in rows("judge_sure", ranker="list_field")
    ]  # fmt: skip
    return grid(["judge", "sure", "runs", "ended", "of these right", "the first 5 exactly", "budget saved"], lines)


def journal_cost() -> list[str]:
    """docs/judge.md: milliseconds an answer takes for being kept."""
    cases = dict.fromkeys(of["case"] for of in rows("judge", part="overhead"))
    lines = []
    for case in cases:
        of = {one["measure"]: one["value"] for one in rows("judge", part="overhead", case=case)}
        wanted = ("overhead, ms", "overhead of the processor, ms", "fsync, ms")
        lines.append([case.removesuffix(" at a time"), *(f"{float(of[name]):.1f} ms" for name in wanted)])
    return grid(["requests out", "kept, an answer", "of it the processor", "one fsync of the disk"], lines)
