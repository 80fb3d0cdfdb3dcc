"""The same examples on every run, so that a failure can be repeated; commands in an empty folder; a real browser."""

import gc
import os
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from ordain.cli import main

settings.register_profile("ordain", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ordain")

signal.signal(signal.SIGINT, signal.default_int_handler)  # or a run in the background has commands that ignore Ctrl-C


def pytest_collection_finish():
    """Thousands of tests stay in memory until the end: the collector of garbage need not look at each again."""
    gc.collect()
    gc.freeze()


CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


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


@pytest.fixture(scope="module")
def browser():
    """Debian's chromium; where it is missing the tests are left out, but never unnoticed by those who check."""
    if not CHROMIUM.exists() or find_spec("playwright") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"these tests need playwright and {CHROMIUM}")
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        chromium.on("context", lambda context: context.set_default_timeout(300_000))
        yield chromium
        chromium.close()
