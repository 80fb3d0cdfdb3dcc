"""Messages that name options of the command line, in the words of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

_SWITCHES = ("force", "graded")
_VALUED = ("dates", "decimal", "goal", "loss", "model", "reduction")


def as_python(message: str) -> str:
    """The message with keyword arguments for options.

    Examples
    --------
    >>> as_python("Add --dates day-first, or --graded. Name --positive.")
    "Add dates='day-first', or graded=True. Name positive=."
    """
    message = re.sub(rf"--({'|'.join(_SWITCHES)})\b", r"\1=True", message)
    message = re.sub(rf"--({'|'.join(_VALUED)}) ([\w:%-]+|[.,])", r"\1='\2'", message)
    return re.sub(r"--([a-z]+)\b", r"\1=", message)


@contextmanager
def in_python() -> Iterator[None]:
    """What is wrong is said to somebody who has no command line."""
    try:
        yield
    except ValueError as wrong:
        raise ValueError(as_python(str(wrong))) from None
