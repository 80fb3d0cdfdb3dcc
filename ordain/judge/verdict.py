"""What a reply says, as a record, and what it takes to read one: its plain text, and the JSON in it.

Replies come in all shapes: a letter, a marker line such as ``Verdict: A`` after much prose, JSON, numbered lines. What
is said in a form of its own counts before what is said in passing, and nothing is guessed: a reply that says two
things, or nothing clear, cannot be read.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

LONGEST = 20_000
"""So many characters at the end of a reply are read: time is bounded, whatever a server sends."""

TRIED = 20
"""So many markers, or tokens, from the end are tried as that of the verdict."""

NOUN = r"(?:text|option|item|candidate|choice|answer|response|number|label|letter|document|passage|entry|statement)"
"""What a reply may call a text."""

PAGE = re.compile(r"<(?:!doctype|html|head|body)\b", re.I)
"""A page of HTML, as servers send it in the place of a reply, says nothing."""


@dataclass(frozen=True)
class Verdict:
    """What was read from a reply.

    `answer` is for a pair the number in [0, 1] how surely the first is better, for a list the place of each text as
    shown (0 best, equal for a tie, NaN not ranked), and None if the reply cannot be read. Labels `missing` from an
    order, `repeated` in it (the first place counts) and `invented` are counted. `why` is the reason, where asked for.

    Examples
    --------
    >>> Verdict((1.0, float("nan"), 0.0), missing=1).readable
    True
    """

    answer: float | tuple[float, ...] | None
    missing: int = 0
    repeated: int = 0
    invented: int = 0
    why: str | None = None

    @property
    def readable(self) -> bool:
        """Whether there is an answer."""
        return self.answer is not None


_ORNAMENTS = (
    (re.compile(r"\\(?:text|textbf|mathbf|mathrm)\{([^{}]*)\}"), r"\1"),
    (
        re.compile(r"\\boxed\{([^{}]*)\}|<(?:answer|verdict)>([^<>]*)</(?:answer|verdict)>", re.I),
        r"\nFinal answer: \1\2\n",
    ),
    (re.compile(r"\[\[([^\[\],]*)\]\]"), r"\nFinal answer: \1\n"),
    (re.compile(r"\\succ\b"), ">"),
    (re.compile(r"~~[^~\n]*~~"), ""),  # struck out
    (re.compile(r"```\w*"), ""),
    (re.compile(r"(?m)^[ \t]*(?:#+|>+)[ \t]*"), ""),  # headings and quotations
    (re.compile(r"[*_`$\"“”„«»\u200b-\u200f\u2060\ufeff]"), ""),
    (re.compile(r"[✅✔☑👍🏆🥇⭐\ufe0f]"), ""),  # signs of approval only: ❌ A is not A
    (re.compile(r"’"), "'"),
    (re.compile(r"(?<!\w)['‘]|'(?!\w)"), ""),
    (re.compile(r"[^\S\n]+"), " "),
    (re.compile(r" ?\n ?"), "\n"),
    (re.compile(r"\n{2,}"), "\n"),
)


def plain_text(said: str) -> str:
    """The reply without markup, quotation marks, full-width letters and blank lines.

    Examples
    --------
    >>> plain_text("## **Ｖerdict:** “A”")
    'Verdict: A'
    """
    plain = unicodedata.normalize("NFKC", html.unescape(said))[-LONGEST:]
    for ornament, instead in _ORNAMENTS:
        plain = ornament.sub(instead, plain)
    return plain.strip()


_FENCE = re.compile(r"\A```\w*|```\Z")
_FLAT_OBJECT = re.compile(r"\{[^{}]*\}")


def parsed_json(text: str) -> Any:
    """The JSON value, objects as tuples of (key, value) so that no key is lost; None if it is none.

    Examples
    --------
    >>> parsed_json('{"answer": "A", "answer": "B"}')
    (('answer', 'A'), ('answer', 'B'))
    """
    try:
        return json.loads(text, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return None


def keyed_values(said: str, keys: frozenset[str]) -> tuple[list[Any], str]:
    """Values that objects in the reply hold under one of the keys, and the reply without these objects.

    Examples
    --------
    >>> keyed_values('It burns. {"Verdict": "A"}', frozenset(["verdict"]))
    (['A'], 'It burns. \\n')
    """
    whole = parsed_json(_FENCE.sub("", said.strip()))
    if isinstance(whole, tuple):
        return _under(whole, keys), ""
    found = [(match[0], _under(parsed_json(match[0]), keys)) for match in _FLAT_OBJECT.finditer(said)]
    for written, values in found:
        said = said.replace(written, "\n") if values else said
    return [value for _, values in found for value in values], said


def _under(value: Any, keys: frozenset[str]) -> list[Any]:
    """What an object holds under one of the keys, in whatever spelling."""
    pairs = value if isinstance(value, tuple) else ()
    return [held for key, held in pairs if re.sub(r"[\W_]|final", "", key.casefold()) in keys]
