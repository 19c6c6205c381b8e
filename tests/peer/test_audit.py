"""pko audit between Apache Kafka and our broker, over the wire and from Apache Kafka's files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.audited import (
    COUNT,
    FAULTS,
    create,
    in_transaction,
    produce,
    sent,
    with_faults,
)
from tests.support.process.apache import ApacheBroker
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import pko
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]


def audit(book: Path, verb: str, *words: str) -> tuple[int, list[dict[str, Any]]]:
    said = pko("audit", verb, *words, "--book", str(book), "-o", "json")
    assert said.out, said.err
    return said.code, json.loads(said.out)["items"]


def test_apache_kafka_its_files_and_our_broker_hold_the_same(
    apache: ApacheBroker, make_broker: Callable[..., BrokerProcess], topic: str, tmp_path: Path
) -> None:
    ours, book, records = make_broker("ours").start(), tmp_path / "audit.db", sent()
    for broker in (apache, ours):
        create(broker.bootstrap, topic)
    in_transaction(apache.bootstrap, topic, records[:300], commit=False)
    produce(apache.bootstrap, topic, records[:600], compression_type="zstd")
    in_transaction(apache.bootstrap, topic, records[600:], commit=True)
    produce(ours.bootstrap, topic, records, compression_type="gzip")
    for name, one in (("apache", apache), ("ours", ours)):
        assert audit(book, "collect", name, "-b", one.bootstrap, "--topic", topic)[0] == 0

    def counted() -> int:
        assert audit(book, "collect", "files", str(apache.data_dir), "--topic", topic)[0] == 0
        return sum(row["records"] for row in audit(book, "report", "files")[1])

    wait_for(lambda: counted() == COUNT, what="Apache Kafka notes what is committed")
    for name in ("ours", "files"):
        code, (row,) = audit(book, "compare", "apache", name)
        assert (code, row["state"], row["records_b"]) == (0, "equal", COUNT)


def test_faults_planted_between_them_are_found_to_the_record(
    apache: ApacheBroker, make_broker: Callable[..., BrokerProcess], topic: str, tmp_path: Path
) -> None:
    ours, book, records = make_broker("ours").start(), tmp_path / "audit.db", sent()
    for name, broker, some in (("a", apache, records), ("b", ours, with_faults(records))):
        create(broker.bootstrap, topic)
        produce(broker.bootstrap, topic, some, compression_type="lz4")
        assert audit(book, "collect", name, "-b", broker.bootstrap, "--topic", topic)[0] == 0
    code, (row,) = audit(book, "compare", "a", "b", "--records")
    found = {(one["what"], one["key"]) for one in row["different_records"]}
    assert code == 4
    assert found - {("reordered", "key-500"), ("reordered", "key-501")} == FAULTS
