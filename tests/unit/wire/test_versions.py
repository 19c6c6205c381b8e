from __future__ import annotations

from pykafka_ops.wire.versions import LAST, NEVER, versions_of


def test_version_ranges_are_read_as_kafka_writes_them() -> None:
    assert versions_of("3") == (3, 3)
    assert versions_of("3-5") == (3, 5)
    assert versions_of("3+") == (3, LAST)
    assert versions_of("none") == NEVER
