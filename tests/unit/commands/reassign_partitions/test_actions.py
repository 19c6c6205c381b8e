"""Kafka's actions on a fake cluster; on a real one: tests/cli/test_reassign_*.py."""

import json
from collections.abc import Callable

import pytest

from pykafka_ops.client.log_dirs import ReplicaDirs
from pykafka_ops.commands.reassign_partitions.log_dirs import DirState, state_line
from pykafka_ops.wire.codes import ErrorCode
from tests.support.golden.transcripts import Said
from tests.unit.commands.reassign_partitions.conftest import Moving

Pko = Callable[..., Said]
File = Callable[..., str]
ORDERS = ("orders", 0)
TOOL = "kafka-reassign-partitions"


def test_moves_under_way_are_listed_by_topic_and_number(moving: Moving, pko: Pko) -> None:
    moving.under_way = {
        ("orders", 10): ([2, 1], [2], []),
        ("orders", 9): ([1, 0], [], [0]),
        ("a", 0): ([3, 1, 0], [3], [0, 1]),
    }
    assert pko(f"{TOOL} --list").stdout.splitlines() == [
        "Current partition reassignments:",
        "a-0: replicas: 3,1,0. adding: 3. removing: 0,1.",
        "orders-9: replicas: 1,0. removing: 0.",
        "orders-10: replicas: 2,1. adding: 2.",
    ]
    items = json.loads(pko("reassign list -o json").stdout)["items"]
    assert items[1] == {
        "topic": "orders", "partition": 9, "replicas": [1, 0], "adding": [], "removing": [0],
    }  # fmt: skip


def test_a_refused_move_is_told_by_partition(moving: Moving, pko: Pko, file: File) -> None:
    moving.refused = {("orders", 1): (int(ErrorCode.INVALID_REPLICA_ASSIGNMENT), "not so")}
    path = file({ORDERS: [1], ("orders", 1): [0]})
    said = pko(f"{TOOL} --execute --reassignment-json-file", path)
    assert said.code == 1
    assert said.stdout.endswith("Error reassigning partition(s):\norders-1: not so\n")


def test_nothing_is_asked_while_something_moves(moving: Moving, pko: Pko, file: File) -> None:
    moving.under_way = {("other", 0): ([1, 0], [1], [])}
    path = file({ORDERS: [1]})
    said = pko(f"{TOOL} --execute --throttle 5 --reassignment-json-file", path)
    assert said.code == 1
    assert said.stdout.startswith("Cannot execute because there is an existing partition assign")
    assert not moving.asked
    assert not moving.settings
    assert pko(f"{TOOL} --execute --additional --reassignment-json-file", path).code == 0
    assert moving.asked == {ORDERS: [1]}


def test_throttles_hold_before_the_moves_and_count_those_under_way(
    moving: Moving, pko: Pko, file: File
) -> None:
    moving.under_way = {("other", 0): ([1, 0], [1], [])}
    moving.refused = {ORDERS: (int(ErrorCode.NOT_CONTROLLER), "no")}
    path = file({ORDERS: [1]})
    pko(f"{TOOL} --execute --additional --throttle 0 --reassignment-json-file", path)
    assert set(moving.settings) == {
        ("orders", "leader.replication.throttled.replicas", 0, "0:0,0:1"),
        ("orders", "follower.replication.throttled.replicas", 0, ""),
        ("other", "leader.replication.throttled.replicas", 0, "0:0"),
        ("other", "follower.replication.throttled.replicas", 0, "0:1"),
        *(
            (broker, f"{side}.replication.throttled.rate", 0, "0")
            for broker in ("0", "1")
            for side in ("leader", "follower")
        ),
    }


def test_a_replica_that_is_on_its_way_is_moved_once_it_is_there(
    moving: Moving, pko: Pko, file: File
) -> None:
    moving.dir_codes = [int(ErrorCode.REPLICA_NOT_AVAILABLE)] * 2
    path = file({ORDERS: [1, 0]}, {ORDERS: ["/b", "any"]})
    said = pko(f"{TOOL} --execute --reassignment-json-file", path)
    assert said.code == 0
    assert said.stdout.endswith(
        "Successfully started moving log directory to /b for replica orders-0 with broker 1 \n"
    )
    assert len(moving.brokers[1].asked("AlterReplicaLogDirs")) == 3


def test_one_that_does_not_come_is_told_in_time(moving: Moving, pko: Pko, file: File) -> None:
    moving.dir_codes = [int(ErrorCode.REPLICA_NOT_AVAILABLE)] * 1000
    path = file({ORDERS: [1, 0]}, {ORDERS: ["/b", "/c"]})
    said = pko(f"{TOOL} --execute --timeout 1 --reassignment-json-file", path)
    assert said.code == 1
    assert said.stdout.splitlines()[-1] == (
        "Timed out before log directory moves could be started for: orders-0-0,orders-0-1"
    )


def test_a_directory_nobody_has_is_refused_with_the_reason(
    moving: Moving, pko: Pko, file: File
) -> None:
    moving.dir_codes = [int(ErrorCode.LOG_DIR_NOT_FOUND)]
    said = pko(f"{TOOL} --execute --reassignment-json-file", file({ORDERS: [0]}, {ORDERS: ["/x"]}))
    assert said.code == 1
    assert said.stdout.splitlines()[-1].startswith("Error: Failed to alter dir for orders-0-0: The")


@pytest.mark.parametrize(
    ("dirs", "words"),
    [
        (ReplicaDirs("/b", None), "Reassignment of replica t-0-1 completed successfully."),
        (ReplicaDirs("/a", "/b"), "Reassignment of replica t-0-1 is still in progress."),
        (ReplicaDirs("/a", "/c"), "Partition t-0 on broker 1 is being moved to log dir /c instead "
         "of /b."),
        (ReplicaDirs("/a", None), "Partition t-0 on broker 1 is not being moved from log dir /a to "
         "/b."),
        (ReplicaDirs(None, None), "Partition t-0 is not found in any live log dir on broker 1. "
         "There is likely an offline log directory on the broker."),
    ],
)  # fmt: skip
def test_the_state_of_a_move_between_directories(dirs: ReplicaDirs, words: str) -> None:
    assert state_line(("t", 0, 1), DirState(dirs, "/b")) == words


def test_throttles_go_once_everything_is_done(moving: Moving, pko: Pko, file: File) -> None:
    path = file({ORDERS: [0, 1]}, {ORDERS: ["any", "/b"]})
    words = f"{TOOL} --verify --reassignment-json-file {path}"
    for dirs in ([], [("/a", False), ("/b", True)]):
        moving.dirs = {(*ORDERS, 1): dirs}
        assert "Clearing" not in pko(words).stdout
    moving.dirs = {(*ORDERS, 1): [("/b", False)]}
    assert "Clearing" not in pko(f"{words} --preserve-throttles").stdout
    assert not moving.settings
    said = pko(words)
    assert said.code == 0
    assert said.stdout.splitlines()[-2:] == [
        "Clearing broker-level throttles on brokers 0,1",
        "Clearing topic-level throttles on topic orders",
    ]
    assert len(moving.settings) == 2 * 3 + 2
    assert {operation for _, _, operation, _ in moving.settings} == {1}


def test_our_verify_ends_with_4_until_all_is_as_wanted(
    moving: Moving, pko: Pko, file: File
) -> None:
    assert pko("reassign verify", file({ORDERS: [0, 1]})).code == 0
    path = file({ORDERS: [1, 0], ("orders", 1): [0, 1], ("none", 0): [1]})
    assert pko(f"{TOOL} --verify --reassignment-json-file", path).code == 0
    moving.under_way = {("orders", 1): ([0, 1], [0], [])}
    said = pko("reassign verify -o json", path)
    assert said.code == 4
    states = {(i["topic"], i["partition"]): i["state"] for i in json.loads(said.stdout)["items"]}
    assert states == {
        ORDERS: "not as wanted", ("orders", 1): "in progress", ("none", 0): "not as wanted",
    }  # fmt: skip


def test_moves_that_only_add_are_cancelled_too(moving: Moving, pko: Pko, file: File) -> None:
    moving.under_way = {ORDERS: ([0, 1, 2], [2], []), ("orders", 1): ([1], [1], [])}
    said = pko(
        f"{TOOL} --cancel --preserve-throttles --reassignment-json-file", file({ORDERS: [2]})
    )
    assert said.stdout == (
        "Successfully cancelled partition reassignment for: orders-0\n"
        "None of the specified partition moves are active."
    )
    assert moving.asked == {ORDERS: None}


def test_a_cancelled_replica_goes_back_to_its_directory(
    moving: Moving, pko: Pko, file: File
) -> None:
    moving.dirs = {(*ORDERS, 0): [("/a", False), ("/b", True)]}
    path = file({ORDERS: [0]}, {ORDERS: ["/b"]})
    said = pko(f"{TOOL} --cancel --reassignment-json-file", path)
    assert said.stdout.splitlines()[:2] == [
        "None of the specified partition reassignments are active.",
        "Successfully started moving log directory to /a for replica orders-0 with broker 0 ",
    ]


def test_a_move_that_cannot_be_cancelled_is_told(moving: Moving, pko: Pko, file: File) -> None:
    moving.under_way = {ORDERS: ([0, 1], [1], [0])}
    moving.refused = {ORDERS: (int(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS), "it is over")}
    said = pko(f"{TOOL} --cancel --reassignment-json-file", file({ORDERS: [1]}))
    assert said.code == 1
    assert said.stdout == "Error cancelling partition reassignment for:\norders-0: it is over\n"
    assert not moving.settings


def test_a_proposal_has_each_partition_once_on_the_brokers_listed(
    moving: Moving, pko: Pko, file: File
) -> None:
    path = file({})
    with open(path, "w") as f:
        f.write('{"topics": [{"topic": "orders"}]}')
    said = pko("reassign generate --broker-list 0,1 -o json", path)
    items = json.loads(said.stdout)["items"]
    assert [i["partition"] for i in items] == [0, 1]
    assert all(sorted(i["proposed"]) == [0, 1] and i["replicas"] == [0, 1] for i in items)
    assert pko("reassign generate", path).code == 2


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--bootstrap-controller b:1 --list", "bootstrap-controller is not a recognized option"),
        ("--zookeeper z:1 --list", 'Option "[zookeeper]" can\'t be used with action "[list]"'),
        ("--zookeeper z:1 --execute --additional --reassignment-json-file f",
         'You must specify --bootstrap-server when using "[additional]"'),
        ("-b b:1 --list -o json --timeout 5",
         'Option "[timeout]" can\'t be used with action "[list]"'),
    ],
)  # fmt: skip
def test_options_that_do_not_fit_are_refused_on_stderr(words: str, text: str, pko: Pko) -> None:
    said = pko(f"{TOOL} {words}")
    assert said.code == 1
    assert said.stdout == ""
    assert said.stderr.splitlines()[0] == text
