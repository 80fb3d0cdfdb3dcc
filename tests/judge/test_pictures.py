"""Pictures are pictures by their first bytes, and come from inside the folder only."""

import struct
import zlib

import pytest

from ordain.judge import pictures as module
from ordain.judge.judged_items import Item
from ordain.judge.pictures import kind_of, picture, pictures_in, pictures_of


def png(colour=b"\xff\x00\x00"):
    """A real picture of one point."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    points = zlib.compress(b"\x00" + colour)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", points) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (png(), "image/png"),
        (b"\xff\xd8\xff\xe0 JFIF", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVE", None),
        (b"<svg onload='alert(1)'/>", None),
        (b"<html>", None),
        (b"", None),
    ],
)
def test_the_first_bytes_say_what_a_file_is(data, kind):
    assert kind_of(data) == kind


def test_a_folder_of_pictures_is_a_list_of_items(tmp_path):
    for name in ("b.png", "a.jpg"):  # whatever the name says
        (tmp_path / name).write_bytes(png())
    (tmp_path / ".hidden").write_bytes(b"no picture")
    items, found = pictures_in(str(tmp_path))
    assert [item.id for item in items] == ["a.jpg", "b.png"]
    assert found == {0: (png(), "image/png"), 1: (png(), "image/png")}


def test_paths_in_a_column(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.png").write_bytes(png())
    items = [Item("x", "one", {"photo": "in/x.png"}), Item("y", "none", {"photo": None})]
    assert pictures_of(items, "photo", tmp_path) == {0: (png(), "image/png")}
    with pytest.raises(ValueError, match="no column 'foto'"):
        pictures_of(items, "foto", tmp_path)


@pytest.mark.parametrize("path", ["../out.png", "/etc/passwd", "in/../../out.png", "leads_out.png", "missing.png"])
def test_nothing_from_outside_the_folder(path, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "out.png").write_bytes(png())
    (folder / "leads_out.png").symlink_to(tmp_path / "out.png")
    with pytest.raises(ValueError, match="must be"):
        picture(path, folder)


def test_a_link_within_the_folder_is_followed(tmp_path):
    (tmp_path / "x.png").write_bytes(png())
    (tmp_path / "y.png").symlink_to(tmp_path / "x.png")
    assert picture("y.png", tmp_path)[1] == "image/png"


@pytest.mark.parametrize("data", [b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"text", b""])
def test_what_is_no_picture_is_refused(data, tmp_path):
    (tmp_path / "x.png").write_bytes(data)
    with pytest.raises(ValueError, match="PNG, JPEG, GIF or WebP"):
        picture("x.png", tmp_path)


def test_a_folder_without_pictures_and_one_too_large_are_refused(tmp_path):
    (tmp_path / ".hidden.png").write_bytes(png())
    with pytest.raises(ValueError, match=r"must have pictures\. It has no file"):
        pictures_in(tmp_path)
    (tmp_path / "one.png").write_bytes(png())
    with open(tmp_path / "one.png", "r+b") as file:
        file.truncate(module.LARGEST)
    assert len(picture("one.png", tmp_path)[0]) == module.LARGEST
    with open(tmp_path / "one.png", "r+b") as file:
        file.truncate(module.LARGEST + 1)
    with pytest.raises(ValueError, match=r"at most .* MB\. 'one.png' has more\. Make it smaller"):
        picture("one.png", tmp_path)
