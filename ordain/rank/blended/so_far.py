"""What to ask next by: the model with features, or items alone while these explain the answers better.

Features that mean nothing would else choose the questions, and items that look the same to them would not be asked
about. Once the features are believed, see :mod:`ordain.rank.blended.learned`, items alone are not fitted any more.
"""

from __future__ import annotations

from ordain._types import Answers, Pairs, Vector
from ordain.rank.blended.blend import STEPS, Asked, Blend, blended
from ordain.rank.blended.known_features import Features, nothing_known
from ordain.rank.blended.learned import Learned, learned

PATIENCE = 0.5
"""What the features may take from the log-likelihood and still choose: true ones may look so after a few answers."""


class SoFar:
    """The fits after each round of answers, each from the one before."""

    def __init__(self, features: Features) -> None:
        self.features = features
        self.both: Blend | None = None
        self.alone: Blend | None = None
        self.believed = False

    def learn(self, pairs: Pairs, answers: Answers, weights: Vector | None = None) -> Blend:
        """The model by which to ask, after all answers so far.

        Examples
        --------
        >>> import numpy as np
        >>> from ordain.rank.blended.known_features import given_features
        >>> so_far = SoFar(given_features([[0.0], [1.0], [2.0], [3.0]], 4))
        >>> model = so_far.learn(np.array([[1, 0], [3, 2], [3, 0]]), np.ones(3))
        >>> np.argsort(-model.scores).tolist()
        [3, 2, 1, 0]
        """
        self.both = blended(Asked.of(pairs, answers, self.features, weights), self.features, self.both, most=STEPS)
        if self.believed:
            return self.both
        items = nothing_known(self.features.n)
        self.alone = blended(Asked.of(pairs, answers, items, weights), items, self.alone, most=STEPS)
        found = Learned(self.both, self.alone)
        self.believed = found.helped
        return self.both if found.gain >= -PATIENCE else self.alone

    def learned(self, pairs: Pairs, answers: Answers, weights: Vector | None = None) -> Learned:
        """What all answers teach in the end."""
        return learned(pairs, answers, self.features, weights, self.both, self.alone)
