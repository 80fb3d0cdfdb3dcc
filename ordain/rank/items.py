"""`ordain.sort` and `ordain.top_k`: any items, best first, by any judge of two, or of ten, at a time."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ordain._types import Answers, Pairs
from ordain.preference import Known, Preference, Spent, arriving, budgeted, check_answers, from_function, remembering
from ordain.preference.awaited import Loop
from ordain.preference.orders import from_order
from ordain.preference.questions import as_shown, blank
from ordain.rank import quicksorts
from ordain.rank.averaging import window
from ordain.rank.blended.known_features import given_features
from ordain.rank.least_disagreement import degree, feedback_arc_set, greedy
from ordain.rank.lists import Size, list_field, list_window
from ordain.rank.play import Ranker, play

METHODS: dict[str, Callable[[int, np.random.Generator], Ranker]] = {
    "quicksort": quicksorts.quicksort,
    "averaged_quicksort": quicksorts.averaged_quicksort,
    "degree": degree,
    "greedy": greedy,
    "feedback_arc_set": feedback_arc_set,
}
"""The rankers that `sort` knows by name and that need no budget."""

Item = TypeVar("Item")

SHOWINGS = {"sort": 12, "top_k": 8}
"""How often each item is shown in lists on average, where no budget is given."""


LEARNED = 500
"""Calls, or lists of ten, from which it is learned to order all, where no budget is given."""


class Options(NamedTuple):
    """What :func:`sort` and :func:`top_k` take alike, see there."""

    seed: int | None
    budget: int | None
    known: Known | None
    progress: Callable[[int], Any] | None


def sort(
    items: Iterable[Item],
    prefer: Callable[[Any, Any], Any] | None = None,
    *,
    order: Callable[[Any], Any] | None = None,
    size: Size = 10,
    seed: int | None = None,
    method: str | None = None,
    budget: int | None = None,
    known: Known | None = None,
    progress: Callable[[int], Any] | None = None,
    features: Any = None,
) -> list[Item]:
    """The items, best first, by a judge of two, or of ten, who may contradict himself.

    QuickSort is the default because what it promises holds for every judge: its expected loss is at most twice the
    judge's own, exactly the judge's own if items are only good or bad, and it asks at most 2(n + 1)H_n - 4n pairs on
    average, in about 2 log₂ n batches [AilonMohri10]_. Where the judge's errors are independent, ``window`` is better
    at equal cost, and promises nothing. A judge who can put ten items in order at a time is asked for far less: give
    `order` instead of `prefer`. That, too, promises nothing.

    Parameters
    ----------
    items : iterable
    prefer : callable, optional
        `prefer(a, b)` is True, or near 1, if `a` should come before `b`. A fraction is a coin with that chance of True;
        if it is a probability you believe in, `prefer(a, b) > 0.5` loses less. Each pair is shown in random order. A
        function marked with :func:`ordain.preference.batch` gets all pairs of a level at once. It may be wrapped, as
        ``ordain.preference.remembering(prefer)``, and be a preference of item numbers, as ``from_matrix(h)``. If it is
        asynchronous, all pairs of a level are awaited together, in a thread with an event loop of its own, so that it
        works in a notebook too; how many at a time is its affair.
    order : callable, optional
        Instead of `prefer`: `order(list)` is the list, best first; a list or tuple within it is a tie. What comes back
        wrong (an item twice, left out, or unknown) is asked for once more within the budget and then used as far as it
        goes; a warning says how often. :func:`ordain.preference.positions` marks one that returns positions,
        :func:`ordain.preference.batch` one that takes many lists at once; it may be asynchronous.
    size : int or "auto"
        How many items `order` is given at a time; "auto" finds out, from 4,000 texts on, and the logger ``ordain`` is
        told what in a sentence (``logging.INFO``).
    seed : int, optional
        The same seed and answers give the same order.
    method : str, optional
        With `prefer`: ``quicksort``, the default, or ``averaged_quicksort``; ``window``, which needs a budget; or,
        asking all n(n - 1)/2 pairs, ``degree``, ``greedy``, ``feedback_arc_set``.
    budget : int, optional
        The most calls of `prefer`; when they are spent, the best order so far is returned. Of `order` it is the most
        items shown, counted as often as they are; twelve times each if it is not given.
    known : mutable mapping, optional
        Answers from before, by item numbers: the one at (0, 2) is to `prefer(items[0], items[2])`, the one at (0, 2, 1)
        has the places of these three in `order`. No question in it is asked, in any order, and new answers are added
        to it as they arrive.
    progress : callable, optional
        Told, as answers arrive, how many questions are answered so far, those of `known` among them.
    features : array of shape (n_items, n_features), optional
        What is known of each item: a model of features and items then learns from some hundred answers to order all,
        those never asked about too, see :mod:`ordain.rank.blended.blend`. `method` must be ``window`` or left out, and
        the budget is 500 calls, or 5,000 texts, if that is less than else. Where features do not help the order is by
        answers alone, and what was never asked about comes last, in the order given; a sentence on it goes to the
        logger ``ordain``.

    Notes
    -----
    An error in `prefer` loses nothing. It carries `known`, the answers so far, `order`, the items best first as far as
    these tell, and `seed`: ``sort(items, prefer, known=error.known, seed=error.seed)`` goes on from there.

    Examples
    --------
    >>> sort(["fig", "banana", "pear"], lambda a, b: len(a) > len(b))
    ['banana', 'pear', 'fig']
    >>> sort(["fig", "banana", "pear"], order=lambda fruits: sorted(fruits, key=len), seed=0)
    ['fig', 'pear', 'banana']

    >>> def unripe(a, b):
    ...     if "kiwi" in (a, b):
    ...         raise LookupError("no kiwi yet")
    ...     return a < b
    >>> fruits = ["fig", "date", "pear", "kiwi", "apple"]
    >>> try:
    ...     sort(fruits, unripe, seed=2)
    ... except LookupError as error:
    ...     known, so_far = error.known, error.order
    >>> so_far, known
    (['apple', 'pear', 'kiwi', 'fig', 'date'], {(4, 2): 1.0})
    >>> sort(fruits, lambda a, b: a < b, seed=2, known=known)
    ['apple', 'date', 'fig', 'kiwi', 'pear']

    >>> sort(range(1000), lambda a, b: a > b, features=np.arange(1000.0), budget=100, seed=0)[:5]
    [999, 998, 997, 996, 995]
    """
    listed = _listed(items)
    _check_judge(prefer, order, method)
    options = Options(_seed(seed), budget, known, progress)
    rng = np.random.default_rng(options.seed)
    if features is not None:
        ranker, options = _learning(features, listed, rng, options, None if order is None else size, method)
    elif order is None:
        ranker = _ranker(method or "quicksort", len(listed), rng, budget)
    else:
        texts = SHOWINGS["sort"] * len(listed) if budget is None else budget
        ranker, options = list_window(len(listed), rng, texts, size, report=_said), options._replace(budget=texts)
    return _ordered(ranker, Asked(listed, prefer, order, options), len(listed))


def top_k(
    items: Iterable[Item],
    prefer: Callable[[Any, Any], Any] | None = None,
    k: int | None = None,
    *,
    order: Callable[[Any], Any] | None = None,
    size: Size = 10,
    seed: int | None = None,
    budget: int | None = None,
    known: Known | None = None,
    progress: Callable[[int], Any] | None = None,
) -> list[Item]:
    """The k best items, best first, in O(n + k log k) calls on average: the first k that :func:`sort` would give.

    Parameters as for :func:`sort`. With `order` a field of lists shrinks to the best, at eight showings an item if no
    budget is given.

    Examples
    --------
    >>> top_k(range(100), lambda a, b: a > b, k=3)
    [99, 98, 97]
    """
    listed = _listed(items)
    _check_judge(prefer, order)
    if k is None or not 1 <= k <= len(listed) or int(k) != k:
        raise ValueError(f"k must be a whole number from 1 to the number of items, {len(listed)}. Got {k}.")
    options = Options(_seed(seed), budget, known, progress)
    rng = np.random.default_rng(options.seed)
    if order is None:
        ranker = quicksorts.top_k(len(listed), int(k), rng)
    else:
        texts = SHOWINGS["top_k"] * len(listed) if budget is None else budget
        ranker = list_field(len(listed), int(k), rng, texts, size, report=_said)
        options = options._replace(budget=texts)
    return _ordered(ranker, Asked(listed, prefer, order, options), int(k))


class Asked:
    """`prefer` or `order` as a judge who ends the run when it fails; the error and the answers before it are kept."""

    def __init__(self, items: Any, prefer: Any, order: Any, options: Options) -> None:
        self.items, self.options = items, options
        self.loop = Loop()
        self.orders = None if order is None else from_order(items, order, loop=self.loop, budget=options.budget)
        self.judge: Preference = self.orders or from_function(items, prefer, loop=self.loop)
        if options.budget is not None and self.orders is None:
            self.judge = budgeted(self.judge, options.budget)
        if options.known is not None:
            self.judge = remembering(self.judge, _check_known(options.known, len(items)))
        self.log: list[tuple[Pairs, Answers]] = []
        self.count, self.error = 0, None  # type: int, BaseException | None

    def __call__(self, pairs: Pairs) -> Answers:
        given = blank(pairs)
        try:
            for rows, answers in arriving(self.judge, pairs):
                given[rows] = answers
                self.count += np.size(rows)
                if self.options.progress is not None:
                    self.options.progress(self.count)
        except BaseException as error:
            self.error = None if isinstance(error, Spent) else error
            raise Spent(given) from error
        finally:
            if self.options.known is None:
                self.log.append((pairs.astype(np.int32), _small(given)))
        return given

    @property
    def known(self) -> Known:
        """The answers so far."""
        known: Known = {} if self.options.known is None else self.options.known
        for pairs, answers in self.log:
            for shown, answer in zip(pairs.tolist(), answers.tolist(), strict=True):
                if not np.isnan(answer).all():
                    question = as_shown(shown)
                    known.setdefault(question, tuple(answer[: len(question)]) if len(question) > 2 else answer)
        return known

    def warn(self) -> None:
        """Say how many orders were not whole."""
        if self.orders is not None and self.orders.faulty:
            warnings.warn(
                f"{self.orders.faulty} of {self.orders.asked} orders had an item twice, left out or unknown, also when "
                "asked for once more, if the budget allowed that. What could be used of them was used.",
                stacklevel=4,
            )


def _ordered(ranker: Ranker, asked: Asked, k: int) -> list[Any]:
    """The first k items; an error carries them with the answers."""
    with asked.loop:
        order = play(ranker, asked)
    found = [asked.items[item] for item in order[:k].tolist()]
    asked.warn()
    if asked.error is None:
        return found
    vars(asked.error).update(known=asked.known, order=found, seed=asked.options.seed)
    with suppress(AttributeError):  # of errors that are frozen
        asked.error.add_note(
            f"{asked.count} questions were answered before: known=error.known, seed=error.seed goes on from there, "
            "error.order is the order so far."
        )
    raise asked.error


def _said(sentence: object) -> None:
    logging.getLogger("ordain").info(sentence)


def _small(answers: Answers) -> Answers:
    """The same numbers in a quarter of the memory, where that holds them: yes and no it does."""
    small = answers.astype(np.float16)
    return small if np.array_equal(small, answers, equal_nan=True) else answers


def _seed(seed: int | None) -> Any:
    """One that can be told, drawn if none is given."""
    return np.random.SeedSequence().entropy if seed is None else seed


def _check_known(known: Known, n: int) -> Known:
    """Pairs of item numbers, or more of a list, and an answer to each."""
    for items in known:
        if not (isinstance(items, tuple) and len(set(items)) == len(items) >= 2 and set(items) <= set(range(n))):
            raise ValueError(f"known must have pairs of item numbers, from 0 to {n - 1}, as keys. Got {items!r}.")
    pairs = [items for items in known if len(items) == 2]
    check_answers(np.array(pairs), [known[items] for items in pairs])
    for items in known.keys() - {*pairs}:
        if np.shape(known[items]) != (len(items),):
            raise ValueError(f"known must have one place per item of a list. Got {known[items]!r} for {items}.")
    return known


def _check_judge(prefer: Any, order: Any, method: str | None = None) -> None:
    """There must be one way to ask."""
    if (prefer is None) == (order is None):
        got = "neither" if prefer is None else "both"
        raise ValueError(f"either prefer(a, b) or order(list) must be given. Got {got}.")
    if order is not None and method is not None:
        raise ValueError(f"method is for prefer(a, b). Got {method!r} beside order. Leave one of them out.")


def _ranker(method: str, n: int, rng: np.random.Generator, budget: int | None) -> Ranker:
    """The ranker of this name; the window plans for its budget."""
    if method in METHODS:
        return METHODS[method](n, rng)
    if method != "window":
        raise ValueError(f"method must be one of {', '.join(METHODS)}, window. Got {method!r}.")
    if budget is None:
        raise ValueError("method 'window' must be given a budget. Got none. Try n log2(n) calls for n items, or more.")
    return window(n, rng, budget)


def _learning(
    features: Any, items: Any, rng: np.random.Generator, options: Options, size: Size | None, method: str | None
) -> tuple[Ranker, Options]:
    """The ranker that learns from features, of pairs or of lists, and the options with its budget."""
    n = len(items)
    if method not in (None, "window"):
        raise ValueError(f"method must be 'window', or left out, where features are given. Got {method!r}.")
    known = given_features(features, n)
    if size is None:
        calls = min(LEARNED, n * n.bit_length()) if options.budget is None else options.budget
        return window(n, rng, calls, features=known, report=_said), options._replace(budget=calls)
    texts = min(10 * LEARNED, SHOWINGS["sort"] * n) if options.budget is None else options.budget
    return list_window(n, rng, texts, size, report=_said, features=known), options._replace(budget=texts)


def _listed(items: Iterable[Any]) -> Any:
    """Items that can be taken by number; arrays stay arrays, for functions that take batches."""
    if type(items).__name__ in ("DataFrame", "LazyFrame", "Table", "RecordBatch"):
        raise ValueError(
            f"items must be a list of what is to be ordered. Got a {type(items).__name__}, which lists its columns. "
            "Give its rows, to_dict('records') in pandas, to_dicts() in polars, to_pylist() in pyarrow, or one column."
        )
    if hasattr(items, "to_pylist"):  # pyarrow's, whose own values know no order
        return items.to_pylist()
    return items if isinstance(items, np.ndarray) else list(items)
