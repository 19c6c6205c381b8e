"""A thread for each receiver, so that a slow one does not delay the others."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from pykafka_ops.errors import StorageError
from pykafka_ops.monitor.alerts.delivery.failure import DeliveryError
from pykafka_ops.monitor.alerts.delivery.send import send
from pykafka_ops.monitor.alerts.rules.incidents import OPEN
from pykafka_ops.monitor.alerts.settings.receivers import Receiver
from pykafka_ops.monitor.alerts.store.database import LostLeadError
from pykafka_ops.monitor.alerts.store.lease import Lease
from pykafka_ops.monitor.alerts.store.spool import Spool

LOOK_SECONDS: Final = 1.0
RESULTS: Final = ("sent", "failed", "gave_up")
"""How a try may end; what failed is tried again."""
log = logging.getLogger(__name__)


class DeliveryWorkers:
    """``start``, ``wake`` when there is something new, ``stop``."""

    def __init__(
        self,
        receivers: Mapping[str, Receiver],
        spool: Spool,
        lease: Lease,
        now: Callable[[], int],
        page: str = "",
    ) -> None:
        """``now``: ms since 1970; ``page``: the address of the monitor's page."""
        self._receivers, self._spool, self._lease = receivers, spool, lease
        self._now, self._page = now, page
        self._stopped = False
        self.counts: Counter[tuple[str, str]] = Counter()
        """Tries by receiver and result: ``sent``, ``failed``, ``gave_up``."""
        for name in receivers:
            self.counts.update(dict.fromkeys(((name, r) for r in RESULTS), 0))
        self._awake = {name: threading.Event() for name in receivers}
        self._threads = [
            threading.Thread(target=self._run, args=(r,), name=f"alerts to {r.name}", daemon=True)
            for r in receivers.values()
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Look at once."""
        for event in self._awake.values():
            event.set()

    def stop(self, seconds: float = 5.0) -> None:
        """End; messages under way may take so many seconds more."""
        self._stopped = True
        self.wake()
        for thread in self._threads:
            thread.join(seconds)

    def _run(self, receiver: Receiver) -> None:
        event = self._awake[receiver.name]
        while not self._stopped:
            event.clear()
            try:
                while not self._stopped and self._lease.held() and self.deliver(receiver):
                    pass
            except LostLeadError:
                pass  # the other monitor sends what is left
            except StorageError as error:
                log.warning("cannot send alerts to %s yet: %s", receiver.name, error)
            event.wait(LOOK_SECONDS)

    def deliver(self, receiver: Receiver) -> bool:
        """Send the next message that is due; return whether there was one. LostLeadError,
        StorageError."""
        claimed = self._spool.claim(receiver.name, self._now())
        if claimed is None:
            return False
        delivery, notice = claimed
        if notice.phase != OPEN and not self._spool.opened(notice, receiver.name):
            self.counts[receiver.name, "gave_up"] += 1
            self._spool.gave_up(delivery.id, "its first message was not sent", self._now())
            return True
        try:
            if not self._lease.held():
                return False
            send(receiver, notice, self._page)
        except DeliveryError as error:
            self._failed(receiver, delivery.id, delivery.created, error)
        except Exception as error:  # a fault of ours must not stop what else there is to send
            fault = DeliveryError(f"internal error: {type(error).__name__}")
            self._failed(receiver, delivery.id, delivery.created, fault)
        else:
            self.counts[receiver.name, "sent"] += 1
            self._spool.sent(delivery.id, self._now())
        return True

    def _failed(self, receiver: Receiver, id_: str, created: int, error: DeliveryError) -> None:
        late = self._now() - created >= receiver.give_up_ms
        log.warning("cannot deliver an alert to %s: %s", receiver.name, error)
        lasting = error.lasting or late
        self.counts[receiver.name, "gave_up" if lasting else "failed"] += 1
        if lasting:
            self._spool.gave_up(id_, str(error), self._now())
        else:
            self._spool.failed(id_, str(error))
