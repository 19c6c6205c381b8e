"""A broker that notes how long its loop keeps clients waiting: the CPU time of each of its turns.

It runs on asyncio's own loop, which can be watched, and CPU time does not depend on how busy the
machine is. ``python -m tests.support.process.paced FILE broker start ...`` is ``pko`` so.
"""

from __future__ import annotations

import os
import runpy
import selectors
import sys
import time
from array import array
from pathlib import Path
from typing import Any

from tests.support.process.broker import BrokerProcess

WORTH_NOTING_MS = 0.5


class PacedBroker(BrokerProcess):
    """``pko broker start``; :meth:`pauses` are the turns of its loop."""

    _read = 0

    def argv(self) -> list[str]:
        python, _, _, *rest = super().argv()
        return [python, "-m", "tests.support.process.paced", str(self._notes), *rest]

    @property
    def _notes(self) -> Path:
        return self.data_dir.with_name(f"{self.data_dir.name}.pauses")

    def pauses(self) -> list[float]:
        """The turns since the last call, in ms of CPU time; short ones are left out."""
        found = array("d")
        with self._notes.open("rb") as notes:
            notes.seek(self._read)
            data = notes.read()
        data = data[: len(data) // 8 * 8]
        self._read += len(data)
        found.frombytes(data)
        return found.tolist()


def watch(notes: Path) -> None:
    """Note every turn from now on: from the end of one wait for sockets to the next wait."""
    out = notes.open("ab", buffering=0)
    wait = selectors.EpollSelector.select
    woken = time.thread_time()

    def select(self: Any, timeout: float | None = None) -> Any:
        nonlocal woken
        took = (time.thread_time() - woken) * 1000
        if took > WORTH_NOTING_MS:
            out.write(array("d", [took]).tobytes())
        found = wait(self, timeout)
        woken = time.thread_time()
        return found

    selectors.EpollSelector.select = select  # type: ignore[method-assign]


def stay(_: str, argv: list[str]) -> None:
    """``os.execv`` of ``python -m MODULE ...``, in this process."""
    module = argv.index("-m") + 1
    sys.argv = argv[module:]
    runpy.run_module(argv[module], run_name="__main__", alter_sys=True)


def main() -> int:
    """Run ``pko`` with the arguments behind the file's name."""
    sys.modules["uvloop"] = None  # type: ignore[assignment]  # as if it were not installed
    watch(Path(sys.argv.pop(1)))
    os.execv = stay  # type: ignore[assignment]  # `pko broker start` becomes the broker
    from pykafka_ops.cli import main as pko

    return pko()


if __name__ == "__main__":
    sys.exit(main())
