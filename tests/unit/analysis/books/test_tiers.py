"""Audit messages, and tiers balanced by what they say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.analysis.books.tiers import (
    AuditMessageError,
    TierCount,
    balanced,
    by_topic,
    read_message,
)
from pykafka_ops.audit import audit_message
from tests.support.each import each

GOOD: dict[str, Any] = {
    "topic": "orders", "tier": "producer", "host": "h", "application": "shop",
    "bucket_start": 0, "bucket_end": 600_000, "count": 3, "bytes": 30,
}  # fmt: skip


def test_what_a_producer_publishes_is_read() -> None:
    found = read_message(audit_message(**GOOD, checksum="00000000000000ff"))
    assert (found.topic, found.records, found.bytes, found.checksum) == ("orders", 3, 30, 255)
    assert len(found.uuid) == 36 and found.time > 0


def test_fields_that_others_leave_out_may_be_absent() -> None:
    few = {key: GOOD[key] for key in ("topic", "tier", "bucket_start", "bucket_end", "count")}
    assert read_message(json.dumps(few).encode()).uuid == ""


@each(
    "change",
    [{"topic": None}, {"tier": 3}, {"count": -1}, {"count": True}, {"count": 1.5},
     {"count": 10**30}, {"bucket_end": 0}, {"checksum": "xyz"}, {"checksum": "1" * 17},
     {"host": "h" * 5000}, {"application": "\ud800"}],
)  # fmt: skip
def test_a_message_with_a_wrong_field_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(AuditMessageError):
        read_message(json.dumps({**GOOD, **change}).encode())


@each("data", [None, b"", b"[1]", b"{", b"[" * 60_000, b" " * 70_000, b"\xff\xfe"])
def test_what_is_no_message_is_refused(data: bytes | None) -> None:
    with pytest.raises(AuditMessageError):
        read_message(data)


@settings(max_examples=50)
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_a_message_or_are_refused(data: bytes) -> None:
    with pytest.raises(AuditMessageError):
        read_message(data)


def counts(**tiers: int) -> list[TierCount]:
    return [TierCount("t", 0, tier, records, 0) for tier, records in tiers.items()]


def states(*some: TierCount, until: int = 1000) -> dict[str, tuple[str, int, int]]:
    return {
        one.tier: (one.state, one.missing, one.extra)
        for one in balanced(some, "producer", 100, until)
    }


def test_tiers_are_measured_by_the_reference() -> None:
    assert states(*counts(producer=5, us=5, eu=4, backup=6)) == {
        "producer": ("reference", 0, 0), "us": ("equal", 0, 0),
        "eu": ("missing", 1, 0), "backup": ("extra", 0, 1),
    }  # fmt: skip


def test_messages_of_one_bucket_add_up_and_finer_ones_fall_into_it() -> None:
    some = [TierCount("t", 0, "producer", 2, 0), TierCount("t", 50, "producer", 3, 0)]
    assert states(*some, *counts(us=5))["us"] == ("equal", 0, 0)


def test_a_bucket_that_is_not_over_is_open() -> None:
    assert states(*counts(producer=5, us=4), until=99)["us"] == ("open", 0, 0)
    assert states(*counts(producer=5, us=4), until=100)["us"] == ("missing", 1, 0)


def test_a_tier_without_any_record_of_a_bucket_misses_all() -> None:
    some = [*counts(producer=5), TierCount("other", 0, "us", 1, 0)]
    assert states(*[one for one in some if one.topic == "t"], *counts(us=0))["us"][1] == 5


def test_of_a_topic_the_worst_state_counts() -> None:
    some = [
        *counts(producer=5, us=5), TierCount("t", 100, "producer", 5, 0),
        TierCount("t", 100, "us", 3, 0),
    ]  # fmt: skip
    whole = {one.tier: one for one in by_topic(balanced(some, "producer", 100, 1000))}
    assert (whole["us"].records, whole["us"].missing, whole["us"].state) == (8, 2, "missing")
