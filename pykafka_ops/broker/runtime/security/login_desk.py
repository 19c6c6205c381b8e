"""What all logins on one listener share: the offer, the counts, the lines in the log."""

from __future__ import annotations

import logging
from collections.abc import Callable

from pykafka_ops.broker.runtime.security.login_counts import LoginCounts
from pykafka_ops.broker.state.line_limit import PERIOD_MS, LineLimit
from pykafka_ops.broker.state.logins.authenticator import Now, Offer

log = logging.getLogger("kafka.network.SocketServer")

CallLater = Callable[[float, Callable[[], None]], object]


class LoginDesk:
    """``offer`` is replaced when settings change. ``delay_ms()`` is how long a failure is kept from
    the client, ``most_bytes()`` the largest frame of a login."""

    def __init__(
        self,
        listener: str,
        offer: Offer,
        *,
        delay_ms: Callable[[], int],
        most_bytes: Callable[[], int],
        now: Callable[[], Now],
        call_later: CallLater,
    ) -> None:
        self.listener = listener
        self.offer = offer
        self.delay_ms = delay_ms
        self.most_bytes = most_bytes
        self.now = now
        self.call_later = call_later
        self.counts = LoginCounts()
        self._lines = LineLimit()
        self._summary_is_due = False

    def succeeded(self, *, again: bool) -> None:
        """A login is done, or (``again``) a re-authentication."""
        if again:
            self.counts.succeeded_again += 1
        else:
            self.counts.succeeded += 1

    def failed(self, host: str, why: str, *, again: bool) -> None:
        """One failed: tell of it, unless many do."""
        if again:
            self.counts.failed_again += 1
        else:
            self.counts.failed += 1
        which = "re-authentication" if again else "authentication"
        self._tell("Failed %s with %s on listener %s (%s)", which, host, self.listener, why)

    def expired(self) -> None:
        """A connection is closed because its session has ended."""
        self.counts.expired += 1

    def _tell(self, text: str, *values: object) -> None:
        if self._lines.admits(self.now().timer):
            log.info(text, *values)
        elif not self._summary_is_due:
            self._summary_is_due = True
            self.call_later(PERIOD_MS / 1000, self._sum_up)

    def _sum_up(self) -> None:
        self._summary_is_due = False
        count = self._lines.take_left_out()
        log.info("%d more logins failed on listener %s", count, self.listener)
