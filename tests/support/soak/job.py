"""One kind of load among others: a thread that works until it is told to stop."""

from __future__ import annotations

import threading
import time
import traceback

MOST_TROUBLES = 20


class Job(threading.Thread):
    """Repeats :meth:`step`; ``done`` counts what it did, ``troubles`` says what should not be."""

    name = "job"
    pause = 0.0
    """Seconds between two steps."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(daemon=True)
        self.bootstrap = bootstrap
        self.done = 0
        self.troubles: list[str] = []
        self.stopping = threading.Event()

    def step(self) -> None:
        """Do it once; what is raised is a trouble."""
        raise NotImplementedError

    def finish(self) -> None:
        """Called in the thread once it is to stop."""

    def run(self) -> None:
        """As ``Thread``."""
        while not self.stopping.is_set():
            self._try(self.step)
            self.stopping.wait(self.pause)
        self._try(self.finish)

    def _try(self, work: object) -> None:
        try:
            work()  # type: ignore[operator]
        except Exception:
            self.trouble(traceback.format_exc(limit=4))
            self.stopping.wait(1)

    def trouble(self, text: str) -> None:
        """Something is not as it should be."""
        if len(self.troubles) < MOST_TROUBLES:
            self.troubles.append(text)

    def stop(self, seconds: float) -> None:
        """Have it end; that it does not is a trouble."""
        self.stopping.set()
        self.join(seconds)
        if self.is_alive():
            self.trouble(f"did not end within {seconds:.0f} s")

    def until(self, condition: object, seconds: float) -> bool:
        """Whether a condition comes true in time."""
        end = time.monotonic() + seconds
        while not condition():  # type: ignore[operator]
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True
