"""kafka-groups, kafka-share-groups and kafka-streams-groups on fake brokers; the texts are those
that Kafka 4.3.1's tools printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.wire.messages import describe_share_group_offsets as dso
from pykafka_ops.wire.messages import share_group_describe as share
from pykafka_ops.wire.messages import streams_group_describe as streams
from pykafka_ops.wire.messages.delete_groups import DeletableGroupResult, DeleteGroupsResponse
from pykafka_ops.wire.messages.list_groups import ListedGroup, ListGroupsResponse
from tests.support.golden.transcripts import Said, run
from tests.support.memory.fake_broker import FakeBroker
from tests.unit.client.test_coordinators import coordinated_by

Fakes = tuple[FakeBroker, ...]
STATE = Path(__file__).parents[3] / "golden/kafka4/__share_group_state-3"
SHARED = share.DescribedGroup(
    group_id="sharing", group_state="Stable", group_epoch=3, assignment_epoch=2,
    assignor_name="simple", members=[
        share.Member(
            member_id="m1", client_id="c1", client_host="/h", member_epoch=3,
            assignment=share.Assignment(topic_partitions=[
                share.TopicPartitions(topic_name="pay", partitions=[1, 0]),
                share.TopicPartitions(topic_name="orders", partitions=[0]),
            ]),
        )
    ],
)  # fmt: skip
TASKS = streams.Assignment(
    active_tasks=[streams.TaskIds(subtopology_id="0", partitions=[1, 0])],
    standby_tasks=[streams.TaskIds(subtopology_id="1", partitions=[0])],
)
COUNTING = streams.DescribedGroup(
    group_id="counting", group_state="Stable", group_epoch=4, assignment_epoch=4,
    topology=streams.Topology(epoch=0, subtopologies=[
        streams.Subtopology(subtopology_id="0", source_topics=["words"])
    ]),
    members=[streams.Member(
        member_id="m1", member_epoch=4, client_id="c1", client_host="/h", process_id="p1",
        assignment=TASKS, target_assignment=TASKS,
    )],
)  # fmt: skip


def described(found: Any, group: Any, answer: Any) -> Callable[[Any], Any]:
    """The group, or that there is none of that name."""

    def reply(request: Any) -> Any:
        missing = type(group)(error_code=69, error_message="Group NO not found.", group_id="NO")
        return answer(groups=[group if n == group.group_id else missing
                              for n in request.group_ids])  # fmt: skip

    return reply


@pytest.fixture
def kafka4(fakes: Fakes) -> Fakes:
    groups = [
        ListedGroup(group_id=name, group_type=kind, protocol_type=protocol, group_state=state)
        for name, kind, protocol, state in (
            ("sharing", "share", "share", "Stable"), ("idle", "share", "share", "Empty"),
            ("counting", "streams", "streams", "Stable"), ("old", "classic", "", "Empty"),
        )
    ]  # fmt: skip

    def listed(request: Any) -> ListGroupsResponse:
        wanted = [t.lower() for t in request.types_filter]
        kept = [g for g in groups if not wanted or g.group_type in wanted]
        return ListGroupsResponse(groups=kept)

    def offsets(request: Any) -> Any:
        place = dso.DescribeShareGroupOffsetsResponsePartition(start_offset=30, lag=10)
        new = dso.DescribeShareGroupOffsetsResponsePartition(
            partition_index=1, start_offset=-1, lag=-1
        )
        topic = dso.DescribeShareGroupOffsetsResponseTopic(
            topic_name="orders", partitions=[place, new]
        )
        return dso.DescribeShareGroupOffsetsResponse(groups=[
            dso.DescribeShareGroupOffsetsResponseGroup(group_id=g.group_id, topics=[topic])
            for g in request.groups
        ])  # fmt: skip

    for fake in fakes:
        fake.in_kraft(leader=100)
        fake.on("FindCoordinator", coordinated_by(0)).on("DescribeShareGroupOffsets", offsets)
        fake.on("ShareGroupDescribe",
                described("sharing", SHARED, share.ShareGroupDescribeResponse))  # fmt: skip
        fake.on("StreamsGroupDescribe",
                described("counting", COUNTING, streams.StreamsGroupDescribeResponse))  # fmt: skip
        fake.on("DeleteGroups", lambda request: DeleteGroupsResponse(
            results=[DeletableGroupResult(group_id=n) for n in request.groups_names]
        ))  # fmt: skip
    fakes[0].on("ListGroups", listed)
    fakes[1].on("ListGroups", lambda request: ListGroupsResponse())
    return fakes


def tool(fakes: Fakes, name: str, words: str) -> Said:
    return run(f"kafka-{name}", "--bootstrap-server", fakes[0].bootstrap, *words.split())


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("", {"sharing", "idle", "counting", "old"}),
        ("--share", {"sharing", "idle"}),
        ("--streams", {"counting"}),
        ("--consumer", {"old"}),
        ("--group-type classic", {"old"}),
        ("--protocol share", {"sharing", "idle"}),
    ],
)
def test_kafka_groups_lists_groups_of_every_type(
    kafka4: Fakes, words: str, names: set[str]
) -> None:
    said = tool(kafka4, "groups", f"--list {words}")
    head, *rows = said.stdout.splitlines()
    assert head == f"{'GROUP':<20} {'TYPE':<20} {'PROTOCOL':<20}"
    assert {row.split()[0] for row in rows} == names


def test_share_groups_are_listed_by_state(kafka4: Fakes) -> None:
    said = tool(kafka4, "share-groups", "--list --state")
    assert sorted(said.stdout.splitlines()) == [
        "GROUP           STATE", "idle            Empty", "sharing         Stable",
    ]  # fmt: skip


def test_where_a_share_group_begins(kafka4: Fakes) -> None:
    said = tool(kafka4, "share-groups", "--describe --group sharing --verbose")
    assert said.stdout == (
        "\nGROUP           TOPIC           PARTITION  LEADER-EPOCH  START-OFFSET  LAG"
        "\nsharing         orders          0          0             30            10"
        "\nsharing         orders          1          -             -             -\n"
    )


def test_members_and_state_of_a_share_group(kafka4: Fakes) -> None:
    said = tool(kafka4, "share-groups", "--describe --group sharing --members --verbose")
    assert said.stdout.splitlines()[2].split() == [
        "sharing", "m1", "/h", "c1", "3", "3", "orders:0;pay:0,1",
    ]  # fmt: skip
    said = tool(kafka4, "share-groups", "--describe --group sharing --state --verbose")
    assert said.stdout.splitlines()[2].split()[-4:] == ["Stable", "3", "2", "1"]


def test_a_share_group_that_is_not_there(kafka4: Fakes) -> None:
    said = tool(kafka4, "share-groups", "--describe --group NO")
    assert (said.code, said.stdout) == (
        0, "\nError: Executing share group command failed due to "
           "org.apache.kafka.common.errors.GroupIdNotFoundException: Group NO not found.\n",
    )  # fmt: skip


def test_only_empty_share_groups_are_deleted(kafka4: Fakes) -> None:
    said = tool(kafka4, "share-groups", "--delete --group idle --group sharing --group NO")
    assert said.code == 0
    assert "These share groups were deleted successfully: 'idle'\n" in said.stdout
    assert ("* Group 'NO' could not be deleted due to: java.lang.IllegalArgumentException: Group "
            "'NO' is not a share group.\n") in said.stdout  # fmt: skip
    assert "GroupNotEmptyException: Share group 'sharing' is not EMPTY.\n" in said.stdout
    (asked,) = [request for _, request in kafka4[0].asked("DeleteGroups")]
    assert asked.groups_names == ["idle"]


def test_members_of_a_streams_group(kafka4: Fakes) -> None:
    said = tool(kafka4, "streams-groups", "--describe --group counting --members --verbose")
    head, row = said.stdout.splitlines()
    assert head.split()[:3] == ["GROUP", "TARGET-ASSIGNMENT-EPOCH", "TOPOLOGY-EPOCH"]
    assert row.endswith("c1              ACTIVE: 0:[1,0]; STANDBY: 1:[0]; "
                        "TARGET-ACTIVE: 0:[1,0]; TARGET-STANDBY: 1:[0]; ")  # fmt: skip


def test_a_failure_of_the_tool_for_streams_groups_ends_with_1(kafka4: Fakes) -> None:
    said = tool(kafka4, "streams-groups", "--describe --group NO --state")
    assert (said.code, said.stdout) == (
        1, "\nError: Executing streams group command failed due to "
           "org.apache.kafka.common.errors.GroupIdNotFoundException: Group NO not found.\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("groups --list --share --streams", 'Option "[share]" can\'t be used with option'),
        ("groups --list --group-type odd", "--group-type must be a valid group type."),
        ("share-groups --describe", "takes one of these options: [all-groups], [group]"),
        ("share-groups --members --list", "UnavailableOptionException: Option(s) [members] are"),
        ("share-groups --reset-offsets --group a", "takes the option: [execute] or [dry-run]"),
        ("share-groups --delete --group a --all-groups", "takes either [group] or [all-groups]"),
        ("streams-groups --delete-offsets --group a", "[all-input-topics], [input-topic]"),
        ("streams-groups --list --dry-run", "Only Option [reset-offsets] accepts [execute] or"),
        ("streams-groups --list --timeout x", "Cannot parse argument 'x' of option timeout"),
        ("streams-groups --list --describe --group a", "can't be used with option"),
    ],
)
def test_wrong_options_are_told_in_kafkas_words(kafka4: Fakes, words: str, complaint: str) -> None:
    name, _, rest = words.partition(" ")
    said = tool(kafka4, name, rest)
    assert (said.code, said.stdout, complaint in said.stderr) == (1, "", True), said.stderr


def test_a_share_group_has_no_commits_to_tell_a_history_by(kafka4: Fakes) -> None:
    said = run("groups", "history", "sharing", "-b", kafka4[0].bootstrap)
    assert (said.code, "is a share group, which commits no offsets" in said.stderr) == (1, True)
    assert "pko monitor keeps where it was" in said.stderr


def test_files_with_the_state_of_share_groups_hold_no_commits() -> None:
    said = run("groups", "history", "sharing", "--files", str(STATE))
    assert (said.code, said.stderr.count("\n")) == (1, 1), said.stderr
    assert "__share_group_state is of share groups, which commit no offsets" in said.stderr
