"""Two clusters for all tests of this folder, which end with it, and commands as a user runs them."""

import io
import logging
from contextlib import redirect_stderr, redirect_stdout

import pytest

from ordain.cli import main
from ordain.engine.cluster import UNWATCHED


@pytest.fixture(scope="package", autouse=True)
def no_monitors():
    """Clusters that take no time while nothing is asked of them, those of processes that tests start too."""
    dask = pytest.importorskip("dask")
    with pytest.MonkeyPatch.context() as patch, dask.config.set(UNWATCHED):
        for name, value in UNWATCHED.items():
            patch.setenv("DASK_" + name.upper().replace(".", "__").replace("-", "_"), str(value))
        yield


@pytest.fixture(scope="package")
def four(no_monitors):
    """A client of four processes."""
    from ordain.engine.cluster import cluster

    with cluster("local:4") as client:
        yield client


@pytest.fixture(scope="package")
def address(no_monitors):
    """Where a cluster of two processes is."""
    from distributed import LocalCluster

    settings = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.ERROR}
    with LocalCluster(n_workers=2, host="127.0.0.1", **settings) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="package")
def two(address):
    """A client of two processes."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        yield client


@pytest.fixture
def client(request, size):
    """A client of so many processes, in use until the test ends."""
    found = request.getfixturevalue({2: "two", 4: "four"}[size])
    with found.as_current():
        yield found


@pytest.fixture(scope="session")
def ran():
    """What a command prints."""

    def run(*words, code=0):
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(out), pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        assert (ended.value.code or 0) == code, out.getvalue()
        return out.getvalue()

    return run
