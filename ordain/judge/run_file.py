"""The file of a run: SQLite, with exactly our schema, open to its owner only, and to one process at a time.

Whoever hands over a run file hands over a database, and a database can hold triggers and views. So a file is opened
only if it is a regular file, no link, marked as ours in its header, and its schema is ours to the letter.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

APPLICATION = 0x6F726461
"""Bytes 68 to 71 of the file: "orda"."""

VERSION = 1
"""Of the schema."""

SCHEMA = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE items (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, rest TEXT NOT NULL)",
    "CREATE TABLE plans (number INTEGER PRIMARY KEY, settings TEXT NOT NULL, made REAL NOT NULL)",
    "CREATE TABLE decisions (plan INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (plan, name))",
    "CREATE TABLE asked (number INTEGER PRIMARY KEY, plan INTEGER NOT NULL, shown TEXT NOT NULL, time INTEGER NOT NULL,"
    " attempt INTEGER NOT NULL, who TEXT NOT NULL, prompt TEXT NOT NULL, reserved TEXT NOT NULL, at REAL NOT NULL,"
    " UNIQUE (plan, shown, time, attempt))",
    "CREATE TABLE replied (asked INTEGER PRIMARY KEY, outcome TEXT NOT NULL, answer TEXT, noted TEXT, why TEXT,"
    " raw TEXT, tokens TEXT, seconds REAL, at REAL NOT NULL)",
)
"""`facts` are what the run is about. `asked` has a row for every request before it is sent, `replied` one for its end;
`decisions` are what a plan settled on the way, so that it settles the same when it runs again. Nothing is changed."""

_LIKE = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"


@contextmanager
def created(path: str | os.PathLike[str]) -> Iterator[sqlite3.Connection]:
    """An empty run, to be filled by one who holds `path`; it gets that name at the end, if nothing has it."""
    _check_free(path)
    part = f"{path}-new"
    try:
        _remove(part)  # one who was killed may have left it
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(_connected(part)) as connection:
            connection.execute("PRAGMA journal_mode = MEMORY")  # what is left half made is never opened again
            connection.execute("BEGIN")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            for statement in SCHEMA:
                connection.execute(statement)
            yield connection
            connection.execute("COMMIT")
        _name(part, path)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        _remove(part)


def _check_free(path: str | os.PathLike[str]) -> None:
    """Refuse a name that is taken, or beside which answers lie that would be mixed with the new ones."""
    if os.path.lexists(path):
        raise ValueError(f"{path} exists. Name another file with --run.")
    for beside in _beside(path):
        if os.path.lexists(beside):
            raise ValueError(
                f"{beside} must belong to a run. There is no {path}. Put the run back beside it, or remove it."
            )


def _beside(path: str | os.PathLike[str]) -> list[str]:
    """Where SQLite keeps what is not in the run itself yet."""
    return [f"{path}-wal", f"{path}-journal", f"{path}-shm"]


def _name(part: str, path: str | os.PathLike[str]) -> None:
    """Give a file its name, for good, unless the name was taken meanwhile."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise ValueError(f"{path} exists. Name another file with --run.") from None
    except OSError:  # a file system without links
        os.rename(part, path)
    if sys.platform != "win32":  # there folders cannot be opened
        folder = os.open(Path(path).absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _remove(part: str) -> None:
    for place in (part, *_beside(part)):
        Path(place).unlink(missing_ok=True)


def _unwritable(path: str | os.PathLike[str], error: OSError) -> ValueError:
    return ValueError(
        f"the run {path} must be a file that can be written. Got: {error.strerror or error}. Choose another with --run."
    )


def opened(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """The run at `path`, to be gone on with."""
    return _safely(path, _durable)


def looked_at(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """The run at `path`, only to be read, also while another process works on it."""
    return _safely(path, _only_read)


def _safely(
    path: str | os.PathLike[str], prepared: Callable[[sqlite3.Connection], sqlite3.Connection]
) -> sqlite3.Connection:
    """A connection to what was checked to be a run, whatever SQLite thinks of it told in one line."""
    check_ours(path)
    try:
        connection = _connected(path)
    except sqlite3.Error as error:
        raise _unwritable(path, OSError(str(error))) from None
    try:
        return prepared(_checked(connection, path))
    except sqlite3.Error as error:
        connection.close()
        raise _unwritable(path, OSError(str(error))) from None


def _connected(path: str | os.PathLike[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(
        _address(path, "rw"), uri=True, isolation_level=None, check_same_thread=False, timeout=10
    )
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _address(path: str | os.PathLike[str], mode: str) -> str:
    return f"file:{quote(str(Path(path).absolute()))}?mode={mode}"


def _durable(connection: sqlite3.Connection) -> sqlite3.Connection:
    """What is committed is on the disk, and readers do not wait."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _only_read(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.execute("PRAGMA query_only = ON")
    return connection


def check_ours(path: str | os.PathLike[str]) -> None:
    """A regular file that is marked as a run; it is read and nothing else."""
    if not os.path.lexists(path):
        raise ValueError(f"{path} must be a run. There is no file of that name. Check the path.")
    for place in (path, *filter(os.path.lexists, _beside(path))):
        if not stat.S_ISREG(os.lstat(place).st_mode):
            raise ValueError(
                f"{place} must be a run, a regular file. It is a link, a folder or a device. Name the file itself."
            )
    if not os.access(path, os.R_OK):
        raise ValueError(f"{path} must be readable. Permission was denied. Change its permissions.")
    if _application(path) != APPLICATION:
        raise ValueError(f"{path} must be a run of ordain judge. It is something else. Name another file.")


def _application(path: str | os.PathLike[str]) -> int:
    """What the header says whose file this is; 0 if it is none of SQLite's.

    SQLite reads it: if this process has the run open, to open and close the file by hand would lose SQLite's locks.
    """
    try:
        with closing(sqlite3.connect(f"{_address(path, 'ro')}&immutable=1", uri=True)) as connection:
            # So that a header is read, too, which counts pages that are still in the log.
            connection.execute("PRAGMA writable_schema = ON")
            return int(connection.execute("PRAGMA application_id").fetchone()[0])
    except sqlite3.Error:
        return 0


def _checked(connection: sqlite3.Connection, path: str | os.PathLike[str]) -> sqlite3.Connection:
    """The connection, if the version and the schema are ours to the letter."""
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        same = connection.execute(_LIKE).fetchall() == _expected()
    except sqlite3.OperationalError:  # the file cannot be got at, which says nothing of what is in it
        raise
    except sqlite3.DatabaseError as error:
        connection.close()
        raise ValueError(f"{path} must be a whole run. It is damaged ({error}). Take a copy that is not.") from None
    if version == VERSION and same:
        return connection
    connection.close()
    if version != VERSION:
        raise ValueError(
            f"{path} must be a run of version {VERSION}. Got version {version}. Use the ordain that made it."
        )
    raise ValueError(f"{path} must have the tables of a run and nothing else. It has others. Do not trust this file.")


def _expected() -> list[tuple[str, str, str, str | None]]:
    """What the schema of a run looks like."""
    with closing(sqlite3.connect(":memory:")) as blank:
        for statement in SCHEMA:
            blank.execute(statement)
        return blank.execute(_LIKE).fetchall()


@contextmanager
def alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Hold the run for this process; another one is refused. A process that dies lets go of it.

    The lock is on a file beside the run, as SQLite's own locks on the run would be lost by closing it once.
    """
    place = f"{path}-lock"
    handle = _held(place, path)
    try:
        yield
    finally:
        if sys.platform != "win32":  # there a file that is open cannot be removed
            Path(place).unlink(missing_ok=True)
        os.close(handle)


def _held(place: str, path: str | os.PathLike[str]) -> int:
    """The lock file, open and locked."""
    while True:
        try:
            handle = os.open(place, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            raise _unwritable(path, error) from None
        if not _locked(handle):
            os.close(handle)
            raise ValueError(f"{path} must be worked on by one process at a time. Another one does. Wait, or stop it.")
        if _same_file(handle, place):
            return handle
        os.close(handle)  # whoever had it before has removed it meanwhile


def _same_file(handle: int, place: str) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(place))
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _locked(handle: int) -> bool:
        """Whether the lock was to be had."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(handle: int) -> bool:
        """Whether the lock was to be had."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
