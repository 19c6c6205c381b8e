"""Producers that publish what they have sent: each record once, whatever fails between."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.audit import AuditCounter, AuditedProducer, audit_message
from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.audit.published import Followed, follow, published
from pykafka_ops.errors import PkoError
from tests.support.kept_logs import append_log, in_batches, write_log


class Sent:
    """What was published; ``broken`` makes it fail."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []
        self.broken = False

    def __call__(self, message: bytes) -> None:
        if self.broken:
            raise OSError("away")
        self.messages.append(message)

    def totals(self) -> dict[tuple[str, int], int]:
        found: dict[tuple[str, int], int] = {}
        for message in map(json.loads, self.messages):
            place = message["topic"], message["bucket_start"]
            found[place] = found.get(place, 0) + message["count"]
        return found


def test_records_are_summed_by_topic_and_time() -> None:
    sent = Sent()
    with AuditCounter(sent, application="shop", host="h", width_ms=100) as counter:
        for at in (0, 99, 100):
            counter.count("orders", key=b"k", value="vé", timestamp_ms=at)
        counter.count("users", size=7, timestamp_ms=5)
    assert sent.totals() == {("orders", 0): 2, ("orders", 100): 1, ("users", 0): 1}
    first = json.loads(sent.messages[0])
    assert (first["bytes"], first["bucket_end"], first["tier"]) == (8, 100, "producer")
    assert (first["host"], first["application"]) == ("h", "shop")


def test_what_could_not_be_published_goes_out_later_as_it_is() -> None:
    sent = Sent()
    counter = AuditCounter(sent, application="shop", width_ms=100)
    counter.count("orders", size=1, timestamp_ms=0)
    sent.broken = True
    with pytest.raises(OSError, match="away"):
        counter.flush()
    counter.count("orders", size=1, timestamp_ms=0)
    sent.broken = False
    counter.close()
    assert sent.totals() == {("orders", 0): 2}
    assert len({json.loads(message)["uuid"] for message in sent.messages}) == 2


def test_it_publishes_when_it_is_time() -> None:
    sent = Sent()
    counter = AuditCounter(sent, application="shop", every=1e-9)
    counter.count("orders", size=1)
    assert len(sent.messages) == 1


def test_threads_lose_nothing() -> None:
    sent = Sent()
    counter = AuditCounter(sent, application="shop", width_ms=100, every=1e-6)

    def work(number: int) -> None:
        for _ in range(300):
            counter.count("orders", size=1, timestamp_ms=number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    counter.close()
    assert sent.totals() == {("orders", 0): 1200}


@pytest.mark.parametrize("wrong", [{"width_ms": 0}, {"every": 0}])
def test_nonsense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="above 0"):
        AuditCounter(Sent(), application="shop", **wrong)


class Confluent:
    """As confluent_kafka.Producer: reports come with ``flush``."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []
        self.failing = False
        self._reports: list[Callable[[], None]] = []

    def produce(self, topic: str, value: Any, key: Any = None, *, on_delivery: Any = None) -> None:
        failed = "failed" if self.failing else None
        if not failed:
            self.sent.append((topic, value))
        if on_delivery is not None:
            self._reports.append(lambda: on_delivery(failed, self))

    def timestamp(self) -> tuple[int, int]:
        return 1, 42

    def flush(self) -> int:
        reports, self._reports = self._reports, []
        for report in reports:
            report()
        return 0

    def other(self) -> str:
        return "its own"


def test_a_producer_counts_what_was_acknowledged() -> None:
    own = Confluent()
    told: list[object] = []
    with AuditedProducer(own, application="shop", width_ms=100) as producer:
        producer.produce("orders", b"v", key=b"k", on_delivery=lambda *report: told.append(report))
        producer.flush()
        own.failing = True
        producer.produce("orders", b"lost")
        own.flush()
        own.failing = False
        assert producer.other() == "its own"
    audited = [json.loads(value) for topic, value in own.sent if topic == "pko.audit"]
    assert [(one["count"], one["bucket_start"], one["bytes"]) for one in audited] == [(1, 0, 2)]
    assert len(told) == 1


def test_an_audit_message_that_was_not_delivered_is_sent_again() -> None:
    own = Confluent()
    producer = AuditedProducer(own, application="shop")
    producer.produce("orders", b"v")
    own.flush()
    own.failing = True
    producer.flush()
    own.failing = False
    producer.flush()
    assert [topic for topic, _ in own.sent] == ["orders", "pko.audit"]


def test_what_is_no_producer_is_refused() -> None:
    with pytest.raises(TypeError, match="AuditCounter"):
        AuditedProducer(object(), application="shop")


# --- the other side ------------------------------------------------------------------------------


@pytest.fixture
def book() -> Iterator[AuditBook]:
    with AuditBook(":memory:") as found:
        yield found


def take(book: AuditBook, folder: Path) -> Followed:
    return follow(book, "here", AuditedFiles([str(folder)], lambda: 0), "pko.audit")


def message(count: int, **more: Any) -> bytes:
    return audit_message(
        topic="orders", tier="producer", bucket_start=0, bucket_end=100, host="h",
        application="shop", count=count, bytes=0, **more,
    )  # fmt: skip


def records(book: AuditBook) -> int:
    return sum(one.records for one, _ in published(book))


def test_each_message_counts_once_however_often_it_comes(tmp_path: Path, book: AuditBook) -> None:
    one, two = message(3), message(4)
    place = write_log(tmp_path, "pko.audit-0", in_batches([(0, None, m) for m in (one, two, one)]))
    assert take(book, tmp_path)[:3] == (2, 1, 0)
    assert records(book) == 7
    assert take(book, tmp_path)[:3] == (0, 0, 0)
    append_log(place, in_batches([(0, None, m) for m in (two, message(5))], base=3))
    assert take(book, tmp_path)[:3] == (1, 1, 0)
    assert records(book) == 12


def test_what_is_no_message_is_left_out_and_said(tmp_path: Path, book: AuditBook) -> None:
    write_log(tmp_path, "pko.audit-0", in_batches([(0, None, b"hello"), (0, None, message(3))]))
    found = take(book, tmp_path)
    assert (found.new, found.refused) == (1, 1)
    assert "offset 0" in found.first_refusal


def test_checksums_add_up_as_long_as_all_have_one(tmp_path: Path, book: AuditBook) -> None:
    top = f"{2**64 - 1:x}"
    some = [message(1, checksum=top), message(1, checksum="2")]
    place = write_log(tmp_path, "pko.audit-0", in_batches([(0, None, m) for m in some]))
    take(book, tmp_path)
    assert book.rows("SELECT checksum FROM published") == [(1,)]
    append_log(place, in_batches([(0, None, message(1))], base=2))
    take(book, tmp_path)
    assert book.rows("SELECT checksum FROM published") == [(None,)]


def test_without_an_audit_topic_there_is_a_line_for_it(tmp_path: Path, book: AuditBook) -> None:
    write_log(tmp_path, "orders-0", in_batches([(0, None, b"")]))
    with pytest.raises(PkoError, match=r"no topic pko\.audit"):
        take(book, tmp_path)
