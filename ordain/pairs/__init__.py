"""The risk of all pairs, without the pairs: :class:`PairRisk`."""

from ordain.pairs.risk import PairRisk

__all__ = ["PairRisk"]
