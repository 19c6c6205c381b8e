"""What actions plan from what a cluster says, and which parameters they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.elections import UNCLEAN
from pykafka_ops.client.group_describe import GroupDescription
from pykafka_ops.client.setting_values import PresentValue
from pykafka_ops.client.topics import PartitionDescription, TopicDescription
from pykafka_ops.errors import KafkaError, UsageError
from pykafka_ops.monitor.actions import config, elect, records, seek, words
from pykafka_ops.monitor.actions.config import BROKER_CONFIG, CONFIG
from pykafka_ops.monitor.actions.elect import ELECT, ELECT_UNCLEAN
from pykafka_ops.monitor.actions.every import EVERY
from pykafka_ops.monitor.actions.plan import Ground
from pykafka_ops.monitor.actions.records import DELETE_RECORDS
from pykafka_ops.monitor.actions.seek import SEEK, UNDO
from pykafka_ops.wire.codes import ErrorCode

HOUR = 3_600_000
PARTITIONS = [
    PartitionDescription(0, 1, 0, [1, 2], [1, 2], []),
    PartitionDescription(1, 1, 0, [2, 1], [1, 2], []),
    PartitionDescription(2, -1, 0, [3, 2], [3], []),
    PartitionDescription(3, 1, 0, [3, 1], [1], []),
    PartitionDescription(4, 1, 0, [2, 1], [1], []),
]


class FakeCluster:
    cluster_id = "id"

    def brokers(self) -> dict[int, object]:
        return {1: object(), 2: object()}


CLUSTER = cast("Cluster", FakeCluster())


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    topics = [TopicDescription("orders", b"", False, PARTITIONS)]
    monkeypatch.setattr(words, "all_topics", lambda _: topics)
    idle = GroupDescription("billing", "Empty", "classic", "consumer", "", 1, ())
    monkeypatch.setattr(seek, "describe_groups", lambda _, names: dict.fromkeys(names, idle))
    monkeypatch.setattr(seek, "committed_by", lambda *_: {("orders", 0): 50, ("orders", 1): 60})
    for module in (seek, records):
        monkeypatch.setattr(
            module, "offsets_at", lambda _, wanted, at: dict.fromkeys(wanted, 10 if at < -1 else 90)
        )
    return Ground(HOUR, tmp_path)


def changes(plan: Any) -> list[tuple[str, str | None, str | None]]:
    return [change[:3] for change in plan.changes]


def test_each_action_has_its_right_and_names_what_it_changes() -> None:
    from pykafka_ops.monitor.access.rights import ACTIONS

    assert set(EVERY) == set(ACTIONS)
    for action in EVERY.values():
        assert action.subject == action.fields[0].key
        assert action.fields[0].required


def test_preferred_leaders_are_elected_where_they_are_in_sync(ground: Ground) -> None:
    plan = ELECT.plan(CLUSTER, {"topic": "orders"}, ground)
    assert changes(plan) == [("orders-1", "broker 1", "broker 2")]
    assert plan.steps == [1]
    assert plan.command == ("pko", "leader-election", "preferred", "orders:1")
    assert [note.partition(": ")[2].partition(",")[0] for note in plan.notes] == [
        "no leader", "preferred is down", "preferred is behind",
    ]  # fmt: skip
    assert ELECT.plan(CLUSTER, {"topic": "orders", "partition": "0"}, ground).changes == ()


def test_an_unclean_election_is_for_partitions_without_a_leader_alone(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = ELECT_UNCLEAN.plan(CLUSTER, {"topic": "orders"}, ground)
    assert changes(plan) == [("orders-2", "no leader", "broker 2")]
    assert "gone for good" in plan.notes[0]
    assert ELECT_UNCLEAN.typed
    asked: list[Any] = []
    failed = KafkaError(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE)

    def elected(_: Cluster, kind: int, partitions: Any) -> dict[tuple[str, int], Any]:
        asked.append((kind, partitions))
        return {("orders", 2): failed, ("orders", 0): KafkaError(ErrorCode.ELECTION_NOT_NEEDED)}

    monkeypatch.setattr(elect, "elect_leaders", elected)
    assert ELECT_UNCLEAN.run(CLUSTER, plan, ground) == {"orders-2": failed}
    assert asked == [(UNCLEAN, [("orders", 2)])]


@pytest.mark.parametrize(
    ("params", "expected", "command"),
    [
        ({"to": "earliest"}, [10, 10], "--to-earliest"),
        ({"to": "latest", "topic": "orders", "partition": "1"}, [90], "--topic orders:1"),
        ({"to": "offset", "value": "70"}, [70, 70], "--to-offset=70"),
        ({"to": "shift", "value": "-20"}, [30, 40], "--shift-by=-20"),
        ({"offsets": "orders:0=51,orders:1=60"}, [51], ""),
    ],
)
def test_a_group_goes_where_it_is_sent(
    ground: Ground, monkeypatch: pytest.MonkeyPatch,
    params: dict[str, str], expected: list[int], command: str,
) -> None:  # fmt: skip
    from pykafka_ops.client import seeking

    monkeypatch.setattr(
        seeking, "offsets_at", lambda _, wanted, at: dict.fromkeys(wanted, 10 if at < -1 else 90)
    )
    plan = SEEK.plan(CLUSTER, {"group": "billing", **params}, ground)
    assert [int(change.after or 0) for change in plan.changes] == expected
    assert command in " ".join(plan.command)
    again = SEEK.plan(CLUSTER, plan.again, ground)
    assert again.digest == plan.digest


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({}, "group is missing"),
        ({"group": "billing"}, "to is missing"),
        ({"group": "billing", "to": "there"}, "choose one of earliest"),
        ({"group": "billing", "to": "offset"}, "value is missing"),
        ({"group": "billing", "to": "offset", "value": "-1"}, "write a whole number"),
        ({"group": "billing", "to": "offset", "value": "9" * 40}, "write a whole number"),
        ({"group": "billing", "to": "time", "value": "soon"}, "time: write"),
        ({"group": "billing", "to": "shift", "value": "1", "topic": "orders"}, "no committed"),
        ({"group": "billing", "to": "latest", "topic": "order"}, "did you mean orders?"),
        ({"group": "billing", "to": "latest", "topic": "orders", "partition": "9"}, "no partition"),
        ({"group": "billing", "to": "latest", "topic": "orders", "partition": "x"}, "whole number"),
        ({"group": "billing", "offsets": "orders=5"}, "TOPIC:PARTITION=OFFSET"),
        ({"group": "billing", "offsets": ""}, "PARTITION=OFFSET"),
    ],
)
def test_a_wrong_seek_is_told_in_one_line(
    ground: Ground, params: dict[str, str], complaint: str
) -> None:
    with pytest.raises(UsageError) as said:
        SEEK.plan(CLUSTER, params, ground)
    assert complaint in str(said.value)
    assert "\n" not in str(said.value)


def test_what_was_never_moved_from_here_cannot_be_undone(ground: Ground) -> None:
    with pytest.raises(Exception, match="nothing to undo"):
        UNDO.plan(CLUSTER, {"group": "billing"}, ground)


@pytest.fixture
def altered(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    asked: list[Any] = []

    def alter(_: Cluster, wanted: Any, *, validate_only: bool = False) -> Any:
        asked.append((wanted, validate_only))
        return dict.fromkeys(wanted)

    held = {
        "retention.ms": PresentValue("7", "604800000", own=False),
        "cleanup.policy": PresentValue("compact", "delete"),
        "ssl.keystore.password": PresentValue(None, None),
    }
    monkeypatch.setattr(config, "alter_configs", alter)
    monkeypatch.setattr(config, "present_values", lambda *_: held)
    return asked


def test_a_setting_has_its_value_before_and_after(ground: Ground, altered: list[Any]) -> None:
    at = {"topic": "orders"}
    plan = CONFIG.plan(CLUSTER, {**at, "setting": "retention.ms", "value": "9"}, ground)
    assert changes(plan) == [("retention.ms", "7", "9")]
    assert plan.undo == ("pko", "configs", "unset", "topics", "orders", "retention.ms")
    assert [only for _, only in altered] == [True], "brokers are asked whether they would take it"
    assert CONFIG.run(CLUSTER, plan, ground) == {}
    assert [only for _, only in altered] == [True, False]
    plan = CONFIG.plan(CLUSTER, {**at, "setting": "cleanup.policy", "do": "unset"}, ground)
    assert changes(plan) == [("cleanup.policy", "compact", "delete")]
    same = {**at, "setting": "cleanup.policy", "value": "compact"}
    assert CONFIG.plan(CLUSTER, same, ground).changes == ()


def test_a_secret_is_set_and_shown_nowhere(ground: Ground, altered: list[Any]) -> None:
    params = {"broker": "1", "setting": "ssl.keystore.password", "value": "s3cret"}
    plan = BROKER_CONFIG.plan(CLUSTER, params, ground)
    shown = repr((plan.changes, plan.steps, plan.public, plan.command, plan.undo, plan.notes))
    assert "s3cret" not in shown
    assert changes(plan) == [("ssl.keystore.password", "[hidden]", "[hidden]")]
    BROKER_CONFIG.run(CLUSTER, plan, ground)
    assert "s3cret" in repr(altered[-1])


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"setting": "retention.ms"}, "value is missing"),
        ({"setting": "retention.mss", "value": "1"}, "did you mean retention.ms?"),
        ({"setting": "retention.ms", "do": "unset"}, "retention.ms is not set"),
        ({"setting": "retention.ms", "do": "drop"}, "choose one of set, unset"),
        ({}, "setting is missing"),
    ],
)
def test_a_wrong_setting_is_told_in_one_line(
    ground: Ground, altered: list[Any], params: dict[str, str], complaint: str
) -> None:
    with pytest.raises(UsageError) as said:
        CONFIG.plan(CLUSTER, {"topic": "orders", **params}, ground)
    assert complaint in str(said.value)
    with pytest.raises(UsageError, match="broker 9 is not there"):
        BROKER_CONFIG.plan(CLUSTER, {"broker": "9", "setting": "x", "value": "1"}, ground)


def test_records_are_deleted_up_to_an_offset_within_the_log(ground: Ground) -> None:
    at = {"topic": "orders", "partition": "0,1"}
    plan = DELETE_RECORDS.plan(CLUSTER, {**at, "before": "40"}, ground)
    assert changes(plan) == [("orders-0", "10", "40"), ("orders-1", "10", "40")]
    assert DELETE_RECORDS.plan(CLUSTER, plan.again, ground).digest == plan.digest
    assert changes(DELETE_RECORDS.plan(CLUSTER, {**at, "before": "end"}, ground))[0][2] == "90"
    assert DELETE_RECORDS.plan(CLUSTER, {**at, "before": "5"}, ground).changes == ()
    for params, complaint in (
        ({"before": "91"}, "ends at 90"), ({"before": "soon"}, "time: write"), ({}, "before is"),
        ({"offsets": "7=50"}, "is not among those named"), ({"offsets": "0"}, "PARTITION=OFFSET"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=complaint):
            DELETE_RECORDS.plan(CLUSTER, {**at, **params}, ground)
