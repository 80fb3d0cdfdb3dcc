"""The pages on extending, followed to the letter in a copy of the project, whose own laws run on what was added."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import page_blocks
import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def extended(tmp_path):
    """A copy of the project to which a page was applied; a function that runs Python in it."""

    def of(page):
        for folder in ("ordain", "tests"):
            shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", tmp_path)
        for block in page_blocks.blocks(ROOT / "docs" / "extending" / f"{page}.md"):
            if block.note.startswith("edit "):
                page_blocks.edited(block, tmp_path)
            elif block.note.startswith("file "):
                (tmp_path / block.note.removeprefix("file ")).write_text(block.text)
        return lambda *words: subprocess.run(
            [sys.executable, "-m", *words],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
        )

    return of


def test_a_loss_added_as_told_obeys_the_laws(extended):
    done = extended("loss")("pytest", "tests/losses", "-q", "-k", "bits", "-p", "no:cacheprovider")
    assert done.returncode == 0 and done.stdout.count(".") > 10, done.stdout


def test_a_ranker_added_as_told_obeys_the_laws(extended):
    words = ("tests/rank/test_rank.py", "ordain/rank/merging.py", "-q", "-k", "merge_sort", "-p", "no:cacheprovider")
    done = extended("ranker")("pytest", *words)
    assert done.returncode == 0 and done.stdout.count(".") > 10, done.stdout


def test_a_command_added_as_told_works_and_complains_in_a_line(extended, tmp_path):
    ordain = extended("command")
    (tmp_path / "ranked.csv").write_text("score\n1\n3\n2\n")
    [block] = [block for block in page_blocks.blocks(ROOT / "docs/extending/command.md") if block.kind == "console"]
    [(command, told)] = page_blocks.commands(block.text)
    assert ordain(*command.split()).stdout == told
    wrong = ordain(*command.split(), "--score", "x")
    assert wrong.returncode == 2 and wrong.stderr.startswith("ordain: ") and wrong.stderr.count("\n") == 1
    assert "ordain spread ranked.csv" in ordain("ordain", "spread", "--help").stdout
