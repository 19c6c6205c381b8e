"""``pko broker stop``."""

from __future__ import annotations

from typing import Any

from pykafka_ops.commands.broker.data_dir import data_dir_of, properties_of, running
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError
from pykafka_ops.local import children

STOP_SECONDS = 60.0


def stop(run: Run) -> int:
    """Ask the broker of a data directory to stop, and wait until it has."""
    data_dir = data_dir_of(run.args, properties_of(run.args))
    found = running(data_dir)
    if found is None:
        raise PkoError(f"no broker runs on {data_dir}")
    text = f"broker {found.get('broker_id')} (pid {found['pid']}) stopped"
    if not run.args.has("controlled"):
        _end(found)
        run.note(text)
        return 0
    from pykafka_ops.commands.broker.controlled import ControlledStop

    check = ControlledStop(run, found)
    try:
        led = check.check_before()
        _end(found)
        check.check_after()
    finally:
        check.close()
    run.note(f"{text}; others lead its {led} partitions" if led else text)
    return 0


def _end(found: dict[str, Any]) -> None:
    pid = found["pid"]
    try:
        ended = children.end(pid, found.get("started", 0), seconds=STOP_SECONDS)
    except PermissionError:
        raise PkoError(f"broker with pid {pid} runs as another user: stop it as that one") from None
    if not ended:
        raise PkoError(f"broker with pid {pid} did not stop in {STOP_SECONDS:.0f} s; see its log")
