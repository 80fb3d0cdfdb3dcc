"""The words by which a reply names one of two texts, and those after which it does."""

from __future__ import annotations

import re

from ordain.judge.verdict import NOUN

MARKERS = (
    rf"(?:better|best|preferred|(?:more|most)\s\w+)\s(?:one|{NOUN})|"
    "verdict|answer|winner|choice|decision|conclusion|selection|preference|pick|judge?ment|result|order|ranking|"
    "urteil|antwort|réponse|respuesta|veredicto|verdetto|risposta|resposta|ответ|вердикт|答案|回答|结论|結論|答え|정답|판정"
)
"""Words after which the verdict stands."""

SAID = (
    rf"(?:(?:it's|it\sis)\s+)?(?:the\s+|a\s+(?=tie|draw))?(?:{NOUN}\s+)?"
    r"[(\[{<]?(?P<said>[AB12]|first|second|1st|2nd|tied?|draw|equal)"
    rf"(?!\w)[)\]}}>]?(?:(?<=[dt])\s+(?:one|{NOUN}))?"
)
"""One of the two texts, or a tie, in whatever words; the word itself is the group `said`."""

BARE = re.compile(rf"{SAID}[\s.!)]*", re.I)
"""A line with nothing but a verdict."""

_VALUES = {"a": 1.0, "1": 1.0, "first": 1.0, "1st": 1.0, "b": 0.0, "2": 0.0, "second": 0.0, "2nd": 0.0}


def side(said: str) -> float:
    """1 where a word names the first text, 0 the second, ½ a tie.

    Examples
    --------
    >>> side("A"), side("2nd"), side("draw")
    (1.0, 0.0, 0.5)
    """
    return _VALUES.get(said.casefold(), 0.5)
