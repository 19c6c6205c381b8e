"""The data path of a mirror against Apache Kafka: it takes what rewriting makes, of every kind, and
exactly once holds with its coordinators."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.fetch import fetch, records_from
from pykafka_ops.client.group_offsets import Committed
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.pipe import turn
from pykafka_ops.client.transactional import TransactionalProducer, producer_id
from pykafka_ops.disk.batch import TimestampType
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.copy.copier import copier_of
from pykafka_ops.mirror.copy.pieces import TargetBatch, TargetLimits
from pykafka_ops.mirror.copy.rounds import RoundTerms, RoundWriter
from pykafka_ops.mirror.copy.tasks import LoneSeat
from pykafka_ops.mirror.copy.writer import Producer, TargetWriter
from pykafka_ops.mirror.naming import map_topic
from pykafka_ops.settings.properties import parse_properties
from pykafka_ops.wire.codes import ErrorCode
from tests.support.mirror.logs import CODECS, batch, plain, rewrite, some
from tests.support.mirror.pair import (
    MirrorPair,
    config,
    copy_until,
    lone,
    make_topic,
    values,
    write,
    write_transaction,
)
from tests.support.process.apache import ApacheBroker
from tests.support.process.apache_kraft import USER, KraftBroker
from tests.support.waiting import wait_for


@pytest.fixture(scope="module")
def kraft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KraftBroker]:
    broker = KraftBroker(tmp_path_factory.mktemp("kraft") / "data")
    broker.start()
    yield broker
    broker.close()


pytestmark = [pytest.mark.java, pytest.mark.slow]


def logs(codec: Codec) -> dict[str, tuple[bytes, list[Record], TargetLimits]]:
    """Kinds of source logs: their bytes, the records that are to arrive, the target's limits."""
    records = some(0, 200)
    gaps = [r for r in records if r.offset % 7]
    bare = [r._replace(headers=()) for r in records]
    usual = TargetLimits()
    appended = batch(
        records, codec=codec, timestamp_type=TimestampType.LOG_APPEND_TIME, log_append_time=10**12
    )
    found = {
        "as-is": (batch(records, codec=codec), records, usual),
        "appended": (appended, [r._replace(timestamp=10**12) for r in records], usual),
        "gaps": (batch(gaps, base_offset=0, codec=codec), gaps, usual),
        "split": (batch(records, codec=codec), records, TargetLimits(max_bytes=3_000)),
        "joined": (b"".join(batch([r], codec=codec) for r in records), records, usual),
    }
    if codec is not Codec.ZSTD:
        found["v1"] = (build_messages(bare, 1, codec=codec), bare, usual)
        unknown = [r._replace(timestamp=-1) for r in bare]
        found["v0"] = (build_messages(bare, 0, codec=codec), unknown, usual)
    return found


def send(cluster: Cluster, target: Partition, pieces: Sequence[TargetBatch]) -> None:
    writer = TargetWriter(cluster, Producer(*producer_id(cluster)))
    outlet = writer.outlet(target)
    for piece in pieces:
        writer.put(outlet, piece)

    def done() -> bool:
        writer.pump(time.monotonic())
        assert not turn(writer.pipes.open, 0.02)
        writer.pump(time.monotonic())
        assert outlet.failure is None and writer.doubt is None, (outlet.failure, writer.doubt)
        return not writer.busy

    wait_for(done, what="acknowledgements")
    writer.pipes.close()


def test_apache_kafka_takes_what_rewriting_makes_of_every_kind(apache: ApacheBroker) -> None:
    cluster = Cluster(config(apache.bootstrap))
    for codec in CODECS:
        for kind, (data, expected, limits) in logs(codec).items():
            topic = f"rewritten-{kind}-{codec.name.lower()}"
            make_topic(apache.bootstrap, topic)
            pieces = [p for p in rewrite(data, 0, limits) if p.count]
            send(cluster, (topic, 0), pieces)
            found: list[Record] = []
            while len(found) < len(expected):
                at = len(found)
                answer = fetch(cluster, {(topic, 0): at})[topic, 0]
                assert not isinstance(answer, PkoError), answer
                found += records_from(answer.records, at)
            wanted = [r._replace(offset=n) for n, r in enumerate(expected)]
            assert plain(found) == plain(wanted), topic
    cluster.close()


def copied_and_taken_over(pair: MirrorPair, exactly_once: bool) -> None:
    topic = f"peer-{int(exactly_once)}"
    make_topic(pair.source, topic)
    make_topic(pair.target, f"a.{topic}")
    first = [b"%06d" % n for n in range(2000)]
    write(pair.source, topic, first, **{"compression.type": "lz4"})
    write_transaction(pair.source, topic, [b"aborted"] * 50, commit=False)
    write_transaction(pair.source, topic, [b"t%d" % n for n in range(50)], commit=True)
    for slot in range(2):
        copier = pair.copier(pair.link(exactly_once=exactly_once))
        copier.assign(pair.tasks(topic), lone(20 + slot))
        copy_until(copier, {(topic, 0): 2102 + 100 * slot})
        copier.close()
        write(pair.source, topic, [b"last%d" % n for n in range(100)])
    copied = values(pair.target, f"a.{topic}")
    assert copied == [
        *first,
        *(b"t%d" % n for n in range(50)),
        *(b"last%d" % n for n in range(100)),
    ]
    cluster = Cluster(config(pair.target))
    assert len(cluster.metadata([map_topic("a")]).topics[0].partitions) == 8
    cluster.close()


def test_the_first_position_is_not_taken_for_none_while_its_transaction_ends(
    apache: ApacheBroker,
) -> None:
    make_topic(apache.bootstrap, "first-position", 2)
    cluster = Cluster(config(apache.bootstrap))
    rounds = RoundWriter(cluster, RoundTerms(None, exactly_once=True), LoneSeat("first-position"))
    transaction = TransactionalProducer(cluster, "first-position", 60_000)
    transaction.add_offsets("first-position")
    place, other = ("first-position", 0), ("first-position", 1)
    transaction.commit_offsets("first-position", {place: Committed(5, -1, "")})
    found = rounds.positions([place, other])
    assert isinstance(found[place], KafkaError) and other not in found
    assert found[place].code == ErrorCode.UNSTABLE_OFFSET_COMMIT
    transaction.end(commit=True)
    wait_for(
        lambda: rounds.positions([place, other]) == {place: Committed(5, -1, "")},
        what="the position that was committed",
    )
    cluster.close()


MODES = pytest.mark.parametrize("exactly_once", [True, False])


@MODES
def test_a_copy_within_apache_kafka_is_complete_and_may_be_taken_over(
    apache: ApacheBroker, exactly_once: bool
) -> None:
    copied_and_taken_over(MirrorPair(apache.bootstrap, apache.bootstrap), exactly_once)


@MODES
def test_a_copy_within_apache_kafka_4_is_complete_and_may_be_taken_over(
    kraft: KraftBroker, exactly_once: bool
) -> None:
    copied_and_taken_over(MirrorPair(kraft.bootstrap, kraft.bootstrap), exactly_once)


def allow(kraft: KraftBroker, kind: ResourceType, prefix: str, *operations: AclOperation) -> None:
    """Let the user do this with all whose name begins so."""
    admin = AdminClient({"bootstrap.servers": kraft.bootstrap})
    pattern = ResourcePatternType.PREFIXED
    if kind == ResourceType.BROKER:
        pattern = ResourcePatternType.LITERAL
    rules = [
        AclBinding(kind, prefix, pattern, f"User:{USER}", "*", operation, AclPermissionType.ALLOW)
        for operation in operations
    ]
    for future in admin.create_acls(rules).values():
        future.result(120)


@MODES
def test_what_a_login_may_not_do_stops_those_topics_alone(
    kraft: KraftBroker, tmp_path: Path, exactly_once: bool
) -> None:
    pair = MirrorPair(kraft.bootstrap, kraft.bootstrap)
    fine, unread, denied = (f"{n}{int(exactly_once)}" for n in ("fine", "unread", "denied"))
    for topic in (fine, unread, denied):
        make_topic(pair.source, topic)
        make_topic(pair.target, f"a.{topic}")
        write(pair.source, topic, [b"%d" % n for n in range(100)])
    everything = AclOperation.ALL
    for kind in (ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID):
        allow(kraft, kind, "pko-mirror.", everything)
    allow(kraft, ResourceType.BROKER, "kafka-cluster", AclOperation.IDEMPOTENT_WRITE,
          AclOperation.CREATE)  # fmt: skip
    allow(kraft, ResourceType.TOPIC, f"a.{fine}", everything)
    allow(kraft, ResourceType.TOPIC, f"a.{unread}", AclOperation.WRITE, AclOperation.DESCRIBE)
    properties = parse_properties(
        kraft.client_properties(tmp_path / "alice.properties").read_text()
    )
    target = ClientConfig.of({**properties, "bootstrap.servers": kraft.login})
    link = pair.link(exactly_once=exactly_once)
    copier = copier_of(link, config(pair.source), target)
    copier.assign({p: t for topic in (fine, unread, denied) for p, t in pair.tasks(topic).items()},
                  lone(25))  # fmt: skip
    copy_until(copier, {(fine, 0): 100})

    def told() -> bool:
        copier.round()
        troubles = [copier.progress()[topic, 0].trouble or "" for topic in (unread, denied)]
        return all("TOPIC_AUTHORIZATION_FAILED" in trouble for trouble in troubles)

    wait_for(told, what="troubles", about=copier.progress())
    assert copier.progress()[fine, 0].trouble is None
    write(pair.source, fine, [b"more"])
    copy_until(copier, {(fine, 0): 101})
    allow(kraft, ResourceType.TOPIC, f"a.{unread}", everything)
    copy_until(copier, {(unread, 0): 100})
    assert values(pair.target, f"a.{fine}") == [*(b"%d" % n for n in range(100)), b"more"]
    found = values(pair.target, f"a.{unread}")
    assert (found if exactly_once else list(dict.fromkeys(found))) == [
        b"%d" % n for n in range(100)
    ]
    copier.close()
