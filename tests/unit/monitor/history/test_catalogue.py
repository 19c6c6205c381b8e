"""Which series go when there are too many."""

from __future__ import annotations

from pykafka_ops.monitor.history.catalogue import Catalogue, SeriesEntry
from pykafka_ops.monitor.history.model import HOUR, SeriesKey


def group(name: str) -> SeriesKey:
    return SeriesKey("group", name, "lag")


def partition(name: str) -> SeriesKey:
    return SeriesKey("partition", name, "lag")


def test_the_one_that_was_silent_for_longest_goes_first() -> None:
    catalogue = Catalogue(2)
    catalogue.add("c", group("a"), 0)
    catalogue.add("c", group("b"), 5)
    assert isinstance(catalogue.add("c", group("new"), HOUR + 10), SeriesEntry)
    assert set(catalogue.of("c")) == {group("b"), group("new")}
    assert catalogue.count == 2


def test_what_is_in_use_stays_and_the_new_one_is_counted_as_refused() -> None:
    catalogue = Catalogue(2)
    catalogue.add("c", group("a"), 10)
    catalogue.add("c", group("b"), 10)
    assert catalogue.add("c", group("new"), 11) is None
    assert set(catalogue.of("c")) == {group("a"), group("b")}
    assert catalogue.refused == 1


def test_partitions_give_way_to_groups_but_not_to_partitions() -> None:
    catalogue = Catalogue(2)
    catalogue.add("c", partition("orders-0"), 10)
    catalogue.add("c", group("a"), 10)
    assert catalogue.add("c", partition("orders-1"), 11) is None
    assert catalogue.add("c", group("b"), 11)
    assert set(catalogue.of("c")) == {group("a"), group("b")}


def test_ids_of_those_that_are_gone_are_told_and_those_of_a_file_adopted() -> None:
    catalogue = Catalogue(10)
    kept = catalogue.add("c", group("a"), 0, 7)
    gone = catalogue.add("c", group("b"), 0, 8)
    assert kept and gone
    catalogue.drop(gone)
    catalogue.drop(gone)
    assert catalogue.dropped == [8]
    catalogue.adopt([(3, "c", group("a"), 0), (4, "d", group("x"), 0)])
    assert kept.id == 3
    assert catalogue.of("d")[group("x")].id == 4
    assert catalogue.dropped == []
