"""A manifest reads back as it was written; anything else is refused in one line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.backup.manifest import (
    CommitEntry,
    DroppedEntry,
    GroupEntry,
    KeptTopic,
    PartitionEntry,
    QuotaEntry,
    RuleEntry,
    RunEntry,
    SegmentEntry,
    decode,
    encode,
    manifest_name,
    number_of,
)
from pykafka_ops.errors import StorageError

RUN = RunEntry(
    3,
    True,
    1_000,
    2_000,
    "cluster-1",
    (KeptTopic("orders", "ab" * 16, 2, 3, {"cleanup.policy": "compact"}, 1),),
    (
        PartitionEntry(
            "orders", 0, 5, 20, 25, 2, 1,
            (SegmentEntry(5, 12, 300, 7, 1, 9, (".index",)), SegmentEntry(12, 20, 10, 8, -1, -1)),
            14, 900, 2**63 + 1, "broker 3 is away",
        ),
    ),
    (GroupEntry("g", "Empty", (CommitEntry("orders", 0, 7, -1, "note"),)),),
    (RuleEntry("TOPIC", "orders", "LITERAL", "User:a", "*", "READ", "ALLOW"),),
    (QuotaEntry((("client-id", None), ("user", "a")), {"producer_byte_rate": 1e6}),),
    ("alice",),
    ("something was away",),
    (DroppedEntry("orders", 0, 0, 4),),
)  # fmt: skip


def test_a_run_reads_back_as_it_was() -> None:
    assert decode(encode(RUN), "x") == RUN


def changed(path: list[Any], value: object) -> bytes:
    found = json.loads(encode(RUN))
    place = found
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(found).encode()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["number"], "3"),
        (["number"], True),
        (["complete"], 1),
        (["topics"], None),
        (["topics", 0, "configs"], []),
        (["partitions", 0, "start"], -1),
        (["partitions", 0, "start"], 30),
        (["partitions", 0, "life"], -1),
        (["partitions", 0, "segments", 0, "next"], 13),
        (["partitions", 0, "segments", 1, "base"], 20),
        (["partitions", 0, "segments", 0, "size"], -1),
        (["groups", 0, "commits", 0], {}),
        (["quotas", 0, "entity"], [["user"]]),
        (["users"], 5),
    ],
)
def test_what_cannot_be_is_refused_and_names_the_file(path: list[Any], value: object) -> None:
    with pytest.raises(StorageError, match=r"runs/1\.json is no manifest"):
        decode(changed(path, value), "runs/1.json")


def test_a_newer_version_says_so() -> None:
    with pytest.raises(StorageError, match="version 3; this pko reads versions up to 2"):
        decode(changed(["version"], 3), "x")


@settings(max_examples=30)
@given(st.binary(max_size=60) | st.recursive(st.none() | st.text() | st.integers(), st.lists))
def test_no_bytes_raise_anything_else(data: object) -> None:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    with pytest.raises(StorageError):
        decode(raw, "x")


def test_names_of_manifests_say_their_number() -> None:
    assert number_of(manifest_name(12).rpartition("/")[2]) == 12
    assert number_of(manifest_name(10**9).rpartition("/")[2]) == 10**9
    for other in ("12.json", "00000012.json.part", "0000001x.json", "lock", "", "٠٠٠٠٠٠٠١.json"):
        assert number_of(other) is None
