"""How sure scores are where also the spreads are only guessed: errors of a fit whose spreads are as large as may be.

Few answers, of near items, hardly tell a small spread from a large one, and the likeliest comes out too small. Spreads
are as well known as if γ normal numbers had shown them, γ being the number of unknowns that the answers determine; so
the errors are those of a fit with all spreads exp(4/√γ) times as large, and what its scores differ by counts as well.
Four was chosen so that intervals of differences hold, of items never asked about too: `benchmarks/learn.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ordain._types import Vector
from ordain.rank.blended.blend import Blend, Spreads, at_spreads

WIDE = 4.0
"""Standard errors, in units of 1/√γ, by which the logarithm of the spreads may be off."""

FARTHEST = 1.0
"""The most it is taken to be off."""


@dataclass(frozen=True)
class Doubted:
    """The fit, and one with the largest spreads that are plausible."""

    fit: Blend
    wide: Blend

    @classmethod
    def of(cls, fit: Blend) -> Doubted:
        """The doubt about a fit.

        Examples
        --------
        >>> from ordain.rank.blended.blend import Asked, blended
        >>> from ordain.rank.blended.known_features import nothing_known
        >>> items = nothing_known(3)
        >>> fit = blended(Asked.of(np.array([[0, 1], [0, 1], [1, 0]]), np.array([1.0, 0.9, 0.4]), items), items)
        >>> bool((Doubted.of(fit).standard_errors > fit.standard_errors).all())
        True
        """
        far = np.exp(min(WIDE / np.sqrt(max(fit.determined, 1.0)), FARTHEST))
        own, features, lapse = fit.spreads
        return cls(fit, at_spreads(fit, Spreads(own * far, features * far, lapse)))

    def by_each(self, items: Vector) -> list[tuple[Vector, Vector]]:
        """Scores of some items and their standard errors by either fit."""
        return [(one.scores[items], one.standard_errors[items]) for one in (self.fit, self.wide)]

    @property
    def scores(self) -> Vector:
        """Those of the fit."""
        return self.fit.scores

    @cached_property
    def _gains(self) -> Vector:
        return self.wide.scores - self.fit.scores

    @cached_property
    def standard_errors(self) -> Vector:
        """Standard deviations of the scores about their mean."""
        return np.hypot(self.wide.standard_errors, self._gains)

    def difference_variances(self, first: Vector, second: Vector) -> Vector:
        """Variances of the differences between the scores of some items and of others."""
        own = self.wide.difference_variances(first, second)
        return own + (self._gains[first] - self._gains[second]) ** 2
