"""Slow references, written from the definitions."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise, permutations, product

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


def ndcg(grades, scores, k=None, groups=None):
    """Mean over groups with a gain of Σ (2^g - 1)/log2(1 + place) by its largest value, over all orders of ties."""
    groups = [0] * len(grades) if groups is None else list(groups)
    lists = [[i for i in range(len(grades)) if groups[i] == group] for group in sorted(set(groups))]
    found = [_one_ndcg([grades[i] for i in rows], [scores[i] for i in rows], k) for rows in lists]
    return found, math.fsum(of for of in found if of is not None) / sum(of is not None for of in found)


def _one_ndcg(grades, scores, k):
    def gain(order):
        return math.fsum((2 ** grades[i] - 1) / math.log2(place + 1) for place, i in enumerate(order[:k], 1))

    orders = list(permutations(range(len(grades))))
    by_score = [order for order in orders if all(scores[a] >= scores[b] for a, b in pairwise(order))]
    best = max(map(gain, orders))
    return math.fsum(map(gain, by_score)) / len(by_score) / best if best > 0 else None


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
