"""Ctrl-C and `kill` at a moment of some commands; benchmarks/stopped.py has many moments and all commands."""

import random
import signal
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from judge.killing import endpoint

from ordain import cli
from ordain._stop import Stop

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc tells when a command listens")
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "stopped.py"
SPEC = spec_from_file_location("stopped", SCRIPT)
script = module_from_spec(SPEC)
SPEC.loader.exec_module(script)
FEW = ("fit", "score", "evaluate", "rank", "explain", "judge")


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """The files that the commands need, and a server that answers slowly."""
    folder = tmp_path_factory.mktemp("given")
    script.made(folder, 6_000)
    with endpoint(folder, 0.1) as (url, _):
        yield folder, url


@pytest.mark.parametrize("command", [one for one in script.COMMANDS if one.name in FEW], ids=lambda one: one.name)
def test_ctrl_c_and_kill_end_it_with_one_line_and_leave_nothing_half_written(given, command):
    calm = script.tried(command, *given)
    assert calm.code == 0 and calm.left == []
    draw = random.Random(command.name)
    for number in script.CODES:
        wait = draw.random() * calm.took
        while (seen := script.tried(command, *given, number, wait)).late:
            wait /= 2  # it had ended: only work that is in progress counts
        assert script.fault(seen, calm, number) == ""


def test_a_stop_that_a_finaliser_swallows_comes_again():
    code = (
        "import signal, sys, time\n"
        "from ordain._stop import Stop\n"
        "class Closing:\n"
        "    def __del__(self):\n"
        "        signal.raise_signal(signal.SIGTERM)\n"
        "stop = Stop()\n"
        "stop.listen()\n"
        "Closing()\n"
        "try:\n"
        "    for _ in range(1000):\n"
        "        time.sleep(0.01)\n"
        "except KeyboardInterrupt:\n"
        "    stop.leave(130)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (143, "", "")


IN_A_CLASS = "type('Made', (), {'named': type('Named', (), {'__set_name__': lambda *_: signal.raise_signal(2)})()})"


@pytest.mark.parametrize("pressed", ["signal.raise_signal(2)", IN_A_CLASS], ids=["between", "in a class"])
def test_ctrl_c_while_the_commands_are_loaded_is_one_line(pressed):
    code = (
        "import signal, sys\n"
        "from ordain.__main__ import main\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'ordain.cli':\n"
        f"            {pressed}\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, "losses"], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "ordain: stopped.\n")


def test_a_background_job_that_ignores_ctrl_c_goes_on():
    code = (
        "import signal\n"
        "from ordain._stop import Stop\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "Stop().listen()\n"
        "signal.raise_signal(signal.SIGINT)\n"
        "print('went on')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "went on\n")


@pytest.mark.parametrize("error", [ValueError, RuntimeError])
def test_an_error_that_a_library_made_of_a_stop_is_a_stop(capsys, monkeypatch, error):
    stop = Stop()
    stop.came = signal.SIGTERM

    def fails(*_, **__):
        raise error("no such thing")

    monkeypatch.setattr(cli.cli, "main", fails)
    with pytest.raises(SystemExit) as ended:
        cli.main(["losses"], stop)
    said = capsys.readouterr().err
    assert ended.value.code == 143 and said.startswith("ordain: stopped. ") and "no such thing" in said
