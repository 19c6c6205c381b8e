from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.errors import WireError
from pykafka_ops.wire.types import (
    INT32,
    LAST,
    NEVER,
    RECORDS,
    ZERO_UUID,
    parse_uuid,
    uuid_text,
    versions_of,
)


def test_the_text_of_a_uuid_is_what_java_prints() -> None:
    assert uuid_text(ZERO_UUID) == "AAAAAAAAAAAAAAAAAAAAAA"
    value = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff").bytes
    assert uuid_text(value) == "ABEiM0RVZneImaq7zN3u_w"
    assert set("+/=") & set(uuid_text(b"\xfb\xff\xbf" * 5 + b"\0")) == set()


@given(st.binary(min_size=16, max_size=16))
def test_uuids_survive_their_text(value: bytes) -> None:
    text = uuid_text(value)
    assert len(text) == 22
    assert parse_uuid(text) == value


@pytest.mark.parametrize(
    "text", ["", "abc", "A" * 21, "A" * 23, "A" * 24, "*" * 22, "ä" * 22, "A" * 20 + "=="]
)
def test_what_is_not_a_uuid_is_refused(text: str) -> None:
    with pytest.raises(WireError, match="not a Kafka UUID"):
        parse_uuid(text)


def test_types_know_their_size_and_zero_value() -> None:
    assert (INT32.size, INT32.zero, repr(INT32)) == (4, 0, "INT32")
    assert (RECORDS.size, RECORDS.zero) == (0, None)


def test_version_ranges_are_read_as_kafka_writes_them() -> None:
    assert versions_of("3") == (3, 3)
    assert versions_of("3-5") == (3, 5)
    assert versions_of("3+") == (3, LAST)
    assert versions_of("none") == NEVER
