"""The input history of this session and earlier ones: the last cells, a range of them, or those that match a pattern.

Each cell is stored in an SQLite file in Jupyter's data folder as soon as it has run; several kernels may share the file.
If the file cannot be used, the history of this session is kept in memory instead.
"""

import logging
import os
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Entry: TypeAlias = tuple[int, int, str] | tuple[int, int, tuple[str, str | None]]
"""Session, number and text of a cell; or instead of the text, a pair of it and the text of the cell's last value."""

_Row: TypeAlias = tuple[int, int, str, str | None]

SETTING = "RH_HISTORY"
"""The environment variable that names the file, or is ``off``."""

MAX_CELLS = 100_000
"""Cells kept in the file; older ones are deleted when a session begins."""

_TIMEOUT = 2.0
"""Seconds to wait while another kernel is writing."""

_TABLES = """
CREATE TABLE IF NOT EXISTS sessions (session INTEGER PRIMARY KEY AUTOINCREMENT, start TEXT DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE IF NOT EXISTS cells (
    place INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, value TEXT
);
CREATE INDEX IF NOT EXISTS numbered ON cells (session, number);
"""
_SHRINK = "DELETE FROM cells WHERE place <= (SELECT max(place) FROM cells) - ?"
_ADD = "INSERT INTO cells (session, number, text, value) VALUES (?, ?, ?, ?)"
_TAIL = "SELECT session, number, text, value FROM cells ORDER BY place DESC LIMIT ?"
_RANGE = "SELECT session, number, text, value FROM cells WHERE session = ? AND number >= ? AND number < ? ORDER BY place"
_SEARCH = "SELECT session, number, text, value FROM cells WHERE text GLOB ? ORDER BY place DESC LIMIT ?"
_SEARCH_UNIQUE = """
SELECT session, number, text, value FROM cells
WHERE place IN (SELECT max(place) FROM cells WHERE text GLOB ? GROUP BY text) ORDER BY place DESC LIMIT ?
"""
_ALL = 2**63 - 1

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that ran as number ``number``, and the text of its last value, if any."""

    number: int
    text: str
    value: str | None


def history_file() -> Path | None:
    """Return the history file set by the environment; ``None`` if the history is off."""
    setting = os.environ.get(SETTING, "").strip()
    if setting.lower() == "off":
        return None
    if setting:
        return Path(setting)
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "rh" / "history.sqlite"


class History:
    """The history of one kernel's session, after those of earlier sessions; sessions are numbered from 1 in order.

    ``file`` is opened on first use; without one, or if it cannot be used, the history ends with the kernel. Cells of subshells
    may come from other threads.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None
        self._session = 0
        self._cells: list[Cell] = []
        self._lock = threading.Lock()

    def add(self, cell: Cell) -> None:
        """Store a cell."""
        with self._lock:
            connection = self._connect()
            self._cells.append(cell)
            try:
                self._write(connection, [cell])
            except sqlite3.Error as error:
                self._fall_back_to_memory(error)

    def tail(self, n: int, *, output: bool) -> list[Entry]:
        """Return the last n cells."""
        return _entries(reversed(self._query(_TAIL, _clamped(n))), output=output)

    def between(self, session: int, start: int, stop: int | None, *, output: bool) -> list[Entry]:
        """Return the cells numbered ``start <= i < stop``; session 0 is this one, and negative numbers count back from it."""
        with self._lock:
            self._connect()
        number = session if session > 0 else self._session + session
        return _entries(self._query(_RANGE, _clamped(number), _clamped(start), _clamped(stop)), output=output)

    def search(self, pattern: str, n: int | None, *, output: bool, unique: bool) -> list[Entry]:
        """Return the last n cells that match a pattern with ``*`` and ``?``; if ``unique``, each text once, the latest."""
        query = _SEARCH_UNIQUE if unique else _SEARCH
        found = self._query(query, _storable(pattern).replace("[", "[[]"), _clamped(n))
        return _entries(reversed(found), output=output)

    def _query(self, query: str, *values: object) -> list[_Row]:
        with self._lock:
            try:
                return self._connect().execute(query, values).fetchall()
            except sqlite3.Error as error:
                return self._fall_back_to_memory(error).execute(query, values).fetchall()

    def _connect(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        if self._file is None:
            return self._begin(":memory:")
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return self._begin(self._file)
        except (sqlite3.Error, OSError, ValueError) as error:
            return self._fall_back_to_memory(error)

    def _begin(self, place: Path | str) -> sqlite3.Connection:
        """Start a session in a database. Raises ``sqlite3.Error`` if it is not one, or is not writable."""
        connection = sqlite3.connect(place, timeout=_TIMEOUT, check_same_thread=False)
        try:
            # A commit need not reach the disk at once: the process may die, but rarely the machine.
            connection.execute("PRAGMA synchronous = OFF" if place == ":memory:" else "PRAGMA synchronous = NORMAL")
            connection.executescript(_TABLES)
            with connection:
                self._session = connection.execute("INSERT INTO sessions DEFAULT VALUES").lastrowid or 0
                connection.execute(_SHRINK, (MAX_CELLS,))
        except sqlite3.Error:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _fall_back_to_memory(self, error: Exception) -> sqlite3.Connection:
        """Continue in memory, with the cells of this session."""
        _log.info("The history is kept in memory from here on: %s", error)
        if self._connection is not None:
            self._connection.close()
        connection = self._begin(":memory:")
        self._write(connection, self._cells)
        return connection

    def _write(self, connection: sqlite3.Connection, cells: Iterable[Cell]) -> None:
        with connection:
            connection.executemany(_ADD, [(self._session, *_row(cell)) for cell in cells])


def _row(cell: Cell) -> tuple[int, str, str | None]:
    return cell.number, _storable(cell.text), None if cell.value is None else _storable(cell.value)


def _storable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, by ``?``."""
    return text.encode(errors="replace").decode()


def _clamped(n: int | None) -> int:
    """Clamp a number to SQLite's range; ``None`` means no bound."""
    return _ALL if n is None else min(max(n, 0), _ALL)


def _entries(rows: Iterable[_Row], *, output: bool) -> list[Entry]:
    if output:
        return [(session, number, (text, value)) for session, number, text, value in rows]
    return [(session, number, text) for session, number, text, _ in rows]
