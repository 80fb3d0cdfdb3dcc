"""The ranker of a run that people judge, in a thread of its own, which waits for the answers to its batch.

What it asks lies open, nearest decisions first, until somebody answers it, and no more of it than the budget has.
After a correction it runs again over the corrected answers, and those it no longer asks for stay in the fit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

import numpy as np

from ordain._types import Pairs
from ordain.judge.pair_ledger import Ledger, Said
from ordain.judge.person import Pair
from ordain.judge.recorded import Missing
from ordain.judge.store import Key, Store
from ordain.judge.top_so_far import place_error
from ordain.preference import Spent
from ordain.preference.journal import Answer, pairs_among
from ordain.rank.bradley_terry.links import Graph
from ordain.rank.bradley_terry.mode import Fit, likeliest
from ordain.rank.bradley_terry.noise import LAPSES, SPREADS, Noise
from ordain.rank.list_model import PairsFit

Coming = SimpleQueue[tuple[Key, Answer] | BaseException]
"""Questions and their answers as they come, or why no more come."""


class Corrected(Exception):  # noqa: N818
    """An answer was corrected: the ranker runs again."""


class RankerThread:
    """A ranker that waits for people, and the order so far.

    Parameters
    ----------
    ledger : Ledger
        What was asked and answered.
    lock : threading.RLock
        Held while anything here or in the ledger is changed.
    last : int
        So many of the first pairs come last: those that tabs may still show from before the server was started again.
    """

    def __init__(self, ledger: Ledger, lock: threading.RLock, last: int) -> None:
        self._ledger, self._run, self._lock, self._last = ledger, ledger.run, lock, last
        self.finished, self.stopping = False, False
        self.failed: BaseException | None = None
        self.open: dict[Key, None] = {}
        self.awaited: dict[Pair, Key] = {}
        self.begun = False
        self._came: Coming = SimpleQueue()
        self._short, self._stale = False, False
        self.scores, self.order = np.zeros(self._run.n), list(range(self._run.n))
        self.spread: float | None = None
        self._fit = Fit(np.zeros(self._run.n + 1))
        self._thread = self._new_thread()

    def _new_thread(self) -> threading.Thread:
        """A thread that is to run the ranker."""
        return threading.Thread(target=self._work, name="ordain ranker", daemon=True)

    @property
    def thinking(self) -> bool:
        """Whether the ranker makes its next batch."""
        return not (self.finished or self.stopping or self.open) and self.failed is None

    def start(self) -> None:
        """Let the ranker begin."""
        self._thread.start()

    def stop(self) -> None:
        """Ask nothing more, and wait for the ranker to end."""
        with self._lock:
            self.stopping = True
            self._came.put(Spent())
        if self._thread.is_alive():
            self._thread.join()

    def run_again(self) -> None:
        """Let the ranker begin anew over the corrected answers."""
        self._stale = True
        self._came.put(Corrected())
        if self.finished and not self.stopping:
            self.finished = False
            self._thread = self._new_thread()
            self._thread.start()

    def _work(self) -> None:
        """Run the ranker, again after every correction, until it has its order or nothing more is asked."""
        try:
            while not self.stopping and not self.finished:
                with self._lock:
                    self._stale = False
                try:
                    self._run.play(
                        self._ledger.number,
                        _FromPeople(self._run.store, self._ledger.number, self.ask),
                        spare=self._spare,
                        tell=self._told,
                    )
                except Corrected:
                    continue
                with self._lock:
                    self.finished = not self._stale
                    self.open.clear()
        except BaseException as error:
            self.failed = error

    def _told(self, asked: list[Pairs], given: list[Any]) -> None:
        """Know the order so far."""
        before = pairs_among(self._run.known(self._ledger.number))
        pairs = np.concatenate([np.array(list(before), dtype=np.intp).reshape(-1, 2), *asked])
        graph = Graph(pairs, np.concatenate([[*before.values()], *given]), self._run.n, position=True)
        self._fit = likeliest(graph, Noise(SPREADS, LAPSES), self._fit)
        self.scores, self.spread = self._fit.scores, place_error(PairsFit(graph, self._fit))
        self.order = np.argsort(-self.scores, kind="stable").tolist()

    def _spare(self) -> int:
        """Answers of the budget that are left for the last round beyond those of the plan."""
        with self._lock:
            own = (self._ledger.plan.budget or 0) - sum(1 for _ in self._run.store.keys(self._ledger.number))
            return max(0, self._ledger.room - max(0, own))

    def ask(self, keys: list[Key]) -> Coming:
        """Lay these questions open, nearest decisions first; where the answers come."""
        near = sorted(keys, key=lambda key: abs(self.scores[key[1][0]] - self.scores[key[1][1]]))
        last, self._last = self._last, 0
        near = near[last:] + near[:last]
        with self._lock:
            if self.stopping:
                raise Spent
            if self._stale:
                raise Corrected
            written, said = self._ledger.pairs_on_their_way, self._ledger.said
            self._came = SimpleQueue()
            for key in near:
                if (one := said.get(frozenset(key[1]))) is not None:
                    self._came.put((key, one.of(key[1])))
            rest = [key for key in near if frozenset(key[1]) not in said]
            fresh = [key for key in rest if frozenset(key[1]) not in written]
            self.open = dict.fromkeys(fresh[: max(0, self._ledger.room)] if self._ledger.averages else fresh)
            self.awaited = {frozenset(key[1]): key for key in rest if key in self.open or key not in fresh}
            self._short = len(self.open) < len(fresh)
            self.begun |= bool(self.open)
            if self._short and not self.awaited:
                self._came.put(Spent())
            return self._came

    def give(self, said: Said) -> None:
        """Give the ranker an answer, if it waits for one to this pair."""
        if (asked := self.awaited.pop(frozenset(said.question), None)) is not None:
            self.open.pop(asked, None)
            self._came.put((asked, said.of(asked[1])))
            if self._short and not self.awaited:
                self._came.put(Spent())


class _FromPeople(Missing):
    """The ranker's questions, answered by people."""

    def __init__(self, store: Store, number: int, ask: Callable[[list[Key]], Coming]) -> None:
        super().__init__(store, number)
        self.ask = ask

    def asked(self, keys: list[Key], batch: Pairs) -> Iterator[tuple[int, Answer]]:
        """As they come."""
        came = self.ask(keys)
        places = {key: place for place, key in enumerate(keys)}
        while places:
            one = came.get()
            if isinstance(one, BaseException):
                raise one
            yield places.pop(one[0]), one[1]
