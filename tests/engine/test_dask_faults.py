"""Clusters that are not as they should be, really started: one line, exit code 2, nothing written."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import polars as pl
import pytest
from engine.machines import begun, scheduler, worker

distributed = pytest.importorskip("distributed")
pytest.importorskip("xgboost")

import ordain  # noqa: E402
from ordain.engine import cluster as clusters  # noqa: E402
from ordain.engine import spread as spreading  # noqa: E402
from ordain.engine.undisturbed import undisturbed  # noqa: E402
from ordain.learn.on_dask import fit_parts  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

WORKER = (sys.executable, "-m", "distributed.cli.dask_worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny")


@pytest.fixture
def machines(tmp_path):
    """A function that starts a scheduler with workers of some environments; its process and address."""
    running = []

    def start(*environments):
        where = tmp_path / "scheduler.json"
        running.append(begun(scheduler, where))
        _until(where.exists)
        running.extend(_elsewhere(where, of) if of else begun(worker, where) for of in environments)
        with distributed.Client(scheduler_file=str(where), set_as_default=False) as client:
            client.wait_for_workers(len(environments), timeout=300)
            return running[0], client.scheduler.address

    yield start
    for process in running:
        process.kill()
        process.wait() if isinstance(process, subprocess.Popen) else process.join()


def _elsewhere(where, environment):
    """A worker whose Python has something else; it starts in another folder, so that nothing is found there."""
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": where.parent}
    line = [*WORKER, "--no-dashboard", "--scheduler-file", str(where)]
    return subprocess.Popen(line, env=os.environ | environment, **options)


def _until(true):
    for _ in range(6000):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it took five minutes")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 8))
    y = (x[:, 0] + rng.logistic(size=4000) > 1).astype(int)
    (tmp_path / "big").mkdir()
    whole = pl.DataFrame({**{f"x{k}": x[:, k] for k in range(8)}, "y": y, "score": x[:, 0]})
    for k in range(2):
        whole[2000 * k : 2000 * (k + 1)].write_parquet(tmp_path / "big" / f"{k}.parquet")
    return tmp_path / "big"


@pytest.fixture
def model_file(table, tmp_path):
    rows = pl.read_parquet(table / "0.parquet").drop("score")
    ordain.fit(rows, "y", model="linear", quick=True).save(tmp_path / "model.ordain")
    return tmp_path / "model.ordain"


def commands(table, model_file, folder):
    """What is told to a cluster, and would write into a folder."""
    return {
        "fit": ("fit", table, "--label", "y", "--out", folder / "m.ordain"),
        "evaluate": ("evaluate", table, "--label", "y"),
        "score": ("score", table, "--model", model_file, "--out", folder / "parts"),
    }


OTHERS = {
    "none": 'raise ImportError("there is none")',
    "version 0.0.7": '__version__ = "0.0.7"',
}


@pytest.mark.parametrize("command", ["fit", "evaluate", "score"])
def test_a_port_nobody_listens_at(table, model_file, tmp_path, monkeypatch, ran, command):
    monkeypatch.setattr(clusters, "SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    before = sorted(tmp_path.rglob("*"))
    said = ran(*commands(table, model_file, tmp_path)[command], "--dask", address, code=2)
    must = f"ordain: --dask must be the address of a Dask scheduler, or local:N. Got '{address}'."
    assert said.startswith(must) and len(said.strip().splitlines()) == 1, said
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("got", OTHERS)
def test_workers_without_ordain_or_with_another(machines, table, model_file, tmp_path, ran, got):
    (tmp_path / "other" / "ordain").mkdir(parents=True)
    (tmp_path / "other" / "ordain" / "__init__.py").write_text(OTHERS[got])
    _, address = machines({}, {"PYTHONPATH": str(tmp_path / "other")})
    for command in commands(table, model_file, tmp_path).values():
        said = ran(*command, "--dask", address, code=2)
        must = f"ordain: every worker must have ordain {ordain.__version__}. Got {got} on tcp://127.0.0.1:"
        assert said.startswith(must) and len(said.strip().splitlines()) == 1, said
    assert not (tmp_path / "m.ordain").exists() and not (tmp_path / "parts").exists()


@pytest.mark.parametrize("missing", ["distributed", "xgboost"])
def test_a_machine_without_dask_is_one_line(table, tmp_path, missing):
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules[{missing!r}] = None\n")
    line = [sys.executable, "-m", "ordain", "evaluate", str(table), "--label", "y", "--score", "score"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run([*line, "--dask", "local:2"], env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == 'ordain: --dask needs Dask and XGBoost. Install them: pip install "ordain[dask]"\n'


CALM = """
import os, signal, sys, threading
from ordain.engine.undisturbed import undisturbed
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
with undisturbed():
    os.kill(os.getpid(), signal.{name})
    print("all was done", flush=True)
print("nothing came")
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_stop_during_work_that_is_not_to_be_disturbed_comes_when_it_is_done(name):
    ended = subprocess.run([sys.executable, "-c", CALM.format(name=name)], capture_output=True, text=True)
    assert ended.stdout == "all was done\n"
    assert ended.stderr.splitlines()[-1] == {"SIGINT": "KeyboardInterrupt", "SIGTERM": "ended"}[name]


def test_work_in_another_thread_leaves_the_signals_alone():
    before, seen = signal.getsignal(signal.SIGINT), []

    def work():
        with undisturbed():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_a_scheduler_killed_in_the_middle(machines, table, tmp_path):
    victim, address = machines({}, {})
    state = {}

    def kill():
        with distributed.Client(address, set_as_default=False) as client:
            _until(lambda: any(topic.startswith("ordain-") for topic in client.get_events()))
            victim.kill()
            state["killed"] = time.monotonic()

    killer = threading.Thread(target=kill)
    killer.start()
    fit = ("fit", table, "--label", "y", "--model", "boosted", "--quick", "--out", tmp_path / "m.ordain")
    words = (sys.executable, "-m", "ordain", *fit, "--dask", address)
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    state["ended"] = time.monotonic()
    killer.join()
    assert state["killed"] < state["ended"]  # it was in the middle
    must = f"ordain: the scheduler at {address} must stay until the end. Got none. Start it, and try again.\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", must)
    assert not (tmp_path / "m.ordain").exists()


def test_a_worker_killed_while_rows_are_scored(machines, model_file, table, tmp_path, ran):
    _, address = machines({}, {})
    rows, out = pl.read_parquet(table / "0.parquet").drop("score"), tmp_path / "parts"
    for k in range(100):
        rows[20 * k : 20 * k + 20].write_parquet(table / f"0-{k:02d}.parquet")
    (table / "0.parquet").unlink()
    (table / "1.parquet").unlink()
    state = {}

    def kill():
        with distributed.Client(address, set_as_default=False) as client:
            victim = next(iter(client.run(os.getpid).values()))
            _until(lambda: len(list(tmp_path.glob(".*.part/*.parquet"))) > 5)
            os.kill(victim, signal.SIGKILL)
            state["written"], state["there"] = len(list(tmp_path.glob(".*.part/*.parquet"))), out.exists()

    killer = threading.Thread(target=kill)
    killer.start()
    said = ran("score", table, "--model", model_file, "--dask", address, "--out", out)
    killer.join()
    assert 5 < state["written"] < 100 and not state["there"]  # it was in the middle
    assert said.startswith("2,000 rows")
    parts = pl.concat([pl.read_parquet(path) for path in sorted(out.iterdir())])
    assert parts.drop("score", "probability").equals(rows)
    np.testing.assert_allclose(parts["score"], ordain.load(model_file).scores(rows))
    assert not list(tmp_path.glob(".*"))


def killed(address, when):
    """A thread that kills all workers when it is true of a client, and what it says of that."""
    state = {}

    def kill():
        with distributed.Client(address, set_as_default=False) as client:
            processes = client.run(os.getpid).values()
            _until(lambda: when(client) or "ended" in state)
            for process in processes:
                os.kill(process, signal.SIGKILL)
            state["killed"] = "ended" not in state

    killer = threading.Thread(target=kill)
    killer.start()
    return killer, state


WHEN = {
    "fit": lambda folder: lambda client: any(topic.startswith("ordain-") for topic in client.get_events()),
    "score": lambda folder: lambda client: list(folder.glob(".*.part/*.parquet")),
}


@pytest.mark.parametrize("command", WHEN)
def test_no_worker_that_is_left_is_waited_for_a_while_only(
    machines, model_file, table, tmp_path, monkeypatch, ran, command
):
    monkeypatch.setattr(spreading, "PATIENCE", 4.0)
    rows, out = pl.read_parquet(table / "0.parquet").drop("score"), tmp_path / "out"
    for k in range(100):
        rows[20 * k : 20 * k + 20].write_parquet(table / f"0-{k:02d}.parquet")
    (table / "0.parquet").unlink()
    (table / "1.parquet").unlink()
    words = {
        "fit": ("fit", table, "--label", "y", "--model", "boosted", "--quick", "--out", out),
        "score": ("score", table, "--model", model_file, "--out", out),
    }
    _, address = machines({}, {})
    killer, state = killed(address, WHEN[command](tmp_path))
    said = ran(*words[command], "--dask", address, code=2)
    state["ended"] = True
    killer.join()
    assert state["killed"]  # it was in the middle
    must = "ordain: a Dask cluster must have workers until the end. Got none for 4 s. Start some, and try again."
    assert said.strip().splitlines()[-1] == must and "Traceback" not in said
    assert not out.exists() and not list(tmp_path.glob(".*"))


def dies(*of):
    os._exit(1)


DEADLY = {
    "a task": lambda client: spreading.gathered(client, [client.submit(dies, pure=False)]),
    "a part": lambda client: fit_parts(client, ordain.LinearRanker(), [client.submit(dies, pure=False)]),
    "rows": lambda client: spreading.spread(client, dies, [client.submit(tuple, [0], pure=False)]),
}


@pytest.fixture(scope="module")
def mortal():
    """A client of a worker that is given up when it dies once."""
    from dask import config

    with config.set({"distributed.scheduler.allowed-failures": 0}), clusters.cluster("local:1") as client:
        yield client


@pytest.mark.parametrize("where", DEADLY)
def test_work_that_kills_its_worker_is_one_line(mortal, monkeypatch, where):
    monkeypatch.setattr(spreading, "TRIES", 2)
    with pytest.raises(ValueError, match=r"^workers must stay for a while\. Got \d loss.*\. Look at their memory\.$"):
        DEADLY[where](mortal)


LOST = """
import os, signal
import numpy as np
from ordain.engine.cluster import cluster
from ordain.engine.spread import spread

def work(engine, parts, said):
    own = engine.sum(np.array([sum(parts)]))
    if engine.rank == 0 and not os.path.exists({mark!r}):
        open({mark!r}, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)  # the tracker of the others ends with it
    return engine.sum(own) / engine.size

with cluster("local:2") as client:
    homes = sorted(client.nthreads())
    parts = [client.submit(int, k, workers=[home], allow_other_workers=True) for k, home in enumerate(homes, 3)]
    print(spread(client, work, parts))
"""


def test_a_worker_that_is_lost_is_made_up_for_without_a_word(tmp_path):
    mark = tmp_path / "lost"
    ended = subprocess.run([sys.executable, "-c", LOST.format(mark=str(mark))], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "[7.]\n", "") and mark.exists()


def answer(engine, parts, said):
    return int(engine.sum(sum(parts)))


def killed_when_results_are_brought(client, monkeypatch):
    """The processes of all workers, which are killed when a program wants the results of tasks that are done."""
    pids, bring = list(client.run(os.getpid).values()), client.gather

    def killing(*of, **options):
        while pids:
            os.kill(pids.pop(), signal.SIGKILL)
        return bring(*of, **options)

    monkeypatch.setattr(client, "gather", killing)
    return pids


def test_a_worker_that_is_lost_before_its_result_is_brought_is_made_up_for(monkeypatch):
    with clusters.cluster("local:1") as client:
        parts = [client.submit(int, k, pure=False) for k in (3, 4)]
        before = set(client.run(os.getpid).values())
        pids = killed_when_results_are_brought(client, monkeypatch)
        assert spreading.spread(client, answer, parts) == 7
        assert not pids and not before & set(client.run(os.getpid).values())


def test_results_that_are_lost_with_the_last_worker_are_waited_for_a_while_only(machines, monkeypatch):
    monkeypatch.setattr(spreading, "PATIENCE", 1.0)
    _, address = machines({})
    with distributed.Client(address, set_as_default=False) as client, client.as_current():
        tasks = [client.submit(int, k, pure=False) for k in (3, 4)]
        pids = killed_when_results_are_brought(client, monkeypatch)
        with pytest.raises(ValueError, match=r"until the end\. Got none for 1 s\."):
            spreading.gathered(client, tasks)
        assert not pids


@pytest.mark.parametrize(
    "stop, seconds", [(signal.SIGINT, 0.0), (signal.SIGTERM, 0.3), (signal.SIGINT, 1.0), (signal.SIGTERM, 2.0)]
)
def test_a_stop_is_one_line_whatever_the_workers_are_at(table, tmp_path, stop, seconds):
    """A terminal sends Ctrl-C to all processes of a command, also to those that are about to start."""
    words = ["fit", table, "--label", "y", "--dask", "local:2", "--out", tmp_path / "m.ordain"]
    line = [sys.executable, "-m", "ordain", *map(str, words)]
    began = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
    _until(lambda: len(_group(began.pid)) > 2)
    time.sleep(seconds)
    assert began.poll() is None
    (os.killpg if stop == signal.SIGINT else os.kill)(began.pid, stop)
    assert began.communicate()[1].split("\n") == ["", "ordain: stopped.", ""]
    assert began.returncode == 128 + stop
    _until(lambda: not _group(began.pid))
    assert not (tmp_path / "m.ordain").exists()


def _group(number):
    """The processes of a group that have not ended."""
    listed = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    return [stat for group, stat in map(str.split, listed.splitlines()) if int(group) == number and stat[0] != "Z"]
