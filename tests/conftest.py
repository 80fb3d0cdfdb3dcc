"""The same examples on every run, so that a failure can be repeated; commands run in an empty folder."""

import pytest
from hypothesis import HealthCheck, settings

from ordain.cli import main

settings.register_profile("ordain", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ordain")


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run a command in an empty folder; its exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return command
