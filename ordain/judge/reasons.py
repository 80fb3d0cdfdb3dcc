"""The reason that a reply gives beside its verdict."""

from __future__ import annotations

import re

from ordain.judge.label_lines import CHAIN_LINE, row_of
from ordain.judge.one_of_two import BARE, MARKERS
from ordain.judge.prompt import shortened
from ordain.judge.verdict import LONGEST, keyed_values, plain_text
from ordain.judge.without_thoughts import without_reasoning

WHY = 500
"""So many characters of a reason are kept."""

_REASON_KEYS = frozenset(["why", "reason", "reasoning", "explanation", "rationale", "justification"])
_REASON_NAMED = re.compile(rf"^(?:the\s+|my\s+)?(?:{'|'.join(sorted(_REASON_KEYS))})\s*[:–—-]\s*", re.I)
_VERDICT_LINE = re.compile(
    rf"^[^\w\n]*(?:final\s+)?(?:{MARKERS})\b[^\n:]{{0,30}}:|(?<!\w)(?:final\s+)?(?:verdict|order|ranking|answer)\s*:",
    re.I | re.M,
)


def why_of(text: str) -> str | None:
    """The reason that a reply gives, on one line: what comes before the verdict, or else after its line.

    Examples
    --------
    >>> why_of("Reason: a house is on fire.\\n**Verdict: A**")
    'a house is on fire.'
    """
    said = without_reasoning(text)[-LONGEST:]
    values, rest = keyed_values(said, _REASON_KEYS)
    reasons = [value for value in values if isinstance(value, str)] or [_beside_verdict(rest)]
    line = _REASON_NAMED.sub("", " ".join(reasons[0].replace("**", "").split()).strip("*#>- "))
    return shortened(line, WHY) or None


def _beside_verdict(said: str) -> str:
    """What stands before the last marker, or else after its line; without one, the lines that are no verdict."""
    markers = list(_VERDICT_LINE.finditer(said))
    if markers:
        before, after = said[: markers[-1].start()], said[markers[-1].end() :].partition("\n")[2]
        return before if re.search(r"\w", before) else after
    return "\n".join(line for line in said.splitlines() if not _is_verdict(plain_text(line)))


def _is_verdict(line: str) -> bool:
    """Whether a line has nothing but a verdict."""
    row = row_of(line)
    return bool(BARE.fullmatch(line) or CHAIN_LINE.fullmatch(line) or (row and not row.remark))
