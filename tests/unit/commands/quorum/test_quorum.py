"""``pko quorum`` and kafka-metadata-quorum on fake brokers in KRaft."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.client.quorum import Quorum, QuorumReplica
from pykafka_ops.commands.quorum.gather import NO_QUORUM, SlowestVoter, behind
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import describe_cluster as dc
from pykafka_ops.wire.messages.add_raft_voter import AddRaftVoterResponse
from pykafka_ops.wire.messages.remove_raft_voter import RemoveRaftVoterResponse
from pykafka_ops.wire.types import uuid_text
from tests.support.golden.transcripts import Said, run
from tests.support.memory.fake_broker import FakeBroker, HangUp

Pko = Callable[..., Said]
Fakes = tuple[FakeBroker, ...]
TOOL = "kafka-metadata-quorum"
DIRECTORY = bytes(range(16))


def replica(number: int, end: int, at: int = -1) -> QuorumReplica:
    return QuorumReplica(number, bytes(16), end, at, at)


@pytest.mark.parametrize(
    ("leader", "voters", "found"),
    [
        (1, [replica(1, 90, 5_000), replica(2, 85, 4_700)], SlowestVoter(5, 300)),
        (1, [replica(1, 90, 5_000)], SlowestVoter(0, 0)),
        (1, [replica(1, 90, 5_000), replica(2, 85)], SlowestVoter(5, None)),
        (1, [replica(1, 90, 5_000), replica(2, -1)], SlowestVoter(None, None)),
        (-1, [replica(1, 90, 5_000), replica(2, 85)], SlowestVoter(None, None)),
    ],
)
def test_how_far_the_slowest_is_behind(
    leader: int, voters: list[QuorumReplica], found: SlowestVoter
) -> None:
    assert behind(Quorum(leader, 1, 80, voters, [], {})) == found


@pytest.fixture
def kraft(fakes: Fakes) -> Fakes:
    for fake in fakes:
        fake.in_kraft(leader=100)
    return fakes


def test_status_and_conditions_on_it(kraft: Fakes, pko: Pko) -> None:
    said = pko("quorum status -o json --fail-on", "max_follower_lag>5|voters<2")
    (item,) = json.loads(said.stdout)["items"]
    assert (said.code, item["leader"], item["epoch"], item["high_watermark"]) == (0, 100, 7, 90)
    assert (item["max_follower_lag"], item["max_follower_lag_ms"]) == (5, 300)
    assert pko("quorum status --fail-on", "max_follower_lag_ms>=300").code == 4


def test_without_a_leader_the_exit_code_is_4(kraft: Fakes, pko: Pko) -> None:
    for fake in kraft:
        fake.in_kraft(leader=-1)
    said = pko("quorum status -o json")
    (item,) = json.loads(said.stdout)["items"]
    assert (said.code, item["leader"], item["max_follower_lag"]) == (4, None, None)


def test_a_quorum_that_does_not_answer_is_exit_code_4(kraft: Fakes, pko: Pko) -> None:
    for fake in kraft:
        fake.on("DescribeQuorum", lambda request: HangUp())
    said = pko("quorum status")
    assert said.code == 4
    assert said.stderr.startswith("pko: the quorum of controllers does not answer: ")
    assert said.stderr.count("\n") == 1
    nobody = pko("quorum status -b 127.0.0.1:1 --timeout 1s")
    assert (nobody.code, "refused" in nobody.stderr) == (3, True)


def test_replication_tells_of_each_replica(kraft: Fakes, pko: Pko) -> None:
    items = json.loads(pko("quorum replication -o json").stdout)["items"]
    assert [(i["id"], i["role"], i["lag"], i["caught_up_ms_ago"]) for i in items] == [
        (100, "leader", 0, 0), (101, "follower", 5, 300),
    ]  # fmt: skip


def test_on_zookeeper_there_is_none(fakes: Fakes, pko: Pko) -> None:
    said = pko("quorum status")
    assert (said.code, NO_QUORUM in said.stderr) == (1, True)


def test_the_tool_prints_status_as_kafkas(kraft: Fakes) -> None:
    said = run(TOOL, "--bootstrap-server", kraft[0].bootstrap, "describe", "--status")
    assert said.code == 0
    assert said.stdout.splitlines()[1:] == [
        "LeaderId:               100",
        "LeaderEpoch:            7",
        "HighWatermark:          90",
        "MaxFollowerLag:         5",
        "MaxFollowerLagTimeMs:   300",
        'CurrentVoters:          [{"id": 100}, {"id": 101}]',
        "CurrentObservers:       []",
    ]


def test_the_tool_prints_replication_as_kafkas(kraft: Fakes) -> None:
    said = run(TOOL, "--bootstrap-server", kraft[0].bootstrap, "describe", "--replication")
    head, leader, follower = (line.split("\t") for line in said.stdout.splitlines())
    assert [cell.strip() for cell in head][:4] == ["NodeId", "DirectoryId", "LogEndOffset", "Lag"]
    assert [cell.strip() for cell in leader] == [
        "100", "A" * 22, "90", "0", "-1", "5000", "Leader", "",
    ]  # fmt: skip
    assert [cell.strip() for cell in follower][:4] == ["101", "A" * 22, "85", "5"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("", "error: too few arguments"),
        ("-b", "unrecognized arguments: '-b'"),
        ("--bootstrap-server x:1 --bootstrap-controller y:1 describe --status", "not allowed with"),
        ("describe --status", "one of the arguments"),
        ("--bootstrap-server x:1 describe", "One of --status or --replication must be specified"),
        ("--bootstrap-server x:1 describe --status --replication", "Only one of --status or"),
        ("--bootstrap-server x:1 remove-controller --controller-id 1", "is required"),
    ],
)
def test_wrong_options_are_told_in_kafkas_words(words: str, complaint: str) -> None:
    said = run(TOOL, *words.split())
    assert (said.stdout, said.code, complaint in said.stderr) == ("", 1, True), said.stderr


def test_controllers_are_asked_themselves_the_active_one_among_them(fakes: Fakes) -> None:
    found = [
        dc.DescribeClusterBroker(broker_id=100 + f.node_id, host="127.0.0.1", port=f.port)
        for f in fakes
    ]
    fakes[0].on("DescribeCluster", lambda request: dc.DescribeClusterResponse(
        endpoint_type=2, cluster_id="abc", controller_id=101, brokers=found
    ))  # fmt: skip
    for fake in fakes:
        fake.in_kraft(leader=101)
    said = run("quorum", "status", "--bootstrap-controller", fakes[0].bootstrap, "-o", "json")
    assert (said.code, json.loads(said.stdout)["items"][0]["leader"]) == (0, 101)
    assert [len(f.asked("DescribeQuorum")) for f in fakes] == [0, 1]
    assert not fakes[0].asked("Metadata") + fakes[1].asked("Metadata")


def test_a_voter_is_removed_by_id_and_directory(kraft: Fakes, pko: Pko) -> None:
    seen: list[Any] = []
    for fake in kraft:
        fake.on("RemoveRaftVoter", lambda r: seen.append(r) or RemoveRaftVoterResponse())
    line = f"quorum remove-voter 101 {uuid_text(DIRECTORY)}"
    assert pko(f"{line} --dry-run").code == 0
    assert not seen
    assert pko(f"{line} --yes").code == 0
    assert [(r.voter_id, r.voter_directory_id) for r in seen] == [(101, DIRECTORY)]
    assert pko("quorum remove-voter 101 nonsense --yes").code == 2


def test_a_voter_that_stays_is_an_error(kraft: Fakes, pko: Pko) -> None:
    for fake in kraft:
        fake.on("RemoveRaftVoter", lambda r: RemoveRaftVoterResponse(
            error_code=ErrorCode.VOTER_NOT_FOUND, error_message="no such voter"
        ))  # fmt: skip
    said = pko(f"quorum remove-voter 101 {uuid_text(DIRECTORY)} --yes")
    assert (said.code, "no such voter" in said.stderr) == (1, True)


class ControllerFile:
    """The properties of controller 7 and its directory; ``said`` replaces lines, None takes one."""

    def __init__(self, home: Path) -> None:
        self.home = home
        (home / "data").mkdir()
        self.meta(f"version=1\nnode.id=7\ndirectory.id={uuid_text(DIRECTORY)}\n")

    def meta(self, text: str) -> None:
        (self.home / "data" / "meta.properties").write_text(text)

    def write(self, **said: str | None) -> str:
        lines: dict[str, str | None] = {
            "node.id": "7",
            "process.roles": "controller",
            "log.dirs": f"{self.home}/data,/elsewhere",
            "listeners": "CONTROLLER://:9093, INSIDE://[::1]:9094",
            "advertised.listeners": "controller://there:9095",
            "controller.listener.names": "CONTROLLER,inside",
            **{name.replace("_", "."): value for name, value in said.items()},
        }
        path = self.home / "controller.properties"
        path.write_text("".join(f"{k}={v}\n" for k, v in lines.items() if v is not None))
        return str(path)


@pytest.fixture
def file(tmp_path: Path) -> ControllerFile:
    return ControllerFile(tmp_path)


def test_a_voter_is_added_by_its_own_properties(
    kraft: Fakes, pko: Pko, file: ControllerFile
) -> None:
    seen: list[Any] = []
    for fake in kraft:
        fake.on("AddRaftVoter", lambda r: seen.append(r) or AddRaftVoterResponse())
    path = file.write()
    assert pko("quorum add-voter", path, "--dry-run").code == 0
    assert not seen
    assert pko("quorum add-voter", path, "--yes").code == 0
    (request,) = seen
    assert (request.voter_id, request.voter_directory_id) == (7, DIRECTORY)
    assert [(e.name, e.host, e.port) for e in request.listeners] == [
        ("CONTROLLER", "there", 9095), ("INSIDE", "::1", 9094),
    ]  # fmt: skip
    said = run(TOOL, "--bootstrap-server", kraft[0].bootstrap, "--command-config", path,
               "add-controller")  # fmt: skip
    assert said == Said(
        f"Added controller 7 with directory id {uuid_text(DIRECTORY)} and endpoints: "
        "CONTROLLER://there:9095, INSIDE://[::1]:9094\n", "", 0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"node_id": None}, "node.id not found in configuration file. Is this a valid"),
        ({"node_id": "-1"}, "node.id was negative in configuration file."),
        ({"node_id": "x"}, 'For input string: "x"'),
        ({"process_roles": "broker"}, "process.roles did not contain 'controller' in"),
        ({"log_dirs": None}, "Neither metadata.log.dir nor log.dirs were found."),
        ({"log_dirs": "/no/such"}, "Unable to read meta.properties from /no/such"),
        ({"controller_listener_names": None}, "controller.listener.names was not found."),
        ({"controller_listener_names": "NO"}, "controller listener name: NO"),
        ({"listeners": "CONTROLLER"}, "Unable to parse CONTROLLER to a broker endpoint"),
        ({"listeners": "CONTROLLER://a:99999"}, "Unable to parse CONTROLLER://a:99999"),
    ],
)
def test_a_file_that_is_no_controllers_is_told_in_one_line(
    kraft: Fakes, file: ControllerFile, said: dict[str, str | None], complaint: str
) -> None:
    found = run(TOOL, "--bootstrap-server", kraft[0].bootstrap, "--command-config",
                file.write(**said), "add-controller", "--dry-run")  # fmt: skip
    assert (found.stdout, found.code, len(found.stderr.splitlines())) == ("", 1, 1)
    assert complaint in found.stderr


@pytest.mark.parametrize(
    "meta", ["version=1\n", "version=9\n", "directory.id=..\nversion=1\n", "\xff"]
)
def test_a_directory_without_a_readable_id_is_told_in_one_line(
    kraft: Fakes, pko: Pko, file: ControllerFile, meta: str
) -> None:
    (file.home / "data" / "meta.properties").write_bytes(meta.encode("latin-1"))
    said = pko("quorum add-voter", file.write(), "--dry-run")
    assert (said.code, len(said.stderr.splitlines())) == (2, 1), said.stderr


def test_a_voter_to_add_needs_a_file(kraft: Fakes, pko: Pko) -> None:
    assert pko("quorum add-voter --yes").code == 2
    said = run(TOOL, "--bootstrap-server", kraft[0].bootstrap, "add-controller")
    assert (said.code, said.stderr.startswith("You must supply the configuration file")) == (
        1,
        True,
    )
