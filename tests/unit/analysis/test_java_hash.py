"""Keys find the partition that Apache Kafka finds."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.java_hash import java_hash, partition_for

MIN = "polygenelubricants"
"""A text whose hash is the smallest number, which has no positive counterpart."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("a", 97),
        ("hello", 99162322),
        ("console-consumer-25014", 159465423),
        ("The quick brown fox jumps over the lazy dog", -609428141),
        ("grüße", 98768023),
        ("\U0001f600", 1772899),
        (MIN, -(2**31)),
    ],
)
def test_hashes_are_those_of_java(text: str, expected: int) -> None:
    assert java_hash(text) == expected


def test_the_partition_is_the_absolute_hash_modulo_the_count() -> None:
    assert partition_for("hello", 50) == 99162322 % 50
    assert partition_for("The quick brown fox jumps over the lazy dog", 50) == 609428141 % 50
    assert partition_for(MIN, 50) == 0
    assert all(partition_for(f"group-{n}", 1) == 0 for n in range(10))
