"""Which of two texts a reply prefers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ordain.judge.one_of_two import BARE, MARKERS, SAID, side
from ordain.judge.reasons import why_of
from ordain.judge.verdict import LONGEST, NOUN, PAGE, Verdict, keyed_values, plain_text
from ordain.judge.without_thoughts import without_reasoning

SHORT = 300
"""A sentence in passing, such as "A is better", counts in replies up to this length only."""

_CUT_OBJECT = re.compile(r"\s*(?:```\w*\s*)?\{\s*\"")
_PAIR_KEYS = frozenset(
    {"answer", "verdict", "winner", "choice", "decision", "selection", "preferred", "preference", "better", "best"}
    | {"result", "pick", "label", "option"}
)
_MARKED = re.compile(
    rf"(?<![a-z])(?P<final>final\s+)?(?:{MARKERS})"
    rf"(?:\s*(?:[:=]|[-–—]+>?|→)|\s+(?:is|would\sbe|goes\sto)\b\s*:?)\s*(?P<choice>{SAID})?",
    re.I,
)
# Of the other text, or of one that was named before it ("B is the winner: A is dull"), or one of two verdicts.
_NO_MARKER = re.compile(
    r"\b(?:worse|worst|weaker|wrong|losing|rejected|other|runner-up|no|or|(?:less|least|not)\s\w+"
    rf"|(?:[AB12]|first|second|one|{NOUN})[)\]]?\sis\s(?:the|my|a)(?:\s\w+)?)\s$",
    re.I,
)
_END = r"\s*(?:$|\n|[.;!)\]}](?!\w))"
_AFTER_CAPITAL = re.compile(rf"{_END}|\s*[,:](?!\w)|\s+[-–—(]|\s+(?:is|was|because|since|as|over|wins|for|with|due)\b")
_AFTER_SMALL = re.compile(rf"{_END}|\s*[,:](?!\w)|\s+[-–—(]")
_AFTER_WORD = re.compile(_END)
_AFTER_BRACKET = re.compile(rf"{_END}|\s*[,:]|\s(?!or\b|and\b|vs\b)")
_SECOND_THOUGHT = re.compile(rf"\s*[,;.:/&|(-]\s*(?:{SAID})[\s.!)]*(?:$|\n)", re.I)
_COMPARED = re.compile(r"\s*(?P<sign>>+|≻|=+)\s*(?P<other>[AB12])(?!\w)")
_COMPARED_LINE = re.compile(rf"(?P<said>[AB12]){_COMPARED.pattern}[ .]*")


def read_pair(text: str, *, why: bool = False) -> Verdict:
    r"""Which of two texts a reply prefers: 1 the first, 0 the second, ½ where it says that they tie.

    Explicit forms come first: JSON (``{"winner": "B"}``), and markers (``Verdict: A``, ``\boxed{A}``); those called
    final before others. Then a line with nothing but a verdict (``A``, ``(B)``, ``Option 2``, ``the first
    one``), a reply of one line that begins with one (``A. It burns``), and a short reply that names one text only, in a
    sentence that chooses it (``I choose A``, ``B is more urgent``). Two different verdicts of the same kind, "both",
    "neither" and refusals cannot be read.

    Parameters
    ----------
    text : str
        The reply, with or without the model's reasoning.
    why : bool
        Keep the reason given beside the verdict, see :func:`why_of`.

    Examples
    --------
    >>> read_pair("A burns, B does not. Verdict: A. B was close.").answer
    1.0
    >>> read_pair("Both are urgent.").readable
    False
    """
    said = without_reasoning(text)[-LONGEST:]
    return Verdict(_pair_answer(said), why=why_of(text) if why else None)


def _pair_answer(said: str) -> float | None:
    """1, 0 or ½ as the reply says, None if it cannot be read."""
    values, rest = keyed_values(said, _PAIR_KEYS)
    if PAGE.search(said) or (not values and _CUT_OBJECT.match(said)):
        return None
    plain = plain_text(rest)
    marked, bare = _marked(plain), _bare_lines(plain)
    explicit = [*(_side_of_value(value) for value in values), *marked]
    if explicit:
        # A bare line that says the opposite is a second verdict; several are headings.
        return _agreed(explicit + (bare if len(set(bare)) == 1 else []))
    if _REFUSAL.search(plain):
        return None
    return _agreed(bare) if bare else _agreed([*_leading(plain), *_chosen(plain)])


def _agreed(readings: Sequence[float | None]) -> float | None:
    """What all readings say; None if they differ or there is none."""
    return readings[0] if len(set(readings)) == 1 else None


def _side_of_value(value: Any) -> float | None:
    """The side that a JSON value names."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        match = BARE.fullmatch(plain_text(str(value)))
        return side(match["said"]) if match else None
    return None


def _marked(plain: str) -> list[float | None]:
    """What stands after markers, or those called final if there are any; only the last must be readable."""
    found = [
        (match["final"], _after_marker(match, plain))
        for match in _MARKED.finditer(plain)
        if not _NO_MARKER.search(plain[max(0, match.start() - 30) : match.start()])
    ]
    readings = [reading for final, reading in found if final] or [reading for _, reading in found]
    return [reading for reading in readings[:-1] if reading is not None] + readings[-1:]


def _after_marker(match: re.Match[str], plain: str) -> float | None:
    """The side named after a marker, if nothing behind it takes it back."""
    said, end = match["said"], match.end()
    if said is None:
        return None
    if compared := _COMPARED.match(plain, end):
        return _compared(said, compared)
    second = _SECOND_THOUGHT.match(plain, end)
    if not _may_follow(said, match["choice"]).match(plain, end) or (second and side(second["said"]) != side(said)):
        return None
    return side(said)


def _may_follow(said: str, choice: str) -> re.Pattern[str]:
    """What may stand in the line after a choice: "a" and "first" alone may be other words, "(A)" and "Text 2" not."""
    if choice.endswith((")", "]")):
        return _AFTER_BRACKET
    if said in ("A", "B") or choice != said:
        return _AFTER_CAPITAL
    return _AFTER_WORD if said.casefold() in ("first", "second") else _AFTER_SMALL


def _compared(said: str, compared: re.Match[str]) -> float | None:
    """The side that is said to be > or = the other."""
    if side(said) == side(compared["other"]):
        return None
    return 0.5 if compared["sign"].startswith("=") else side(said)


def _bare_lines(plain: str) -> list[float | None]:
    """The verdicts of lines that hold nothing else."""
    found: list[float | None] = []
    for line in plain.splitlines():
        if bare := BARE.fullmatch(line.strip(" -•")):
            found.append(side(bare["said"]))
        elif compared := _COMPARED_LINE.fullmatch(line):
            found.append(_compared(compared["said"], compared))
    return found


_REFUSAL = re.compile(r"\b(?:sorry|i can(?:no|')t|unable to|as an ai)\b", re.I)
_UNDECIDED = re.compile(r"\b(?:neither|both|either|depends|unclear)\b", re.I)
_LEADING = re.compile(r"(?P<said>[AB])(?:[.),]\s|\s+[-–—]\s)")
_LETTER = re.compile(r"(?<![\w'-])[AB](?![\w'-])")
_NAMED = re.compile(rf"(?<![\w'-])(?:(?P<letter>[AB])(?![\w'-])|(?i:(?:the|{NOUN})\s+(?P<word>first|second|[12]))\b)")
_CHOICE = rf"(?:(?i:(?:the\s+)?{NOUN}\s+|the\s+)?(?:[AB]|(?i:first|second)|[12]))(?![\w'])(?:\s+(?:one|{NOUN}))?"
_LOSER = re.compile(
    rf"(?:,?\s+(?:and\s+)?not|\s+(?:over|than|rather\sthan|instead\sof)|(?<=prefer\s[AB])\s+to)\s+{_CHOICE}"
    rf"|\b(?i:between|of)\s+{_CHOICE}\s+and\s+{_CHOICE}"
)
_CHOOSING = re.compile(
    r"(?i:\b(?:choose|chose|pick|select|prefer|go\swith|vote\sfor|favou?r|opt\sfor|recommend|say|it's|it\sis)\s+)"
    + _CHOICE
    + "|"
    + _CHOICE
    + r"(?:,?\s+because\b|\s+wins\b|\s+(?:is|seems|looks|appears|sounds|would\sbe)(?:\s+to\sbe)?"
    r"(?:\s+(?:clearly|far|much|slightly|definitely|a\sbit|a\slittle))?(?:\s+the(?:\sclear)?)?"
    r"\s+(?:more\s\w|most\s\w|better|best|superior|preferable|preferred|stronger|winner))"
)
_DOUBT = re.compile(
    r"\b(?:not|no|never|nor|neither|both|either|or|if|unless|depends|might|may|could|but|although|however|"
    r"less|least|worse|worst|weaker|weakest|loses?)\b|n't\b|\?",
    re.I,
)


def _leading(plain: str) -> list[float | None]:
    """The letter that a reply of one line begins with, if it names no other."""
    match = _LEADING.match(plain)
    if not match or "\n" in plain or set(_LETTER.findall(plain)) != {match["said"]} or _UNDECIDED.search(plain):
        return []
    return [side(match["said"])]


def _chosen(plain: str) -> list[float | None]:
    """The only text that a short reply names, if a sentence chooses it and none is in doubt."""
    sentence = _LOSER.sub("", plain)
    if len(plain) > SHORT or _DOUBT.search(sentence) or not _CHOOSING.search(sentence):
        return []
    return [side(match["letter"] or match["word"]) for match in _NAMED.finditer(sentence)]
