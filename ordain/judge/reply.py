"""What comes of a request to a model: a :class:`Reply`, or :class:`Passing`, or :class:`Refused`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What a model answered.

    Parameters
    ----------
    text : str
        The answer; empty where the model wrote none.
    reasoning : str
        What it thought before, where the server tells that apart.
    logprobs : list, optional
        A dict for every token of the text as the server gave it, with ``top_logprobs``; None where it did not.
    tokens_in, tokens_out : int, optional
        Tokens read and written; None where the server does not say.
    raw : str
        The reply as it came, without the key.
    finish : str, optional
        Why the model stopped: ``stop``, or ``length`` where it was cut.
    seconds : float
        From sending to the last byte.
    """

    text: str
    reasoning: str = ""
    logprobs: list[Any] | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    raw: str = ""
    finish: str | None = None
    seconds: float = 0.0


class Passing(Exception):  # noqa: N818
    """A fault that may pass: try again, after so many seconds if the server says when.

    `sent` is False only if the request cannot have been received, so that nothing was paid.
    """

    def __init__(
        self, message: str, *, after: float | None = None, raw: str = "", sent: bool = True, status: int | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.after, self.raw, self.sent, self.status = message, after, raw, sent, status


class Refused(Exception):  # noqa: N818
    """A fault that will not pass; its one line says what to do.

    `about` is what the server complained of, where that is known: logprobs, length, max_tokens, filter, key, credit,
    address, redirect or certificate.
    """

    def __init__(self, message: str, *, about: str = "", raw: str = "", status: int | None = None) -> None:
        super().__init__(message)
        self.message, self.about, self.raw, self.status = message, about, raw, status
