"""Whether rows were trained on: a sketch of the training rows that holds none of them.

Each row, as a model sees it, becomes a hash of 64 bits, and the smallest ones are kept. In another table the rows whose
hashes are as small are a sample of it, and the share of the sample that was kept is the share of the table that was
trained on [Beyer07]_. Rows count once, however often they occur.

Where rows repeat, fresh ones match too: of n rows drawn like the training rows, the share that was seen before is about
the share of training rows that equal another, 1 - f₁/n with f₁ rows that occur once [Good53]_. So nothing is kept where
that share is above a limit, and matches count only where that limit does not explain them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.special import bdtrc

from ordain._json import record
from ordain._types import Vector
from ordain.prepare import Preparation
from ordain.rows.draw import hashes, mixed

KEPT = 1024
"""So many hashes are kept, the smallest; fewer only where there are fewer different rows."""

REPEATED = 0.05
"""Where more of the training rows equal another, nothing is kept."""

SHARE = 0.1
"""A smaller share of rows that were trained on is not worth a word."""

CHANCE = 0.001
"""Matches count if fresh rows, of which a share REPEATED matched, would give as many with at most this chance."""

SAMPLE = 16 * KEPT
"""Of the table that is looked at so many hashes are held, at most."""

LARGEST = 2**64 - 1
_NAN = np.uint32(0x7FC00000)


@dataclass(frozen=True)
class Seen:
    """The sketch: a salt, from seed and rows, and the smallest hashes of the different training rows, in order."""

    salt: int
    hashes: tuple[int, ...]

    @classmethod
    def learn(cls, preparation: Preparation, frame: pl.DataFrame, seed: int) -> Seen | None:
        """The sketch of the training rows; None where so many of them repeat that fresh rows would match."""
        sums = summed(column.codes(frame[column.name]) for column in preparation.columns)
        _, counts = np.unique(sums, return_counts=True)
        if counts[counts > 1].sum() > REPEATED * len(sums):
            return None
        salt = hashlib.blake2b(f"{seed} ".encode() + sums.astype("<u8").tobytes(), digest_size=8)
        number = int.from_bytes(salt.digest(), "little")
        return cls(number, tuple(np.unique(salted(sums, number))[:KEPT].tolist()))

    @property
    def limit(self) -> int:
        """Rows with larger hashes are not in the sample."""
        return self.hashes[-1] if len(self.hashes) == KEPT else LARGEST

    def as_json(self) -> dict[str, Any]:
        """All of it as plain data; :meth:`from_json` takes it back."""
        return asdict(self) | {"hashes": list(self.hashes)}

    @classmethod
    def from_json(cls, plain: Any) -> Seen:
        """What :meth:`as_json` gave; anything else is refused."""
        found = record(plain, "the sketch of training rows", salt=int, hashes=list)
        hashes = found["hashes"]
        right = 0 < len(hashes) <= KEPT and all(map(_is_hash, [found["salt"], *hashes]))
        if not right or sorted(set(hashes)) != hashes:
            raise ValueError(
                f"the sketch of training rows must have 1 to {KEPT:,} different numbers of 64 bits, in order. "
                "Got otherwise. Is the model file right?"
            )
        return cls(found["salt"], tuple(hashes))


class Overlap:
    """How many rows of a table, which comes in parts, were trained on."""

    def __init__(self, seen: Seen) -> None:
        self.seen, self.limit = seen, np.uint64(seen.limit)
        self.sample = np.empty(0, np.uint64)

    def add(self, sums: Vector) -> None:
        """Some more rows, as :func:`summed` gives them."""
        hashes = salted(sums, self.seen.salt)
        few = hashes[hashes <= self.limit]
        if len(few):
            self.sample = np.unique(np.concatenate([self.sample, few]))[:SAMPLE]
            self.limit = self.sample[-1] if len(self.sample) == SAMPLE else self.limit

    @property
    def share(self) -> float | None:
        """The share of the rows that were trained on, 0 where so few match that chance explains it.

        None where no row came into the sample, as in a table far smaller than that of training.
        """
        size = len(self.sample)
        matched = int(np.isin(self.sample, np.array(self.seen.hashes, np.uint64)).sum())
        if not size:
            return None
        sure = matched and bdtrc(matched - 1, size, REPEATED) < CHANCE
        return matched / size if sure and matched >= SHARE * size else 0.0


def summed(columns: Iterable[Vector]) -> Vector:
    """A number of 64 bits for every row: Σ aₖ bₖ modulo 2⁶⁴, bₖ being the bits of column k as trees see it.

    That is in single precision, with one nan and one zero.
    """
    total: Any = np.uint64(0)
    for number, column in enumerate(columns, 1):
        values = column.astype(np.float32) + np.float32(0)  # -0.0 + 0.0 = 0.0
        bits = np.where(np.isnan(values), _NAN, values.view(np.uint32))
        total = total + bits * (hashes(np.array([number])) | np.uint64(1))
    return total


def _is_hash(number: Any) -> bool:
    return type(number) is int and 0 <= number <= LARGEST


def salted(sums: Vector, salt: int) -> Vector:
    """The hashes of rows."""
    return mixed(sums ^ np.uint64(salt))
