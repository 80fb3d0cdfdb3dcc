"""Files that appear whole or not at all, also where others write or links are unknown."""

import os

import pytest

from ordain._files import whole, whole_parts


def test_a_name_that_was_taken_meanwhile_is_left_to_its_owner(tmp_path):
    path = tmp_path / "out.csv"
    with pytest.raises(ValueError, match=r"out.csv exists\. Add --force"), whole(path) as file:
        file.write(b"ours")
        path.write_bytes(b"theirs")
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("out.csv", b"theirs")]


@pytest.mark.parametrize("force", [False, True])
def test_a_file_system_without_links_will_do(tmp_path, monkeypatch, force):
    def link(*_):
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", link)
    with whole(tmp_path / "out.csv", force) as file:
        file.write(b"ours")
        assert not (tmp_path / "out.csv").exists()
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("out.csv", b"ours")]


def test_a_folder_of_parts_has_none_that_was_begun_by_a_process_that_was_killed(tmp_path):
    with whole_parts(tmp_path / "parts") as work:
        with whole(work / "part-0.parquet") as file:
            file.write(b"rows")
        begun = whole(work / "part-1.parquet")
        begun.__enter__().write(b"ro")
    assert [path.name for path in (tmp_path / "parts").iterdir()] == ["part-0.parquet"]
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]
