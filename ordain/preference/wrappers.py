"""Preferences made from preferences: rounded, in both orders, in random order, remembered, counted, within a budget."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain._types import Answers, Pairs
from ordain.preference.answers import Preference, Spent, check_answers, check_consistent


def rounded(prefer: Preference) -> Preference:
    """Answers above ½ become one, below ½ zero; ½ stays a coin."""
    return _mapped(prefer, lambda pairs, answers: 0.5 * (answers > 0.5) + 0.5 * (answers >= 0.5))


def checked(prefer: Preference, *, consistent: bool = False) -> Preference:
    """Refuse what is no preference, with the pair; with `consistent` ask both orders and want h(u, v) + h(v, u) = 1."""
    if not consistent:
        return _mapped(prefer, lambda pairs, answers: answers)

    def compared(pairs: Pairs, answers: Answers) -> Answers:
        check_consistent(pairs, answers[0::2], answers[1::2])
        return answers[0::2]

    return _both_orders(prefer, compared)


def symmetrised(prefer: Preference) -> Preference:
    """Both orders asked and averaged, ½ + (h(u, v) - h(v, u)) / 2: consistent, whatever the judge. Two calls a pair."""
    return _both_orders(prefer, lambda pairs, answers: 0.5 + (answers[0::2] - answers[1::2]) / 2)


@dataclass(frozen=True)
class Position:
    """How often the first shown of a pair won, over pairs shown in random order: ½ for a judge without position bias.

    `share` is the mean of the answers as shown, `error` its standard error. As the order is drawn by lot, whatever the
    items are, `share` - ½ is the judge's mean preference for the first place.
    """

    shown: int
    share: float
    error: float

    def __str__(self) -> str:
        return f"The first shown won {self.share:.1%} of {self.shown:,} answers (standard error {self.error:.1%})."


class Shown:
    """A preference that shows every pair in random order; `position` is what it saw of the judge's position bias."""

    def __init__(self, prefer: Preference, rng: np.random.Generator) -> None:
        self.prefer, self.rng = prefer, rng
        self.count, self.total, self.squares = 0, 0.0, 0.0

    def __call__(self, pairs: Pairs) -> Answers:
        swap = self.rng.integers(0, 2, len(pairs), dtype=bool)
        shown = np.where(swap[:, None], pairs[:, ::-1], pairs)

        def back(shown: Pairs, answers: Answers) -> Answers:
            self.count += len(answers)
            self.total += float(answers.sum())
            self.squares += float(answers @ answers)
            return np.abs(answers - swap[: len(answers)])

        return _mapped(self.prefer, back)(shown)

    @property
    def position(self) -> Position:
        """What was seen so far; half and half before the first answer."""
        if not self.count:
            return Position(0, 0.5, float("inf"))
        share = self.total / self.count
        return Position(self.count, share, float(np.sqrt(max(self.squares / self.count - share**2, 0) / self.count)))


def shown_in_random_order(prefer: Preference, rng: np.random.Generator) -> Shown:
    """Each pair is shown in random order, the answer is to the pair as asked.

    A sampled answer then is a coin with the chance of :func:`symmetrised`, at half its calls, and a sort has the same
    law with either; asking both orders measures the bias, it does not improve the sort [AilonMohri10]_.
    """
    return Shown(prefer, rng)


class Remembering:
    """A preference that never asks a pair twice, nor its mirror; `known` are the answers so far, to pairs as asked."""

    def __init__(self, prefer: Preference, known: MutableMapping[tuple[int, int], float]) -> None:
        self.prefer, self.known = prefer, known

    def __call__(self, pairs: Pairs) -> Answers:
        new: dict[frozenset[int], int] = {}
        for row, (u, v) in enumerate(pairs.tolist()):
            if (u, v) not in self.known and (v, u) not in self.known:
                new.setdefault(frozenset((u, v)), row)
        rows = list(new.values())
        try:
            self._store(pairs[rows], self.prefer(pairs[rows]) if rows else ())
        except Spent as spent:
            self._store(pairs[rows[: len(spent.answers)]], spent.answers)
            raise Spent(self._recall(pairs[: rows[len(spent.answers)]])) from spent
        return self._recall(pairs)

    def _store(self, pairs: Pairs, answers: Any) -> None:
        self.known.update(zip(map(tuple, pairs.tolist()), check_answers(pairs, answers).tolist(), strict=True))

    def _recall(self, pairs: Pairs) -> Answers:
        known = self.known
        return np.array([known[u, v] if (u, v) in known else 1 - known[v, u] for u, v in pairs.tolist()], dtype=float)


def remembering(prefer: Preference, known: MutableMapping[tuple[int, int], float] | None = None) -> Remembering:
    """No pair is asked twice, nor its mirror, of which the answer is one minus the other's.

    `known` is read and extended in place, so that it can be kept.
    """
    return Remembering(prefer, {} if known is None else known)


class Counted:
    """A preference that counts its `calls` (answers received) and `batches` (times it was asked)."""

    def __init__(self, prefer: Preference) -> None:
        self.prefer, self.calls, self.batches = prefer, 0, 0

    def __call__(self, pairs: Pairs) -> Answers:
        self.batches += 1
        return _mapped(self.prefer, self._seen)(pairs)

    def _seen(self, pairs: Pairs, answers: Answers) -> Answers:
        self.calls += len(answers)
        return answers


def counted(prefer: Preference) -> Counted:
    """`prefer`, counting."""
    return Counted(prefer)


class Budgeted:
    """A preference with `left` calls."""

    def __init__(self, prefer: Preference, budget: int) -> None:
        if budget < 0 or int(budget) != budget:
            raise ValueError(f"budget must be a whole number of calls, 0 or more. Got {budget}.")
        self.prefer, self.left = prefer, int(budget)

    def __call__(self, pairs: Pairs) -> Answers:
        afforded = pairs[: self.left]
        self.left -= len(afforded)
        answers = check_answers(afforded, self.prefer(afforded)) if len(afforded) else np.empty(0)
        if len(afforded) < len(pairs):
            raise Spent(answers)
        return answers


def budgeted(prefer: Preference, budget: int) -> Budgeted:
    """At most `budget` calls; a batch that costs more is answered as far as it goes, then :class:`Spent` is raised."""
    return Budgeted(prefer, budget)


def with_progress(prefer: Preference, report: Callable[[int], None], *, every: int | None = None) -> Preference:
    """Call `report` with the number of new answers, after each batch or after `every` answers."""

    def seen(pairs: Pairs, answers: Answers) -> Answers:
        report(len(answers))
        return answers

    def answers(pairs: Pairs) -> Answers:
        parts: list[Answers] = [np.empty(0)]
        for start in range(0, len(pairs), every or max(len(pairs), 1)):
            try:
                parts.append(_mapped(prefer, seen)(pairs[start : start + (every or len(pairs))]))
            except Spent as spent:
                raise Spent(np.concatenate([*parts, spent.answers])) from spent
        return np.concatenate(parts)

    return answers


def _mapped(prefer: Preference, change: Callable[[Pairs, Answers], Answers]) -> Preference:
    """The answers of `prefer`, checked and changed, also those that come before the budget ends."""

    def answers(pairs: Pairs) -> Answers:
        try:
            given = prefer(pairs)
        except Spent as spent:
            asked = pairs[: len(spent.answers)]
            raise Spent(change(asked, check_answers(asked, spent.answers))) from spent
        return change(pairs, check_answers(pairs, given))

    return answers


def _both_orders(prefer: Preference, change: Callable[[Pairs, Answers], Answers]) -> Preference:
    """(u, v) and (v, u) asked one after the other; `change` sees the pairs of which both answers came."""

    def whole(asked: Pairs, answers: Answers) -> Answers:
        complete = 2 * (len(answers) // 2)
        return change(asked[:complete:2], answers[:complete])

    return lambda pairs: _mapped(prefer, whole)(np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2))
