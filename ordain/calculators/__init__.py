"""What the theorems say about numbers of your own: frozen records that answer in sentences, for `ordain bound`.

Each record holds what was asked; its figures are properties of that, and `as_json` gives them all. Bounds are rounded
away from what would make them stronger.
"""

from ordain.calculators.answer import Answer
from ordain.calculators.excess import Excess
from ordain.calculators.rows import Certainty, Need
from ordain.calculators.sorting import Sorting

__all__ = ["Answer", "Certainty", "Excess", "Need", "Sorting"]
