"""The file of a run: nobody else's is opened, changed or followed, and one process at a time has it."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ordain.judge import Item, Run, run_file
from ordain.judge.plan import Plan
from ordain.judge.run_file import APPLICATION, SCHEMA, VERSION, alone, check_ours, created, looked_at, opened
from ordain.judge.store import ANSWER, Asked, Replied, made

ITEMS = [Item("a", "first"), Item("b", "second")]


@pytest.fixture
def whole_run(tmp_path):
    """A run with one answer, closed."""
    path = tmp_path / "some.run"
    with Run.create(path, ITEMS, "Which?") as run:
        run.store.add_plan(Plan("window", 2, 0).settings)
        entry = run.store.intend(Asked((1, (0, 1), 0), 0, "judge")).result()
        run.store.end(entry, Replied(ANSWER, 1.0)).result()
    return path


def altered(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            connection.execute(statement)


def beside(path):
    """The names in the folder of a run."""
    return sorted(one.name for one in path.parent.iterdir())


def refusal(function, *arguments):
    """What is said, in one line."""
    with pytest.raises(ValueError) as refused:
        function(*arguments)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_nobody_else_may_read_a_run_nor_what_lies_beside_it(tmp_path):
    before = os.umask(0)
    try:
        with Run.create(tmp_path / "some.run", ITEMS, "Which?") as run:
            run.store.intend(Asked((1, (0, 1), 0), 0, "judge")).result()
            assert beside(tmp_path / "some.run") == ["some.run", "some.run-lock", "some.run-shm", "some.run-wal"]
            for one in tmp_path.iterdir():
                assert stat.S_IMODE(one.stat().st_mode) == 0o600, one
    finally:
        os.umask(before)
    assert beside(tmp_path / "some.run") == ["some.run"]


def test_a_run_is_marked_as_ours_durable_and_does_not_trust_its_schema(whole_run):
    with closing(opened(whole_run)) as connection:
        told = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("application_id", "user_version", "journal_mode", "synchronous", "trusted_schema")
        }
    assert told == {
        "application_id": APPLICATION, "user_version": VERSION, "journal_mode": "wal", "synchronous": 2,
        "trusted_schema": 0,
    }  # fmt: skip
    assert whole_run.read_bytes()[68:72] == b"orda"


def test_who_looks_cannot_write(whole_run):
    with closing(looked_at(whole_run)) as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM replied")


@pytest.mark.parametrize("opener", [Run.open, Run.look], ids=["open", "look"])
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER again AFTER INSERT ON asked BEGIN DELETE FROM replied; END",
        "CREATE VIEW more AS SELECT * FROM facts",
        "CREATE TABLE more (one TEXT)",
        "CREATE INDEX quicker ON asked (at)",
        "ALTER TABLE replied ADD COLUMN more TEXT",
        "ALTER TABLE facts RENAME COLUMN value TO worth",
        "DROP TABLE decisions",
        "UPDATE sqlite_schema SET sql = replace(sql, 'value TEXT NOT NULL', 'value TEXT') WHERE name = 'facts'",
        "UPDATE sqlite_schema SET sql = replace(sql, 'TEXT', 'text') WHERE name = 'facts'",
    ],
)
def test_a_file_with_another_schema_is_refused(whole_run, statement, opener):
    altered(whole_run, statement)
    before = whole_run.read_bytes()
    assert "must have the tables of a run and nothing else" in refusal(opener, whole_run)
    assert whole_run.read_bytes() == before
    assert beside(whole_run) == ["some.run"]


def test_a_trigger_in_the_log_beside_the_run_is_refused_too(whole_run, tmp_path):
    """Whoever hands over a run may hand over what SQLite has not put into it yet."""
    with closing(sqlite3.connect(whole_run)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("CREATE TRIGGER again AFTER INSERT ON asked BEGIN DELETE FROM replied; END")
        other = tmp_path / "other"
        other.mkdir()
        for one in tmp_path.glob("some.run*"):
            shutil.copy(one, other)
    assert b"TRIGGER" not in (other / "some.run").read_bytes()
    assert "nothing else" in refusal(Run.open, other / "some.run")


@pytest.mark.parametrize("version", [0, VERSION + 1, 1000])
def test_another_version_is_refused(whole_run, version):
    altered(whole_run, f"PRAGMA user_version = {version}")
    assert f"Got version {version}. Use the ordain that made it." in refusal(Run.open, whole_run)


def foreign(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in SCHEMA:  # all ours but the mark
            connection.execute(statement)


@pytest.mark.parametrize(
    "make",
    [
        foreign,
        lambda path: path.write_text("id,text\n1,one\n"),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(40)),
    ],
    ids=["database", "table", "empty", "cut"],
)
@pytest.mark.parametrize("opener", [Run.open, Run.look], ids=["open", "look"])
def test_what_is_not_ours_is_refused_and_left_as_it_was(tmp_path, make, opener):
    path = tmp_path / "some.run"
    make(path)
    before = path.read_bytes()
    assert "It is something else" in refusal(opener, path)
    assert "exists" in refusal(Run.create, path, ITEMS, "Which?")
    assert path.read_bytes() == before
    assert beside(path) == ["some.run"]


@pytest.mark.parametrize("opener", [Run.open, Run.look], ids=["open", "look"])
def test_links_folders_and_devices_are_refused(whole_run, tmp_path, opener):
    before = whole_run.read_bytes()
    link, folder, pipe = tmp_path / "link.run", tmp_path / "folder.run", tmp_path / "pipe.run"
    link.symlink_to(whole_run)
    folder.mkdir()
    os.mkfifo(pipe)
    for place in (link, folder, pipe):
        assert "It is a link, a folder or a device" in refusal(opener, place)
        assert "exists" in refusal(Run.create, place, ITEMS, "Which?")
    assert "There is no file of that name" in refusal(opener, tmp_path / "none.run")
    assert whole_run.read_bytes() == before


def test_a_run_is_not_made_through_a_dangling_link(tmp_path):
    link = tmp_path / "link.run"
    link.symlink_to(tmp_path / "elsewhere")
    assert "exists" in refusal(Run.create, link, ITEMS, "Which?")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["some.run-wal", "some.run-lock", "some.run-shm"])
def test_links_beside_a_run_are_not_followed(whole_run, tmp_path, name):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / name).symlink_to(elsewhere)
    refusal(Run.open, whole_run)
    assert elsewhere.read_text() == "mine"


@pytest.mark.parametrize("place", [100, 5000, 9000, 30_000])
def test_a_damaged_file_is_refused_in_one_line(whole_run, place):
    """Whichever page is hit: a damage that nothing shows is none that is looked for here."""
    with Run.open(whole_run) as run:
        for number in range(300):
            entry = run.store.intend(Asked((1, (0, 1), number + 1), 0, "judge")).result()
            run.store.end(entry, Replied(ANSWER, 1.0), "x" * 100)
    data = bytearray(whole_run.read_bytes())
    data[place : place + 4096] = b"\xee" * 4096
    whole_run.write_bytes(data)
    assert "whole run. It is damaged" in refusal(Run.look, whole_run)
    assert "whole run. It is damaged" in refusal(Run.open, whole_run)
    with alone(whole_run):
        pass  # the refusal has let go of it


@pytest.mark.parametrize("table, column, value", [
    ("asked", "shown", "0;1"), ("replied", "answer", "{"), ("facts", "value", "?"), ("asked", "reserved", "3"),
])  # fmt: skip
def test_rows_that_nobody_wrote_are_a_damage(whole_run, table, column, value):
    altered(whole_run, f"UPDATE {table} SET {column} = '{value}'")
    assert "damaged" in refusal(Run.look, whole_run)


def test_a_plan_with_settings_that_none_has_is_a_damage(whole_run):
    altered(whole_run, """INSERT INTO plans VALUES (2, '{"ranker": "window", "n": 3, "seed": 0, "s`are": 1}', 0)""")
    assert "whole run. It is damaged (plan 2 cannot" in refusal(Run.open, whole_run)


def test_a_folder_that_cannot_be_written_to_is_told_in_one_line(tmp_path):
    """Root may write anywhere, so it is a file in the place of a folder, and a file system without files."""
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "some.run", tmp_path / "none" / "some.run", Path("/proc/some.run")):
        assert "must be a file that can be written" in refusal(Run.create, place, ITEMS, "Which?")


def test_what_is_half_made_is_not_there(tmp_path, monkeypatch):
    """Killed in the making: the next one begins anew, and nothing is left of the first."""
    path = tmp_path / "some.run"
    code = (
        "import os; from ordain.judge import run_file, Run; run_file._name = lambda *_: os._exit(9);"
        f"Run.create({str(path)!r}, ['one', 'two'], 'Which?')"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert not path.exists()
    assert (tmp_path / "some.run-new").exists()
    with Run.create(path, ITEMS, "Which?") as run:
        assert [item.id for item in run.store.items] == ["a", "b"]
    assert beside(path) == ["some.run"]


def test_a_run_is_opened_whose_log_was_put_into_it_by_half(whole_run, tmp_path):
    """As by a kill or a full disk: the first page counts pages that are still in the log."""
    half = tmp_path / "half.run"
    with Run.open(whole_run) as run:
        for number in range(300):
            run.store.intend(Asked((1, (0, 1), number + 1), 0, "judge")).result()
        short = whole_run.read_bytes()
        shutil.copy(f"{whole_run}-wal", f"{half}-wal")
    whole = whole_run.read_bytes()
    assert len(whole) > len(short)
    half.write_bytes(whole[:4096] + short[4096:])
    with Run.open(half) as run:
        assert len(run.store.entries) == 301
    assert half.stat().st_size == len(whole)


def test_a_file_that_came_meanwhile_is_not_replaced_by_a_new_run(tmp_path):
    path = tmp_path / "some.run"
    with pytest.raises(ValueError, match=r"some\.run exists\. Name another file with --run"), created(path):
        path.write_text("mine")
    assert path.read_text() == "mine"
    assert beside(path) == ["some.run"]


def test_a_run_is_made_where_files_can_have_one_name_only(tmp_path, monkeypatch):
    """As on a stick with FAT."""

    def refused(*_):
        raise PermissionError("Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    path = tmp_path / "some.run"
    Run.create(path, ITEMS, "Which?").close()
    with Run.open(path) as run:
        assert [item.id for item in run.store.items] == ["a", "b"]
    assert beside(path) == ["some.run"]


def test_what_fails_in_the_making_leaves_nothing(tmp_path):
    with pytest.raises(ValueError):
        made(tmp_path / "some.run", [Item("a", "half a character: \ud800")], {})
    assert list(tmp_path.iterdir()) == []


def test_answers_that_lost_their_run_are_not_mixed_into_another(whole_run, tmp_path):
    """After a kill some answers are beside the run; who then removes the run is told, and they are not taken over."""
    with Run.open(whole_run) as run:
        run.store.intend(Asked((1, (1, 0), 0), 0, "judge")).result()
        shutil.copy(f"{whole_run}-wal", tmp_path / "kept")
    whole_run.unlink()
    shutil.copy(tmp_path / "kept", f"{whole_run}-wal")
    assert "some.run-wal must belong to a run" in refusal(Run.create, whole_run, ITEMS, "Which?")
    Path(f"{whole_run}-wal").unlink()
    with Run.create(whole_run, ITEMS, "Which?") as run:
        assert run.store.entries == []


def test_a_run_is_had_once_and_let_go_of(whole_run):
    with Run.open(whole_run):
        assert "one process at a time" in refusal(Run.open, whole_run)
        with Run.look(whole_run) as seen:
            assert len(seen.store.entries) == 1
    with Run.open(whole_run):
        pass
    assert beside(whole_run) == ["some.run"]


def test_looking_at_a_run_in_the_same_process_does_not_loosen_the_hold_of_sqlite(whole_run):
    """To open and close a file by hand ends all locks that the process has on it: the next reader, another process,
    would think it was alone and remove the log into which this one still writes."""
    with Run.open(whole_run) as run:
        check_ours(whole_run)
        Run.look(whole_run).close()
        code = f"from ordain.judge import Run; Run.look({str(whole_run)!r}).close()"
        subprocess.run([sys.executable, "-c", code], check=True)
        assert Path(f"{whole_run}-wal").exists()
        entry = run.store.intend(Asked((1, (1, 0), 0), 0, "judge")).result()
        run.store.end(entry, Replied(ANSWER, 0.25)).result()
    with Run.look(whole_run) as seen:
        assert seen.store.answer((1, (1, 0), 0)) == 0.25


HOLD = """
print("ready", flush=True)
sys.stdin.readline()
try:
    with alone(sys.argv[1]):
        print("won", flush=True)
        sys.stdin.readline()
except ValueError as refused:
    print("refused", flush=True)
"""


TURNS = """
won, end = 0, time.time() + 2
while time.time() < end:
    try:
        with alone(sys.argv[1]):
            os.close(os.open(sys.argv[1] + "-inside", os.O_CREAT | os.O_EXCL))
            os.unlink(sys.argv[1] + "-inside")
            won += 1
    except ValueError:
        pass
print(won)
"""


def process_with(code, path):
    """A process that runs code with `alone`, of which it loads the one file, so that it starts at once."""
    loading = "import os, runpy, sys, time\nalone = runpy.run_path(sys.argv[2])['alone']\n"
    command = [sys.executable, "-c", loading + code, str(path), run_file.__file__]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def tell(process):
    process.stdin.write("\n")
    process.stdin.flush()


def test_of_many_who_try_at_once_one_wins(whole_run):
    processes = [process_with(HOLD, whole_run) for _ in range(8)]
    try:
        for process in processes:
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            tell(process)
        said = [process.stdout.readline().strip() for process in processes]
        assert sorted(said) == ["refused"] * 7 + ["won"]
    finally:
        for process in processes:
            process.communicate("\n\n", timeout=300)
    with alone(whole_run):
        pass


def test_one_who_is_killed_does_not_hold_a_run(whole_run):
    with process_with(HOLD, whole_run) as process:
        process.stdout.readline()
        tell(process)
        assert process.stdout.readline() == "won\n"
        assert "Another one does" in refusal(Run.open, whole_run)
        process.kill()
        process.wait()
        assert beside(whole_run) == ["some.run", "some.run-lock"]
        with Run.open(whole_run):
            pass
    assert beside(whole_run) == ["some.run"]


def test_a_lock_that_is_removed_while_one_waits_for_it_is_not_had_twice(whole_run):
    """Many take and leave the run by turns; nobody is ever inside with another."""
    processes = [process_with(TURNS, whole_run) for _ in range(3)]
    won = [int(process.communicate(timeout=300)[0]) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert min(won) > 0
