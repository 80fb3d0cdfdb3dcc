"""Full and read-only disks, two commands at once, little memory, an ASCII locale, no home and no network."""

import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from commands.in_turn import in_turn
from disks import small_disk
from judge.scripted_endpoint import Endpoint, better, first_number

import ordain
from ordain._memory import available, check_memory, rooms_of_groups
from ordain.choice.fitting import TIMES
from ordain.judge import waiting

ROOT = Path(ordain.__file__).parents[1]


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """A table, a model of it, votes and a judging run."""
    folder = tmp_path_factory.mktemp("given")
    rows = [(place % 3 % 2, place * 7 % 101, ("Zürich", "Łódź")[place * place % 7 % 2]) for place in range(3_000)]
    table = pl.DataFrame(rows, ["y", "x", "Städte"], orient="row")
    table.write_csv(folder / "table.csv")
    ordain.fit(table.head(200), "y", model="linear", reduction="balanced").save(folder / "m.ordain")
    pl.DataFrame({"winner": ["ä", "ä", "b"] * 300, "loser": ["b", "c", "c"] * 300}).write_csv(folder / "votes.csv")
    with ordain.judge.Run.create(
        folder / "some.run", [ordain.judge.Item(str(k), f"ü {k}") for k in range(9)], "?"
    ) as of:
        of.rank(lambda a, b: a.text < b.text)
    return folder


WRITING = {
    "fit": "fit TABLE --label y --model linear --reduction balanced --out OUT/m.ordain",
    "score to CSV": "score TABLE --model MODEL --out OUT/ranked.csv",
    "score to Parquet": "score TABLE --model MODEL --out OUT/ranked.parquet",
    "score to packed JSONL": "score TABLE --model MODEL --out OUT/ranked.jsonl.gz",
    "evaluate": "evaluate TABLE --label y --score x --report OUT/scores.html",
    "rank": "rank VOTES --winner winner --loser loser --out OUT/board.csv",
    "explain": "explain MODEL TABLE --out OUT/moved.csv",
    "report": "report MODEL --out OUT/model.html",
    "export": "export RUN --out OUT/votes.jsonl",
    "judge": "judge --run RUN --out OUT/order.csv",
}


ASKING = ["judge", "ideas.txt", "--ask", "Which number is larger?", "--model", "m", "--pairs", "--yes"]


def typed(text, given, out):
    """The words of a command, with the files of the test in their places."""
    names = {"TABLE": "table.csv", "MODEL": "m.ordain", "VOTES": "votes.csv", "RUN": "some.run"}
    return [str(given / names[word]) if word in names else word.replace("OUT", str(out)) for word in text.split()]


def filled(disk):
    """Leave nothing free."""
    with open(disk / "filler", "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            return


@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk_is_told_in_one_line_and_nothing_is_left(run, given, tmp_path, command):
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 64):
        filled(disk)
        code, _, err = run(*typed(WRITING[command], given, disk))
        assert os.listdir(disk) == ["filler"]
    assert (code, err.count("\n")) == (1, 1)
    assert "must fit on its disk. It is full, and nothing was written. Make room" in err


@pytest.mark.parametrize("command", WRITING)
def test_a_read_only_folder_is_refused_before_any_work(run, given, tmp_path, command):
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 64):
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        code, out, err = run(*typed(WRITING[command], given, disk))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "must lie in a folder that may be written to" in err


def test_a_run_in_a_read_only_folder_is_refused_before_anything_is_asked(run, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    (tmp_path / "ideas.txt").write_text("3\n1\n2\n")
    with small_disk(disk, 64), Endpoint(better(first_number)) as server:
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        code, _, err = run(*ASKING, "--llm", server.url, "--run", disk / "new.run")
        assert os.listdir(disk) == [] and not server.requests
    assert (code, err.count("\n")) == (2, 1) and "Choose another with --run" in err


def test_a_full_disk_for_temporary_files_is_not_taken_for_that_of_the_result(run, given, tmp_path, monkeypatch):
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 64):
        monkeypatch.setattr("tempfile.tempdir", str(disk))
        code, _, err = run(*typed(WRITING["score to CSV"], given, tmp_path))
        assert os.listdir(disk) == []
    assert code == 1 and err == f"ordain: {disk} must hold what is kept meanwhile. It is full. Make room, or name " \
        "another folder by TMPDIR.\n"  # fmt: skip
    assert sorted(os.listdir(tmp_path)) == ["disk"]


def started(words, folder, **settings):
    """A command as a process of its own."""
    known = os.environ | {"PYTHONPATH": str(ROOT)} | settings
    command = [sys.executable, "-m", "ordain", *words]
    return subprocess.Popen(command, cwd=folder, env=known, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("command", ["fit", "score to CSV"])
def test_of_two_at_once_one_writes_and_the_other_is_refused(given, tmp_path, command):
    """Both are held in front of the table, which is a pipe, so that neither sees a result of the other."""
    pipes = [tmp_path / "a.csv", tmp_path / "b.csv"]
    out = tmp_path / "out"
    out.mkdir()
    for pipe in pipes:
        os.mkfifo(pipe)
    words = [typed(WRITING[command].replace("TABLE", str(pipe)), given, out) for pipe in pipes]
    both = [started(one, tmp_path) for one in words]
    data = (given / "table.csv").read_bytes()
    opened = [open(pipe, "wb") for pipe in pipes]  # noqa: SIM115
    for file in opened:  # both have begun to read
        file.write(data[:1000])
        file.flush()
    for file in opened:
        file.write(data[1000:])
        file.close()
    said = [process.communicate(timeout=300)[1] for process in both]
    assert sorted(process.returncode for process in both) == [0, 2], said
    assert any("exists. Add --force to replace it" in one for one in said)
    (left,) = os.listdir(out)
    assert left == words[0][-1].rpartition("/")[2]
    if command == "fit":
        assert ordain.load(out / left).label == "y"
    else:
        assert pl.read_csv(out / left).height == 3_000


def test_two_at_once_may_replace_each_other_and_the_file_is_whole(given, tmp_path):
    words = [*typed(WRITING["score to CSV"], given, tmp_path), "--force"]
    both = [started(words, tmp_path) for _ in range(2)]
    said = [process.communicate(timeout=300)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert os.listdir(tmp_path) == ["ranked.csv"] and pl.read_csv(tmp_path / "ranked.csv").height == 3_000


def test_of_two_that_begin_one_run_at_once_one_asks_and_the_other_is_refused(tmp_path):
    """The server holds every answer back until one of them has ended, so that the other cannot be done by then."""
    (tmp_path / "ideas.txt").write_text("3\n1\n2\n")
    both = []

    def held(request):
        while len(both) < 2 or all(process.poll() is None for process in both):
            time.sleep(0.02)
        return better(first_number)(request)

    with Endpoint(held) as server:
        words = [*ASKING, "--llm", server.url, "--run", "one.run"]
        for name in ("a.csv", "b.csv"):
            both.append(started([*words, "--out", name], tmp_path))
        said = {process.returncode: err for process in both for _, err in [process.communicate(timeout=300)]}
    assert sorted(said) == [0, 2] and said[0] == "" and said[2].count("\n") == 1
    assert "one process at a time" in said[2] or "one.run exists" in said[2]
    assert len(server.requests) == 3
    (out,) = tmp_path.glob("*.csv")
    assert pl.read_csv(out)["text"].to_list() == [3, 2, 1]
    assert sorted(os.listdir(tmp_path)) == [out.name, "ideas.txt", "one.run"]


def test_an_address_that_nobody_knows_is_one_line_and_nothing_is_written_but_the_run(run, tmp_path, monkeypatch):
    """The run is kept, as the same command goes on once there is a network."""
    monkeypatch.setattr(waiting, "SLOWEST", 0.0)
    (tmp_path / "ideas.txt").write_text("3\n1\n2\n")
    code, _, err = run(*ASKING, "--llm", "http://nowhere.invalid/v1", "--out", "order.csv")
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("ordain: nowhere.invalid cannot be reached.") and "the same command goes on" in err
    assert sorted(os.listdir(tmp_path)) == ["ideas.run", "ideas.txt"]


def test_memory_that_is_there_is_found():
    pytest.importorskip("resource")
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 1 << 20 < available() <= total


MEGABYTE = 1 << 20
TREES = {
    "version 2": ("0::/box/inner", "", "memory.max", "anon"),
    "version 1": ("4:cpu:/\n3:memory:/box/inner", "memory", "memory.limit_in_bytes", "total_rss"),
    "kinds together": ("3:cpu,memory:/box/inner", "memory", "memory.limit_in_bytes", "total_rss"),
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_a_control_group_and_those_it_lies_in_say_what_is_left(tmp_path, tree):
    """The innermost has no limit, the next 512 MB, of which 100 are used, the outermost 2,048."""
    mine, folder, limit_in, used_in = tree
    (tmp_path / "mine").write_text(mine + "\n")
    for group, limit, used in (("box/inner", "max", 50), ("box", 512 * MEGABYTE, 100), ("", 2048 * MEGABYTE, 300)):
        place = tmp_path / folder / group
        place.mkdir(parents=True, exist_ok=True)
        (place / limit_in).write_text(f"{limit}\n")
        (place / "memory.stat").write_text(f"file 77\n{used_in} {used * MEGABYTE}\n")
    rooms = list(rooms_of_groups(0, tmp_path / "mine", tmp_path))
    assert rooms == [412 * MEGABYTE, 1748 * MEGABYTE]


def test_a_group_that_does_not_say_what_is_used_is_taken_to_hold_this_process_only(tmp_path):
    (tmp_path / "mine").write_text("0::/\n")
    (tmp_path / "memory.max").write_text("1000")
    assert list(rooms_of_groups(300, tmp_path / "mine", tmp_path)) == [700]
    assert list(rooms_of_groups(300, tmp_path / "none", tmp_path)) == []


@contextmanager
def small_group(limit):
    """Words before a command that run it in a control group of its own, within that of the tests, for those who may."""
    lines = [line.split(":") for line in Path("/proc/self/cgroup").read_text().splitlines()]
    mine = next((path for _, kinds, path in lines if kinds == "memory"), None)
    group = Path(f"/sys/fs/cgroup/memory{mine}/ordain-test-{os.getpid()}")
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(limit))
    except OSError:
        pytest.skip("needs the right to make a control group")
    try:
        yield ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    finally:
        group.rmdir()


def test_a_table_that_cannot_fit_into_the_control_group_is_refused_before_it_is_read(tmp_path):
    with open(tmp_path / "huge.csv", "wb") as file:
        file.truncate(1 << 30)
    words = [sys.executable, "-m", "ordain", "fit", "huge.csv", "--label", "y"]
    with small_group(512 * MEGABYTE) as inside:
        known = os.environ | {"PYTHONPATH": str(ROOT)}
        ended = subprocess.run([*inside, *words], cwd=tmp_path, env=known, capture_output=True, text=True)
    assert ended.returncode == 1 and ended.stderr.count("\n") == 1 and os.listdir(tmp_path) == ["huge.csv"]
    assert ended.stderr.startswith("ordain: huge.csv must fit into memory. Tables of its size need 2,048 MB or more, ")
    assert int(ended.stderr.split("and ")[1].split(" MB")[0].replace(",", "")) < 512


TOO_LARGE = {"fit": ["fit", "huge.csv", "--label", "y"], "explain": ["explain", "m.ordain", "huge.csv"]}


@pytest.mark.parametrize("option", ["-d", "-v"], ids=["data", "address space"])
def test_a_table_that_cannot_fit_into_memory_is_refused_before_it_is_read(given, tmp_path, option):
    shutil.copy(given / "m.ordain", tmp_path)
    with open(tmp_path / "huge.csv", "wb") as file:
        file.truncate(1 << 40)  # holes take no room
    limited = ["sh", "-c", f'ulimit {option} 4194304 && exec "$@"', "sh"]
    for command, (code, _, err) in in_turn(TOO_LARGE, tmp_path, limited).items():
        err = err.decode()
        assert code == 1 and err.count("\n") == 1, command
        need = {"fit": "2,097,152", "explain": "1,048,576"}[command]
        told = f"ordain: huge.csv must fit into memory. Tables of its size need {need} MB or more, and "
        assert err.startswith(told), command
        assert int(err.split("and ")[1].split(" MB")[0].replace(",", "")) < 4096, command


@pytest.mark.parametrize("kilobytes", [524_288, 700_000, 2_097_151])
@pytest.mark.parametrize("command", ["evaluate", "fit", "rank", "status"])
def test_an_address_space_too_small_for_the_libraries_is_refused_before_they_load(given, tmp_path, command, kilobytes):
    """Polars would abort in the first, and spin in the second, deaf to Ctrl-C and `kill`."""
    words = [sys.executable, "-m", "ordain", *typed((WRITING | PRINTING)[command], given, tmp_path)]
    limited = ["sh", "-c", f'ulimit -v {kilobytes} && exec "$@"', "sh", *words]
    known = os.environ | {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run(limited, env=known, capture_output=True, text=True, timeout=300)
    assert (ended.returncode, ended.stdout, os.listdir(tmp_path)) == (1, "", [])
    assert ended.stderr == (
        "ordain: ulimit -v must allow 2,048 MB of addresses, most of which are never used. "
        f"It allows {kilobytes // 1024:,} MB. Raise it: ulimit -v 2097152\n"
    )


def test_an_address_space_as_large_as_is_asked_for_is_enough(given, tmp_path):
    """For each command by itself, as even for all in one process."""
    names = ("evaluate", "fit", "score to CSV", "rank", "explain", "report", "judge")
    commands = {name: typed(WRITING[name], given, tmp_path) for name in names}
    limited = ["sh", "-c", 'ulimit -v 2097152 && exec "$@"', "sh"]
    for command, (code, _, err) in in_turn(commands, tmp_path, limited).items():
        assert (code, err) == (0, b""), command


@pytest.mark.parametrize("words", ["losses", "bound auc --positives 9 --negatives 9", "fit --help", "--version"])
def test_what_loads_no_table_needs_no_such_room(tmp_path, words):
    limited = ["sh", "-c", 'ulimit -v 700000 && exec "$@"', "sh", sys.executable, "-m", "ordain", *words.split()]
    known = os.environ | {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run(limited, cwd=tmp_path, env=known, capture_output=True, text=True, timeout=300)
    assert (ended.returncode, ended.stderr) == (0, "") and ended.stdout


@pytest.mark.parametrize("form", [".csv", ".parquet"])
def test_a_fit_takes_as_much_memory_as_is_said(tmp_path, form):
    """Numbers of 17 digits, of which a table of some size has the fewest; what a table of a few rows takes apart."""
    most = []
    for rows in (100, 150_000):
        columns = np.random.default_rng(0).normal(size=(8, rows))
        table = pl.DataFrame({"y": columns[0] > 0, **{f"x{k}": x for k, x in enumerate(columns)}})
        (table.write_parquet if form == ".parquet" else table.write_csv)(tmp_path / f"{rows}{form}")
        words = ["fit", f"{rows}{form}", "--label", "y", "--quick", "--model", "linear", "--out", f"{rows}.ordain"]
        code = f"from ordain.cli import main\ntry:\n    main({words})\nexcept SystemExit:\n    pass\n"
        code += "print(open('/proc/self/status').read())"
        known = os.environ | {"PYTHONPATH": str(ROOT)}
        ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=known, capture_output=True, text=True)
        most.append(1024 * int(ended.stdout.rpartition("VmHWM:")[2].split()[0]))
    assert most[1] - most[0] > TIMES[form] * (tmp_path / f"150000{form}").stat().st_size


def test_what_fits_into_memory_is_let_through(given):
    check_memory(given / "table.csv", 1, "")
    check_memory("-", 1, "")
    check_memory(pl.DataFrame(), 1, "")
    with pytest.raises(MemoryError, match="Take half"):
        check_memory(given / "table.csv", 1e9, "Take half.")


def test_memory_that_is_used_up_is_one_line(run, given, monkeypatch):
    def wants(*_, **__):
        raise MemoryError

    monkeypatch.setattr("ordain.evaluation.figures.partial_auc", wants)
    code, out, err = run("evaluate", given / "table.csv", "--label", "y", "--score", "x")
    assert (code, out) == (1, "")
    assert err == "ordain: Memory is used up. Take fewer rows or columns, or a machine with more memory.\n"


BARE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "HOME": "/proc/none"}


def test_an_ascii_locale_no_home_and_no_network_are_no_matter(given, tmp_path):
    """Also numba and matplotlib find no place for what they keep, and say nothing."""
    if subprocess.run(["unshare", "-n", "-m", "true"], capture_output=True).returncode:
        pytest.skip("needs the right to leave the network")
    package, temporary = ROOT / "ordain", tmp_path / "temporary"
    temporary.mkdir()
    commands, outs = {}, {}
    for command in ("fit", "score to CSV", "evaluate", "rank", "explain", "report", "export", "judge"):
        outs[command] = tmp_path / command / "größer"
        outs[command].mkdir(parents=True)
        commands[command] = typed(WRITING[command], given, outs[command])
    held = f'mount --bind {package} {package} && mount -o remount,ro,bind {package} && exec "$@"'
    known = {key: value for key, value in os.environ.items() if not key.startswith(("MPL", "XDG", "NUMBA"))}
    known |= BARE | {"TMPDIR": str(temporary)}
    before = ["unshare", "-n", "-m", "sh", "-c", held, "sh"]
    for command, (code, out, err) in in_turn(commands, tmp_path, before, known=known).items():
        assert (code, err) == (0, b""), command
        assert out.isascii() and len(list(outs[command].iterdir())) == 1, command
    assert os.listdir(temporary) == [] and sorted(os.listdir(tmp_path)) == sorted(["temporary", *commands])


PRINTING = {
    "evaluate": "evaluate TABLE --label y --score x",
    "compare": "compare TABLE --label y --score x --score y",
    "rank": "rank VOTES --winner winner --loser loser",
    "explain": "explain MODEL TABLE",
    "status": "status RUN",
    "export": "export RUN",
    "judge": "judge --run RUN",
    "losses": "losses",
    "theorems": "theorems --list",
    "bound": "bound regret --loss logistic --regret 0.01 --prevalence 0.2",
    "demo": "demo",
}


def test_output_in_ascii_and_a_file_in_place_of_the_home_are_no_matter(given, tmp_path):
    """Nor is a folder for what numba keeps that is none."""
    home, here = tmp_path / "home", tmp_path / "here"
    home.touch()
    here.mkdir()
    commands = {command: typed(words, given, tmp_path) for command, words in PRINTING.items()}
    commands["help"] = ["bound", "--help"]
    settings = BARE | {"HOME": str(home), "NUMBA_CACHE_DIR": str(home), "PYTHONIOENCODING": "ascii"}
    ended = in_turn(commands, here, **settings)
    help_code, help_out, help_err = ended.pop("help")
    assert (help_code, help_err) == (0, b"") and "how many rows for" in help_out.decode()
    for command, (code, out, err) in ended.items():
        assert (code, err) == (0, b"") and len(out) > 50 and out.isascii(), command
    assert home.read_bytes() == b""
