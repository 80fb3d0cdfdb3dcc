"""In which order a reply puts some texts: which of the orders in it counts, and the place of each text in that one."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ordain.judge.label_lines import (
    ARROW,
    CHAIN,
    CHAIN_LINE,
    LABEL,
    TIE,
    Levels,
    chain_levels,
    label_of,
    letters_levels,
    levels_of_chain,
    rows_of,
    runs_of,
)
from ordain.judge.prompt import LABELS
from ordain.judge.reasons import why_of
from ordain.judge.verdict import LONGEST, PAGE, TRIED, Verdict, keyed_values, parsed_json, plain_text
from ordain.judge.without_thoughts import without_reasoning

_ORDER_KEYS = frozenset(
    ["order", "ranking", "rank", "ranked", "rankorder", "answer", "verdict", "result", "labels", "list"]
)
_ORDER_MARKED = re.compile(
    r"(?<![a-z])(?:best\sto\sworst|best\sfirst|most\s\w+\sto\sleast|"
    r"order|ranking|ranked|rank|sequence|verdict|answer|result|conclusion|list|reihenfolge|classement|"
    r"orden|ordine|ordem|порядок|排序|順位|排名|순위)(?:[^\n:.;,>]{0,60}:|\s+(?:is|would\sbe)\b|\s*=)\s*",
    re.I,
)
_TIED_GROUP = re.compile(rf"\(({LABEL}(?: ?[=~≈] ?{LABEL})+)\)")
_UPSIDE_DOWN = re.compile(r"\b(?:worst|least|lowest|weakest)(?:\s+\w+)?\s+(?:to|first)\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|than|wrong|instead of)\b|n't\b", re.I)


def read_list(text: str, count: int, *, why: bool = False) -> Verdict:
    """In which order a reply puts the first `count` labels, best first.

    An order is labels with ``>``, arrows or commas between them and ``=`` or ``~`` between equals, a JSON array whose
    arrays are ties, numbered lines, or one label per line. The one after the last marker (``Order:``) counts; without a
    marker the complete one, if there are not two that differ. An order in which fewer than half of the labels, or fewer
    than two, have a place cannot be read.

    Parameters
    ----------
    text : str
        The reply, with or without the model's reasoning.
    count : int
        How many texts were shown.
    why : bool
        Keep the reason given beside the order, see :func:`why_of`.

    Examples
    --------
    >>> read_list("Order: C > A = B", 3).answer
    (1.0, 1.0, 0.0)
    >>> read_list("1. C\\n2. A\\n3. C\\n4. X", 3)
    Verdict(answer=(1.0, nan, 0.0), missing=1, repeated=1, invented=1, why=None)
    """
    if not 2 <= count <= len(LABELS):
        raise ValueError(f"a list must have 2 to {len(LABELS)} texts. Got {count}. Show fewer at a time.")
    said = without_reasoning(text)[-LONGEST:]
    found = Verdict(None) if PAGE.search(said) else _list_verdict(said, count)
    return replace(found, why=why_of(text) if why else None)


def _list_verdict(said: str, count: int) -> Verdict:
    """The order in a reply, counted."""
    values, rest = keyed_values(said, _ORDER_KEYS)
    plain = _TIED_GROUP.sub(r"\1", plain_text(rest))
    if _UPSIDE_DOWN.search(plain):
        return Verdict(None)
    keyed = [_levels_of_value(value) for value in values]
    marked = keyed[-1:] or list(_after_last_marker(plain, count))
    if marked:
        return _placed(marked[0], count)
    orders = [order for levels in _orders(plain, count) if (order := _placed(levels, count)).readable]
    complete = [order for order in orders if not order.missing] or orders
    return complete[-1] if len({str(order.answer) for order in complete}) == 1 else Verdict(None)


def _placed(levels: Levels | None, count: int) -> Verdict:
    """The places of the labels; unreadable if too few have one."""
    places = dict.fromkeys(LABELS[:count], math.nan)
    seen: list[str] = []
    for place, level in enumerate(levels or []):
        for label in level:
            if math.isnan(places.get(label, 0.0)):
                places[label] = float(place)
            seen.append(label)
    ranked = sorted({place for place in places.values() if place == place})
    answer = tuple(float(ranked.index(place)) if place == place else math.nan for place in places.values())
    named = sum(place == place for place in answer)
    known = sum(label in places for label in seen)
    enough = named >= max(2, math.ceil(count / 2))
    return Verdict(answer if enough else None, count - named, known - named, len(seen) - known)


def _after_last_marker(plain: str, count: int) -> Iterator[Levels]:
    """The order after the last marker that one follows, if any does."""
    arrays = dict(_arrays(plain))
    for marker in reversed(list(_ORDER_MARKED.finditer(plain))[-TRIED:]):
        start = marker.end()
        array = _levels_of_array(plain[start : arrays[start]]) if start in arrays else None
        levels = array or chain_levels(plain, start) or letters_levels(plain, start)
        levels = levels or next(runs_of(rows_of(plain[start:]), headed=True), None)
        if levels and _placed(levels, count).readable:
            yield levels
            return


def _orders(plain: str, count: int) -> Iterator[Levels]:
    """Every order in a reply without markers: arrays, lines of labels, runs of lines, complete chains in a sentence."""
    for start, end in _arrays(plain):
        yield _levels_of_array(plain[start:end]) or []
    for line in CHAIN_LINE.finditer(plain):
        yield levels_of_chain(line["chain"]) or []
    yield from filter(None, (letters_levels(line, 0) for line in plain.splitlines()))
    yield from runs_of(rows_of(plain), headed=False)
    for chain in CHAIN.finditer(plain):
        levels = levels_of_chain(chain[0]) if ARROW.search(chain[0]) else None
        before = plain[plain.rfind("\n", 0, chain.start()) + 1 : chain.start()]
        if levels and not _placed(levels, count).missing and not _DENIED.search(before):
            yield levels


def _arrays(plain: str) -> list[tuple[int, int]]:
    """Where the outermost arrays begin and end."""
    opened: list[int] = []
    spans: list[tuple[int, int]] = []
    for bracket in re.finditer(r"[\[\]]", plain):
        if bracket[0] == "[":
            opened.append(bracket.start())
        elif opened:
            start = opened.pop()
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, bracket.end()))
    return spans


def _levels_of_array(array: str) -> Levels | None:
    """The levels of an array whose quotation marks are gone: they are set again around every entry."""
    return _levels_of_value(
        parsed_json(re.sub(r"[^\[\],]*[^\[\],\s][^\[\],]*", lambda entry: json.dumps(entry[0]), array))
    )


def _levels_of_value(value: Any) -> Levels | None:
    """The levels in a JSON value: an array, or an order in words."""
    if isinstance(value, str):
        plain = plain_text(value)
        return chain_levels(plain, 0)
    if not isinstance(value, list) or len(value) < 2:
        return None
    return [_level(entry) for entry in value]


def _level(entry: Any) -> list[str]:
    """The labels of an entry; what is none stays, to be counted as invented."""
    if isinstance(entry, list):
        return [label for part in entry for label in (_level(part) if isinstance(part, str) else ["?"])]
    parts = TIE.split(plain_text(entry)) if isinstance(entry, str) else ["?"]
    return [label_of(part) if re.fullmatch(rf"\s*{LABEL}[\s.]*", part) else "?" for part in parts]
