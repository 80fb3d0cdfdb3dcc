"""What a server says, as it may be kept and shown: without the key, even if it repeats it, and shortly on one line."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

QUOTED = 200
"""Characters of what a server says that are shown."""

SECRET = 8
"""Letters from which on a key is taken out of what a server says; a shorter one, as `none`, may be a word of it."""


def scrubber(key: str) -> Callable[[str], str]:
    """A function that takes the key out of a text, also where its letters are escaped as in JSON or in addresses.

    Examples
    --------
    >>> scrubber("sk/secret")("no such key: sk%2Fsecret")
    'no such key: [key]'
    """
    if len(key) < SECRET:
        return lambda text: text
    letters = (rf"(?:\\?{re.escape(one)}|\\u00{ord(one):02x}|%{ord(one):02x})" for one in key)
    pattern = re.compile("".join(letters), re.IGNORECASE)
    return lambda text: pattern.sub("[key]", text)


def cleaned_json(body: bytes, clean: Callable[[str], str]) -> Any:
    """The value of a body without the key, and with no half characters, which no file takes; None if it is not JSON."""

    def cleaned(value: Any) -> Any:
        if isinstance(value, str):
            return clean(value.encode(errors="replace").decode())
        if isinstance(value, list):
            return [cleaned(one) for one in value]
        return {cleaned(name): cleaned(one) for name, one in value.items()} if isinstance(value, dict) else value

    try:
        return cleaned(json.loads(body.decode("utf-8-sig", "replace")))
    except (ValueError, RecursionError):
        return None


def quoted(text: str) -> str:
    """The beginning of a text on one line, what cannot be seen in it escaped.

    Examples
    --------
    >>> quoted("too\\nmany \\x1b[1mrequests")
    'too many \\\\u001b[1mrequests'
    """
    short = " ".join(text.split())
    short = short if len(short) <= QUOTED else short[: QUOTED - 1] + "…"
    return "".join(f"\\u{ord(one):04x}" if unicodedata.category(one)[0] == "C" else one for one in short)
