"""Groups that are in trouble, each in its own way, for as long as a test wants."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.group_offsets import Committed, commit_offsets
from pykafka_ops.client.offsets import LATEST, list_offsets
from pykafka_ops.client.produce import produce
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import PkoError
from tests.support.waiting import wait_for

STEP_SECONDS = 0.5
GROUPS = ("stopped", "stalled", "rewound", "late")
RECORDS = 500
TOPIC, HOT, HOT_PARTITION = "orders", "hot", 1
HEAVY, HEAVY_BYTES = "archive", 128 << 10
"""A topic that fills disks, and the bytes that a step writes to it."""


class TroubledGroups:
    """``stopped`` commits a few times and then no more, ``stalled`` the same offset again and
    again, ``rewound`` an ever lower one; ``late`` does not keep up with one of the partitions of
    ``HOT``. Once ``well`` they have read all. While it is ``filling``, ``HEAVY`` grows."""

    def __init__(self, bootstrap: str) -> None:
        """The topics are there: ``TOPIC`` with one partition, ``HOT`` with three."""
        self._cluster = Cluster(ClientConfig.of({"bootstrap.servers": bootstrap}))
        self._produce(TOPIC, 0, RECORDS)
        for group in GROUPS:  # coordinators have to be there before anybody looks
            wait_for(lambda g=group: self._has_committed(g), what=f"{group} commits", poll=0.2)
        self._step = 0
        self.well = self.filling = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self._cluster.close()

    def _run(self) -> None:
        while not self._ended.wait(STEP_SECONDS):
            for commit in (self._stopped, self._stalled, self._rewound, self._late, self._fill):
                with contextlib.suppress(PkoError):  # a broker is away for a moment
                    commit()
            self._step += 1

    def _has_committed(self, group: str) -> bool:
        try:
            self._commit(group, HOT if group == "late" else TOPIC, {0: 0})
        except PkoError:
            return False
        return True

    def _produce(self, topic: str, partition: int, count: int, value: bytes = b"x") -> None:
        now = int(time.time() * 1000)
        batch = build_batch([Record(n, now, None, value, []) for n in range(count)])
        for done in produce(self._cluster, {(topic, partition): batch}).values():
            if isinstance(done, PkoError):
                raise done

    def _fill(self) -> None:
        if self.filling:
            self._produce(HEAVY, 0, 1, b"x" * HEAVY_BYTES)

    def _ends(self, topic: str, count: int) -> dict[int, int]:
        asked = {(topic, n): LATEST for n in range(count)}
        found = list_offsets(self._cluster, asked)
        return {p[1]: end.offset for p, end in found.items() if not isinstance(end, PkoError)}

    def _commit(self, group: str, topic: str, offsets: dict[int, int]) -> None:
        wanted = {(topic, n): Committed(at, -1, "") for n, at in offsets.items()}
        done = commit_offsets(self._cluster, group, wanted)
        if isinstance(done, PkoError):
            raise done

    def _of_orders(self, group: str, offset: Callable[[], int]) -> None:
        self._commit(group, TOPIC, {0: RECORDS if self.well else offset()})

    def _stopped(self) -> None:
        if self._step < 4 or self.well:
            self._of_orders("stopped", lambda: 10 + self._step)

    def _stalled(self) -> None:
        self._of_orders("stalled", lambda: 40)

    def _rewound(self) -> None:
        self._of_orders("rewound", lambda: max(0, RECORDS - 10 - self._step))

    def _late(self) -> None:
        if not self.well:
            for partition in range(3):
                self._produce(HOT, partition, 50 if partition == HOT_PARTITION else 1)
        ends = self._ends(HOT, 3)
        if not self.well:
            ends[HOT_PARTITION] = self._step
        self._commit("late", HOT, ends)
