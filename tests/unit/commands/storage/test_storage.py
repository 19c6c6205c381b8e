"""``pko storage`` and kafka-storage, in the words of Apache Kafka 4.3.1."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from pykafka_ops.disk.checkpoint import parse_meta_properties
from tests.support.golden.transcripts import Said, run
from tests.support.process.console import pko

TOOL = "kafka-storage"
CLUSTER = "k4AAAAAAQACAAAAAAAAAAA"
DIRECTORY = "JEXY6aqzQY-32P5TStzaFg"
USAGE = """\
usage: kafka-storage format [-h] --config CONFIG --cluster-id CLUSTER_ID
                     [--add-scram ADD_SCRAM] [--ignore-formatted]
                     [--release-version RELEASE_VERSION]
                     [--feature FEATURE] [--standalone |
                     --no-initial-controllers |
                     --initial-controllers INITIAL_CONTROLLERS]
"""


class Machine:
    """A node with two directories and its file of settings."""

    def __init__(self, home: Path) -> None:
        self.home, self.file = home, home / "server.properties"
        self.directories = [home / "d1", home / "d2"]
        self.write()

    def write(self, **changes: str | None) -> None:
        settings: dict[str, str | None] = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.bootstrap.servers": "localhost:9093",
            "listeners": "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": ",".join(map(str, self.directories)),
        }
        settings |= {key.replace("_", "."): value for key, value in changes.items()}
        lines = [f"{key}={value}\n" for key, value in settings.items() if value is not None]
        self.file.write_text("".join(lines))

    def tool(self, verb: str, *words: str) -> Said:
        return run(TOOL, verb, "-c", str(self.file), *words)

    def format(self, *words: str) -> Said:
        return self.tool("format", "-t", CLUSTER, *words)


def dumped(file: Path) -> str:
    """The records of a file as kafka-dump-log shows them."""
    said = pko("kafka-dump-log", "--cluster-metadata-decoder", "--files", str(file))
    assert said.returncode == 0, said.stderr
    return said.stdout.decode()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_lone_voter_is_formatted_with_all_its_files(machine: Machine) -> None:
    said = machine.format("--standalone")
    assert (said.code, said.stderr) == (0, "")
    assert sorted(said.stdout.splitlines()[1:]) == [
        f"Formatting data directory {machine.directories[1]} with metadata.version 4.4-IV2.",
        f"Formatting dynamic metadata voter directory {machine.directories[0]} with "
        "metadata.version 4.4-IV2.",
    ]
    first, second = (d / "meta.properties" for d in machine.directories)
    meta = parse_meta_properties(first.read_text())
    assert (meta.version, meta.broker_id, meta.cluster_id) == (1, 1, CLUSTER)
    assert meta.order == ["node.id", "directory.id", "version", "cluster.id"]
    assert meta.directory_id != parse_meta_properties(second.read_text()).directory_id
    snapshot = (
        machine.directories[0] / "__cluster_metadata-0/00000000000000000000-0000000000.checkpoint"
    )
    assert stat.S_IMODE(snapshot.stat().st_mode) == 0o400
    assert not (machine.directories[1] / "__cluster_metadata-0").exists()
    shown = dumped(snapshot)
    assert f'"voterDirectoryId":"{meta.directory_id}"' in shown
    assert '"host":"localhost","port":9093' in shown


def test_the_records_are_those_of_the_release_and_the_users(machine: Machine) -> None:
    user = 'SCRAM-SHA-256=[name=alice,password=pw,salt="N3E="]'
    assert machine.format("-N", "-r", "4.1", "-S", user).code == 0
    file = machine.directories[0] / "bootstrap.checkpoint"
    shown = dumped(file)
    assert '{"name":"metadata.version","featureLevel":27}' in shown
    assert "share.version" not in shown and "kraft.version" not in shown
    assert '"storedKey":"rjzC7J/kX677/ylvlRfWjd3kqZnG6yZ1/FTqbEmMyZg="' in shown


def test_a_directory_is_not_formatted_twice(machine: Machine) -> None:
    assert machine.format("-N").code == 0
    again = machine.format("-N")
    assert (again.code, "is already formatted. Use --ignore-formatted" in again.stderr) == (1, True)
    kept = machine.format("-N", "-g")
    assert (kept.code, kept.stdout) == (0, "All of the log directories are already formatted.\n")
    other = machine.tool("format", "-t", "other", "-N", "-g")
    assert other.stderr == (
        'Exception in thread "main" java.lang.RuntimeException: Invalid cluster.id in: '
        f"{machine.directories[0]}/meta.properties. Expected other, but read {CLUSTER}\n"
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["-N", "-s"], USAGE + "kafka-storage: error: argument --standalone/-s:  not  allowed with "
         "argument\n--no-initial-controllers/-N\n"),
        (["extra"], USAGE + "kafka-storage: error: unrecognized arguments: 'extra'\n"),
        ([], "Because controller.quorum.voters is not set on this controller, you must specify one "
         "of the following: --standalone, --initial-controllers, or --no-initial-controllers.\n"),
        (["-N", "-f", "bla=1"], "Unsupported feature: bla. Supported features are: "
         "eligible.leader.replicas.version, group.version, kraft.version, share.version, "
         "streams.version, transaction.version\n"),
        (["-N", "-f", "group.version"], 'Exception in thread "main" java.lang.RuntimeException: '
         "Can't parse feature=level string group.version: equals sign not found.\n"),
        (["-N", "-f", "eligible.leader.replicas.version=1", "-r", "3.9"], "Exception in thread "
         '"main" java.lang.IllegalArgumentException: eligible.leader.replicas.version could not be '
         "set to 1 because it depends on metadata.version level 23\n"),
        (["-N", "-r", "3.4", "-S", "SCRAM-SHA-256=[name=a,password=b]"],
         "SCRAM is only supported in metadata.version 3.5-IV2 or later.\n"),
        (["-N", "-S", "SCRAM-SHA-256=[name=a,password=b,iterations=1]"],
         "The 'iterations' value must be >= 4096 for add-scram using SCRAM_SHA_256\n"),
        (["-N", "-S", "SCRAM-SHA-256=[name=a,password=b,zz=1,aa=2]"],
         "Unknown SCRAM configurations: aa, zz\n"),
        (["-I", "bla"], 'Exception in thread "main" java.lang.IllegalArgumentException: '
         "No @ found in dynamic voter string.\n"),
        (["-I", f"1@h:1:{DIRECTORY},1@h:1:{DIRECTORY}"], 'Exception in thread "main" '
         "java.lang.IllegalArgumentException: Node id 1 was specified more than once.\n"),
    ],
)  # fmt: skip
def test_complaints_are_kafkas_and_nothing_is_written(
    machine: Machine, words: list[str], text: str
) -> None:
    said = machine.format(*words)
    assert (said.code, said.stderr, said.stdout) == (1, text, "")
    assert not any(directory.exists() for directory in machine.directories)


def test_other_voters_leave_this_node_without_a_vote(machine: Machine) -> None:
    said = machine.format("-I", f"2@[::1]:9093:{DIRECTORY}")
    assert "Formatting dynamic metadata directory" in said.stdout
    machine.write(controller_quorum_voters="1@localhost:9093")
    refused = machine.format("-g", "-s")
    assert refused.stderr.startswith("You cannot specify controller.quorum.voters and format")


def test_info_says_what_is_missing_and_what_is_there(machine: Machine) -> None:
    said = machine.tool("info")
    first, second = machine.directories
    assert (said.code, said.stdout) == (
        1, f"Found problems:\n  {first} does not exist\n  {second} does not exist\n\n",
    )  # fmt: skip
    machine.format("-N")
    ours = run("storage", "info", str(machine.file), "-o", "json")
    items = json.loads(ours.stdout)["items"]
    assert (ours.code, [i["state"] for i in items]) == (0, ["formatted", "formatted"])
    second.joinpath("meta.properties").write_text("version=1\ncluster.id=other\nnode.id=1\n")
    assert "Mismatched cluster IDs between storage directories." in machine.tool("info").stdout


def test_a_file_without_roles_is_told(machine: Machine) -> None:
    assert run("storage", "format", str(machine.file), "-t", CLUSTER, "-s", "-N").code == 2
    machine.write(process_roles=None)
    said = machine.tool("info")
    assert (said.code, said.stderr) == (
        1, 'Exception in thread "main" org.apache.kafka.common.config.ConfigException: Missing '
        'required configuration "process.roles" which has no default value.\n',
    )  # fmt: skip
    ours = run("storage", "format", "no-such.properties", "-t", CLUSTER)
    assert (ours.code, ours.stderr) == (2, "pko: no-such.properties: No such file or directory\n")
    assert run("storage", "format", str(machine.file)).code == 2


def test_features_by_release() -> None:
    said = run(TOOL, "version-mapping", "-r", "4.0")
    assert said.stdout == (
        "metadata.version=25 (4.0)\nkraft.version=1\ntransaction.version=2\ngroup.version=1\n"
        "eligible.leader.replicas.version=0\nshare.version=0\nstreams.version=0\n"
    )
    unknown = run(TOOL, "version-mapping", "-r", "9")
    assert unknown.code == 1
    assert unknown.stderr.startswith("Unknown metadata.version '9'. Supported metadata.version are")
    needed = run(TOOL, "feature-dependencies", "-f", "eligible.leader.replicas.version=1")
    assert needed.stdout == (
        "eligible.leader.replicas.version=1 requires:\n    metadata.version=23 (4.0-IV1)\n"
    )
    (item,) = json.loads(run("storage", "feature-dependencies", "group.version=1", "-o", "json")
                         .stdout)["items"]  # fmt: skip
    assert (item["feature"], item["requires"]) == ("group.version", None)


def test_random_uuids_are_all_different() -> None:
    found = {run(TOOL, "random-uuid").stdout for _ in range(20)}
    assert len(found) == 20 and all(len(text) == 23 and text[0] != "-" for text in found)
