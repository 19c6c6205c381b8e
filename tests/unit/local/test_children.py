"""Which processes are gone, and which only look like it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from pykafka_ops.local import children
from tests.support.waiting import wait_for

EXIT = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
MAIN_THREAD_ENDS = f"""
import ctypes, threading
threading.Thread(target=threading.Event().wait).start()
ctypes.CDLL(None).syscall({EXIT}, 0)
"""


def state(pid: int) -> str:
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0]


def test_a_process_is_there_while_any_of_its_threads_may_hold_its_ports_and_locks() -> None:
    child = subprocess.Popen([sys.executable, "-c", MAIN_THREAD_ENDS])
    try:
        wait_for(lambda: state(child.pid) == "Z", what="the end of the main thread")
        assert children.is_alive(child.pid)
    finally:
        child.send_signal(signal.SIGKILL)
    wait_for(lambda: not children.is_alive(child.pid), what="the end of the other thread")
    child.wait(60)
    assert not children.is_alive(child.pid)
