"""Copies partitions from one leader: fetches, has the answer applied, fetches again.

Counterpart of ``ReplicaFetcherThread``: the connection and the loop. What to fetch and what an
answer changes is in ``copied_partitions``. Times in ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

from pykafka_ops.broker import jobs
from pykafka_ops.broker.runtime.cluster.peer import Peer
from pykafka_ops.broker.runtime.replication import fetch_requests
from pykafka_ops.broker.runtime.replication.copied_partitions import CopiedPartitions
from pykafka_ops.broker.runtime.replication.site import Site
from pykafka_ops.broker.runtime.time_slice import TimeSlice
from pykafka_ops.broker.state.replication.fetching import FollowState
from pykafka_ops.errors import ConnectError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.fetch import FetchResponse

log = logging.getLogger("kafka.server.ReplicaFetcherThread")

SESSION_OVER = (
    ErrorCode.NONE,
    ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
    ErrorCode.INVALID_FETCH_SESSION_EPOCH,
    ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
)
"""Answers after which a new session is asked for at once."""


class Fetcher:
    """Fetcher ``number`` for the partitions that ``leader`` leads."""

    def __init__(self, leader: int, number: int, site: Site) -> None:
        self.leader = leader
        self.number = number
        self.partitions = CopiedPartitions(leader, site)
        self._site = site
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to copy."""
        if self._task is None:
            self._task = jobs.start(f"fetcher from broker {self.leader}", self._run())

    async def stop(self) -> None:
        """Copy nothing any more."""
        self.partitions.states.clear()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    # -- the loop

    async def _run(self) -> None:
        peer: Peer | None = None
        complaint = ""
        try:
            while True:
                try:
                    if not self.partitions.states:
                        await self._pause()
                        continue
                    peer = peer or self._site.connect(self.leader, self.number)
                    await self._step(peer)
                    complaint = ""
                except ConnectError as error:
                    if str(error) != complaint:  # each is logged once
                        complaint = str(error)
                        log.warning("fetching from broker %d: %s", self.leader, error)
                    if peer is not None:
                        peer.close()
                    peer = None  # it may listen elsewhere by now
                    self.partitions.session.failed()
                    await self._pause()
                except Exception:
                    log.exception("cannot fetch from broker %d", self.leader)
                    self.partitions.session.failed()
                    await self._pause()
        finally:
            if peer is not None:
                peer.close()

    async def _step(self, peer: Peer) -> None:
        """Send one Fetch and handle its answer."""
        await self.partitions.unsynced.synced()
        request = self.partitions.request()
        self.partitions.troubles.write()
        if request is None:
            await self._pause(min(self.partitions.backoff, self.partitions.patience()))
            return
        by_id = self.partitions.session.by_id
        version = fetch_requests.VERSION if by_id else fetch_requests.VERSION_WITHOUT_IDS
        response = await peer.ask(request, version, FetchResponse)
        for state in await TimeSlice().drive(self.partitions.take(response)):
            await self._reset(peer, state)
        self.partitions.troubles.write()
        if response.error_code not in SESSION_OVER:
            await self._pause()

    async def _pause(self, most: float | None = None) -> None:
        """Wait as long as after an error, or ``most``, or until there is something new to copy."""
        self.partitions.news.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout((self.partitions.backoff if most is None else most) / 1000):
                await self.partitions.news.wait()

    async def _reset(self, peer: Peer, state: FollowState) -> None:
        """Find out where to go on with a partition. Raises ConnectError."""
        partitions, site = self.partitions, self._site
        try:
            end = await fetch_requests.leader_offset(site, peer, state, fetch_requests.LATEST)
            if not partitions.stop_at(state, end):
                earliest = fetch_requests.EARLIEST
                start = await fetch_requests.leader_offset(site, peer, state, earliest)
                partitions.start_at(state, start)
        except KafkaError as error:
            partitions.not_reset(state, error)
        partitions.ask_again(state)
