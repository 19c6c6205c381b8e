"""How a broker joins the cluster: persistent paths, cluster id, registration, broker id,
and how one of them becomes controller. Counterpart of those parts of ``KafkaZkClient``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import NamedTuple

from pykafka_ops.broker.metadata.store import (
    BadVersionError,
    Check,
    Create,
    Delete,
    MetadataStore,
    NodeExistsError,
    NoNodeError,
    Op,
    SetData,
    Stat,
    StoreError,
)
from pykafka_ops.broker.metadata.znodes.brokers import BrokerIdZNode, BrokerSequence
from pykafka_ops.broker.metadata.znodes.cluster import (
    PERSISTENT_PATHS,
    ClusterId,
    ControllerEpoch,
    ControllerZNode,
    Feature,
    Features,
    ProducerIdBlock,
    ProducerIdBlockZNode,
)
from pykafka_ops.broker.state.image import BrokerInfo
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

PRODUCER_ID_BLOCK_SIZE = 1000
_MAX_PRODUCER_ID = 2**63 - 1


class ControllerMovedError(StoreError):
    """Another broker is controller: the write of a former one is refused."""


class BrokerIdTakenError(PkoError):
    """Another session has registered with this broker's id."""


class ControllerTerm(NamedTuple):
    """One broker's term as controller; ``version`` is that of ``/controller_epoch``."""

    epoch: int
    version: int

    def check(self) -> Check:
        """Lets a ``multi`` fail once another controller has been elected."""
        return Check(ControllerEpoch.path, self.version)


async def ensure_paths(store: MetadataStore, paths: Iterable[str] = PERSISTENT_PATHS) -> None:
    """Create the persistent paths that are missing."""
    for path in paths:
        if await store.exists(path) is None:
            with contextlib.suppress(NodeExistsError):
                await store.create(path, make_parents=True)


async def cluster_id(store: MetadataStore, proposed: str) -> str:
    """The cluster's id: ``proposed`` if the cluster has none yet."""
    node = await store.get(ClusterId.path)
    if node is None:
        with contextlib.suppress(NodeExistsError):
            await store.create(ClusterId.path, ClusterId.encode(proposed), make_parents=True)
            return proposed
        node = await store.get(ClusterId.path)
    return ClusterId.decode(node.data if node else None)


async def generate_broker_id(store: MetadataStore, reserved_max: int) -> int:
    """The next broker id above ``reserved.broker.max.id``."""
    await ensure_paths(store, [BrokerSequence.path])
    stat = await store.set(BrokerSequence.path, b"")
    return stat.version + reserved_max


async def register_broker(store: MetadataStore, info: BrokerInfo, now: int) -> int:
    """Register ``info`` (ephemeral); the broker epoch. ``now`` in ms since 1970.

    A registration of an earlier session of this process is replaced (KAFKA-7165); that of
    another live broker with the same id raises BrokerIdTakenError.
    """
    path = BrokerIdZNode.path(info.id)
    data = BrokerIdZNode.encode(info, now)
    try:
        # Written twice as Kafka does: the second answer brings the Stat, hence the epoch.
        _, stat = await store.multi([Create(path, data, ephemeral=True), SetData(path, data)])
    except NodeExistsError:
        existing = await store.exists(path)
        if existing is not None and existing.ephemeral_owner == store.session_id:
            return existing.czxid
        raise BrokerIdTakenError(
            f"broker id {info.id} is registered already ({path}): another broker uses it, or"
            " this one stopped a moment ago; wait for its session to end or change broker.id"
        ) from None
    assert isinstance(stat, Stat)
    return stat.czxid


async def become_controller(store: MetadataStore, broker: int, now: int) -> ControllerTerm:
    """Try to become controller. Raises ControllerMovedError if another broker is, or was faster."""
    node = await store.get(ControllerEpoch.path)
    if node is None:
        with contextlib.suppress(NodeExistsError):
            await store.create(ControllerEpoch.path, ControllerEpoch.encode(0))
        node = await store.get(ControllerEpoch.path)
        if node is None:
            raise ControllerMovedError(ControllerEpoch.path)
    epoch = ControllerEpoch.decode(node.data) + 1
    claim: list[Op] = [
        Create(ControllerZNode.path, ControllerZNode.encode(broker, now), ephemeral=True),
        SetData(ControllerEpoch.path, ControllerEpoch.encode(epoch), node.stat.version),
    ]
    try:
        _, stat = await store.multi(claim)
    except (NodeExistsError, BadVersionError) as error:
        return await _claimed_after_all(store, broker, epoch, error)
    assert isinstance(stat, Stat)
    return ControllerTerm(epoch, stat.version)


async def _claimed_after_all(
    store: MetadataStore, broker: int, epoch: int, error: StoreError
) -> ControllerTerm:
    """A retried claim may have succeeded the first time: then the znodes are ours."""
    holder = await store.get(ControllerZNode.path)
    if (
        holder is not None
        and holder.stat.ephemeral_owner == store.session_id
        and ControllerZNode.decode(holder.data) == broker
    ):
        node = await store.get(ControllerEpoch.path)
        if node is not None and ControllerEpoch.decode(node.data) == epoch:
            return ControllerTerm(epoch, node.stat.version)
    raise ControllerMovedError(ControllerZNode.path) from error


async def resign(store: MetadataStore, term: ControllerTerm) -> None:
    """Give up being controller; nothing happens if another broker is by now."""
    with contextlib.suppress(NoNodeError, BadVersionError):
        await store.multi([term.check(), Delete(ControllerZNode.path)])


async def ensure_feature(store: MetadataStore) -> None:
    """Create ``/feature`` with no finalized features, as the first 3.9 controller does."""
    if await store.exists(Feature.path) is None:
        with contextlib.suppress(NodeExistsError):
            await store.create(Feature.path, Feature.encode(Features({})))


async def allocate_producer_ids(store: MetadataStore, broker: int) -> ProducerIdBlock:
    """The next block of producer ids, for ``broker`` (``ZkProducerIdManager``).

    Raises KafkaError UNKNOWN_SERVER_ERROR once all ids are used up.
    """
    await ensure_paths(store, [ProducerIdBlockZNode.path])
    while True:
        node = await store.get(ProducerIdBlockZNode.path)
        last = ProducerIdBlockZNode.decode(node.data if node else None)
        first = 0 if last is None else last.last + 1
        if first > _MAX_PRODUCER_ID - PRODUCER_ID_BLOCK_SIZE:
            raise KafkaError(
                ErrorCode.UNKNOWN_SERVER_ERROR,
                "Have exhausted all producerIds as the next producerId block will go beyond"
                " the maximum",
            )
        block = ProducerIdBlock(broker, first, first + PRODUCER_ID_BLOCK_SIZE - 1)
        version = node.stat.version if node else 0
        try:
            await store.set(ProducerIdBlockZNode.path, ProducerIdBlockZNode.encode(block), version)
        except BadVersionError:
            continue
        return block
