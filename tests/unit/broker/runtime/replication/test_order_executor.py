"""Orders of the controller, obeyed or refused as ``ReplicaManager`` of Kafka 3.9 does."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pykafka_ops.broker.metadata.store import SessionLostError
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.runtime.replication.order_executor import LocalOrderExecutor
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.controller.leadership import (
    EPOCH_DURING_DELETE,
    LeaderAndIsr,
    ReplicaAssignment,
)
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    ReplicaChange,
    StopChange,
    StopReplicaOrder,
)
from pykafka_ops.broker.state.image import BrokerInfo, MetadataDelta, MetadataImage
from pykafka_ops.broker.storage.log_home import StorageSettings
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID
from tests.support.memory.copying import drive
from tests.support.memory.files import MemoryFiles
from tests.support.memory.handler_site import batch

ME, OTHER, GONE = 1, 2, 9
KEY = ("t", 0)
ID, OTHER_ID = b"i" * 16, b"o" * 16
Errors = dict[tuple[str, int], ErrorCode]


class Fetchers:
    """Notes what is to be copied from whom."""

    def __init__(self) -> None:
        self.following: dict[tuple[str, int], tuple[int, int]] = {}
        self.begun = 0

    def follow(self, partition: Partition) -> None:
        assert partition.log.is_open or partition.log.log_end_offset >= 0
        self.following[partition.key] = partition.leader, partition.leader_epoch
        self.begun += 1

    def stop(self, keys: Iterable[tuple[str, int]]) -> None:
        for key in keys:
            self.following.pop(key, None)

    def end_idle(self) -> None:
        """Nothing is open."""


class Desk:
    """Broker 1 of 1 and 2, with two log directories in memory."""

    def __init__(self, files: MemoryFiles | None = None) -> None:
        self.image = MetadataImage("cluster")
        self.files = files or MemoryFiles()
        self.logs = LogManager(
            ["/a", "/b"],
            broker_id=ME,
            cluster_id="cluster",
            config_of=lambda _: TopicConfig.of({}),
            files=self.files,
            settings=StorageSettings(clock=lambda: 1000, timer=lambda: 1000),
            on_offline=lambda path, gone, last: self.executor.dir_failed(gone),
        )
        self.logs.open(1000)
        self.soon: list[Any] = []
        self.replicas = Replicas(
            ME,
            self.logs,
            call_soon=self.soon.append,
            arm=lambda _: None,
            alive=self.image.alive,
        )
        self.fetchers = Fetchers()
        self.coordinators = SimpleNamespace(events=[], topics_deleted=lambda topics: None)
        self.coordinators.led = lambda p: self.coordinators.events.append(("led", p.leader))
        self.coordinators.lost = lambda *key: self.coordinators.events.append(("lost", key))
        self.executor = LocalOrderExecutor(
            self.image,
            self.replicas,
            self.logs,
            cast(Any, SimpleNamespace(load_topics=_nothing, topic_config=self.logs.config_of)),
            coordinators=cast(Any, self.coordinators),
            fetchers=cast(Any, self.fetchers),
        )
        self.executor.broker_epoch = 50
        self.live(ME, OTHER)

    def live(self, *ids: int) -> None:
        brokers = [BrokerInfo(id=id_, endpoints=()) for id_ in ids]
        delta = MetadataDelta(controller_id=OTHER, controller_epoch=1, brokers=brokers)
        drive(self.executor.apply_update_metadata(MetadataOrder(broker_epoch=50, delta=delta)))

    def order(
        self,
        leader: int,
        epoch: int,
        *,
        topic_id: bytes = ID,
        partition_epoch: int = 0,
        replicas: tuple[int, ...] = (ME, OTHER),
        is_new: bool = False,
        controller_epoch: int = 1,
        broker_epoch: int = 50,
        index: int = 0,
    ) -> Errors:
        """LeaderAndIsr about one partition of topic t; the errors."""
        state = LeaderAndIsr(leader, epoch, replicas, controller_epoch, partition_epoch)
        change = ReplicaChange("t", topic_id, index, state, ReplicaAssignment(replicas), is_new)
        said = LeaderAndIsrOrder(
            controller_id=OTHER,
            controller_epoch=controller_epoch,
            broker_epoch=broker_epoch,
            changes=[change],
        )
        return drive(self.executor.apply_leader_and_isr(said))

    def stop(self, epoch: int, *, delete: bool, index: int = 0) -> Errors:
        """StopReplica of one partition; the errors."""
        said = StopReplicaOrder(
            controller_id=OTHER,
            controller_epoch=1,
            broker_epoch=50,
            stops=[StopChange("t", index, epoch, delete)],
        )
        return drive(self.executor.apply_stop_replica(said))

    @property
    def partition(self) -> Partition:
        found = self.replicas.find(*KEY)
        assert found is not None
        return found


async def _nothing(_: object) -> None:
    """Topics have no overrides."""


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_who_leads_appends_and_who_follows_copies(desk: Desk) -> None:
    assert desk.order(OTHER, 0, is_new=True) == {}
    assert desk.fetchers.following == {KEY: (OTHER, 0)}
    assert desk.order(ME, 1) == {}
    assert desk.fetchers.following == {}
    desk.replicas.append(desk.partition, memoryview(bytearray(batch(b"a"))), now=1000)
    assert desk.order(OTHER, 2) == {}
    assert desk.fetchers.following == {KEY: (OTHER, 2)}
    assert desk.coordinators.events == [("led", OTHER), ("led", ME), ("led", OTHER)]
    with pytest.raises(KafkaError):
        desk.replicas.leader(*KEY)


def test_a_log_of_before_costs_nothing_until_it_is_used(desk: Desk) -> None:
    desk.order(ME, 0, replicas=(ME,), is_new=True)
    desk.logs.close()
    again = Desk(desk.files)
    assert again.order(ME, 1, replicas=(ME,)) == {}
    directory = again.logs.directory_of(KEY)
    assert directory is not None
    assert directory.partitions[KEY] is None
    assert again.partition.log.log_end_offset == 0
    assert directory.partitions[KEY] is not None


def test_the_same_leader_in_a_new_epoch_is_followed_anew(desk: Desk) -> None:
    desk.order(OTHER, 0, is_new=True)
    desk.order(OTHER, 5)
    assert (desk.fetchers.begun, desk.fetchers.following) == (2, {KEY: (OTHER, 5)})


@pytest.mark.parametrize("epoch", [3, 2])
def test_orders_that_bring_nothing_new_are_refused(desk: Desk, epoch: int) -> None:
    desk.order(ME, 3, is_new=True)
    assert desk.order(OTHER, epoch) == {KEY: ErrorCode.STALE_CONTROLLER_EPOCH}
    assert desk.partition.is_leader


def test_an_older_partition_epoch_changes_nothing(desk: Desk) -> None:
    desk.order(ME, 3, is_new=True, partition_epoch=9)
    assert desk.order(OTHER, 4, partition_epoch=8) == {}
    assert (desk.partition.leader, desk.partition.leader_epoch) == (ME, 3)


def test_another_topic_of_the_same_name_is_refused(desk: Desk) -> None:
    desk.order(ME, 3, is_new=True)
    assert desk.order(ME, 4, topic_id=OTHER_ID) == {KEY: ErrorCode.INCONSISTENT_TOPIC_ID}


def test_a_topic_may_get_its_id_later_and_lose_it(desk: Desk) -> None:
    desk.order(OTHER, 3, is_new=True, topic_id=ZERO_UUID)
    assert desk.order(OTHER, 3) == {}
    assert (desk.partition.topic_id, desk.partition.log.place.topic_id) == (ID, ID)
    assert desk.order(OTHER, 3) == {KEY: ErrorCode.STALE_CONTROLLER_EPOCH}
    assert desk.order(OTHER, 3, topic_id=ZERO_UUID) == {}
    assert desk.partition.topic_id == ZERO_UUID


def test_a_broker_that_is_not_assigned_has_no_replica(desk: Desk) -> None:
    assert desk.order(OTHER, 3, replicas=(OTHER, GONE)) == {KEY: ErrorCode(3)}
    assert desk.logs.get(*KEY) is None


@pytest.mark.parametrize("leader", [GONE, -1])
def test_a_leader_that_is_not_alive_is_not_followed_but_the_log_is_there(
    desk: Desk, leader: int
) -> None:
    assert desk.order(leader, 3, is_new=True) == {}
    assert desk.logs.get(*KEY) is not None
    assert desk.partition.leader_epoch == -1
    assert desk.fetchers.following == {}
    assert desk.order(OTHER, 4) == {}
    assert desk.fetchers.following == {KEY: (OTHER, 4)}


def test_orders_of_the_past_are_refused_as_a_whole(desk: Desk) -> None:
    desk.order(ME, 3, is_new=True, controller_epoch=7)
    with pytest.raises(KafkaError) as older:
        desk.order(OTHER, 4, controller_epoch=6)
    assert older.value.code == ErrorCode.STALE_CONTROLLER_EPOCH
    with pytest.raises(KafkaError) as stale:
        desk.order(OTHER, 4, controller_epoch=7, broker_epoch=49)
    assert stale.value.code == ErrorCode.STALE_BROKER_EPOCH
    assert desk.partition.is_leader


# -- stopping --------------------------------------------------------------------------------------


def test_a_replica_that_is_stopped_is_kept_but_not_copied_to(desk: Desk) -> None:
    desk.order(OTHER, 3, is_new=True)
    assert desk.stop(3, delete=False) == {}
    assert desk.fetchers.following == {}
    assert desk.logs.get(*KEY) is not None
    assert desk.order(OTHER, 3) == {KEY: ErrorCode.STALE_CONTROLLER_EPOCH}
    assert desk.order(OTHER, 4) == {}
    assert desk.fetchers.following == {KEY: (OTHER, 4)}


@pytest.mark.parametrize("epoch", [3, 4, EPOCH_DURING_DELETE, -1])
def test_a_replica_is_deleted(desk: Desk, epoch: int) -> None:
    desk.order(OTHER, 3, is_new=True)
    assert desk.stop(epoch, delete=True) == {}
    assert desk.replicas.find(*KEY) is None
    assert desk.logs.get(*KEY) is None
    assert desk.coordinators.events[-1] == ("lost", KEY)


def test_a_stop_of_an_older_epoch_is_fenced(desk: Desk) -> None:
    desk.order(OTHER, 3, is_new=True)
    assert desk.stop(2, delete=True) == {KEY: ErrorCode.FENCED_LEADER_EPOCH}
    assert desk.fetchers.following == {KEY: (OTHER, 3)}


def test_a_log_without_a_partition_is_deleted_and_a_missing_one_is_no_error(desk: Desk) -> None:
    desk.logs.create("t", 0, ID)
    assert desk.stop(3, delete=True) == {}
    assert desk.logs.get(*KEY) is None
    assert desk.stop(3, delete=True) == {}


# -- failed directories ----------------------------------------------------------------------------


def fail_dir_of(desk: Desk, key: tuple[str, int]) -> None:
    found = desk.logs.directory_of(key)
    assert found is not None
    found.home.fail(OSError(5, "Input/output error"))


def test_replicas_of_a_failed_directory_stop_and_say_so(desk: Desk) -> None:
    desk.order(OTHER, 3, is_new=True)
    desk.order(ME, 3, is_new=True, index=1)  # in the other directory
    fail_dir_of(desk, KEY)
    assert desk.fetchers.following == {}
    assert desk.coordinators.events[-1] == ("lost", KEY)
    storage_error = {KEY: ErrorCode.KAFKA_STORAGE_ERROR}
    assert desk.order(OTHER, 3) == storage_error  # as the controller asks when it hears of it
    assert desk.order(ME, 4) == storage_error
    assert desk.stop(4, delete=True) == storage_error
    assert desk.order(ME, 4, index=1) == {}


def test_what_may_be_in_a_failed_directory_is_not_made_anew(desk: Desk) -> None:
    desk.order(ME, 3, is_new=True)
    fail_dir_of(desk, KEY)
    assert desk.order(ME, 3, index=5) == {("t", 5): ErrorCode.KAFKA_STORAGE_ERROR}
    assert desk.order(ME, 3, index=6, is_new=True) == {}


def test_an_order_is_refused_while_the_session_is_lost(desk: Desk) -> None:
    async def load(_: object) -> None:
        raise SessionLostError("/config/topics/t")

    desk.executor._settings = cast(Any, SimpleNamespace(load_topics=load))
    with pytest.raises(KafkaError) as caught:
        desk.order(ME, 3)
    assert caught.value.code == ErrorCode.STALE_BROKER_EPOCH, "the next registration gets all anew"
    assert desk.replicas.find("t", 0) is None


def test_a_log_of_before_is_served_once_a_controller_names_it(desk: Desk) -> None:
    desk.order(ME, 1)
    desk.order(ME, 1, index=1)
    desk.logs.close()
    again = Desk(desk.files)
    assert (len(again.logs), again.logs.served()) == (2, [])
    again.order(ME, 2)
    assert again.logs.served() == [("t", 0)]
