"""How much of a limit of seconds is left."""

from __future__ import annotations

import math
import time


class Clock:
    """Runs from when it is made; without a limit there is always time.

    Examples
    --------
    >>> Clock().left
    inf
    >>> 0 < Clock(60).left <= 60
    True
    """

    def __init__(self, seconds: float | None = None) -> None:
        if seconds is not None and not 0 < seconds < math.inf:
            raise ValueError(f"seconds must be a number above 0. Got {seconds}.")
        self.limited = seconds is not None
        self._end = math.inf if seconds is None else time.perf_counter() + seconds

    @property
    def left(self) -> float:
        """Seconds until the limit, below 0 after it."""
        return self._end - time.perf_counter()
