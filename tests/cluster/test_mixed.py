"""One Apache Kafka broker and two of ours in one cluster, each controller in turn, under load."""

from __future__ import annotations

import functools
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import confluent_kafka as ck
import pytest
from confluent_kafka import admin
from kazoo.client import KazooClient

from tests.support.clients.base import Fetched, Message
from tests.support.clients.load import IDEMPOTENT, Load, check_ledger
from tests.support.cluster.faulty_cluster import read_all
from tests.support.cluster.moves_desk import MovesDesk
from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.process.steered import Steering, steered
from tests.support.waiting import free_port, wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]

SETTINGS = {
    "zookeeper.session.timeout.ms": 8000,
    "offsets.topic.num.partitions": 3,
    "offsets.topic.replication.factor": 3,
    "transaction.state.log.num.partitions": 3,
    "transaction.state.log.replication.factor": 3,
    "transaction.state.log.min.isr": 2,
    "min.insync.replicas": 2,
    "group.initial.rebalance.delay.ms": 0,
    "auto.leader.rebalance.enable": "false",
    "controlled.shutdown.retry.backoff.ms": 500,
}
PARTITIONS = 3
EVERYONE = (0, 1, 2)


class MixedCluster:
    """Broker 0 is Apache's; started first, it is controller."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.zookeeper = ZooKeeper(directory / "zookeeper")
        self.settings = {**SETTINGS, "zookeeper.connect": f"{self.zookeeper.connect}/kafka"}
        self.steering: dict[int, Steering] = {}
        self.theirs = self.apache(0)
        self.ours = [self.own(1, free_port()), self.own(2, free_port())]

    def apache(self, id_: int, port: int | None = None) -> ApacheBroker:
        """A broker of Apache's, not started."""
        where = self.directory / f"broker-{id_}"
        made = ApacheBroker(where, self.zookeeper, self.settings, broker_id=id_, heap="256M")
        made.port = port or made.port
        return made

    def own(self, id_: int, port: int) -> BrokerProcess:
        """A broker of ours, not started."""
        settings = {**self.settings, "broker.id": id_}
        made = BrokerProcess(self.directory / f"broker-{id_}", settings)
        made.port = port
        path, argv = self.directory / f"steering-{id_}", made.argv
        self.steering[id_] = Steering(path)
        made.argv = lambda: steered(argv(), path)  # type: ignore[method-assign]
        return made

    def start(self) -> MixedCluster:
        self.zookeeper.start()
        self.theirs.start()
        for broker in self.ours:
            broker.start()
        self.wait_live(*EVERYONE)
        return self

    def close(self) -> None:
        for broker in (*self.ours, self.theirs, self.zookeeper):
            broker.close()

    @property
    def all(self) -> list[ApacheBroker | BrokerProcess]:
        return [self.theirs, *self.ours]

    @property
    def bootstrap(self) -> str:
        return ",".join(broker.bootstrap for broker in self.all)

    @functools.cached_property
    def admin(self) -> admin.AdminClient:
        return admin.AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})

    def controller(self) -> int:
        return int(self.admin.list_topics(timeout=120).controller_id)

    def wait_live(self, *ids: int) -> None:
        wait_for(
            lambda: tuple(sorted(self.admin.list_topics(timeout=120).brokers)) == ids,
            what=f"brokers {ids}",
            poll=0.1,
        )

    def wait_in_sync(self, topic: str) -> None:
        def in_sync() -> bool:
            found = self.admin.list_topics(topic, 60).topics[topic].partitions.values()
            return {tuple(sorted(p.isrs)) for p in found} == {EVERYONE}

        wait_for(in_sync, what=f"all replicas of {topic} in sync", poll=0.1)

    def create(self, topic: str) -> None:
        wanted = admin.NewTopic(topic, PARTITIONS, 3)
        (made,) = self.admin.create_topics([wanted], operation_timeout=60).values()
        made.result(120)

    def leaders(self, topic: str) -> dict[int, int]:
        found = self.admin.list_topics(topic, 60).topics[topic].partitions
        return {number: int(p.leader) for number, p in found.items()}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MixedCluster]:
    found = MixedCluster(tmp_path_factory.mktemp("mixed"))
    try:
        yield found.start()
    finally:
        found.close()


def groups_agree(mixed: MixedCluster, topic: str, group: str) -> None:
    """A group reads all, commits, and its offsets are the ends."""
    consumer = ck.Consumer(
        {
            "bootstrap.servers": mixed.bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "log_level": 0,
        }
    )
    consumer.subscribe([topic])
    parts = [ck.TopicPartition(topic, number) for number in range(PARTITIONS)]
    try:
        ends = {p.partition: consumer.get_watermark_offsets(p, 60)[1] for p in parts}
        at: dict[int, int] = dict.fromkeys(ends, 0)

        def read() -> bool:
            for message in consumer.consume(5000, 0.5):
                if message.error() is None:
                    at[message.partition()] = message.offset() + 1
            return at == ends

        wait_for(read, what=f"{group} at {ends}", about=at)
        consumer.commit(asynchronous=False)
        committed = {p.partition: max(p.offset, 0) for p in consumer.committed(parts, 60)}
        assert committed == ends
    finally:
        consumer.close()


Replacement = tuple[ApacheBroker | BrokerProcess, ApacheBroker | BrokerProcess]


def replacements(mixed: MixedCluster) -> list[Replacement]:
    """Who goes, and who of the other kind takes the place with the same id, address and data."""
    first, second = mixed.theirs, mixed.ours[0]
    in_first, in_second = mixed.own(0, first.port), mixed.apache(1, second.port)
    return [(first, in_first), (second, in_second), (in_second, second), (in_first, first)]


def test_brokers_of_one_kind_replace_the_other_and_back_under_load(mixed: MixedCluster) -> None:
    assert mixed.controller() == 0
    mixed.create("rolled")
    assert sorted(mixed.leaders("rolled").values()) == list(EVERYONE)
    loads = [
        Load(mixed.bootstrap, "rolled", number, {**IDEMPOTENT, "message.timeout.ms": 300_000})
        for number in range(PARTITIONS)
    ]
    for load in loads:
        load.start()
    controllers = []
    pairs = replacements(mixed)
    try:
        for going, coming in pairs:
            for load in loads:
                load.wait_acked(100, 120)
            going.stop(120)
            for load in loads:
                load.wait_acked(100, 120)
            controllers.append(mixed.controller())
            coming.start(120)
            mixed.wait_in_sync("rolled")
        for load in loads:
            load.finish(120)
    finally:
        for load in loads:
            load.abandon()
        for pair in pairs[:2]:
            pair[1].close()
    assert controllers[0] in (1, 2)
    ends = {load.partition: load.sent for load in loads}
    found = read_all(mixed.bootstrap, "rolled", ends)
    for load in loads:
        fetched = [Fetched(n, Message(v), 0) for n, v in enumerate(found[load.partition])]
        check_ledger(load, fetched, exactly=True)


def test_groups_and_transactions_span_both_kinds(mixed: MixedCluster) -> None:
    mixed.create("spanned")
    producer = ck.Producer(
        {"bootstrap.servers": mixed.bootstrap, "transactional.id": "spanning", "log_level": 0}
    )
    producer.init_transactions(120)
    for commit in (True, False, True):
        producer.begin_transaction()
        for number in range(30):
            producer.produce("spanned", b"x", partition=number % PARTITIONS)
        assert producer.flush(120) == 0
        if commit:
            producer.commit_transaction(120)
        else:
            producer.abort_transaction(120)
    consumer = ck.Consumer({"bootstrap.servers": mixed.bootstrap, "group.id": "x", "log_level": 0})
    parts = [ck.TopicPartition("spanned", number, 0) for number in range(PARTITIONS)]
    consumer.assign(parts)
    seen = 0

    def read() -> bool:
        nonlocal seen
        seen += sum(message.error() is None for message in consumer.consume(1000, 0.2))
        return seen >= 60

    wait_for(read, what="60 committed records")
    # Ten committed, ten aborted, ten committed, and three markers.
    assert {consumer.get_watermark_offsets(p, 60) for p in parts} == {(0, 33)}
    consumer.close()
    assert seen == 60


def test_topics_grow_and_go_on_both_kinds(mixed: MixedCluster) -> None:
    def logs(topic: str) -> list[int]:
        """How many logs of the topic each broker serves."""
        return [len(list(broker.data_dir.glob(f"{topic}-[0-9]"))) for broker in mixed.all]

    mixed.create("passing")
    grown = mixed.admin.create_partitions([admin.NewPartitions("passing", 5)])
    grown["passing"].result(120)
    wait_for(lambda: logs("passing") == [5, 5, 5], what="five logs on each broker")
    mixed.wait_in_sync("passing")
    mixed.admin.delete_topics(["passing"], operation_timeout=60)["passing"].result(120)
    wait_for(lambda: logs("passing") == [0, 0, 0], what="no log of a topic that is gone")

    def created_again() -> bool:
        try:
            mixed.create("passing")
        except ck.KafkaException as error:
            # The brokers may have forgotten it before its last znode is gone.
            assert error.args[0].code() == ck.KafkaError.TOPIC_ALREADY_EXISTS, error
            return False
        return True

    wait_for(created_again, what="the name is free again")
    wait_for(lambda: logs("passing") == [3, 3, 3], what="logs of a topic of the same name")


def test_the_death_of_each_kind_loses_nothing(mixed: MixedCluster) -> None:
    mixed.create("survived")
    load = Load(mixed.bootstrap, "survived", 0, {**IDEMPOTENT, "message.timeout.ms": 300_000})
    load.start()
    try:
        load.wait_acked(100, 120)
        mixed.ours[0].kill()
        load.wait_acked(100, 120)
        mixed.ours[0].start()
        mixed.wait_in_sync("survived")
        mixed.theirs.running.kill()
        load.wait_acked(100, 120)
        mixed.wait_live(1, 2)  # Apache's cannot register while its former session lives
        mixed.theirs.start(120)
        mixed.wait_in_sync("survived")
        load.finish(120)
    finally:
        load.abandon()
    found = read_all(mixed.bootstrap, "survived", {0: load.sent})[0]
    check_ledger(load, [Fetched(n, Message(v), 0) for n, v in enumerate(found)], exactly=True)
    for group in ("after-a", "after-b", "after-c"):
        groups_agree(mixed, "survived", group)


def make_controller(mixed: MixedCluster, broker: int) -> None:
    """Have it elected: the others look away."""
    others = [each for number, each in enumerate(mixed.all) if number != broker]
    client = KazooClient(f"{mixed.zookeeper.connect}/kafka")
    client.start()
    try:
        for each in others:
            each.running.signal(signal.SIGSTOP)
        client.delete("/controller")
        wait_for(lambda: client.exists("/controller"), what=f"{broker} as controller")
    finally:
        for each in others:
            each.running.signal(signal.SIGCONT)
        client.stop()
        client.close()
    wait_for(lambda: mixed.controller() == broker, what=f"controller {broker}", poll=0.1)


@pytest.mark.parametrize("controller", [0, 1])
def test_replicas_move_whoever_is_controller(mixed: MixedCluster, controller: int) -> None:
    mixed.wait_live(*EVERYONE)
    make_controller(mixed, controller)
    topic, desk = f"moved-{controller}", MovesDesk(mixed.bootstrap, [])
    desk.create(topic, [0, 1])
    desk.wait_for(topic, 0, [0, 1], {0, 1})
    values = desk.fill(topic, 1000)
    for target in ([2, 1], [0, 2], [1, 0]):
        desk.move(topic, target)
        desk.wait_moved(topic)
        values += desk.fill(topic, 100)
    desk.wait_for(topic, 1, [1, 0], {0, 1})
    # Three for each move: it begins, it ends, and the ISR loses who has left.
    assert mixed.controller() == controller
    assert epoch_of(mixed, topic) == 9
    wait_for(lambda: on_disk(mixed, topic) == {0, 1}, what="the old replicas' deletion")
    assert read_all(mixed.bootstrap, topic, {0: len(values)})[0] == values
    desk.cluster.close()


def test_others_lead_what_a_full_disk_has_and_it_comes_back_whoever_is_controller(
    mixed: MixedCluster,
) -> None:
    if mixed.controller() != 0:
        make_controller(mixed, 0)
    mixed.create("roomy")
    loads = [Load(mixed.bootstrap, "roomy", n, IDEMPOTENT).start() for n in range(PARTITIONS)]

    def left() -> bool:
        found = mixed.admin.list_topics("roomy", 60).topics["roomy"].partitions.values()
        return all(p.leader != 1 and 1 not in p.isrs for p in found)

    try:
        for load in loads:
            load.wait_acked(20)
        mixed.steering[1].full = True
        wait_for(left, what="others in sync only", poll=0.05)
        for load in loads:
            load.wait_acked(20)
        mixed.steering[1].full = False
        mixed.wait_in_sync("roomy")
        for load in loads:
            load.finish()
            assert not load.failed
    finally:
        mixed.steering[1].full = False
        for load in loads:
            load.abandon()


def epoch_of(mixed: MixedCluster, topic: str) -> int:
    """The leader epoch that stands in ZooKeeper."""
    client = KazooClient(f"{mixed.zookeeper.connect}/kafka")
    client.start()
    try:
        data, _ = client.get(f"/brokers/topics/{topic}/partitions/0/state")
        return int(json.loads(data)["leader_epoch"])
    finally:
        client.stop()
        client.close()


def on_disk(mixed: MixedCluster, topic: str) -> set[int]:
    found = enumerate(mixed.all)
    return {number for number, each in found if any(each.data_dir.rglob(f"{topic}-0"))}
