"""``pko groups`` with its verbs on a running cluster: list, describe, lag, reset, delete."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from tests.conftest import Broker
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import Said, pko

pytestmark = pytest.mark.live


class Desk:
    """Makes commits and asks ``pko groups`` about them; ``group`` is nobody else's."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self.bootstrap, self.topic, self.group = bootstrap, topic, f"group-of-{topic}"
        self.consumers: list[Consumer] = []

    def fill(self, count: int = 300) -> None:
        """Three partitions, a record a second in each, the newest just now."""
        assert self.ask("topics", "create", self.topic, "-p", "3").code == 0
        producer = Producer({"bootstrap.servers": self.bootstrap})
        now = int(time.time() * 1000)
        for i in range(count):
            stamp = now - (count - 1 - i) * 1000
            for partition in range(3):
                producer.produce(self.topic, b"v", partition=partition, timestamp=stamp)
        assert producer.flush(120) == 0

    def consumer(self, **settings: object) -> Consumer:
        basic = {"bootstrap.servers": self.bootstrap, "group.id": self.group}
        self.consumers.append(Consumer({**basic, "auto.offset.reset": "earliest", **settings}))
        return self.consumers[-1]

    def commit(self, *offsets: int) -> None:
        consumer = self.consumer()
        places = [TopicPartition(self.topic, i, o) for i, o in enumerate(offsets)]
        consumer.commit(offsets=places, asynchronous=False)

    def member(self, client: str) -> None:
        """A member that has its partitions and committed where it stands."""
        consumer = self.consumer(**{"client.id": client, "enable.auto.commit": False})
        consumer.subscribe([self.topic])
        assert len(consumer.consume(900, 120)) == 900
        consumer.commit(asynchronous=False)

    def close(self) -> None:
        for consumer in self.consumers:
            consumer.close()

    def ask(self, *words: str) -> Said:
        return pko(*words, "-b", self.bootstrap)

    def items(self, *words: str) -> list[dict[str, Any]]:
        said = self.ask("groups", *words, "-o", "json")
        assert said.code == 0, said
        found: list[dict[str, Any]] = json.loads(said.out)["items"]
        return found

    def committed(self) -> list[int]:
        return [i["current_offset"] for i in self.items("describe", self.group)]


@pytest.fixture(
    params=[
        "broker",
        pytest.param("apache", marks=[pytest.mark.java, pytest.mark.slow]),
    ]
)
def desk(request: pytest.FixtureRequest, topic: str) -> Iterator[Desk]:
    found: Broker = request.getfixturevalue(request.param)
    made = Desk(found.bootstrap, topic)
    yield made
    made.close()


def test_members_and_their_partitions_are_shown(desk: Desk) -> None:
    desk.fill()
    desk.member("worker")
    (member,) = desk.items("describe", desk.group, "--members")
    assert (member["client_id"], member["partition_count"]) == ("worker", 3)
    assert member["assignment"] == [f"{desk.topic}-{i}" for i in range(3)]
    (state,) = desk.items("describe", desk.group, "--state")
    assert (state["state"], state["member_count"]) == ("Stable", 1)
    rows = desk.items("describe", desk.group)
    assert [(r["partition"], r["client_id"], r["log_end_offset"]) for r in rows] == [
        (i, "worker", 300) for i in range(3)
    ]
    (listed,) = desk.items("list", desk.group)
    assert listed["state"] == "Stable"


def test_lag_is_told_in_records_and_time_with_a_verdict(desk: Desk) -> None:
    desk.fill()
    for i in range(4):
        desk.commit(100, 290 + i, 300)
    first, second, third = desk.items("lag", desk.group, "--partitions")
    assert (first["lag"], first["lead"], first["status"]) == (200, 100, "STALL")
    assert first["lag_seconds"] == pytest.approx(199)
    assert (second["lag"], second["rate_out"] > 0) == (7, True)
    assert (third["lag"], third["lag_seconds"], third["status"]) == (0, 0.0, "OK")
    assert first["rate_in"] == pytest.approx(0.5, abs=0.2)
    (whole,) = desk.items("lag", desk.group)
    assert (whole["lag"], whole["max_lag"], whole["status"]) == (207, 200, "STALL")


def test_many_groups_at_different_places_are_told_apart(desk: Desk) -> None:
    desk.fill()
    names = [f"{desk.group}-{i:02}" for i in range(20)]
    for i, desk.group in enumerate(names):
        desk.commit(i * 10)
    rows = desk.items("lag", *names)
    assert [r["lag"] for r in rows] == [300 - i * 10 for i in range(20)]
    assert [r["lag_seconds"] for r in rows] == [pytest.approx(299 - i * 10) for i in range(20)]


def test_a_condition_on_lag_decides_the_exit_code(desk: Desk) -> None:
    desk.fill()
    desk.commit(300, 300, 300)
    good = desk.ask("groups", "lag", desk.group, "--fail-on", "lag>0|status!=OK")
    assert good.code == 0
    desk.commit(299)
    bad = desk.ask("groups", "lag", desk.group, "--fail-on", "lag>0")
    assert bad.code == 4
    gone = f"{desk.group}-gone"
    some = desk.ask("groups", "lag", desk.group, gone, "--fail-on", "lag>0")
    assert (some.code, gone in some.err) == (4, True)
    other = desk.ask("groups", "lag", desk.group, gone, "--fail-on", "lag>99999")
    assert (other.code, gone in other.err) == (1, True)
    wrong = desk.ask("groups", "lag", desk.group, "--fail-on", "lagg>0")
    assert (wrong.code, wrong.out) == (2, "")


def test_a_reset_is_shown_first_and_committed_on_demand(desk: Desk) -> None:
    desk.fill()
    desk.commit(100, 200, 300)
    plan = desk.ask(
        "groups", "reset-offsets", desk.group, "--topic", desk.topic, "--shift-by", "-150"
    )
    assert plan.code == 0
    assert "nothing was committed" in plan.err
    assert f"{desk.topic}-0: -50 is outside the log, 0 is taken" in plan.err
    assert desk.committed() == [100, 200, 300]
    words = ("reset-offsets", desk.group, "--topic", f"{desk.topic}:0,1", "--to-latest")
    moved = desk.items(*words, "--execute")
    assert [(m["current_offset"], m["new_offset"], m["skipped"]) for m in moved] == [
        (100, 300, 200),
        (200, 300, 100),
    ]
    assert desk.committed() == [300, 300, 300]


@pytest.mark.parametrize("syntax", ["ours", "kafkas"])
def test_an_exported_plan_is_what_from_file_takes(desk: Desk, tmp_path: Path, syntax: str) -> None:
    desk.fill()
    desk.commit(100, 200, 300)
    groups = (desk.group, f"{desk.group}-2")
    file = tmp_path / "plan.csv"
    for names in (groups[:1], groups):
        if syntax == "ours":
            reset = ("groups", "reset-offsets", *names, "--topic", desk.topic)
        else:
            named = (word for name in names for word in ("--group", name))
            reset = ("kafka-consumer-groups", "--reset-offsets", *named, "--topic", desk.topic)
        dry = () if syntax == "ours" else ("--dry-run",)
        exported = desk.ask(*reset, "--to-offset", "42", "--export", *dry)
        assert exported.code == 0, exported.err
        file.write_text(exported.out)
        done = desk.ask(*reset, "--from-file", str(file), "--execute")
        assert done.code == 0, done.err
        for name in names:
            assert {r["current_offset"] for r in desk.items("describe", name)} == {42}


def test_a_group_with_members_is_neither_reset_nor_deleted(desk: Desk) -> None:
    desk.fill()
    desk.member("worker")
    said = desk.ask("groups", "reset-offsets", desk.group, "--all-topics", "--to-earliest",
                    "--execute")  # fmt: skip
    assert said.code == 1
    assert "it has 1 member (Stable): stop them first" in said.err
    said = desk.ask("groups", "delete", desk.group, "--yes")
    assert (said.code, "NON_EMPTY_GROUP" in said.err) == (1, True)
    assert desk.committed() == [300, 300, 300]


def test_offsets_and_groups_are_deleted(desk: Desk) -> None:
    desk.fill()
    desk.commit(1, 2, 3)
    assert desk.ask("groups", "delete", desk.group).code == 2
    words = ("delete-offsets", desk.group, "--topic", f"{desk.topic}:0", "--yes")
    assert desk.items(*words) == [{"topic": desk.topic, "partition": 0, "deleted": True}]
    assert desk.committed() == [2, 3]
    said = desk.ask("groups", "delete", desk.group, "none-of-" + desk.group, "--yes")
    assert said.code == 1
    assert "GROUP_ID_NOT_FOUND" in said.err
    assert desk.ask("groups", "describe", desk.group).code == 1


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(desk: Desk) -> None:
    desk.fill(3)
    desk.commit(1)
    for words in (("list",), ("describe",), ("lag",), ("history",), ("delete", "--yes")):
        said = desk.ask("groups", words[0], desk.group + "x", *words[1:])
        assert (said.code, f"(did you mean {desk.group}?)" in said.err) == (1, True), said
    seek = ("groups", "seek", desk.group + "x", "--to-latest")
    assert f"(did you mean {desk.group}?)" in desk.ask(*seek).err
    for verb in (("seek", desk.group, "--to-latest"), ("delete-offsets", desk.group, "--yes")):
        said = desk.ask("groups", *verb, "--topic", desk.topic + "x")
        assert (said.code, f"(did you mean {desk.topic}?)" in said.err) == (1, True), said


def test_moments_of_a_seek_are_written_as_everywhere(desk: Desk) -> None:
    desk.fill()
    desk.commit(0, 0, 0)
    half = 300 - 150
    for words in (
        ("--to-datetime", "150s"),
        ("--by-duration", "150s"),
        ("--by-duration", "PT150S"),
    ):
        moved = desk.items("seek", desk.group, *words, "--dry-run")
        assert {m["new_offset"] - half for m in moved} <= set(range(60))
    wrong = desk.ask("groups", "seek", desk.group, "--to-datetime", "noon")
    assert (wrong.code, "'noon' is not a time: write 2026-11-21" in wrong.err) == (2, True)


def test_a_seek_can_be_undone_until_the_group_goes_on(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    desk.fill()
    desk.commit(100, 200)
    assert desk.ask("groups", "seek", desk.group, "--to-earliest").code == 2  # nobody to ask
    assert desk.ask("groups", "seek", desk.group, "--undo", "--yes").code == 1
    moved = desk.items("seek", desk.group, "--topic", desk.topic, "--to-latest", "--yes")
    assert [(m["partition"], m["current_offset"], m["skipped"]) for m in moved] == [
        (0, 100, 200),
        (1, 200, 100),
        (2, None, None),
    ]
    assert desk.committed() == [300, 300, 300]
    back = desk.items("seek", desk.group, "--undo", "--yes")
    assert [(m["partition"], m["repeated"]) for m in back] == [(0, 200), (1, 100)]
    assert desk.committed() == [100, 200]
    desk.items("seek", desk.group, "--to-latest", "--yes")
    desk.commit(7)
    said = desk.ask("groups", "seek", desk.group, "--undo", "--yes")
    assert (said.code, "has committed other offsets since" in said.err) == (1, True)
    assert desk.committed() == [7, 300]


def test_a_seek_without_a_place_to_go_is_a_usage_error(desk: Desk) -> None:
    desk.fill(3)
    desk.commit(1)
    for words in ((), ("--to-earliest", "--to-latest"), ("--to-latest", "--undo")):
        assert desk.ask("groups", "seek", desk.group, *words, "--yes").code == 2
    assert desk.committed() == [1]


def test_the_past_of_a_group_is_read_back_from_its_commits(desk: Desk) -> None:
    desk.fill()
    for offset in (10, 120, 120, 40):
        desk.commit(offset)
    items = desk.items("history", desk.group, "--since", "10m", "--every", "1m")
    commits = [i["offset"] for i in items if i["type"] == "commit"]
    assert commits == [10, 120, 120, 40]
    found = [(i["kind"], i["from_offset"], i["to_offset"]) for i in items if i["type"] == "event"]
    assert found == [("BACK", 120, 40)]
    buckets = [i for i in items if i["type"] == "bucket"]
    assert len(buckets) == 10
    assert (buckets[-1]["commits"], buckets[-1]["moved"]) == (4, 110)
    assert (buckets[-1]["lag"], buckets[-1]["status"]) == (260, "REWIND")
    nobody = desk.ask("groups", "history", "nobody-" + desk.group)
    assert (nobody.code, "no commit of group" in nobody.err) == (1, True)


def test_the_past_of_a_group_is_read_from_files_without_a_cluster(
    make_broker: Callable[..., BrokerProcess], topic: str
) -> None:
    broker = make_broker().start()
    desk = Desk(broker.bootstrap, topic)
    desk.fill(3)
    for offset in (1, 2, 3):
        desk.commit(offset)
    desk.close()
    broker.stop()
    logs = sorted(str(p) for p in broker.data_dir.glob("__consumer_offsets-*"))
    said = pko("groups", "history", desk.group, *("--files=" + p for p in logs), "-o", "json")
    assert said.code == 0, said
    commits = [i["offset"] for i in json.loads(said.out)["items"] if i["type"] == "commit"]
    assert commits == [1, 2, 3]
