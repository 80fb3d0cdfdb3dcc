"""Named pieces of bytes as a zip file that has one form only, and floats as `.npy` that has one form only.

The pieces are stored, not packed, so a small file cannot unfold into a large one. A file is read only if packing what
was read gives the same file again: that leaves no room for entries that are hidden, doubled, encrypted or links, for
headers that lie, and for bytes before, between or after the entries.
"""

from __future__ import annotations

import io
import math
import os
import re
import struct
import zipfile
from collections.abc import Mapping

import numpy as np

from ordain._files import whole
from ordain._types import Vector

LIMIT = 1 << 28
"""A model file is at most this large, in bytes."""

ENTRIES = 1000
"""It has at most this many entries."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}(\.[a-z]{1,8})?")


def packed(entries: Mapping[str, bytes]) -> bytes:
    """The zip file of these entries, in this order: stored, at the first moment a zip file knows.

    Examples
    --------
    >>> unpacked(packed({"a.json": b"{}"}), "a file")
    {'a.json': b'{}'}
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in entries.items():
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, 0o600 << 16
            archive.writestr(info, data)
    return stream.getvalue()


def unpacked(data: bytes, what: str) -> dict[str, bytes]:
    """The entries of a zip file that :func:`packed` made; anything else is refused."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            listed = archive.infolist()
            _check_entries(listed, what)
            entries = {info.filename: archive.read(info) for info in listed}
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, UnicodeError) as wrong:
        raise ValueError(f"{what} must be a whole zip file. Got a damaged one: {wrong}. Copy it again.") from None
    if not entries or packed(entries) != data:
        raise ValueError(f"{what} must be a whole zip file as ordain writes it. Got something else, or a damaged file.")
    return entries


def _check_entries(listed: list[zipfile.ZipInfo], what: str) -> None:
    """Few entries, of different plain names, neither packed nor encrypted."""
    if len({info.filename for info in listed}) < len(listed) or len(listed) > ENTRIES:
        raise ValueError(f"{what} must have different entries, at most {ENTRIES}. Got one again, or too many.")
    for info in listed:
        if not _NAME.fullmatch(info.filename):
            raise ValueError(f"{what} must have plain names inside. Got {info.filename[:40]!r}. Do not trust the file.")
        if info.flag_bits & 1:
            raise ValueError(f"{what} must not be encrypted. Got {info.filename!r} so. Fit the model again.")
        if info.compress_type != zipfile.ZIP_STORED:
            got = f"Got {info.filename!r} packed. Do not unzip and zip a model."
            raise ValueError(f"{what} must be stored, not packed. {got}")


def floats_written(values: Vector) -> bytes:
    """An array of float64 as a `.npy` file, its header always the same for the same shape."""
    return _npy_header(values.shape) + np.ascontiguousarray(values, "<f8").tobytes()


def floats_read(data: bytes, shape: tuple[int, ...], what: str) -> Vector:
    """The finite float64 array of this shape that :func:`floats_written` wrote; anything else is refused.

    The header must be the one expected, so none is ever interpreted.
    """
    header = _npy_header(shape)
    if data[: len(header)] != header or len(data) != len(header) + 8 * math.prod(shape):
        raise ValueError(f"{what} must hold float64 numbers of shape {shape}. Got something else. Fit the model again.")
    values = np.frombuffer(data, "<f8", offset=len(header)).reshape(shape).astype(np.float64)
    if not np.isfinite(values).all():
        raise ValueError(f"{what} must hold finite numbers. Got nan or inf. Fit the model again.")
    return values


def _npy_header(shape: tuple[int, ...]) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    text = text.ljust(-(len(text) + 11) % 64 + len(text)) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode()


def read_file(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a regular file, if it is not too large for a model."""
    if not os.path.isfile(path):
        raise ValueError(f"{path} must be a model file. There is none of that name. Check the path.")
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > LIMIT:
            raise ValueError(f"{path} must be a model of at most {LIMIT >> 20} MiB. It is larger. Is it the right one?")
        return file.read(size)


def write_file(path: str | os.PathLike[str], data: bytes, force: bool) -> None:
    """Write the bytes of a model, if they are not too many, whole or not at all."""
    if len(data) > LIMIT:
        raise ValueError(f"a model file must have at most {LIMIT >> 20} MiB. Got {len(data) >> 20}. Use fewer trees.")
    with whole(path, force) as file:
        file.write(data)
