"""Slow references, written from the definitions."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations, product
from math import comb, factorial

import mpmath
import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize, minimize_scalar


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


def placement_shares(labels, scores):
    """Of each positive the share of negatives it beats, of each negative the share of positives that beat it."""
    won, size = placements(labels, scores), (sum(map(bool, labels)), sum(not label for label in labels))
    return tuple(
        [Fraction(count, 2 * rivals) for count, label in zip(won, labels, strict=True) if bool(label) == side]
        for side, rivals in ((True, size[1]), (False, size[0]))
    )


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


def win(s, t):
    """1[s > t] + ½ 1[s = t]."""
    return Fraction(2 if s > t else int(s == t), 2)


def variance_of_mean(values):
    """Σ (x - x̄)² / (n - 1) / n."""
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)


def jackknife(values):
    """Σ (x - x̄)² (n - 1) / n, of the values with one unit left out."""
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) * Fraction(len(values) - 1, len(values))


def bentkus(r, t, chance, knots=None):
    """min over h < t of E(X - h)₊/(t - h), X ~ Bin(r, chance), by direct sums; h whole unless others are given."""
    knots = range(math.ceil(t)) if knots is None else knots
    masses = [
        mpmath.binomial(r, j) * mpmath.mpf(chance) ** j * (1 - mpmath.mpf(chance)) ** (r - j) for j in range(r + 1)
    ]
    return min(sum(p * (j - h) for j, p in enumerate(masses) if j > h) / (t - h) for h in knots if h < t)


def guard(totals, sizes, vouching=2):
    """w max(G - V, 0) of one class of units, as in `bounds.comparison`; rows are units of size 1."""
    count, rows = len(totals), sum(sizes)
    ratios = sorted(Fraction(total) / size for total, size in zip(totals, sizes, strict=True))
    median = (ratios[(count - 1) // 2] + ratios[count // 2]) / 2
    x = [abs(total - median * size) for total, size in zip(totals, sizes, strict=True)]
    q = sum(x) ** 2 / sum(d * d for d in x) if any(x) else 0
    r = Fraction(rows**2, sum(size * size for size in sizes))
    s, mean = 1 + abs(median), sum(totals) / rows
    variance = sum((total - mean * size) ** 2 for total, size in zip(totals, sizes, strict=True))
    variance *= Fraction(count, (count - 1) * rows * rows)
    return math.exp(-q / vouching) * max(s * sum(x) / rows / r + 2 * s * s / (r * r) - variance, 0)


def rank_regret(mass, eta, scores):
    """AUC of η minus AUC of the scores, by the loop over pairs."""
    p = mass @ eta

    def area(by):
        won = 0.0
        for x, z in product(range(len(mass)), repeat=2):
            won += mass[x] * eta[x] / p * mass[z] * (1 - eta[z]) / (1 - p) * float(win(by[x], by[z]))
        return won

    return area(eta) - area(scores)


def pair_and_balanced_regret(mass, eta, scores, phi):
    """Regret of score differences over pairs, and balanced regret; Bayes risks by searching each score."""
    p = mass @ eta
    positives, negatives = mass * eta / p, mass * (1 - eta) / (1 - p)

    def least(a, b):
        return minimize_scalar(lambda s: a * phi(s) + b * phi(-s), bracket=(-1, 1), tol=1e-12).fun

    over, even = 0.0, 0.0
    for x, z in product(range(len(mass)), repeat=2):
        a, b = positives[x] * negatives[z], positives[z] * negatives[x]
        over += a * phi(scores[x] - scores[z]) - least(a, b) / 2
    for x in range(len(mass)):
        even += (positives[x] * phi(scores[x]) + negatives[x] * phi(-scores[x]) - least(positives[x], negatives[x])) / 2
    return over, even


def suprema(scorers, positives, negatives, m, n):
    """Probability and sup |Â - A| of every sample of points, for scorers given by their scores of the points."""
    points = range(len(positives))
    truth = [sum(positives[a] * negatives[b] * win(f[a], f[b]) for a, b in product(points, points)) for f in scorers]
    for sample in product(points, repeat=m + n):
        above, below = sample[:m], sample[m:]
        chance = math.prod([positives[a] for a in above] + [negatives[b] for b in below], start=Fraction(1))
        found = [auc([1] * m + [0] * n, [f[point] for point in sample]) for f in scorers]
        yield chance, max(abs(value - exact) for value, exact in zip(found, truth, strict=True))


def rank_matrices(m, n):
    """Rank matrices of all scores, from the definition."""
    found, wins = set(), [[float(win(a, b)) for b in range(m + n)] for a in range(m + n)]
    for scores in product(range(m + n), repeat=m + n):
        above, below = scores[:m], scores[m:]
        found.add(tuple(tuple(wins[a][b] for b in below) for a in above))
    return found


def acyclic(matrix):
    """No cycle of items with x ≥ z along it and one step strict: Theorem 1, part 1, from the definition."""
    m, n = matrix.shape
    for size in range(2, min(m, n) + 1):
        for rows, columns in product(permutations(range(m), size), permutations(range(n), size)):
            down = [matrix[i, j] for i, j in zip(rows, columns, strict=True)]
            back = [matrix[i, j] for i, j in zip(rows[1:] + rows[:1], columns, strict=True)]
            ties = all(value == 0.5 for value in down + back)
            if min(down) >= 0.5 >= max(back) and not ties:
                return False
    return True


def stirling(n, k):
    """Σ_j (-1)^(k-j) C(k, j) jⁿ / k!, the partitions of n items into k blocks."""
    return sum((-1) ** (k - j) * comb(k, j) * j**n for j in range(k + 1)) // factorial(k)


def faces(N, d):
    """1 + 2 Σ_k C(N, d-k) Σ_{i<k} C(N-d+k-1, i): a face of dimension k lies on d - k hyperplanes."""
    return 1 + 2 * sum(comb(N, d - k) * sum(comb(N - d + k - 1, i) for i in range(k)) for k in range(1, d + 1))


def plane_patterns(vectors):
    """Signs along every direction orthogonal to a vector, and between neighbouring ones, by their angles."""
    angles = sorted({np.arctan2(y, x) + turn for x, y in vectors for turn in (0, np.pi / 2, np.pi, -np.pi / 2)})
    exact = [(-y * s, x * s) for x, y in vectors for s in (1, -1)]
    between = [(np.cos((a + b) / 2), np.sin((a + b) / 2)) for a, b in pairwise(angles) if b - a > 1e-9]
    directions = [(0, 0), *exact, *between, (-1.0, -1e-7), (-1.0, 1e-7)]
    return {tuple(int(np.sign(x * a + y * b)) for x, y in vectors) for a, b in directions}


def pair_risk(pairing, labels, scores, weights=None, groups=None, push=1):
    """Σ_j w_j (Σ_i w_i φ(s_i - s_j) / Σ_i w_i)^push over i of a better grade, its gradient and its full Hessian."""
    n = len(labels)
    weights = np.ones(n) if weights is None else np.asarray(weights)
    groups = np.zeros(n) if groups is None else np.asarray(groups)
    value, gradient, hessian, whole = 0.0, np.zeros(n), np.zeros((n, n)), 0.0
    for g in np.unique(groups):
        for high, low in _level_pairs(labels):
            up = np.flatnonzero((groups == g) & high & (weights > 0))
            down = np.flatnonzero((groups == g) & low & (weights > 0))
            if not len(up) or not len(down):
                continue
            share = weights[up].sum() * weights[down].sum()
            whole += share
            a, b = weights[up] / weights[up].sum(), weights[down] / weights[down].sum()
            for j, w in zip(down, b, strict=True):
                u = scores[up] - scores[j]
                level = float(a @ pairing.phi(u))
                step, bend = np.zeros(n), np.zeros((n, n))
                for i, part, slope, curve in zip(up, a, pairing.phi_slope(u), pairing.phi_curvature(u), strict=True):
                    e = np.zeros(n)
                    e[i], e[j] = 1, -1
                    step += part * slope * e
                    bend += part * curve * np.outer(e, e)
                value += share * w * level**push
                gradient += share * w * push * level ** (push - 1) * step
                hessian += share * w * push * level ** (push - 1) * bend
                if push > 1:
                    hessian += share * w * push * (push - 1) * level ** (push - 2) * np.outer(step, step)
    return value / whole, gradient / whole, hessian / whole


def _level_pairs(labels):
    """Masks of a better and a worse grade, for every two grades."""
    grades = np.unique(labels)
    return [(labels == high, labels == low) for low, high in product(grades, grades) if high > low]


def pair_hessian(curvature, positive, X, scores, weights):
    """Σ w_i w_j φ''(s_i - s_j) (x_i - x_j)(x_i - x_j)ᵀ / Σ w_i w_j, pair by pair."""
    total, mass = np.zeros((X.shape[1], X.shape[1])), 0.0
    for i in np.flatnonzero(positive):
        for j in np.flatnonzero(~positive):
            apart, weight = X[i] - X[j], weights[i] * weights[j]
            total += weight * curvature(scores[i] - scores[j]) * np.outer(apart, apart)
            mass += weight
    return total / mass


def kernel(name, u):
    """φ, φ', φ'' in long double, without cancellation."""
    u = np.asarray(u, np.longdouble)
    if name == "logistic":
        e = np.exp(-np.abs(u))
        return np.log1p(e) + np.maximum(-u, 0), -np.where(u > 0, e, 1) / (1 + e), e / (1 + e) ** 2
    root = np.hypot(1, u / 2)
    value = np.where(u > 0, 1 / (root + np.abs(u) / 2), root + np.abs(u) / 2)
    return value, -value / (2 * root), 1 / (4 * root * root * root)


def kernel_sums(name, points, scores, coefficients, sign=1):
    """Σ_j c_j k(± (x - s_j)), all pairs, in long double."""
    differences = sign * (np.asarray(points, np.longdouble)[:, None] - np.asarray(scores, np.longdouble))
    return np.array([np.sum(coefficients * each, axis=1) for each in kernel(name, differences)])


def kernel_in_digits(name, u):
    """φ, φ', φ'' from the definition, in as many digits as mpmath has been told."""
    if name == "logistic":
        e = mpmath.exp(-u)
        return mpmath.log1p(e), -e / (1 + e), e / (1 + e) ** 2
    root = mpmath.sqrt(1 + u * u / 4)
    return root - u / 2, (u / (2 * root) - 1) / 2, 1 / (4 * root**3)


def split_mix(state):
    """The generator as published: its next number after this state."""
    z = (state + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def rows_drawn(classes, most, number):
    """Of each class the rows with the smallest numbers, equally many while it lasts, the rarest class first."""
    counts, rows = Counter(classes), []
    left = most
    for done, (label, count) in enumerate(sorted(counts.items(), key=lambda item: (item[1], item[0]))):
        taken = min(count, left // (len(counts) - done))
        left -= taken
        own = [i for i, of in enumerate(classes) if of == label]
        rows += [(i, count / taken) for i in sorted(own, key=number)[:taken]]
    return sorted(rows)


def has_pair(classes, weights, groups, rows):
    """Whether two of the rows that weigh something differ in their label, in one group where there are groups."""
    seen = {}
    for row in rows:
        if weights is None or weights[row] > 0:
            seen.setdefault(0 if groups is None else groups[row], set()).add(classes[row])
    return any(len(labels) > 1 for labels in seen.values())


def chance(d, lapse=0.0):
    """ε + (1 - 2ε) / (1 + e^-d), how likely the first of two is chosen."""
    return lapse + (1 - 2 * lapse) / (1 + np.exp(-d))


def bradley_terry_loss(x, pairs, answers, spread, lapse=0.0, place=3.0):
    """-Σ (y log q + (1 - y) log(1 - q)) + Σ s²/2τ² + b²/2ρ² at x = (s, b), answer by answer."""
    total = (x[:-1] ** 2).sum() / (2 * spread**2) + x[-1] ** 2 / (2 * place**2)
    for (u, v), y in zip(pairs, answers, strict=True):
        q = chance(x[u] - x[v] + x[-1], lapse)
        total -= y * np.log(q) + (1 - y) * np.log(1 - q)
    return total


def bradley_terry_gradient(x, pairs, answers, spread, lapse=0.0, place=3.0):
    """Σ (q - y) q' / (q (1 - q)) (e_u - e_v + e_b), plus that of the prior."""
    gradient = np.append(x[:-1] / spread**2, x[-1] / place**2)
    for (u, v), y in zip(pairs, answers, strict=True):
        p = chance(x[u] - x[v] + x[-1])
        q = lapse + (1 - 2 * lapse) * p
        slope = (q - y) / (q * (1 - q)) * (1 - 2 * lapse) * p * (1 - p)
        gradient += slope * _direction(u, v, len(x))
    return gradient


def bradley_terry_information(x, pairs, spread, lapse=0.0, place=3.0):
    """Σ q'²/(q(1-q)) over the answers, plus the prior; without lapses, the Hessian."""
    total = np.diag(np.append(np.full(len(x) - 1, spread**-2.0), place**-2.0))
    for u, v in pairs:
        p = chance(x[u] - x[v] + x[-1])
        q = lapse + (1 - 2 * lapse) * p
        w = ((1 - 2 * lapse) * p * (1 - p)) ** 2 / (q * (1 - q))
        total += w * np.outer(_direction(u, v, len(x)), _direction(u, v, len(x)))
    return total


def _direction(u, v, size):
    """e_u - e_v + e_b."""
    row = np.zeros(size)
    row[u], row[v], row[-1] = 1, -1, 1
    return row


def tournaments(n):
    """One tournament of every shape on n items."""
    if n == 1:
        return [np.zeros((1, 1), dtype=int)]
    pairs = np.array(list(combinations(range(n), 2)))
    relabelled = [np.array(order) for order in permutations(range(n))]
    found = {}
    for smaller, wins in product(tournaments(n - 1), product([0, 1], repeat=n - 1)):
        h = np.zeros((n, n), dtype=int)
        h[:-1, :-1], h[-1, :-1], h[:-1, -1] = smaller, wins, 1 - np.array(wins)
        keys = np.array([h[order[pairs[:, 0]], order[pairs[:, 1]]] for order in relabelled])
        found.setdefault((keys @ (1 << np.arange(len(pairs)))).min(), h)
    return list(found.values())


def back_edges(h, orders):
    """Per order, Σ h(v, u) over u before v."""
    first, second = np.triu_indices(len(h), 1)
    return h[orders[:, second], orders[:, first]].sum(axis=1)


def inversions(order):
    """Pairs that are not in increasing order."""
    return sum(int((order[:place] > item).sum()) for place, item in enumerate(order))


def binomial_tail(s, m, p):
    """P(Bin(m, p) ≥ s), in fractions."""
    p = Fraction(p)
    return sum(comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(s, m + 1))


def majority(log, n):
    """The pairs (u, v) whose answers lean to u: Σ (h(u, v) - ½) - Σ (h(v, u) - ½) > 0."""
    lean = dict.fromkeys(combinations(range(n), 2), 0.0)
    for (u, v), answer in log:
        lean[min(u, v), max(u, v)] += (answer - 0.5) * (1 if u < v else -1)
    return {(u, v) if x > 0 else (v, u) for (u, v), x in lean.items() if x}


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


def smoothed_mean(target, weights, rows, of_all):
    """λ ȳ_v + (1 - λ) ȳ over some rows, λ = n σ² / (n σ² + σ_v²), in fractions; ȳ and σ² are those of all rows."""
    mean, variance = of_all
    n = sum(weights[i] for i in rows)
    if not n:
        return mean
    own = sum(weights[i] * target[i] for i in rows) / n
    spread = sum(weights[i] * (target[i] - own) ** 2 for i in rows) / n
    share = n * variance / (n * variance + spread) if variance else 0
    return share * own + (1 - share) * mean


def target_means(labels, values, weights, folds=None):
    """For every row the smoothed mean over the rows with its value, those of its fold left out; that of all if rare.

    A value is rare if it occurs once. Labels other than true and false become the share of rows below, ties as half.
    """
    rows = range(len(labels))
    if not all(isinstance(label, bool) for label in labels):
        ranks = [sum(b < a for b in labels) + Fraction(sum(b == a for b in labels), 2) for a in labels]
        labels = [rank / len(labels) for rank in ranks]
    target = [Fraction(label) for label in labels]
    total = sum(Fraction(weight) for weight in weights)
    weights = [Fraction(weight) * len(labels) / total for weight in weights]
    mean = sum(w * y for w, y in zip(weights, target, strict=True)) / len(labels)
    variance = sum(w * (y - mean) ** 2 for w, y in zip(weights, target, strict=True)) / len(labels)
    found = []
    for i in rows:
        same = [j for j in rows if values[j] == values[i]]
        others = same if folds is None else [j for j in same if folds[j] != folds[i]]
        rare = values[i] is None or len(same) < 2
        found.append(mean if rare else smoothed_mean(target, weights, others, (mean, variance)))
    return found


def sandwich(pairs, slopes, worth, people, clusters, prior, weights, shown):
    """H⁻¹ (M + prior) H⁻¹ vote by vote: every person is a cluster of its own, and M sums their outer products.

    Each row is one vote: `people` says by which person of its cluster it was cast, `weights` its Fisher information.
    """
    n = len(prior) - 1
    information, meat, moves = np.diag(prior), np.diag(prior), {}
    for vote, (left, right) in enumerate(pairs):
        row = np.zeros(n + 1)
        row[left], row[right], row[n] = 1, -1, shown
        information = information + weights[vote] * np.outer(row, row)
        who = (clusters[vote], people[vote])
        moves[who] = moves.get(who, 0) + worth[vote] * slopes[vote] * row
    for move in moves.values():
        meat = meat + np.outer(move, move)
    inverse = np.linalg.inv(information)
    return inverse, inverse @ meat @ inverse


def surely_above(scores, variances, parts, critical):
    """All (i, j) of one part with s_i - s_j > c √v_ij."""
    n = range(len(scores))
    return {
        (i, j)
        for i, j in product(n, n)
        if parts[i] == parts[j] and scores[i] - scores[j] > critical * math.sqrt(variances[i][j])
    }


def rank_intervals(sure, parts):
    """1 + items of the part surely above, and its items less those surely below."""
    n = range(len(parts))
    return [
        (
            1 + sum((j, i) in sure for j in n),
            sum(parts[j] == parts[i] for j in n) - sum((i, j) in sure for j in n),
        )
        for i in n
    ]


def chains(won):
    """All (i, j) such that i won against one that won against … j."""
    found = set(won)
    while more := {(i, k) for i, j in found for a, k in won if a == j} - found:
        found |= more
    return found


def every_tournament(n):
    """All 2^C(n, 2) tournaments on n items."""
    for bits in product((0, 1), repeat=comb(n, 2)):
        h = np.zeros((n, n), dtype=int)
        h[np.triu_indices(n, 1)] = bits
        yield h + np.tril(1 - h.T, -1)


def orders(n):
    """All orders of n items, a row each."""
    return np.array(list(permutations(range(n))))


def subsets(n):
    """Every set of the items 0 … n - 1."""
    return (some for k in range(n + 1) for some in combinations(range(n), k))


def gradings(n):
    """Every choice of grades 0, 1, … without a gap."""
    return [grades for grades in product(range(n), repeat=n) if {*grades} == {*range(max(grades) + 1)}]


def mistakes_of_orders(orders, labels):
    """Losers before winners, pair of places by pair of places: a row for each order, a column for each labelling."""
    placed = labels[:, orders].swapaxes(0, 1)
    return sum((1 - placed[:, :, i]) * placed[:, :, j] for i, j in combinations(range(orders.shape[1]), 2))


def wins(h):
    """Σ_{v≠u} h(u, v) of each item."""
    return [sum((h[u, v] for v in range(len(h)) if v != u), Fraction(0)) for u in range(len(h))]


def landau(scores):
    """⟨0, …, n - 1⟩ majorises the scores: the k smallest sum to C(k, 2) or more, and all of them to C(n, 2)."""
    rising = sorted(scores)
    above = [sum(rising[:k]) - comb(k, 2) for k in range(len(rising) + 1)]
    return min(above) >= 0 == above[-1]


def compressed_excess(levels):
    """g - 2f of a compressed sequence: Σ l_i w_j over d_i ≥ d_j, less twice Σ l_i d_i - C(Σ l_i, 2)."""
    g = sum((a.losers * b.winners for a, b in product(levels, levels) if a.degree >= b.degree), Fraction(0))
    losers = sum((a.losers for a in levels), Fraction(0))
    return g - 2 * (sum((a.losers * a.degree for a in levels), Fraction(0)) - losers * (losers - 1) / 2)


def canonical(levels):
    """At most one level of losers, then at most one of any kind, then at most one of winners."""
    return any(
        all(not a.winners for a in levels[:low]) and all(not a.losers for a in levels[low + middle :])
        for low, middle in product((0, 1), (0, 1))
        if len(levels) - low - middle in (0, 1)
    )


def compressed_size(levels):
    """Levels, and kinds of items in each: what every step of the proof of Theorem 3 but one makes less."""
    return len(levels) + sum(bool(a.winners) + bool(a.losers) for a in levels)


def printed_gamma(h, Z, u, v, w):
    """γ of [AilonMohri10]_ as printed, with Z_uv where the pivot v decides u and w."""
    return (
        (h[u, v] * h[v, w] + h[w, v] * h[v, u]) * Z[u, v]
        + (h[v, u] * h[u, w] + h[w, u] * h[u, v]) * Z[v, w]
        + (h[u, w] * h[w, v] + h[v, w] * h[w, u]) * Z[u, v]
    ) / Fraction(3)


def pair_costs(items, law, n):
    """e(u, v), the expected loss of putting v before u, the labels of `items` being drawn; 0 for other items."""
    e = np.full((n, n), Fraction(0), dtype=object)
    for (i, u), (j, v) in permutations(enumerate(items), 2):
        e[u, v] = drawn_pair_loss(law, j, i)
    return e


def paid(h, e):
    """Σ_{u≠v} h(u, v) e(v, u)."""
    return sum((h[u, v] * e[v, u] for u, v in permutations(range(len(h)), 2)), Fraction(0))


def least_paid_by_orders(e):
    """The least Σ e(v, u) over u before v, over all orders."""
    return min(sum(e[v, u] for u, v in combinations(order, 2)) for order in permutations(range(len(e))))


def least_paid_by_preferences(e):
    """Σ min(e(u, v), e(v, u)) over all pairs."""
    return sum(min(e[u, v], e[v, u]) for u, v in combinations(range(len(e)), 2))


def loss_on_sets(outcomes, h):
    """Σ chance · AUC loss of h on the items, over outcomes (chance, items, labels)."""
    return sum(chance * auc_loss(labels, h[np.ix_(items, items)]) for chance, items, labels in outcomes)


def ranking_error(mass, eta, scores):
    """1 - AUC, every point counting once as a positive and once as a negative, by the chance of that."""
    weights = [*(mass * eta), *(mass * (1 - eta))]
    return 1 - auc([True] * len(mass) + [False] * len(mass), [*scores, *scores], weights)


def bipartite_minimiser(finite, loss):
    """The scores of least ½ E[ℓ(1, s - s') + ℓ(-1, s' - s)], by a search with the first held at 0; centred."""
    weight = np.outer(finite.positives, finite.negatives) / 2
    start = np.log(finite.eta / (1 - finite.eta)) / 3

    def risk(free):
        gap = np.subtract.outer(*[np.append(0.0, free)] * 2)
        return np.sum(weight * (loss.value(1, gap) + loss.value(-1, -gap)))

    options = {"xatol": 1e-9, "fatol": 1e-15, "maxiter": 5000}
    found = np.append(0.0, minimize(risk, start[1:] - start[0], method="Nelder-Mead", options=options).x)
    return found - found.mean()


def auc_without(unit, units, labels, scores, groups=None):
    """The AUC of the rows that are not of one unit."""
    kept = [row for row, own in enumerate(units) if own != unit]
    return auc(*([x[row] for row in kept] for x in (labels, scores)), groups=groups and [groups[i] for i in kept])


def by_unit(values, codes):
    """Sums of the values and numbers of rows of every unit that has some."""
    units = sorted(set(codes))
    totals = [sum(x for x, c in zip(values, codes, strict=True) if c == unit) for unit in units]
    return totals, [codes.count(unit) for unit in units]


def loss_regret(costs, mass, eta, guess):
    """E[L(η, q) - L(η, η)], L(η, q) = η c(1, q) + (1 - η) c(-1, q), for a pair of costs c(1, ·), c(-1, ·)."""
    up, down = costs
    wrong = eta * up(guess) + (1 - eta) * down(guess)
    return mass @ (wrong - eta * up(eta) - (1 - eta) * down(eta))


def uniform_reversed(costs, p, eps):
    """η uniform on [p - ε, p + ε], announced as p and ranked backwards: rank and loss regret by quadrature."""
    up, down = costs
    at_p = quad(lambda eta: eta * up(p) + (1 - eta) * down(p), p - eps, p + eps)[0] / (2 * eps)
    best = quad(lambda eta: eta * up(eta) + (1 - eta) * down(eta), p - eps, p + eps, epsabs=1e-15)[0] / (2 * eps)
    return eps / 3 / (p * (1 - p)), at_p - best


def lines(vectors):
    """The lines through 0 on which whole-number vectors lie, each by its shortest vector."""
    found = set()
    for x, y in vectors:
        divisor = math.gcd(x, y) * (1 if (x, y) > (0, 0) else -1)
        found.add((x // divisor, y // divisor))
    return found


def harmonic(n):
    """H_n = 1 + ½ + … + 1/n."""
    return math.fsum(1 / i for i in range(1, n + 1))


def kendall(order):
    """Share of the pairs in the wrong order, item 0 being best."""
    return inversions(order) / comb(len(order), 2)


def within(size, span):
    """Pairs of places that are at most `span` apart, one by one."""
    return {(a, b) for a, b in combinations(range(size), 2) if b - a <= span}


def numeric_optimum(objective, size):
    """scipy's minimum of a function of (w, b) given by the definition alone."""
    return minimize(objective, np.zeros(size), method="BFGS", options={"gtol": 1e-10, "maxiter": 10_000}).x


def stump_scores(X, slopes, start, rounds, rate, min_child_weight=1.0, reg_lambda=1.0):
    """Scores after rounds of stumps, each the best by XGBoost's gain, found by trying all."""
    scores = np.full(len(X), start)
    for _ in range(rounds):
        g, h = slopes(scores)
        best, step = 1e-6, np.full(len(X), -g.sum() / (h.sum() + reg_lambda))
        for column in X.T:
            for cut in np.unique(column)[1:]:
                sides = [column < cut, column >= cut]
                G, H = (np.array([values[side].sum() for side in sides]) for values in (g, h))
                if H.min() < min_child_weight:
                    continue
                gain = (G**2 / (H + reg_lambda)).sum() - g.sum() ** 2 / (h.sum() + reg_lambda)
                if gain > best:
                    best, step = gain, np.where(sides[0], *(-G / (H + reg_lambda)))
        scores = scores + rate * step
    return scores


def _floored(g, h):
    """Slopes, and curvatures of at least an eighth of them."""
    return g, np.maximum(h, np.abs(g) / 8)


def pair_slopes(margin, y, w, groups=None):
    """Of W/2 times the mean over pairs, summed pair by pair, `margin` being φ, φ', φ''."""
    _, slope, curvature = margin
    groups = np.zeros(len(y)) if groups is None else groups
    counts = (y[:, None] > y) & (groups[:, None] == groups)
    mass = np.where(counts, w[:, None] * w, 0.0)
    mass *= w[counts.any(axis=0) | counts.any(axis=1)].sum() / 2 / mass.sum()

    def slopes(s):
        u = s[:, None] - s
        down, bend = mass * slope(u), mass * curvature(u)
        return _floored(down.sum(axis=1) - down.sum(axis=0), bend.sum(axis=1) + bend.sum(axis=0))

    return slopes


def push_slopes(margin, y, w, p):
    """Of W/2 (Σ_j v_j F_j^p)^(1/p), F_j = Σ_i u_i φ(s_i - s_j), the curvature without its term in the squared slope."""
    value, slope, curvature = margin
    up, down = y == 1, y == 0
    a, b = w[up][:, None] / w[up].sum(), w[down] / w[down].sum()

    def slopes(s):
        u = s[up][:, None] - s[down]
        F = (a * value(u)).sum(axis=0)
        once, twice = b * p * F ** (p - 1), b * p * (p - 1) * F ** (p - 2)
        g, h = np.empty((2, len(s)))
        g[up], g[down] = (once * a * slope(u)).sum(axis=1), -once * (a * slope(u)).sum(axis=0)
        h[up] = (twice * (a * slope(u)) ** 2 + once * a * curvature(u)).sum(axis=1)
        h[down] = twice * (a * slope(u)).sum(axis=0) ** 2 + once * (a * curvature(u)).sum(axis=0)
        factor = (b @ F**p) ** (1 / p - 1) / p * w.sum() / 2
        return _floored(factor * g, factor * h)

    return slopes


def point_slopes(loss, y, w, balanced):
    """Of Σ w ℓ(y, s), where both classes are made to weigh half of all if balanced; and the best constant."""
    sign = np.where(y == 1, 1, -1)
    w = w * w.sum() / 2 / np.where(y == 1, w[y == 1].sum(), w[y == 0].sum()) if balanced else w
    start = float(loss.link(w[y == 1].sum() / w.sum()))
    return (lambda s: _floored(w * loss.gradient(sign, s), w * loss.hessian(sign, s))), start


def plackett_luce_chance(theta, order, lapse=0.0):
    """The product over the stages of the chance of the item taken, among those left."""
    total = 1.0
    for stage, taken in enumerate(order):
        left = order[stage:]
        share = math.exp(theta[taken]) / sum(math.exp(theta[other]) for other in left)
        total *= 2 * lapse / len(left) + (1 - 2 * lapse) * share
    return total


def plackett_luce_loss(x, lists, places, n, lapse=0.0):
    """-Σ log of the chance of each list's order at x = (s, b); of ties half as shown and half the other way round."""
    total = 0.0
    for shown, said in zip(lists, places, strict=True):
        ranked = [at for at in range(len(shown)) if not np.isnan(said[at])]
        theta = [x[item] + x[n + at] for at, item in enumerate(shown)]
        forth = sorted(ranked, key=lambda at: (said[at], at))
        back = sorted(ranked, key=lambda at: (said[at], -at))
        total -= sum(math.log(plackett_luce_chance(theta, order, lapse)) / 2 for order in (forth, back))
    return total


def list_pairs(lists, places):
    """(first, second, answer, weight) for all pairs of the k ranked items of each list, the weight being 3/(k + 1)."""
    found = []
    for shown, said in zip(lists, places, strict=True):
        ranked = [(item, place) for item, place in zip(shown, said, strict=True) if not np.isnan(place)]
        for (u, a), (v, b) in combinations(ranked, 2):
            found.append((int(u), int(v), 0.5 if a == b else float(a < b), 3 / (len(ranked) + 1)))
    return found


def closest_normal(loss, n, spread, nodes=6):
    """Mean and covariance of the normal law that minimises E loss(s) + E s²/2τ² - entropy, on a grid of nodes."""
    points, shares = np.polynomial.hermite_e.hermegauss(nodes)
    grid = np.array(list(product(points, repeat=n)))
    weights = np.array([math.prod(of) for of in product(shares / shares.sum(), repeat=n)])
    lower = np.tril_indices(n)

    def law(x):
        root = np.zeros((n, n))
        root[lower] = x[n:]
        return x[:n], root

    def divergence(x):
        mean, root = law(x)
        drawn = mean + grid @ root.T
        values = np.array([loss(s) + s @ s / (2 * spread**2) for s in drawn])
        return weights @ values - np.log(np.abs(np.diag(root))).sum()

    start = np.append(np.zeros(n), (np.eye(n) * min(spread, 1.0))[lower])
    mean, root = law(minimize(divergence, start, tol=1e-4).x)
    return mean, root @ root.T
