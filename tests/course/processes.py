"""Processes of a course, found by a variable in their environment, whatever started them and wherever they went."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.distribution.environments import unsettled

MARK = "RH_COURSE"
"""The variable in the environment of every process of a course; its value is the course."""
BIN = Path(sys.executable).parent


@dataclass
class Desk:
    """Where somebody works: the environment of the course, a home, and the settings that count there."""

    mark: str
    home: Path
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of processes that are started here."""
        kept = unsettled()
        path = os.pathsep.join([str(BIN), str(BIN.parent / "node_modules" / ".bin"), kept.get("PATH", os.defpath)])
        return {**kept, "HOME": str(self.home), "PATH": path, "NO_COLOR": "1", MARK: self.mark, **self.settings}

    def start(self, *command: str | Path, cwd: Path, log: Path) -> subprocess.Popen[bytes]:
        """Start a command that writes into a file."""
        self.home.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as file:
            words = [str(word) for word in command]
            return subprocess.Popen(words, cwd=cwd, env=self.variables, stdin=subprocess.DEVNULL, stdout=file, stderr=file)

    def ask(self, *command: str | Path, cwd: Path, seconds: float = 600) -> str:
        """What a command that goes well writes."""
        self.home.mkdir(parents=True, exist_ok=True)
        words = [str(word) for word in command]
        done = subprocess.run(words, cwd=cwd, env=self.variables, capture_output=True, text=True, timeout=seconds, check=False)
        assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done.stdout + done.stderr


def processes(mark: str) -> Iterator[psutil.Process]:
    """The processes of a course that have not ended."""
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                yield process
        except psutil.Error:
            continue


def described(mark: str) -> list[str]:
    """The processes of a course, each with its number and its command."""
    found = list[str]()
    for process in processes(mark):
        try:
            found.append(f"{process.pid} {' '.join(process.cmdline())[:120]}")
        except psutil.Error:
            continue
    return found


def eventually(holds: Callable[[], bool], seconds: float) -> bool:
    """Whether something holds before so many seconds are over."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


@dataclass
class Peaks:
    """The most bytes that a process of a course has had in memory at a time, and which one that was."""

    bytes: int = 0
    of: str = ""


@contextmanager
def watched(mark: str) -> Generator[Peaks]:
    """Measure the memory of all processes of a course, five times a second."""
    peaks, over = Peaks(), threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            for process in processes(mark):
                try:
                    used = process.memory_info().rss
                    if used > peaks.bytes:
                        peaks.bytes, peaks.of = used, " ".join(process.cmdline())[:120]
                except psutil.Error:
                    continue

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peaks
    finally:
        over.set()
        thread.join()
