"""Judges of lists made from functions that put items in order.

A function takes a list of items and returns them best first; items are matched by identity, then by equality, left to
right. A list or tuple among them that is no item itself is a tie of what is in it. What comes back wrong, an item
twice, one that was not shown, one left out, is asked for once more; then what can be used of the better reply is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ordain._types import Answers, Pairs
from ordain.preference.answers import Stream, ask
from ordain.preference.awaited import Loop
from ordain.preference.questions import as_shown, blank
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

    All lists of a batch are awaited together if `order` is asynchronous, or given at once if it takes batches.
    """

    def __init__(self, items: Any, order: Callable[[Any], Any], loop: Loop) -> None:
        self.items, self.order, self.loop = items, order, loop
        self.numbered_items, self.asked, self.faulty = len(items), 0, 0

    def __call__(self, lists: Pairs) -> Answers:
        return ask(self, lists)

    def arriving(self, pairs: Pairs) -> Stream:
        """Rows and places as they arrive; a pair is answered with 1, ½ or 0."""
        shown, again = [as_shown(row) for row in pairs.tolist()], dict[int, Reply]()
        for row, reply in self._replies(shown):
            if reply[1]:
                yield row, _answer(pairs[row], reply)
            else:
                again[row] = reply
        rows = list(again)
        for place, second in self._replies([shown[row] for row in rows]):
            row = rows[place]
            best = second if second[1] else max(again[row], second, key=_used)
            self.faulty += not best[1]
            yield row, _answer(pairs[row], best)
        self.asked += len(shown)

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


def from_order(items: Any, order: Callable[[Any], Any], *, loop: Loop | None = None) -> Orders:
    """`order(list)` on the items themselves, list by list, or all lists of a batch at once if marked with `batch`.

    It returns the items best first, or their positions if marked with :func:`positions`; it may be asynchronous.

    Examples
    --------
    >>> from_order(["pear", "fig", "banana"], sorted)(np.array([[0, 1, 2]]))
    array([[2., 1., 0.]])
    """
    if not callable(order):
        raise ValueError(f"order must be a function of a list of items. Got {type(order).__name__}.")
    return Orders(items, order, loop or Loop())


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
