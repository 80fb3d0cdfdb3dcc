"""What the tests of the commands share."""

import pytest

from ordain.cli import main


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
