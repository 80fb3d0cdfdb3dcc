"""Bytes in any encoding → bytes in UTF-8: by the mark at the start, by what was asked, or by where the NULs stand."""

from __future__ import annotations

import codecs
import io
from typing import IO

from ordain.tables.messages import shown

MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
"""The byte order marks, the longer before those they begin with."""

TITLES = {"utf-16": "UTF-16", "utf-32": "UTF-32", "cp1252": "Windows-1252", "utf-8": "UTF-8"}


def title(encoding: str) -> str:
    """What people call an encoding."""
    return TITLES.get(encoding.removesuffix("-le").removesuffix("-be"), encoding)


def marked(head: bytes) -> tuple[str | None, int]:
    """The encoding that the first bytes tell, if they do, and how many of them are its mark."""
    for mark, encoding in MARKS.items():
        if head.startswith(mark):
            return encoding, len(mark)
    return _by_nuls(head), 0


def _by_nuls(head: bytes) -> str | None:
    """UTF-16 without a mark: in text with few letters beyond Latin, every other byte is NUL."""
    sample = head[:1024]
    for encoding, first, second in (("utf-16-le", 0, 1), ("utf-16-be", 1, 0)):
        zeros = [sample[start::2].count(0) for start in (first, second)]
        if len(sample) >= 4 and zeros[0] == 0 and zeros[1] > 0.7 * (len(sample) // 2):
            return encoding
    return None


class Recoded(io.RawIOBase):
    """A stream of text in another encoding, as UTF-8."""

    def __init__(self, stream: IO[bytes], encoding: str, name: str) -> None:
        self._stream, self._name, self._encoding = stream, name, encoding
        self._decode = codecs.getincrementaldecoder(encoding)().decode
        self._rest, self._done = b"", False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._rest and not self._done:
            data = self._stream.read(1 << 16)
            self._done = not data
            self._rest = self._recoded(data)
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def _recoded(self, data: bytes) -> bytes:
        try:
            return self._decode(data, final=self._done).encode()
        except UnicodeError as wrong:
            what = getattr(wrong, "reason", "bytes that are none")
            must = f"{self._name} must be text in {title(self._encoding)}"
            raise ValueError(f"{must}. Got {shown(what)}. Name another with --encoding.") from None
