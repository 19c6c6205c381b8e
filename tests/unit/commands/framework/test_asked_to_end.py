"""A wait that signals end, at whatever moment they come."""

from __future__ import annotations

import subprocess
import sys

ANY_MOMENT = """
import signal, sys, threading
from pykafka_ops.commands.framework.asked_to_end import AskedToEnd

def interrupted(frame, event, arg):
    if frame.f_code.co_name == "_note" or "lambda" in frame.f_code.co_name:
        return None
    frame.f_trace_opcodes = True
    signal.raise_signal(signal.SIGINT)
    global times
    times += 1
    return interrupted

times = 0
ended = AskedToEnd()
assert not ended.wait(0)
sys.settrace(interrupted)
came = ended.wait(0.001)
sys.settrace(None)
print(came, ended.wait(0), times > 2)
"""


def test_a_signal_in_any_step_of_the_wait_ends_it() -> None:
    argv = [sys.executable, "-c", ANY_MOMENT]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split()) == (0, ["True"] * 3), done.stderr


def test_more_signals_than_a_pipe_holds_do_not_block() -> None:
    many = (
        "import signal; from pykafka_ops.commands.framework.asked_to_end import AskedToEnd\n"
        "ended = AskedToEnd()\n"
        "for _ in range(70_000): signal.raise_signal(signal.SIGTERM)\n"
        "print(ended.wait())"
    )
    done = subprocess.run([sys.executable, "-c", many], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_a_wait_that_nothing_ends_says_so() -> None:
    none = (
        "from pykafka_ops.commands.framework.asked_to_end import AskedToEnd\n"
        "print(AskedToEnd().wait(0.01))"
    )
    done = subprocess.run([sys.executable, "-c", none], capture_output=True, text=True, timeout=60)
    assert done.stdout == "False\n", done.stderr
