"""Ctrl-C and `kill`: both stop a command at any moment, with one line and the exit code that shells know them by."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any, NoReturn

AGAIN = 0.05
"""Seconds after which a stop is asked for again that came where nothing can be raised."""


UNSAID = "ignore::UserWarning:multiprocessing.resource_tracker"
"""What Python says of locks that it removes after a process which ended at once."""


def let_locks_go() -> None:
    """Have them removed without a word, by whom Python starts for it later on."""
    said = os.environ.get("PYTHONWARNINGS", "")
    if UNSAID not in said:
        os.environ["PYTHONWARNINGS"] = f"{said},{UNSAID}".lstrip(",")


class Stop:
    """Who listens for Ctrl-C and `kill`: both raise KeyboardInterrupt, and `came` is the one that came last."""

    def __init__(self) -> None:
        self.came: int | None = None

    def listen(self) -> None:
        """From here on; what a shell has a background job ignore stays ignored."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._raise)
        sys.unraisablehook = self._unraisable
        let_locks_go()

    def code(self, ended: Any) -> Any:
        """The exit code: 130 becomes 143 where it was not Ctrl-C but `kill`."""
        return 128 + self.came if ended == 130 and self.came else ended

    def leave(self, ended: Any) -> NoReturn:
        """End the process: nothing interrupts that any more, and threads that are still at work are not waited for."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        gc.freeze()  # the end is near: to look for garbage among all that was loaded takes .2 s
        if self.came is None or not isinstance(ended, int):
            sys.exit(ended)
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        os._exit(self.code(ended))

    def _raise(self, number: int, _: Any) -> None:
        self.came = number
        raise KeyboardInterrupt

    def _unraisable(self, wrong: Any) -> None:
        """A stop that came in a finaliser or in a callback of a library was swallowed: ask for it once more."""
        if isinstance(wrong.exc_value, KeyboardInterrupt):
            again = threading.Timer(AGAIN, signal.raise_signal, [self.came or signal.SIGINT])
            again.daemon = True
            again.start()
        elif self.came is None:  # who was stopped need not know what that did to finalisers
            sys.__unraisablehook__(wrong)
