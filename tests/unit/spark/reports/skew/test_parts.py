"""Parts of the skew report that need no session."""

from __future__ import annotations

from pykafka_ops.analysis.moments import UNITS
from pykafka_ops.spark.reports.skew.brokers import (
    ReplicaPlaces,
    broker_rows,
    dir_rows,
    plan,
    rack_rows,
)
from pykafka_ops.spark.reports.skew.report import key_text
from pykafka_ops.spark.reports.skew.volume import WINDOWS, window_for


def test_windows_are_of_a_usual_length_and_not_too_many() -> None:
    assert window_for(0) == UNITS["m"]
    assert window_for(UNITS["h"]) == 5 * UNITS["m"]
    assert window_for(UNITS["d"]) == UNITS["h"]
    assert window_for(7 * UNITS["d"]) == 6 * UNITS["h"]
    years = 20 * 365 * UNITS["d"]
    assert years / window_for(years) <= WINDOWS


def test_keys_are_shown_as_text_where_they_are() -> None:
    assert key_text("käse".encode()) == "käse"
    assert key_text(b"") == ""
    assert key_text(b"\x00\x01") == "0x0001"
    assert key_text(b"a\nb") == "0x610a62"
    assert key_text(b"\xff" * 3) == "0xffffff"
    long = key_text(b"x" * 3000)
    assert long.startswith("xxx") and "3000 bytes" in long and len(long) < 200
    assert len(key_text(b"\xff" * 3000)) < 200


def _places() -> ReplicaPlaces:
    return ReplicaPlaces(
        replicas={1: {("t", 0): 10, ("t", 1): 30}, 2: {("t", 0): 12}},
        leaders={("t", 0): 1},
        racks={1: "a", 2: "b", 3: None},
        dirs=[
            {"broker": 1, "log_dir": "/x", "topic": "t", "partition": 0, "size": 10,
             "total_bytes": 100, "usable_bytes": 60},
            {"broker": 1, "log_dir": "/y", "topic": None, "partition": None, "size": None,
             "total_bytes": None, "usable_bytes": None},
            {"broker": None, "log_dir": "/z", "topic": "t", "partition": 0, "size": 10,
             "total_bytes": None, "usable_bytes": None},
        ],
        partitions=[{"topic": "t", "partition": 0, "leader": 1, "replicas": [1, 2]}],
    )  # fmt: skip


def test_the_leaders_replica_tells_the_size() -> None:
    assert _places().sizes == {("t", 0): 10, ("t", 1): 30}


def test_brokers_without_replicas_and_racks_without_a_name_count() -> None:
    rows = broker_rows(_places())
    assert [(r["broker"], r["replicas"], r["bytes"]) for r in rows] == [(1, 2, 40), (2, 1, 12),
                                                                       (3, 0, 0)]  # fmt: skip
    assert [r["rack"] for r in rack_rows(rows)] == ["a", "b", None]
    assert rack_rows([r | {"rack": None} for r in rows]) == []


def test_directories_are_listed_even_when_empty_or_of_nobody() -> None:
    rows = dir_rows(_places())
    assert [(r["broker"], r["log_dir"], r["replicas"], r["skew_percent"]) for r in rows] == [
        (1, "/x", 1, 100.0), (1, "/y", 0, -100.0), (None, "/z", 1, 0.0)
    ]  # fmt: skip


def test_one_broker_has_nobody_to_give_to() -> None:
    assert plan(ReplicaPlaces(racks={1: None}), 0.1) is None
    found = plan(_places(), 0.1)
    assert found is not None
