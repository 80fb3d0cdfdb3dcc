"""The header of an array is believed only where it is one: no other text, and no other length."""

import io

import numpy as np
import pytest

from ordain.tables.npy_header import npy_header
from ordain.tables.vectors import read_vectors


def saved(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


WHOLE = saved(np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize(
    "array", [np.zeros((2, 3), np.float32), np.zeros(4, int), np.array(["a", "bcd"]), np.eye(2) > 0]
)
def test_what_numpy_saves_is_told(array):
    assert npy_header(saved(array)) == (array.shape, array.dtype)


@pytest.mark.parametrize("place", range(10, 60))
@pytest.mark.parametrize("byte", b"\0'(\"\n9L{-#")
def test_no_byte_of_a_header_leads_to_anything_but_a_refusal(tmp_path, place, byte):
    """Numpy evaluates it as Python, and tells of some mistakes by its tokenizer, of others by a warning."""
    (tmp_path / "a.npy").write_bytes(WHOLE[:place] + bytes([byte]) + WHOLE[place + 1 :])
    try:
        rows = read_vectors(str(tmp_path / "a.npy"), ["a", "b"])
    except ValueError as refused:
        assert "must be an array of numbers" in str(refused) or "must have a row of numbers" in str(refused)
    else:
        assert rows.shape == (2, 3)


@pytest.mark.parametrize("shape", ["(2, 3000000000000)", "(2, -3)", "(-2, -3)", "(2,)", "(2, 3, 1)", "2"])
def test_a_shape_that_the_file_has_not_is_refused_unread(tmp_path, shape):
    (tmp_path / "a.npy").write_bytes(WHOLE.replace(b"(2, 3)", shape.encode()))
    with pytest.raises(ValueError, match=r"must be an array of numbers|must have a row of numbers"):
        read_vectors(str(tmp_path / "a.npy"), ["a", "b"])


def test_a_header_of_another_version_is_refused(tmp_path):
    with open(tmp_path / "a.npy", "wb") as file:
        np.lib.format.write_array(file, np.zeros((2, 3)), version=(2, 0))
    with pytest.raises(
        ValueError, match=r"must be an array of numbers that numpy saved\. Got: a version beside 1\.0\."
    ):
        read_vectors(str(tmp_path / "a.npy"), ["a", "b"])


@pytest.mark.parametrize("data", [b"", b"\x93NUMPY", WHOLE[:-1], WHOLE + b"\0", saved(np.array([None, {}]))])
def test_what_is_cut_longer_or_made_of_objects_is_refused(data):
    with pytest.raises(ValueError):
        npy_header(data)
