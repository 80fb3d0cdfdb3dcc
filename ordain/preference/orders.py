"""Judges of lists made from functions that put items in order.

A function takes a list of items and returns them best first; items are matched by identity, then by equality, left to
right. A list or tuple among them that is no item itself is a tie of what is in it. What comes back wrong, an item
twice, one that was not shown, one left out, is asked for once more, if the budget allows; then what can be used of the
better reply is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ordain._types import Answers, Pairs
from ordain.preference.answers import Spent, Stream, ask
from ordain.preference.awaited import Loop
from ordain.preference.questions import as_shown, blank, texts
from ordain.preference.sources import marked

Reply = tuple[list[float], bool]
"""The places of the items shown, NaN for what was not ranked, and whether the reply was whole."""


def positions(order: Callable[..., Any]) -> Callable[..., Any]:
    """Mark `order` as returning the positions of the items in the list it was given, from 0 on, best first.

    Examples
    --------
    >>> shortest_first = positions(lambda words: sorted(range(len(words)), key=lambda k: len(words[k])))
    >>> from_order(["pear", "fig", "banana"], shortest_first)(np.array([[0, 1, 2]]))
    array([[1., 0., 2.]])
    """
    return marked(order, gives_positions=True)


class Orders:
    """`order` as a judge of lists of item numbers; `faulty` counts the replies that were not whole, `asked` all.

    All lists of a batch are awaited together if `order` is asynchronous, or given at once if it takes batches. `left`
    is how many texts may still be shown, in whatever is asked once more too.
    """

    def __init__(self, items: Any, order: Callable[[Any], Any], loop: Loop, budget: int | None) -> None:
        if budget is not None and not (budget >= 0 and budget % 1 == 0):
            raise ValueError(f"budget must be a whole number of texts, 0 or more. Got {budget}.")
        self.items, self.order, self.loop = items, order, loop
        self.numbered_items, self.asked, self.faulty = len(items), 0, 0
        self.left = np.inf if budget is None else int(budget)

    def __call__(self, lists: Pairs) -> Answers:
        return ask(self, lists)

    def arriving(self, pairs: Pairs) -> Stream:
        """Rows and places as they arrive; a pair is answered with 1, ½ or 0."""
        shown, first = [as_shown(row) for row in pairs[: self._afforded(pairs)].tolist()], dict[int, Reply]()
        for row, reply in self._replies(shown):
            if reply[1]:
                yield row, _answer(pairs[row], reply)
            else:
                first[row] = reply
        rows = list(first)
        again = rows[: self._afforded(pairs[rows])]
        for place, second in self._replies([shown[row] for row in again]):
            row = again[place]
            first[row] = second if second[1] else max(first[row], second, key=_used)
            yield self._settled(pairs, row, first[row])
        yield from (self._settled(pairs, row, first[row]) for row in rows[len(again) :])
        self.asked += len(shown)
        if len(shown) < len(pairs):
            raise Spent

    def _afforded(self, pairs: Pairs) -> int:
        """How many of the questions what is left pays for, in their order; they are paid."""
        spent = np.cumsum(texts(pairs))
        count = int(np.searchsorted(spent, self.left, side="right"))
        self.left -= int(spent[count - 1]) if count else 0
        return count

    def _settled(self, pairs: Pairs, row: int, reply: Reply) -> tuple[int, Any]:
        """The answer that it stays with, counted if it is not whole."""
        self.faulty += not reply[1]
        return row, _answer(pairs[row], reply)

    def _replies(self, shown: Sequence[tuple[int, ...]]) -> Iterable[tuple[int, Reply]]:
        """What the function makes of each list, as it comes."""
        lists = [[self.items[item] for item in one] for one in shown]
        for row, reply in self._called(lists):
            yield row, _places(lists[row], reply, getattr(self.order, "gives_positions", False))

    def _called(self, lists: list[list[Any]]) -> Iterable[tuple[int, Any]]:
        if not lists:
            return
        if getattr(self.order, "takes_batches", False):
            yield from enumerate(_as_many(self.loop.settled(self.order(lists)), len(lists)))
        else:
            yield from self.loop.each(map(self.order, lists))


def from_order(
    items: Any, order: Callable[[Any], Any], *, loop: Loop | None = None, budget: int | None = None
) -> Orders:
    """`order(list)` on the items themselves, list by list, or all lists of a batch at once if marked with `batch`.

    It returns the items best first, or their positions if marked with :func:`positions`; it may be asynchronous. At
    most `budget` texts are shown, those of lists that are asked for once more among them; a batch that has more is
    answered as far as it goes, then :class:`Spent` is raised. (:func:`budgeted` knows of no asking once more.)

    Examples
    --------
    >>> from_order(["pear", "fig", "banana"], sorted)(np.array([[0, 1, 2]]))
    array([[2., 1., 0.]])
    """
    if not callable(order):
        raise ValueError(f"order must be a function of a list of items. Got {type(order).__name__}.")
    return Orders(items, order, loop or Loop(), budget)


def _answer(question: Any, reply: Reply) -> Any:
    """The places, as wide as the batch; for a pair a number."""
    places = reply[0]
    if len(question) == 2:
        ahead = places[1] - places[0]
        return 0.5 if np.isnan(ahead) else 0.5 + np.sign(ahead) / 2
    answer = blank(question[None])[0]
    answer[: len(places)] = places
    return answer


def _places(items: list[Any], reply: Any, by_position: bool) -> Reply:
    """The place of each item in a reply, its first one if it stands there twice."""
    places, whole, left = [float("nan")] * len(items), True, dict(enumerate(items))
    for place, entry in enumerate(_entries(reply)):
        tied = [entry] if by_position or _found(entry, left) is not None else _entries(entry, alone=True)
        for one in tied:
            at = (one if one in left else None) if by_position else _found(one, left)
            if at is None:
                whole = False
            else:
                places[at] = float(place)
                del left[at]
    return places, whole and not left


def _found(entry: Any, left: dict[int, Any]) -> int | None:
    """Where an item stands among those left, by identity, then by equality."""
    same = next((at for at, item in left.items() if item is entry), None)
    return next((at for at, item in left.items() if _equal(item, entry)), None) if same is None else same


def _equal(item: Any, entry: Any) -> bool:
    same = item == entry
    return bool(same) if np.ndim(same) == 0 else np.array_equal(item, entry)


def _entries(reply: Any, alone: bool = False) -> list[Any]:
    """What a reply lists; what is no list lists nothing, or itself."""
    if isinstance(reply, str | bytes) or not isinstance(reply, Iterable):
        return [reply] if alone else []
    return list(reply) if not alone or isinstance(reply, list | tuple | set | frozenset) else [reply]


def _as_many(replies: Any, count: int) -> list[Any]:
    """One reply per list."""
    given = list(replies)
    if len(given) != count:
        raise ValueError(f"order must return one list per list it is given. Got {len(given)} for {count}.")
    return given


def _used(reply: Reply) -> int:
    """How many items a reply has a place for."""
    return int(np.count_nonzero(~np.isnan(reply[0])))
