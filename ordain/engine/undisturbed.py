"""Work that a stop waits for: Ctrl-C and `kill` come when it is done, and what it starts hears no Ctrl-C.

A terminal sends Ctrl-C to all processes of a command. Those that are just starting would end with a traceback each, so
they begin with it blocked; whoever started them ends them. `kill` they need to hear: it is how they are ended.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

from ordain._stop import let_locks_go

STOPS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Stops that come now come at the end; outside the main thread none comes anyway."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    came = list[int]()
    let_locks_go()
    resource_tracker.ensure_running()  # it would let Ctrl-C through when it starts
    heard = {number: signal.signal(number, lambda number, _: came.append(number)) for number in STOPS}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number, handler in heard.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
