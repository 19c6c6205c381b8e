"""Start, find and end processes that outlive this one.

A pid alone does not identify a process: another may have it after a crash. So a process is
identified by its pid and the tick it was started at, where the system has it (``/proc``).
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from pykafka_ops.errors import PkoError

POLL_SECONDS = 0.01
PR_SET_PDEATHSIG = 1


def spawn(
    argv: Sequence[str],
    log: Path,
    *,
    env: Mapping[str, str] | None = None,
    mortal: bool = False,
    stdout: int | None = None,
) -> subprocess.Popen[bytes]:
    """Run ``argv`` in a session of its own; its stderr (and stdout, unless given) goes to ``log``.

    ``mortal``: the system kills it when the thread that started it ends (Linux), so that a test
    run that is killed leaves nothing behind. Raises PkoError where it cannot be started.
    """
    die = _death_with_parent() if mortal else None
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as out:
            return subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=out if stdout is None else stdout,
                stderr=out,
                env=dict(env) if env is not None else None,
                start_new_session=True,
                preexec_fn=die,
            )
    except OSError as error:
        what = error.filename or argv[0]
        raise PkoError(f"cannot start {argv[0]}: {error.strerror} ({what})") from None


def _death_with_parent() -> Callable[[], None] | None:
    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None
    return lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def started_at(pid: int) -> int | None:
    """The tick ``pid`` was started at; None if it does not run (or is a zombie); 0 if unknown.

    A zombie that has threads left is none yet: they may hold its ports and locks.
    """
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat", "rb") as stat:
            fields = stat.read().rpartition(b")")[2].split()
        gone = fields[0] in (b"Z", b"X") and int(fields[17]) < 2
        return None if gone else int(fields[19])
    except ProcessLookupError:
        return None
    except PermissionError:
        return 0
    except (OSError, ValueError, IndexError):
        return 0 if not os.path.isdir("/proc/self") else None


def is_alive(pid: int, started: int = 0) -> bool:
    """Whether the process runs that had ``pid`` and was started at that tick (0: any)."""
    now = started_at(pid)
    return now is not None and (0 in (now, started) or now == started)


def end(pid: int, started: int = 0, *, seconds: float = 60.0) -> bool:
    """SIGTERM, and wait until it is gone; whether it went within ``seconds``."""
    if is_alive(pid, started):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    return wait_until(lambda: not is_alive(pid, started), seconds)


def kill(pid: int, started: int = 0, *, seconds: float = 30.0) -> None:
    """SIGKILL, and wait until it is gone."""
    if is_alive(pid, started):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(pid, started), seconds)


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether ``condition`` came true within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def read_record(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file; None if there is none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def write_record(path: Path, record: Mapping[str, Any]) -> None:
    """Write it so that a reader sees all or nothing of it. Raises PkoError."""
    new = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        new.replace(path)
    except OSError as error:
        raise PkoError(f"cannot write {path}: {error.strerror}") from None


@contextlib.contextmanager
def locked(path: Path, what: str, seconds: float) -> Iterator[None]:
    """Wait until no other process is within this for ``path``; PkoError after ``seconds``, saying
    that ``what`` is under way."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a", encoding="utf-8")
    except OSError as error:
        raise PkoError(f"cannot write {path}: {error.strerror}") from None
    with file:
        if not wait_until(lambda: _is_taken(file), seconds):
            raise PkoError(f"{what} is under way, for {seconds:.0f} s already")
        yield


def _is_taken(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def tail(path: Path, lines: int = 5) -> str:
    """The last lines of a log, joined by `` | ``; "" where there is none."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.path.getsize(path) - 8192))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return " | ".join([x.strip() for x in text.splitlines() if x.strip()][-lines:])


def free_port(host: str = "127.0.0.1", wish: int = 0) -> int:
    """``wish`` if nothing listens there now, else some free port."""
    for port in (wish, 0):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            return int(probe.getsockname()[1])
    raise PkoError(f"no free port on {host}")


def accepts(host: str, port: int) -> bool:
    """Whether something listens there."""
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((host, port)) == 0


class LocalProcess:
    """What runs or ran in ``directory``: stop, kill, pause, and where its log and record are.

    ``what`` names it in messages. ``mortal``: it ends with the thread that starts it.
    """

    def __init__(
        self, directory: Path, what: str, *, record: str, log: str, mortal: bool = False
    ) -> None:
        self.directory = directory.absolute()
        self.what, self.mortal = what, mortal
        self.log = self.directory / log
        """Where it logs to."""
        self.process: subprocess.Popen[bytes] | None = None
        self._path = self.directory / record

    def record(self) -> dict[str, Any]:
        """What the last start left: ``pid``, ``started`` (tick), ``port`` and more; or nothing."""
        return read_record(self._path) or {}

    def running(self) -> dict[str, Any] | None:
        """Its record while it runs; None if it does not."""
        found = self.record()
        pid, started = found.get("pid"), found.get("started")
        if not isinstance(pid, int) or not isinstance(started, int):
            return None
        return found if is_alive(pid, started) else None

    @property
    def pid(self) -> int | None:
        """Its process id; None while it does not run."""
        found = self.running()
        return int(found["pid"]) if found else None

    def stop(self, seconds: float = 120.0) -> int | None:
        """A clean stop (SIGTERM); its pid, None if it did not run. Raises PkoError."""
        found = self.running()
        if found is not None:
            self.resume()
            if not end(found["pid"], found["started"], seconds=seconds):
                raise PkoError(f"{self.what} (pid {found['pid']}) did not stop in {seconds:.0f} s")
        self._reap()
        return int(found["pid"]) if found else None

    def terminate(self) -> None:
        """SIGTERM without waiting; :meth:`stop` waits."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """kill -9."""
        found = self.running()
        if found is not None:
            kill(found["pid"], found["started"])
        self._reap()

    def pause(self) -> None:
        """SIGSTOP: it keeps its connections and does nothing."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT: it goes on after :meth:`pause`."""
        self._signal(signal.SIGCONT)

    def _write(self, pid: int, more: Mapping[str, object]) -> None:
        """Leave the record of a process that was started. Raises PkoError."""
        started = started_at(pid) or 0
        write_record(self._path, {"pid": pid, "started": started, **more})

    def _signal(self, number: int) -> None:
        pid = self.pid
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _reap(self) -> None:
        if self.process is not None and self.process.poll() is not None:
            self.process = None
