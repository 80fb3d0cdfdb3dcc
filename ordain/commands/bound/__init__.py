"""`ordain bound`: what the theorems say about numbers of your own, as frozen records that answer in sentences.

Each record holds what was asked; its figures are properties of that, and `as_json` gives them all. Bounds are rounded
away from what would make them stronger.
"""

from ordain.commands.bound.answer import Answer
from ordain.commands.bound.certainty import Certainty, Need
from ordain.commands.bound.excess import Excess
from ordain.commands.bound.sort_cost import Sorting
from ordain.commands.console import print_json, say

__all__ = ["Answer", "Certainty", "Excess", "Need", "Sorting", "tell"]


def tell(answer: Answer, as_json: bool) -> None:
    """A record that speaks in sentences and in figures."""
    if as_json:
        print_json(answer.as_json())
    else:
        say(str(answer))
