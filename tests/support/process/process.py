"""Start, watch and end one child process; its output goes to a file that is kept."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.waiting import PATIENCE

PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)
PAGE = os.sysconf("SC_PAGE_SIZE")
_SCHEDULED = 2
"""Of Linux' clocks of another process: the time that it ran (``clock_getcpuclockid``)."""


def _die_with_parent() -> None:
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def cpu_ms_of(pid: int) -> float:
    """CPU time that a process has spent so far, all threads."""
    return time.clock_gettime(~pid << 3 | _SCHEDULED) * 1000


class Process:
    """One child; ends with the test run even when the run itself is killed."""

    def __init__(
        self, argv: Sequence[str], log: Path, env: Mapping[str, str] | None = None
    ) -> None:
        self.argv = list(argv)
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as out:
            self.popen = subprocess.Popen(
                self.argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=out,
                env={**os.environ, **(env or {})},
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )

    @property
    def pid(self) -> int:
        return self.popen.pid

    def alive(self) -> bool:
        return self.popen.poll() is None

    def signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.popen.send_signal(number)

    def stop(self, seconds: float = PATIENCE) -> int:
        """SIGTERM and the exit code; SIGKILL when that takes longer than ``seconds``."""
        self.signal(signal.SIGTERM)
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.argv[0]} did not stop within {seconds} s") from None

    def kill(self) -> int:
        """SIGKILL, and wait until it is gone."""
        self.signal(signal.SIGKILL)
        return self.popen.wait(120)

    def rss(self) -> int:
        """Resident memory in bytes, children left out."""
        fields = Path(f"/proc/{self.pid}/statm").read_text().split()
        return int(fields[1]) * PAGE

    def peak_rss(self) -> int:
        """The most resident memory so far, in bytes."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("no VmHWM: the process has ended")

    def cpu_ms(self) -> float:
        """CPU time spent so far, all threads."""
        return cpu_ms_of(self.pid)

    def cpu_seconds(self) -> float:
        """The same in seconds."""
        return self.cpu_ms() / 1000

    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def log_tail(self, lines: int = 30) -> str:
        """The end of what it wrote to stderr."""
        try:
            text = self.log.read_text(errors="replace")
        except FileNotFoundError:
            return ""
        return "\n".join(text.splitlines()[-lines:])

    def first_line(self, seconds: float) -> str:
        """The first line of its stdout; AssertionError with its log when none comes in time."""
        assert self.popen.stdout is not None
        fd = self.popen.stdout.fileno()
        os.set_blocking(fd, False)
        data, end = b"", time.monotonic() + seconds
        while b"\n" not in data:
            chunk = None
            with contextlib.suppress(BlockingIOError):
                chunk = os.read(fd, 4096)
            if chunk:
                data += chunk
            elif chunk == b"" or time.monotonic() > end:
                state = "ended" if chunk == b"" else f"said nothing for {seconds} s"
                raise AssertionError(f"{' '.join(self.argv)} {state}:\n{self.log_tail()}")
            else:
                time.sleep(0.002)
        return data.split(b"\n", 1)[0].decode()
