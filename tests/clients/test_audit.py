"""pko audit between two brokers: equal tiers agree, planted faults are found to the record."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.audit import AuditedProducer
from tests.conftest import Broker
from tests.support.clients.audited import (
    COUNT,
    FAULTS,
    create,
    in_transaction,
    produce,
    sent,
    with_faults,
)
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import pko
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow


class Tiers:
    """The broker under test as tier ``a``, one of ours as ``b``, and their book."""

    def __init__(self, a: Broker, b: Broker, topic: str, book: Path) -> None:
        self.a, self.b, self.topic, self.book = a, b, topic, str(book)

    def collect(self) -> None:
        for name, broker in (("a", self.a), ("b", self.b)):
            said = self.run("collect", name, "-b", broker.bootstrap, "--topic", self.topic)
            assert said[0] == 0, said

    def run(self, verb: str, *words: str) -> tuple[int, list[dict[str, Any]]]:
        said = pko("audit", verb, *words, "--book", self.book, "-o", "json")
        assert said.out, said.err
        return said.code, json.loads(said.out)["items"]

    def compare(self, *words: str) -> tuple[int, list[dict[str, Any]]]:
        return self.run("compare", "a", "b", "--topic", self.topic, *words)


@pytest.fixture
def tiers(
    broker: Broker, make_broker: Callable[..., BrokerProcess], topic: str, tmp_path: Path
) -> Tiers:
    return Tiers(broker, make_broker("second").start(), topic, tmp_path / "audit.db")


def test_equal_tiers_agree_however_they_were_written(tiers: Tiers) -> None:
    records = sent()
    create(tiers.a.bootstrap, tiers.topic, 2)
    create(tiers.b.bootstrap, tiers.topic, 2)
    produce(tiers.a.bootstrap, tiers.topic, records[:500], compression_type="zstd")
    in_transaction(tiers.a.bootstrap, tiers.topic, records[500:700], commit=True)
    in_transaction(tiers.a.bootstrap, tiers.topic, records[:50], commit=False)
    produce(tiers.a.bootstrap, tiers.topic, records[700:], compression_type="lz4")
    produce(tiers.b.bootstrap, tiers.topic, records, linger_ms=0)
    produce(tiers.b.bootstrap, tiers.topic, records, 1)
    produce(tiers.a.bootstrap, tiers.topic, records, 1, compression_type="snappy")
    tiers.collect()
    code, items = tiers.compare()
    assert code == 0, items
    assert [(row["state"], row["records_a"], row["records_b"]) for row in items] == [
        ("equal", COUNT, COUNT)
    ] * 2
    produce(tiers.a.bootstrap, tiers.topic, records[:10], 1)  # late: they are of old buckets
    tiers.collect()
    code, items = tiers.compare("--records")
    assert (code, items[1]["missing"]) == (4, 0)
    assert {one["what"] for one in items[1]["different_records"]} == {"pending"}


def test_planted_faults_are_found_to_the_record(tiers: Tiers) -> None:
    records = sent()
    for broker, some in ((tiers.a, records), (tiers.b, with_faults(records))):
        create(broker.bootstrap, tiers.topic)
        produce(broker.bootstrap, tiers.topic, some)
    tiers.collect()
    code, (row,) = tiers.compare("--records")
    assert code == 4
    found = {(one["what"], one["key"]) for one in row["different_records"]}
    assert found - {("reordered", "key-500"), ("reordered", "key-501")} == FAULTS
    counts = [row[kind] for kind in ("missing", "duplicates", "altered", "reordered", "extra")]
    assert counts == [1, 1, 2, 1, 0]


def test_a_mirror_that_is_behind_has_lost_nothing(tiers: Tiers) -> None:
    records = sent()
    create(tiers.a.bootstrap, tiers.topic)
    create(tiers.b.bootstrap, tiers.topic)
    produce(tiers.a.bootstrap, tiers.topic, records)
    produce(tiers.b.bootstrap, tiers.topic, records[:700])
    tiers.collect()
    code, (row,) = tiers.compare()
    assert (code, row["missing"], row["pending"]) == (0, 0, 500)
    assert row["behind_ms"] == 500_000
    assert tiers.compare("--fail-on", "behind_ms>60000")[0] == 4
    produce(tiers.b.bootstrap, tiers.topic, records[700:])
    tiers.collect()
    code, (row,) = tiers.compare()
    assert (code, row["state"], row["behind_ms"]) == (0, "equal", 0)


def test_of_a_compacted_topic_the_last_values_are_compared(tiers: Tiers) -> None:
    first = sent()
    newer = [one._replace(timestamp=one.timestamp + 1, value=b"newer") for one in first[:100]]
    gone = [one._replace(timestamp=one.timestamp + 2, value=None) for one in first[100:110]]
    for broker in (tiers.a, tiers.b):
        create(broker.bootstrap, tiers.topic, cleanup_policy="compact")
    produce(tiers.a.bootstrap, tiers.topic, [*first, *newer, *gone])
    produce(tiers.b.bootstrap, tiers.topic, [*first[110:], *newer[1:]])  # as if it were cleaned
    tiers.collect()
    code, (row,) = tiers.compare("--records")
    assert (code, row["missing"], row["altered"], row["extra"]) == (4, 1, 0, 0)
    assert [(r["what"], r["key"]) for r in row["different_records"]] == [("missing", "key-0")]


def test_from_files_the_same_is_counted_as_over_the_wire(
    make_broker: Callable[..., BrokerProcess], topic: str, tmp_path: Path
) -> None:
    one = make_broker("one").start()
    create(one.bootstrap, topic)
    in_transaction(one.bootstrap, topic, sent()[:300], commit=False)
    produce(one.bootstrap, topic, sent(), compression_type="gzip")
    tiers = Tiers(one, one, topic, tmp_path / "audit.db")
    files = str(one.data_dir)

    def counted() -> int:
        assert tiers.run("collect", "files", files, "--topic", topic)[0] == 0
        return sum(row["records"] for row in tiers.run("report", "files")[1])

    wait_for(lambda: counted() == COUNT, what="the broker notes what is committed")
    assert tiers.run("collect", "wire", "-b", one.bootstrap, "--topic", topic)[0] == 0
    code, (row,) = tiers.run("compare", "files", "wire")
    assert (code, row["state"], row["records_b"]) == (0, "equal", COUNT)


def test_producers_that_are_audited_agree_with_the_log(tiers: Tiers) -> None:
    import confluent_kafka as ck
    from kafka import KafkaProducer

    bootstrap, audit_topic = tiers.a.bootstrap, f"{tiers.topic}-audit"
    create(bootstrap, tiers.topic)
    create(bootstrap, audit_topic)
    with AuditedProducer(
        ck.Producer({"bootstrap.servers": bootstrap}), application="one", audit_topic=audit_topic
    ) as one:
        for record in sent():
            one.produce(tiers.topic, record.value, record.key, timestamp=record.timestamp)
            one.poll(0)
    two = AuditedProducer(
        KafkaProducer(bootstrap_servers=bootstrap), application="two", audit_topic=audit_topic
    )
    for record in sent():
        two.send(tiers.topic, record.value, key=record.key, timestamp_ms=record.timestamp)
    two.close()
    words = ("-b", bootstrap, "--audit-topic", audit_topic, "--topic", tiers.topic)
    assert tiers.run("collect", "a", "-b", bootstrap, "--topic", tiers.topic)[0] == 0
    code, items = tiers.run("tiers", *words)
    assert code == 0
    assert [(r["tier"], r["records"], r["state"]) for r in items] == [
        ("producer", 2 * COUNT, "reference"), ("a", 2 * COUNT, "equal"),
    ]  # fmt: skip
    produce(bootstrap, tiers.topic, sent()[:3])  # nobody published these
    assert tiers.run("collect", "a", "-b", bootstrap, "--topic", tiers.topic)[0] == 0
    code, items = tiers.run("tiers", *words)
    assert (code, items[1]["extra"]) == (4, 3)
