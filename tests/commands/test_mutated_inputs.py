"""Damaged files, a few for every command and form; `benchmarks/mutated_inputs.py` has a thousand a command."""

import os
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "mutated_inputs.py"
FILES = 12


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
        for command, form, data, words in script.commands(tmp_path):
            whole = script.tried(data, form, words, -1)
            assert whole["code"] == 0, f"{command} must take its {form} as it is: {whole}"
            for seed in range(2_000, 2_000 + FILES):
                found = script.tried(data, form, words, seed)
                assert not found["wrong"], f"{command}:{form}:{seed} {found}"
                ended.append(found["code"])
    finally:
        os.chdir(here)
    assert ended.count(2) > len(ended) / 3 and ended.count(0) > len(ended) / 20
