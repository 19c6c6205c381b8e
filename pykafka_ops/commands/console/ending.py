"""An end by a signal at the right moment."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any, NoReturn

TERMINATED = 143
HOLD_SECONDS = 0.2


class ending_well:  # noqa: N801 - reads as a statement
    """Within it SIGTERM ends the program as Ctrl-C does, so that ``finally`` is reached.

    Between ``hold`` and ``release`` both wait, so that what belongs together is done together; but
    no longer than HOLD_SECONDS, since whoever reads our output may have stopped to.
    """

    def __enter__(self) -> ending_well:
        self.holding, self.pending = False, 0
        self.before: dict[int, Any] = {}
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                try:
                    self.before[number] = signal.signal(number, self._signalled)
                except ValueError:  # not the main thread: whoever embeds us has the signals
                    break
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def hold(self) -> None:
        """Let signals wait."""
        self.holding = True

    def release(self) -> None:
        """Heed signals, also one that came since ``hold``."""
        self.holding = False
        if self.pending:
            self._end(self.pending)

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGALRM:
            if self.pending:
                self._end(self.pending)
        elif self.holding and not self.pending:
            self.pending = number
            signal.setitimer(signal.ITIMER_REAL, HOLD_SECONDS)
        else:
            self._end(number)

    def _end(self, number: int) -> NoReturn:
        self.holding, self.pending = False, 0
        signal.setitimer(signal.ITIMER_REAL, 0)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(TERMINATED)
