"""Laws of scores with a known AUC, from which the benchmarks of intervals draw many samples at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, ndtr, ndtri

from ordain.measure.area import placements

GRID = (np.arange(20_000) + 0.5) / 20_000
Draw = Callable[[np.random.Generator, tuple[int, int]], Any]


class Law(NamedTuple):
    """How positives and negatives are drawn."""

    positives: Draw
    negatives: Draw


def normal(shift: float, scale: float = 1.0) -> Draw:
    return lambda rng, shape: shift + scale * rng.standard_normal(shape)


def binormal(auc: float) -> Law:
    return Law(normal(np.sqrt(2) * ndtri(auc)), normal(0))


def unequal_variances(auc: float) -> Law:
    return Law(normal(np.sqrt(10) * ndtri(auc), 3), normal(0))


def mixture(auc: float) -> Law:
    """A positive beats all negatives with probability A and loses to all otherwise."""
    return Law(lambda rng, shape: np.where(rng.random(shape) < auc, 1.0, -1.0), lambda rng, shape: np.zeros(shape))


def levels(tilted: Callable[[float], Any], auc: float) -> Law:
    """Levels 0, 1, … with probabilities tilted(±t), t such that the AUC is right."""

    def area(t: float) -> float:
        above, below = tilted(t), tilted(-t)
        return float(above @ (np.cumsum(below) - below / 2))

    t = brentq(lambda t: area(t) - auc, 0, 40)

    def draw(p: Any) -> Draw:
        return lambda rng, shape: np.searchsorted(np.cumsum(p)[:-1], rng.random(shape), "right").astype(float)

    return Law(draw(tilted(t)), draw(tilted(-t)))


def five_levels(auc: float) -> Law:
    return levels(lambda t: np.diff(ndtr(np.array([-np.inf, -1.2, -0.4, 0.4, 1.2, np.inf]) - t)), auc)


def three_levels(auc: float) -> Law:
    def tilted(t: float) -> Any:
        weights = np.array([0.5, 0.3, 0.2]) * np.exp(t * np.arange(3))
        return weights / weights.sum()

    return levels(tilted, auc)


def two_levels(auc: float) -> Law:
    return Law(*(lambda rng, shape, p=p: (rng.random(shape) < p).astype(float) for p in (auc, 1 - auc)))


def exponential(auc: float) -> Law:
    return Law(
        lambda rng, shape: auc / (1 - auc) * rng.exponential(size=shape), lambda rng, shape: rng.exponential(size=shape)
    )


def solved(auc: float, most: float, quantile: Callable[[float, Any], Any], below: Callable[[Any], Any]) -> float:
    """t with E F₋(Q₊(t, u)) = A over uniform u, F₋ the share of negatives below, half of those tied."""
    return float(brentq(lambda t: np.mean(below(quantile(t, GRID))) - auc, 1e-9, most, xtol=1e-12))


def shifted(auc: float, draw: Draw, quantile: Callable[[Any], Any], below: Callable[[Any], Any]) -> Law:
    """Positives are drawn as negatives and moved up."""
    t = solved(auc, 1e4, lambda t, u: quantile(u) + t, below)
    return Law(lambda rng, shape: draw(rng, shape) + t, draw)


def lognormal(auc: float) -> Law:
    def below(x: Any) -> Any:
        return ndtr(np.log(x))

    return shifted(auc, lambda rng, shape: np.exp(rng.standard_normal(shape)), lambda u: np.exp(ndtri(u)), below)


def student_two(auc: float) -> Law:
    def quantile(u: Any) -> Any:
        return (2 * u - 1) / np.sqrt(2 * u * (1 - u))

    return shifted(
        auc, lambda rng, shape: quantile(rng.random(shape)), quantile, lambda x: 0.5 + x / (2 * np.sqrt(2 + x * x))
    )


def bimodal(auc: float) -> Law:
    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
        return 5.0 * (rng.random(shape) < 0.5) + rng.standard_normal(shape)

    def quantile(u: Any) -> Any:
        return np.where(u < 0.5, ndtri(np.minimum(2 * u, 1 - 1e-12)), 5 + ndtri(np.maximum(2 * u - 1, 1e-12)))

    return shifted(auc, draw, quantile, lambda x: (ndtr(x) + ndtr(x - 5)) / 2)


def beta(auc: float) -> Law:
    x = GRID

    def area(t: float) -> float:
        density = x ** (1 + t) * (1 - x) ** 2
        return float(density @ betainc(2, 3, x) / density.sum())

    t = brentq(lambda t: area(t) - auc, 0, 5000)
    return Law(lambda rng, shape: rng.beta(2 + t, 3, shape), lambda rng, shape: rng.beta(2, 3, shape))


def zero_inflated(auc: float) -> Law:
    """Zeros with probability .6/k and else exponential with mean k; k = 1 for the negatives."""

    def quantile(k: float, u: Any) -> Any:
        zeros = 0.6 / k
        return np.where(u < zeros, 0.0, -k * np.log1p(-np.maximum(u - zeros, 0) / (1 - zeros)))

    k = 1 + solved(
        auc, 1e6, lambda t, u: quantile(1 + t, u), lambda x: np.where(x == 0, 0.3, 0.6 + 0.4 * -np.expm1(-x))
    )
    return Law(*(lambda rng, shape, k=k: quantile(k, rng.random(shape)) for k in (k, 1.0)))


def outliers(share: float, among: str) -> Callable[[float], Law | None]:
    """Binormal, but a share of the positives lies below, or of the negatives above, all the others."""

    def law(auc: float) -> Law | None:
        if auc / (1 - share) > 0.9998:
            return None
        above, below = binormal(auc / (1 - share))

        def gross(draw: Draw, far: float) -> Draw:
            return lambda rng, shape: np.where(rng.random(shape) < share, far, draw(rng, shape))

        return Law(gross(above, -1e3), below) if among == "positives" else Law(above, gross(below, 1e3))

    return law


def gross(spread: float, share: float, among: str) -> Callable[[float], Law | None]:
    """One class is N(t, spread²) and always loses a little to the other, N(0, 1); a share of it loses everything."""

    def law(auc: float) -> Law | None:
        if auc / (1 - share) > 0.9998:
            return None
        far = float(np.sqrt(1 + spread**2) * ndtri(auc / (1 - share)))

        def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
            return np.where(rng.random(shape) < share, -1e3, far + spread * rng.standard_normal(shape))

        if among == "positives":
            return Law(draw, normal(0))
        return Law(normal(0), lambda rng, shape: -draw(rng, shape))

    return law


def counts(above: Any, below: Any) -> tuple[Any, Any]:
    """Placements in every sample, a sample being a row of both arrays.

    All samples are sorted at once, by whole numbers: the sample in the upper bits, below it the score in single
    precision with its bits in the order of the numbers. Then a row also beats those of other samples, whose
    number is known.
    """
    (samples, m), n = above.shape, below.shape[1]
    bits = (np.hstack([above, below]).astype(np.float32) + np.float32(0)).view(np.int32).astype(np.int64)
    keys = np.where(bits < 0, bits ^ 0x7FFFFFFF, bits) + (np.arange(samples)[:, None] << 32)
    placed = placements(np.tile(np.arange(m + n) < m, samples), keys.ravel()).reshape(samples, m + n)
    earlier = 2 * np.arange(samples)[:, None]
    return (placed[:, :m] - n * earlier) / (2 * n), (placed[:, m:] - m * earlier[::-1]) / (2 * m)


def batches(samples: int, rows: int) -> Iterator[int]:
    """Sample counts that sum to `samples` with at most a million rows at once."""
    most = max(1, 1_000_000 // rows)
    yield from (min(most, samples - done) for done in range(0, samples, most))
