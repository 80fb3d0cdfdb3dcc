"""What may have been meant by a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: object, known: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> str:
    """A question that follows a message, with a blank before it; empty where nothing is near.

    Examples
    --------
    >>> did_you_mean("logstic", ["logistic", "squared"])
    " Did you mean 'logistic'?"
    >>> did_you_mean("cubic", ["logistic", "squared"])
    ''
    """
    folded = {other.lower(): other for other in known}
    near = get_close_matches(str(name).strip().lower(), folded, n=most, cutoff=cutoff)
    return f" Did you mean {' or '.join(repr(folded[key]) for key in near)}?" if near else ""
