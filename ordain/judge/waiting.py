"""How long to wait before a request is sent again: as long as the server asks, or longer each time and by lot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

LONGEST = 3600.0
"""Seconds that a server may ask for; longer waits are cut to this."""

SLOWEST = 60.0
"""Seconds that are waited at most where the server asks for nothing."""

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds to wait by a header Retry-After: seconds, with decimals or not, or a date in any of HTTP's three forms.

    What is past or negative is 0, what is longer than an hour is an hour, and what cannot be read is None.

    Parameters
    ----------
    value : str, optional
        The header; None where there is none.
    now : float
        Seconds since 1970, from which a date is counted.

    Examples
    --------
    >>> retry_after("1.5", 0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 45), retry_after("soon", 0)
    (1.5, 15.0, None)
    """
    text = (value or "").strip()
    seconds = float(text) if _NUMBER.fullmatch(text) else _until(text, now)
    return None if seconds is None else min(max(seconds, 0.0), LONGEST)


def wait_asked(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait by the headers of a reply, their names in lower case: retry-after-ms, else retry-after.

    Examples
    --------
    >>> wait_asked({"retry-after-ms": "250", "retry-after": "1"}, 0), wait_asked({"retry-after": "1"}, 0)
    (0.25, 1.0)
    """
    milliseconds = (headers.get("retry-after-ms") or "").strip()
    if _NUMBER.fullmatch(milliseconds):
        return min(max(float(milliseconds) / 1000, 0.0), LONGEST)
    return retry_after(headers.get("retry-after"), now)


def backoff(attempt: int, rng_value: float) -> float:
    """Seconds before another attempt: uniform between 0 and 1, 2, 4, … seconds, at most 60.

    Drawn from 0 on, so that requests that failed together do not come back together.

    Parameters
    ----------
    attempt : int
        How many attempts after the first have failed, from 0.
    rng_value : float
        A draw from [0, 1).

    Examples
    --------
    >>> [backoff(attempt, 0.5) for attempt in (0, 1, 2, 10)]
    [0.5, 1.0, 2.0, 30.0]
    """
    return rng_value * min(SLOWEST, 2.0 ** min(attempt, 10))


def _until(text: str, now: float) -> float | None:
    """Seconds until a date of HTTP, which is Greenwich's where it names no zone; None if it is no date."""
    try:
        date = parsedate_to_datetime(text)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now
    except (ValueError, TypeError, OverflowError):
        return None
