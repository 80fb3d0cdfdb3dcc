"""Hypothesis strategies for what users have: labels, scores, weights, groups."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

EXTREMES = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    2.2e-308,
    1.0,
    1.0 + 2**-52,
    1.0 - 2**-53,
    1e308,
    -1e308,
    1.7976931348623157e308,
]

finite = st.floats(allow_nan=False, allow_infinity=False)
scores = st.one_of(st.sampled_from(EXTREMES), st.integers(-3, 3).map(float), finite)
probabilities = st.floats(0, 1)
signs = st.sampled_from([-1, 1])


@st.composite
def scored_labels(draw, most=30):
    """Labels with both classes and as many scores, ties and extremes among them."""
    n = draw(st.integers(2, most))
    labels = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda labels: 0 < sum(labels) < len(labels)))
    return np.array(labels), np.array(draw(st.lists(scores, min_size=n, max_size=n)))
