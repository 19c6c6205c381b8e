"""Kafka's tools print what lies in a HashMap in its order."""

from __future__ import annotations

from pykafka_ops.analysis.java_hash import in_hash_order, java_hash, partition_hash


def test_partitions_come_as_from_kafkas_maps() -> None:
    places = [("orders", 1), ("pay", 0), ("pay", 3)]
    assert in_hash_order(places, partition_hash) == [("pay", 3), ("pay", 0), ("orders", 1)]


def test_a_copied_map_has_a_smaller_table() -> None:
    names = ["counted", "living"]
    assert in_hash_order(names, java_hash) == ["living", "counted"]
    assert in_hash_order(names, java_hash, copied=True) == ["counted", "living"]


def test_each_key_comes_once_and_no_key_is_no_trouble() -> None:
    assert in_hash_order(["a", "a"], java_hash) == ["a"]
    assert in_hash_order([], java_hash, copied=True) == []
