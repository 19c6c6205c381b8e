"""``pko quorum snapshot`` and ``diff`` on directories written here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.commands.quorum.image.naming import HIDDEN
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.schema import write_struct
from pykafka_ops.disk.tables.read import record_table
from pykafka_ops.wire.types import uuid_text
from tests.support.golden.transcripts import Said

Pko = Callable[..., Said]
ORDERS = bytes(range(16))
START = 1_700_000_000_000


def framed(kind: int, version: int = 0, **fields: Any) -> bytes:
    """A metadata record in its frame."""
    found = record_table("metadata").find(kind)
    out = bytearray([1, kind, version])
    write_struct(out, found.struct(**fields), version)
    return bytes(out)


TOPIC = framed(2, name="orders", topicId=ORDERS)
PARTITION = framed(3, 2, partitionId=0, topicId=ORDERS, replicas=[1, 2], isr=[1, 2], leader=1,
                   leaderEpoch=5, partitionEpoch=7)  # fmt: skip
SHRINK = framed(5, 2, partitionId=0, topicId=ORDERS, isr=[2], leader=2,
                eligibleLeaderReplicas=[1])  # fmt: skip
PASSWORD = framed(4, resourceType=4, resourceName="1", name="listener.name.x.ssl.key.password",
                  value="hush")  # fmt: skip
RETENTION = framed(4, resourceType=2, resourceName="orders", name="retention.ms", value="5")
BEGIN, END, ABORT = framed(23), framed(24), framed(25)
USER = framed(11, name="ann", mechanism=1, salt=b"s", storedKey=b"k", serverKey=b"x",
              iterations=4096)  # fmt: skip
RULE = framed(18, id=ORDERS, resourceType=2, resourceName="orders", patternType=3,
              principal="User:ann", host="*", operation=3, permissionType=3)  # fmt: skip
QUOTA = framed(14, entity=[record_table("metadata").find(14).struct.FIELDS[0].kind(  # type: ignore[operator]
    entityType="user", entityName="a(b")], key="producer_byte_rate", value=9.0)  # fmt: skip


def batch(offset: int, *values: bytes) -> bytes:
    records = [Record(offset + n, START + offset + n, None, v) for n, v in enumerate(values)]
    return bytes(build_batch(records, base_offset=offset, leader_epoch=3))


def control(offset: int, kind: int, value: bytes) -> bytes:
    key = bytes([0, 0, 0, kind])
    return bytes(build_batch([Record(offset, START, key, value)], base_offset=offset,
                             leader_epoch=3, control=True))  # fmt: skip


class MetadataFolder:
    def __init__(self, home: Path) -> None:
        self.home = home / "__cluster_metadata-0"
        self.home.mkdir()

    def log(self, base: int, *values: bytes) -> Path:
        return self.put(
            f"{base:020d}.log", b"".join(batch(base + n, v) for n, v in enumerate(values))
        )

    def snapshot(self, end: int, *values: bytes, whole: bool = True) -> Path:
        header = control(0, 3, bytes(2) + START.to_bytes(8, "big") + b"\0")
        footer = control(len(values) + 1, 4, b"\0\0\0") if whole else b""
        return self.put(f"{end:020d}-0000000003.checkpoint", header + batch(1, *values) + footer)

    def put(self, name: str, data: bytes) -> Path:
        path = self.home / name
        path.write_bytes(data)
        return path


@pytest.fixture
def folder(tmp_path: Path) -> MetadataFolder:
    return MetadataFolder(tmp_path)


def shown(pko: Pko, folder: MetadataFolder, *more: str, code: int = 0) -> Any:
    said = pko("quorum snapshot", str(folder.home.parent), "-o", "json", *more)
    assert said.code == code, said.stderr
    return json.loads(said.stdout)["items"][0]


def test_records_build_up_the_state(folder: MetadataFolder, pko: Pko) -> None:
    folder.log(0, TOPIC, PARTITION, RETENTION, SHRINK, USER, RULE, QUOTA)
    tree = shown(pko, folder)
    partition = tree["topics"]["byName"]["orders"]["partitions"]["0"]
    assert {k: partition[k] for k in ("leader", "isr", "elr", "leaderEpoch", "partitionEpoch")} == {
        "leader": 2, "isr": [2], "elr": [1], "leaderEpoch": 6, "partitionEpoch": 8,
    }  # fmt: skip
    assert tree["topics"]["byId"] == {uuid_text(ORDERS): "orders"}
    assert tree["configs"] == {"TOPIC:orders": {"retention.ms": "5"}}
    assert tree["scram"] == {"SCRAM-SHA-256": {"ann": {"iterations": 4096}}}
    assert tree["clientQuotas"] == {"user(a\\(b)": {"producer_byte_rate": 9.0}}
    assert tree["acls"]["byId"][uuid_text(ORDERS)]["operation"] == "READ"
    assert tree["provenance"] == {"offset": 6, "epoch": 3, "time": START + 6}


def test_a_deleted_topic_takes_its_settings_along(folder: MetadataFolder, pko: Pko) -> None:
    folder.log(0, TOPIC, PARTITION, RETENTION, framed(9, topicId=ORDERS))
    tree = shown(pko, folder)
    assert (tree["topics"], tree["configs"]) == ({"byName": {}, "byId": {}}, {})


def test_secrets_of_brokers_are_hidden(folder: MetadataFolder, pko: Pko) -> None:
    folder.log(0, PASSWORD)
    assert shown(pko, folder)["configs"]["BROKER:1"] == {"listener.name.x.ssl.key.password": HIDDEN}
    assert "hush" not in pko("quorum diff", str(folder.home)).stdout


def test_the_log_goes_on_behind_the_newest_snapshot(folder: MetadataFolder, pko: Pko) -> None:
    folder.snapshot(10, TOPIC, PARTITION)
    folder.log(8, RULE, RULE, SHRINK)
    tree = shown(pko, folder)
    assert tree["topics"]["byName"]["orders"]["partitions"]["0"]["leader"] == 2
    assert (tree["provenance"]["offset"], tree["acls"]["byId"]) == (10, {})
    early = shown(
        pko, folder, "--offset", "9", "--path", "/image/topics/byName/orders/partitions/0"
    )
    assert early["leader"] == 1
    assert pko("quorum snapshot", str(folder.home), "--offset", "99").code == 2


def test_a_torn_snapshot_is_passed_over_in_one_line(folder: MetadataFolder, pko: Pko) -> None:
    folder.snapshot(2, TOPIC, PARTITION)
    torn = folder.snapshot(3, TOPIC, PARTITION, whole=False)
    folder.log(2, SHRINK, RETENTION)
    said = pko("quorum snapshot", str(folder.home), "--path", "/provenance")
    assert said.code == 4
    assert said.stderr.splitlines() == [f"pko: {torn}: torn snapshot, passed over: it has no end"]
    assert "offset: 3" in said.stdout


def test_nothing_whole_is_one_line(folder: MetadataFolder, pko: Pko) -> None:
    folder.snapshot(3, TOPIC, whole=False)
    said = pko("quorum snapshot", str(folder.home))
    assert (said.stdout, said.code, len(said.stderr.splitlines())) == ("", 1, 1)
    assert "the log does not begin at 0" in said.stderr


def test_damage_ends_the_log_and_says_where(folder: MetadataFolder, pko: Pko) -> None:
    path = folder.log(0, TOPIC, PARTITION, SHRINK)
    path.write_bytes(path.read_bytes()[:-3])
    said = pko("quorum snapshot", str(folder.home))
    assert (said.code, "nothing from offset 2 on is shown" in said.stderr) == (4, True)
    assert len(said.stderr.splitlines()) == 1


def test_a_hole_in_the_log_ends_it(folder: MetadataFolder, pko: Pko) -> None:
    folder.log(0, TOPIC)
    folder.log(2, PARTITION)
    said = pko("quorum snapshot", str(folder.home))
    assert (said.code, "offset 2 follows 0" in said.stderr) == (4, True)


def test_records_of_a_newer_kafka_are_counted(folder: MetadataFolder, pko: Pko) -> None:
    folder.log(0, TOPIC, b"\x01\x7e\x00\x00", b"\x01\x7e\x00\x00", PARTITION)
    said = pko("quorum snapshot", str(folder.home), "--path", "/topics/byName/orders")
    assert (said.code, "2 records passed over" in said.stderr) == (0, True)
    assert "Unknown metadata id 126" in said.stderr and "leader: 1" in said.stdout


def test_a_transaction_counts_when_it_ends(folder: MetadataFolder, pko: Pko) -> None:
    folder.log(0, BEGIN, TOPIC, ABORT, BEGIN, USER, END, BEGIN, RULE)
    tree = shown(pko, folder)
    assert (tree["topics"]["byName"], bool(tree["scram"]), tree["acls"]["byId"]) == ({}, True, {})


def test_what_is_not_there_is_told_with_what_is_near(folder: MetadataFolder, pko: Pko) -> None:
    folder.log(0, TOPIC)
    said = pko("quorum snapshot", str(folder.home), "--path", "/topics/byName/order")
    assert (said.code, "nothing is called order in /topics/byName" in said.stderr) == (1, True)
    assert pko("quorum snapshot", str(folder.home / "no")).code == 2


def test_changes_have_offset_time_before_and_after(folder: MetadataFolder, pko: Pko) -> None:
    folder.log(0, TOPIC, PARTITION, SHRINK, RETENTION)
    said = pko("quorum diff", str(folder.home), "--from", "2", "--to", "3", "-o", "json")
    place = "/topics/byName/orders/partitions/0"
    assert [(i["offset"], i["path"], i["before"], i["after"])
            for i in json.loads(said.stdout)["items"]] == [
        (2, f"{place}/leader", 1, 2), (2, f"{place}/isr", [1, 2], [2]),
        (2, f"{place}/elr", [], [1]), (2, f"{place}/leaderEpoch", 5, 6),
        (2, f"{place}/partitionEpoch", 7, 8),
    ]  # fmt: skip
    assert json.loads(said.stdout)["items"][0]["time"] == "2023-11-14T22:13:20.002Z"
    assert pko("quorum diff", str(folder.home), "--from", "3", "--to", "2").code == 2


def test_changes_are_told_by_people_in_short(folder: MetadataFolder, pko: Pko) -> None:
    folder.log(0, TOPIC, PARTITION)
    said = pko("quorum diff", str(folder.home))
    assert (said.code, "…" in said.stdout, "/topics/byName/orders" in said.stdout) == (
        0,
        True,
        True,
    )
