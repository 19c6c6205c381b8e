"""``pko broker stop``."""

from __future__ import annotations

import os
import signal
import time

from pykafka_ops.commands.broker.data_dir import data_dir_of, properties_of, running
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

STOP_SECONDS = 60.0


def stop(run: Run) -> int:
    """Ask the broker of a data directory to stop, and wait until it has."""
    data_dir = data_dir_of(run.args, properties_of(run.args))
    found = running(data_dir)
    if found is None:
        raise PkoError(f"no broker runs on {data_dir}")
    text = f"broker {found.get('broker_id')} (pid {found['pid']}) stopped"
    if not run.args.has("controlled"):
        _end(int(found["pid"]))
        run.note(text)
        return 0
    from pykafka_ops.commands.broker.controlled import ControlledStop

    check = ControlledStop(run, found)
    try:
        led = check.check_before()
        _end(int(found["pid"]))
        check.check_after()
    finally:
        check.close()
    run.note(f"{text}; others lead its {led} partitions" if led else text)
    return 0


def _end(pid: int) -> None:
    from pykafka_ops.broker.runtime.process import alive

    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while alive(pid):
        if time.monotonic() > deadline:
            raise PkoError(
                f"broker with pid {pid} did not stop in {STOP_SECONDS:.0f} s; see its log"
            )
        time.sleep(0.02)
