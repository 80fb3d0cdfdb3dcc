"""Damaged files, a few for every command and form; `benchmarks/mutated_inputs.py` has a thousand a command."""

import os
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "mutated_inputs.py"
FILES, FEW = 12, 2
"""Damaged files of each form; and of those whose command takes long."""
SLOW = ("fit", "report", "explain", "judge --run", "judge --llm", "judge --add", "judge --again", "judge --check")


@pytest.fixture(scope="module")
def script():
    """The benchmark as a module."""
    spec = spec_from_file_location("mutated_inputs", SCRIPT)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("default")  # as for a user: what is warned of goes to standard error
def test_damaged_files_are_taken_or_refused_in_one_line(script, tmp_path):
    here, ended = os.getcwd(), []
    try:
        for given in script.commands(tmp_path):
            slow = given.command in SLOW
            whole = None if slow else script.tried(given, -1)
            assert slow or whole["code"] == 0, f"{given.name} must be taken as it is: {whole}"
            for seed in range(2_000, 2_000 + (FEW if slow else FILES)):
                found = script.tried(given, seed)
                assert not found["wrong"], f"{given.name}:{seed} {found}"
                ended.append(found["code"])
    finally:
        os.chdir(here)
    assert ended.count(2) > len(ended) / 3 and ended.count(0) > len(ended) / 20


def test_what_takes_too_long_or_too_much_memory_is_wrong(script):
    assert script.fault(0, "", [], 59.0, 1024) == ""
    assert "61 s" in script.fault(0, "", [], 61.0, 100) and "1,025 MB" in script.fault(2, "ordain: no", [], 1.0, 1025)


def test_lines_that_came_together_are_not_held_back(script, monkeypatch):
    """The seed that hangs is the one after the last line, however many lines came at once."""
    monkeypatch.setattr(script, "SECONDS", -4.9)
    out, into = os.pipe()
    os.write(into, b"one\ntwo\nthr")
    lines = script.lines_of(out)
    assert [next(lines) for _ in range(3)] == [b"one", b"two", None]
    os.write(into, b"ee\n")
    os.close(into)
    assert list(lines) == [b"three"]
    os.close(out)
