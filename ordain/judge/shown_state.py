"""What the page shows of a run: a pair, how far it is, how sure the order is."""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Any

import numpy as np

from ordain.judge.people import ANSWERS, People
from ordain.judge.run import Run
from ordain.judge.store import Key

ORDER = 500
"""Items of the order so far that are shown."""

HASTY = 5
"""Of ten answers so many that came too fast are remarked on."""

USUAL = 6.0
"""Seconds for an answer, before any is known."""


def written_key(key: Key, name: str, secret: bytes) -> str:
    """A question as text, with a seal that says that it was shown to this person, also by a server before this one.

    Examples
    --------
    >>> written_key((2, (7, 4), 0), "Ana", b"secret")
    '2.7-4.0.3b8afbd07fafdd04'
    """
    text = f"{key[0]}.{key[1][0]}-{key[1][1]}.{key[2]}"
    return f"{text}.{hmac.new(secret, f'pair {text} {name}'.encode(), hashlib.sha256).hexdigest()[:16]}"


def key_of(text: Any, name: str, secret: bytes) -> Key | None:
    """The question that is written so; None for what was never shown to this person.

    Examples
    --------
    >>> key_of("2.7-4.0.3b8afbd07fafdd04", "Ana", b"secret")
    (2, (7, 4), 0)
    >>> key_of("2.7-4.0.3b8afbd07fafdd04", "Ben", b"secret"), key_of("2.7-5.0.3b8afbd07fafdd04", "Ana", b"secret")
    (None, None)
    """
    found = re.fullmatch(r"([0-9]{1,9})\.([0-9]{1,9})-([0-9]{1,9})\.([0-9]{1,9})\.[0-9a-f]{16}", str(text))
    if found is None:
        return None
    plan, left, right, time = map(int, found.groups())
    key = (plan, (left, right), time)
    return key if hmac.compare_digest(written_key(key, name, secret), str(text)) else None


def state_of(people: People, name: str, looking_at: Key | None, images: frozenset[int]) -> dict[str, Any]:
    """All that the page shows someone: an earlier pair if they look at one, else the next."""
    if people.ranker.failed is not None:
        phase, key = "stopped", None
    else:
        key = looking_at or people.next(name)
        phase = "judging" if key is not None else "waiting"
        if looking_at is None and key is None and people.ready(name):
            phase = "stopped" if people.ranker.stopping or people.people[name].stopped else "done"
    person = people.people[name]
    return {
        "question": people.run.store.facts["question"],
        "person": name,
        "phase": phase,
        "pair": None if key is None else pair_shown(people, name, key, images),
        "progress": progress(people, name),
        "notice": "Your last answers came faster than the texts can be read." if sum(person.fast) >= HASTY else None,
        "can_go_back": people.before(name, key) is not None,
    }


def secret_of(people: People) -> bytes:
    """What seals come from; it is in the run, and nowhere else."""
    return bytes.fromhex(people.run.store.facts["secret"])


def pair_shown(people: People, name: str, key: Key, images: frozenset[int]) -> dict[str, Any]:
    """Two cards, and what was answered if it was."""
    said = people.given(name, key)
    given = next((word for word, value in ANSWERS.items() if value == said), None)
    left, right = (card(people.run, item, images, markdown=people.markdown) for item in key[1])
    return {"key": written_key(key, name, secret_of(people)), "left": left, "right": right, "given": given}


def card(run: Run, item: int, images: frozenset[int], *, markdown: bool = False) -> dict[str, Any]:
    """What is shown of an item."""
    text, image = run.store.items[item].text, f"/image/{item}" if item in images else None
    return {"text": text, "kind": "image" if image else _kind(text, markdown), "image": image, "fields": None}


def _kind(text: str, markdown: bool) -> str:
    """How a text is set."""
    looks_like_code = "\n" in text and any(mark in text for mark in ("def ", "{\n", ";\n", "#include", "=> ", "</"))
    return "markdown" if markdown else "code" if looks_like_code else "text"


def progress(people: People, name: str) -> dict[str, Any]:
    """How far it is, and what is left."""
    answered, total = people.answered, people.total
    times = [second for person in people.people.values() for second in person.seconds]
    active = max(1, sum(1 for person in people.people.values() if person.seconds))
    each = float(np.median(times)) if times else USUAL
    return {
        "answered": answered,
        "total": total,
        "mine": len(people.people[name].answered),
        "minutes_left": round((total - answered) * each / 60 / active, 1) if times else None,
        "sure": sureness(people, answered, total),
    }


def sureness(people: People, answered: int, total: int) -> str:
    """How sure an item's place is now, and what the rest will bring, about: errors fall as the root of the answers."""
    if people.ranker.spread is None or not answered:
        return ""
    now, then = people.ranker.spread, people.ranker.spread * (answered / max(total, 1)) ** 0.5
    if total <= answered:
        return f"An item's place is sure to about {now:.1f} places."
    return (
        f"An item's place is sure to about {now:.1f} places now, and to {then:.1f} after the {total - answered} left."
    )


def order_shown(people: People) -> list[dict[str, Any]]:
    """The order so far."""
    found = [people.run.store.items[item] for item in people.ranker.order[:ORDER]]
    return [{"rank": rank, "id": item.id, "text": item.text[:200]} for rank, item in enumerate(found, 1)]
