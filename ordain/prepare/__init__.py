"""From a table to the matrix a learner takes: :class:`Preparation`, learned from the training rows."""

from ordain.prepare.preparation import Preparation

__all__ = ["Preparation"]
