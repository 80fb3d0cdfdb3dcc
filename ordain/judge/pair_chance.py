"""How surely a model prefers the first of two texts, from the chances of the tokens of its reply."""

from __future__ import annotations

import math
import string
from typing import Any

from ordain.judge.pair_verdict import read_pair
from ordain.judge.verdict import TRIED

LEAST = 1e-9
"""A chance is at least this far from 0 and 1: no token is impossible."""

_AROUND_LETTER = string.whitespace + string.punctuation + "Ġ▁Ċ“”‘’"


def pair_chance(logprobs: Any) -> float | None:
    """How surely the first text is better, from the chances of the tokens A and B where the verdict stands.

    That is the last token that is one of the letters and without which the text would say something else; among what
    could have stood there, p_A / (p_A + p_B), each summed over its spellings (``A``, `` A``, ``(A``). If only one of
    them is listed, the other is counted as likely as it can be: as the least likely token listed, or as all that the
    listed ones leave, whichever is less. So a chance is never 0 or 1, and no nearer to them than was shown.

    Parameters
    ----------
    logprobs : list of dict
        ``choices[0].logprobs.content`` of an OpenAI-compatible reply, or the record that holds it.

    Returns
    -------
    float or None
        None if the verdict cannot be read, is no letter, or the input has any other shape.

    Examples
    --------
    >>> top = [{"token": "A", "logprob": -0.25}, {"token": " B", "logprob": -1.5}]
    >>> round(pair_chance([{"token": "A", "logprob": -0.25, "top_logprobs": top}]), 3)
    0.777
    """
    content = logprobs.get("content") if isinstance(logprobs, dict) else logprobs
    entries = content if isinstance(content, list) and all(isinstance(entry, dict) for entry in content) else []
    place = _verdict_place([entry.get("token") for entry in entries])
    if place is None:
        return None
    listed = _listed(entries[place])
    first, second = (sum(chance for token, chance in listed if _bared(token) == letter) for letter in "AB")
    if not first and not second:
        return None
    unlisted = max(0.0, min(min(chance for _, chance in listed), 1 - sum(chance for _, chance in listed)))
    first, second = first or unlisted, second or unlisted
    return min(max(first / (first + second), LEAST), 1 - LEAST)


def _bared(token: Any) -> str | None:
    """A token without blanks and punctuation."""
    return token.strip(_AROUND_LETTER) if isinstance(token, str) else None


def _verdict_place(tokens: list[Any]) -> int | None:
    """Where the letter of the verdict stands: the last place where the other letter would change what is read."""
    if not all(isinstance(token, str) for token in tokens):
        return None
    answer = read_pair("".join(tokens)).answer
    letter, other = ("A", "B") if answer == 1 else ("B", "A")
    places = [place for place, token in enumerate(tokens) if _bared(token) == letter and answer in (0, 1)]
    for place in reversed(places[-TRIED:]):
        changed = [*tokens[:place], tokens[place].replace(letter, other), *tokens[place + 1 :]]
        if read_pair("".join(changed)).answer != answer:
            return place
    return None


def _listed(entry: dict[str, Any]) -> list[tuple[str, float]]:
    """The tokens that could have stood there with their chances, the one that does among them; none if any is odd."""
    top = entry.get("top_logprobs")
    if not isinstance(top, list) or not top or not all(isinstance(other, dict) for other in top):
        return []
    own = [] if entry["token"] in [other.get("token") for other in top] else [entry]
    found = [(other.get("token"), _chance(other.get("logprob"))) for other in [*top, *own]]
    return [(token, chance) for token, chance in found if isinstance(token, str) and chance is not None]


def _chance(logprob: Any) -> float | None:
    """The chance of a token; None for what is no logarithm of one, beyond rounding."""
    if isinstance(logprob, bool) or not isinstance(logprob, (int, float)) or not logprob <= 0.01:
        return None
    return math.exp(min(logprob, 0.0))
