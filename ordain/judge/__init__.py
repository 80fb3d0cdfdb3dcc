"""Judging runs: a list of anything, ranked by a language model, by people or by a judge of one's own.

:class:`Run` is the Python face: a file that keeps every answer, and goes on where it was stopped.
"""

from ordain.judge.judged_items import Item
from ordain.judge.outcome import Outcome
from ordain.judge.run import Run

__all__ = ["Item", "Outcome", "Run"]
