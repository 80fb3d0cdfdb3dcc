"""Slow references, written from the definitions."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations, product

import numpy as np


def auc(labels, scores, weights=None, groups=None):
    """Σ w_i w_j (1[s_i > s_j] + ½ 1[s_i = s_j]) / Σ w_i w_j over pairs of one group with label_i > label_j."""
    labels, scores = np.asarray(labels).tolist(), np.asarray(scores).tolist()
    weights = [1] * len(labels) if weights is None else [Fraction(weight) for weight in weights]
    groups = [0] * len(labels) if groups is None else groups
    won = counted = 0
    for i, j in product(range(len(labels)), repeat=2):
        if labels[i] > labels[j] and groups[i] == groups[j]:
            counted += weights[i] * weights[j]
            won += weights[i] * weights[j] * (2 if scores[i] > scores[j] else int(scores[i] == scores[j]))
    return Fraction(won) / (2 * counted)


def placements(labels, scores, groups=None):
    """Per row, doubled: negatives beaten by a positive, positives that beat a negative; a tie counts half."""
    rows = range(len(labels))
    groups = [0] * len(labels) if groups is None else groups

    def won(i, j):
        return 2 if scores[i] > scores[j] else int(scores[i] == scores[j])

    def rivals(i):
        return (j for j in rows if groups[j] == groups[i] and bool(labels[j]) != bool(labels[i]))

    return [sum(won(i, j) if labels[i] else won(j, i) for j in rivals(i)) for i in rows]


def partial_auc(labels, scores, max_fpr):
    """Mean of the piecewise linear ROC curve over [0, max_fpr], in fractions."""
    limit, area = Fraction(max_fpr), Fraction(0)
    positives, negatives = sum(map(bool, labels)), sum(not label for label in labels)
    points = [(Fraction(0), Fraction(0))]
    for threshold in sorted(set(scores), reverse=True):
        true = sum(1 for label, score in zip(labels, scores, strict=True) if label and score >= threshold)
        false = sum(1 for label, score in zip(labels, scores, strict=True) if not label and score >= threshold)
        points.append((Fraction(false, negatives), Fraction(true, positives)))
    for (x, y), (x_next, y_next) in pairwise(points):
        end = min(x_next, limit)
        if end > x:
            y_end = y + (y_next - y) * (end - x) / (x_next - x)
            area += (end - x) * (y + y_end) / 2
    return area / limit


def hits_among_first(labels, scores, k):
    """Expected positives among the first k, over all orders of the rows that sort the scores."""
    rows = range(len(labels))
    sorted_orders = [order for order in permutations(rows) if all(scores[a] >= scores[b] for a, b in pairwise(order))]
    return Fraction(sum(labels[i] for order in sorted_orders for i in order[:k]), len(sorted_orders))


def importance_loss(truth, h, omega):
    """Σ_{u≠v} h(u, v) σ*(v, u) ω(σ*(v), σ*(u)) / C(n, 2)."""
    n = len(truth)
    position = {int(item): place for place, item in enumerate(truth)}
    lost = sum(
        h[u][v] * omega[position[v]][position[u]]
        for u, v in product(range(n), range(n))
        if u != v and position[v] < position[u]
    )
    return Fraction(lost) / (n * (n - 1) // 2)


def auc_loss(grades, h, weight=lambda difference: 1):
    """Σ h(v, u) weight(g_u - g_v) / Σ weight(g_u - g_v) over pairs with g_u > g_v."""
    pairs = [(u, v) for u, v in product(range(len(grades)), repeat=2) if grades[u] > grades[v]]
    total = sum(weight(grades[u] - grades[v]) for u, v in pairs)
    return Fraction(sum(Fraction(h[v][u]) * weight(grades[u] - grades[v]) for u, v in pairs)) / total


def before(order):
    """The preference matrix of an order: 1 where u comes before v."""
    place = np.argsort(order)
    return (place[:, None] < place).astype(int)


def numbers_meant(text):
    """What a cell may mean as a finite number: one if a program could have written it, else by each decimal mark."""
    text = text.strip(" \t\u00a0\u2007\u2009\u202f")
    try:
        if text.isascii() and "_" not in text and math.isfinite(float(text)):
            return {float(text)}
        if text.isascii() and "_" not in text and not any(mark in text for mark in "xX"):
            return set()  # nan, inf, or beyond all bounds
    except ValueError:
        pass
    negative = text.endswith("-")
    text = text.removesuffix("-").rstrip()
    if text[:1] in ("-", "+") and not negative:
        negative, text = text[0] == "-", text[1:].lstrip()
    found = {_number_by(decimal, other, text) for decimal, other in (".,", ",.")} - {None}
    return {-value if negative else value for value in found}


def _number_by(decimal, other, text):
    """The number by one decimal mark, its thousands parted by the other, by blanks or by apostrophes."""
    body, power = [*text.lower().split("e"), "0"][:2] if text.lower().count("e") <= 1 else ("", "")
    whole, _, rest = body.partition(decimal)
    if (
        not (whole + rest)
        or (rest and not _digits(rest))
        or not _digits(power.lstrip("+-"))
        or len(power.lstrip("+-")) < len(power) - 1
    ):
        return None
    marks = {mark for mark in whole if mark not in "0123456789"}
    if marks:
        groups = re.split("[^0-9]", whole)
        kinds = {"," if mark == other else "'" if mark in "'’" else " " for mark in marks}
        sizes = [len(group) for group in groups]
        if (
            not marks <= {other, "'", "’", *" \t\u00a0\u2007\u2009\u202f"}
            or len(kinds) > 1
            or not all(map(_digits, groups))
        ):
            return None
        if groups[0][0] == "0" or sizes[0] > 3 or sizes[-1] != 3 or not set(sizes[1:-1]) <= {2, 3}:
            return None
        whole = "".join(groups)
    elif whole and not _digits(whole):
        return None
    value = float(f"{whole}.{rest}0e{power}")
    return value if math.isfinite(value) else None


def _digits(text):
    return text.isascii() and text.isdigit()


def labellings(n):
    """Every choice of winners and losers with at least one of each."""
    return [labels for labels in product((0, 1), repeat=n) if 0 < sum(labels) < n]


def logged(judge, log):
    """`judge`; every batch it answered is appended to `log`, with the answers."""

    def answers(pairs):
        log.append((pairs, judge(pairs)))
        return log[-1][1]

    return answers


def mixed_pairs(grades, groups=None):
    """[u, v] with grade_u > grade_v and, if there are groups, both in one."""
    rows = range(len(grades))
    groups = [0] * len(grades) if groups is None else groups
    return [[u, v] for u, v in product(rows, rows) if groups[u] == groups[v] and grades[u] > grades[v]]


def drawn_loss(h, law):
    """E of the share of mixed pairs in which the negative comes first; no mixed pair counts 0."""
    return sum((chance * auc_loss(labels, h) for labels, chance in law.items() if mixed_pairs(labels)), Fraction(0))


def least_drawn_loss(law):
    """min over all orders of `drawn_loss`."""
    return min(drawn_loss(before(order), law) for order in permutations(range(len(next(iter(law))))))


def drawn_pair_loss(law, u, v):
    """E[1[y_v > y_u] / #mixed pairs], what putting u before v costs."""
    paid = (chance / len(mixed_pairs(labels)) for labels, chance in law.items() if labels[v] > labels[u])
    return sum(paid, Fraction(0))


def circles(h):
    """The share of the triples without a tie that go in a circle: each of the three wins once."""
    decided = [t for t in combinations(range(len(h)), 3) if all(h[a, b] != 0.5 for a, b in combinations(t, 2))]
    return np.mean([len({u if h[u, v] > 0.5 else v for u, v in combinations(t, 2)}) == 3 for t in decided])


def quicksort_runs(h, block):
    """Every way QuickSort can go: probability, order, pairs compared, sets met with their pivot."""
    if len(block) < 2:
        yield Fraction(1), block, [], []
        return
    for pivot in block:
        rest = [item for item in block if item != pivot]
        for sides in product([True, False], repeat=len(rest)):
            chance = Fraction(1, len(block))
            for item, goes_left in zip(rest, sides, strict=True):
                chance *= h[item, pivot] if goes_left else h[pivot, item]
            if not chance:
                continue
            left = tuple(item for item, goes_left in zip(rest, sides, strict=True) if goes_left)
            right = tuple(item for item, goes_left in zip(rest, sides, strict=True) if not goes_left)
            for (p, first, asked, met), (q, last, also_asked, also_met) in product(
                quicksort_runs(h, left), quicksort_runs(h, right)
            ):
                pairs = [frozenset((item, pivot)) for item in rest]
                order = (*first, pivot, *last)
                yield chance * p * q, order, pairs + asked + also_asked, [(pivot, frozenset(block)), *met, *also_met]


def top_k_calls(h, items, k):
    """(44) as printed: n - 1, then the parts with min(k, n_L) and max(0, k - n_L - 1) of them wanted."""
    if k == 0 or len(items) < 2:
        return Fraction(0)
    total = Fraction(len(items) - 1)
    for pivot in items:
        rest = [item for item in items if item != pivot]
        for sides in product([True, False], repeat=len(rest)):
            chance = Fraction(1, len(items))
            for item, left in zip(rest, sides, strict=True):
                chance *= h[item, pivot] if left else h[pivot, item]
            if chance:
                before = [item for item, left in zip(rest, sides, strict=True) if left]
                behind = [item for item, left in zip(rest, sides, strict=True) if not left]
                parts = top_k_calls(h, before, min(k, len(before)))
                parts += top_k_calls(h, behind, max(0, k - len(before) - 1))
                total += chance * parts
    return total


def preference_loss(h, tau):
    """L(h, τ) = Σ_{u≠v} h(u, v) τ(v, u) / C(n, 2)."""
    n = len(h)
    return sum(h[u, v] * tau[v, u] for u, v in permutations(range(n), 2)) / Fraction(math.comb(n, 2))


def guarded(text):
    """An apostrophe before a formula: a text that starts with = + - @, tab or return, and is no number."""
    try:
        number = text.strip(" \n\r\t_") == text and "_" not in text and text.isascii() and math.isfinite(float(text))
    except ValueError:
        number = False
    return text if number or not text.startswith(("=", "+", "-", "@", "\t", "\r")) else "'" + text


def binomial(r, chance):
    """C(r, x) p^x (1 - p)^(r - x) for x = 0 … r."""
    return [math.comb(r, x) * chance**x * (1 - chance) ** (r - x) for x in range(r + 1)]


def bentkus(chance, r, t):
    """min over k < t of E(X - k)₊/(t - k), X ~ Bin(r, chance), term by term."""
    law = binomial(r, chance)
    whole = range(math.ceil(t))
    return min(sum(p * max(x - k, 0) for x, p in enumerate(law)) / (t - k) for k in whole)


@cache
def quicksort_calls(n, first):
    """Expected calls of QuickSort on a transitive preference, by its recursion; the best item only if `first`."""
    if n < 2:
        return Fraction(0)
    rest = [quicksort_calls(left, first) + (0 if first else quicksort_calls(n - 1 - left, first)) for left in range(n)]
    return n - 1 + sum(rest) / Fraction(n)


def order_mistakes(order, grades, weight=lambda difference: 1):
    """Σ weight(g_v - g_u) over u before v with g_u < g_v."""
    return sum(weight(grades[v] - grades[u]) for u, v in combinations(list(order), 2) if grades[u] < grades[v])


def preference_mistakes(h, grades, weight=lambda difference: 1):
    """Σ h(v, u) weight(g_u - g_v) over g_u > g_v."""
    return sum(h[v][u] * weight(grades[u] - grades[v]) for u, v in mixed_pairs(grades))


def days(moment):
    """(moment - 1970-01-01) / day, exactly; a clock without a zone is Greenwich's."""
    apart = (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)) - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return float(Fraction(apart // dt.timedelta(microseconds=1), 86_400_000_000))


def missing(cell):
    """No value, or not a number."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def standard_score(seen, cell):
    """[(x - mean) / deviation, 1[missing] if any of `seen` is]; 0 for what is missing and where all are equal."""
    known = [x for x in seen if not missing(x)]
    unit = max(map(abs, known)) or 1.0
    mean = math.fsum(x / unit for x in known) / len(known)
    deviation = math.sqrt(math.fsum((x / unit - mean) ** 2 for x in known) / len(known))
    constant = min(known) == max(known)
    score = 0.0 if missing(cell) or constant else (cell / unit - mean) / deviation
    return [score] + [float(missing(cell))] * (len(known) < len(seen))


def indicators(seen, cell, most, least):
    """1[x = w] for the `most` frequent words that `least` rows have, 1[another word], 1[missing], where seen."""
    counts = Counter(x for x in seen if x is not None)
    kept = sorted(sorted(counts, key=lambda word: (-counts[word], word))[:most])
    kept = [word for word in kept if counts[word] >= least]
    others = [float(cell is not None and cell not in kept)] * (len(kept) < len(counts))
    return [float(cell == word) for word in kept] + others + [float(cell is None)] * (None in seen)
