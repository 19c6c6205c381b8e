"""A port that takes connections and answers nothing: every command that asks a cluster says so."""

import io
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.commands import ROWS
from pykafka_ops.commands.console import lookup
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.run import SILENCE
from pykafka_ops.commands.options import TIMEOUT
from tests.support.golden.transcripts import run
from tests.support.memory.zookeeper_clock import zookeeper_clock

MOVES = '{"partitions": [{"topic": "orders", "partition": 0, "replicas": [1]}], "version": 1}'
FILES = {
    "moves.json": MOVES,
    "topics.json": '{"topics": [{"topic": "orders"}], "version": 1}',
    "offsets.json": '{"partitions": [{"topic": "a", "partition": 0, "offset": 1}], "version": 1}',
    "acls.yaml": "version: 1\nrules: []\n",
}
ALONE = {
    "dump-log": (), "spark": (), "broker": (), "completion": (),
    "cluster": ("start", "stop", "ps", "kill"),
    "certs": ("ca", "issue"),
    "zookeeper": ("start", "stop", "status"),
    "zookeeper-acls": (), "smoke": (), "monitor": (), "top": (),
    "audit": ("compare", "report", "list", "export", "forget"),
    "storage": (), "features": ("version-mapping", "feature-dependencies"),
    "quorum": ("add-voter", "snapshot", "diff"),
    "backup": ("list", "describe", "verify", "prune"), "restore": (), "mirror": (),
}  # fmt: skip
"""Commands that ask no cluster, or only with Java (``spark``); of some only these verbs. The login
that ``zookeeper-acls`` needs is a file; what ``smoke`` cannot reach is a row of its answer,
``monitor`` and ``top`` wait for a cluster to come back. ``restore`` reads a backup
first, ``quorum add-voter`` a controller's file, ``mirror`` one that names its clusters, which it
waits for."""


def asking() -> Iterator[str]:
    """An example of every verb that asks a cluster."""
    for row in ROWS:
        command = row.load()
        alone = ALONE.get(row.name)
        for verb in command.verbs if isinstance(command, VerbGroup) else [command]:
            if (row.name, verb.name) == ("reassign-partitions", "rollback"):
                continue  # it reads a plan's file first; it asks as ``run`` does
            if alone is None or (alone and verb.name not in alone):
                example = (
                    verb.examples[0]
                    .replace("/mnt/backup/", "")
                    .rpartition("| ")[2]
                    .partition(" > ")[0]
                )
                yield example.removeprefix("pko ")


def found_by(word: str) -> object:
    """The command of that name."""
    return next(row for row in ROWS if row.name == word).load()


TOOLS = (
    (
        "kafka-topics --bootstrap-server HERE --list",
        1,
        "Timed out waiting for a node assignment. Call: listTopics",
    ),
    (
        "kafka-topics --bootstrap-server HERE --describe --topic a",
        1,
        "Timed out waiting for a node assignment.",
    ),
    (
        "kafka-consumer-groups --bootstrap-server HERE --list",
        0,
        "Failed to find brokers to send ListGroups",
    ),
    (
        "kafka-consumer-groups --bootstrap-server HERE --describe --group g",
        0,
        "Timed out waiting for a node assignment.",
    ),
    (
        "kafka-transactions --bootstrap-server HERE list",
        1,
        "Timed out waiting for a node assignment.",
    ),
    (
        "kafka-get-offsets --bootstrap-server HERE --topic a",
        1,
        "Timed out waiting for a node assignment.",
    ),
    (
        "kafka-log-dirs --bootstrap-server HERE --describe",
        1,
        "Timed out waiting for a node assignment.",
    ),
    (
        "kafka-reassign-partitions --bootstrap-server HERE --list",
        1,
        "Timed out waiting for a node assignment.",
    ),
    (
        "kafka-leader-election --bootstrap-server HERE --election-type preferred "
        "--all-topic-partitions",
        1,
        "Timeout waiting",
    ),
    (
        "kafka-delete-records --bootstrap-server HERE --offset-json-file offsets.json",
        0,
        "Timed out waiting",
    ),
    (
        "kafka-broker-api-versions --bootstrap-server HERE",
        1,
        "Timed out waiting for a node assignment.",
    ),
    (
        "kafka-configs --bootstrap-server HERE --describe --entity-type topics",
        1,
        "Timed out waiting",
    ),
    (
        "kafka-acls --bootstrap-server HERE --list",
        1,
        "Timed out waiting for a node assignment. Call: describeAcls",
    ),
    (
        "kafka-cluster cluster-id --bootstrap-server HERE",
        1,
        "Timed out waiting for a node assignment.",
    ),
)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """Where nobody answers, in a directory with FILES, without a configuration."""
    monkeypatch.chdir(tmp_path)
    for home in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(home, str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n")))
    for name, text in FILES.items():
        Path(name).write_text(text)
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("line", sorted(asking()))
def test_a_silent_port_is_told_within_the_limit(line: str, silent: str) -> None:
    words = shlex.split(line)
    where = "--zookeeper" if words[0] == "zookeeper" else "-b"
    for option in ("-b", "--zookeeper"):
        if option in words:
            at = words.index(option)
            del words[at : at + 2]
    front = 2 if isinstance(found_by(words[0]), VerbGroup) else 1
    with zookeeper_clock():
        said = run(*words[:front], where, silent, "--timeout", "60ms", "-y", *words[front:])
    assert (said.code, said.stdout) == (3, ""), said.stderr
    assert said.stderr.count("\n") == 1
    assert silent in said.stderr
    assert "takes the connection and answers nothing" in said.stderr
    assert where == "--zookeeper" or "for 0.06 s" in said.stderr
    assert where == "--zookeeper" or "--timeout" in said.stderr


@pytest.mark.parametrize(("line", "code", "text"), TOOLS)
def test_kafkas_words_for_a_silent_port_come_within_the_limit(
    line: str, code: int, text: str, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("client.properties").write_text("socket.connection.setup.timeout.ms=60")
    monkeypatch.setenv("PKO_COMMAND_CONFIG", "client.properties")
    said = run(*line.replace("HERE", silent).split())
    assert text in said.stdout + said.stderr
    assert said.code == code


def test_so_much_silence_is_borne_that_it_is_told_within_five_seconds_of_the_start() -> None:
    config = ClientConfig.of({"bootstrap.servers": "a:1"})
    assert config.silence == SILENCE == 4.0
    assert TIMEOUT.fallback == "4s"


def test_consume_bears_as_much_silence_as_it_is_told_to(
    silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookup, "PATIENCE", 0.02)
    said = run("consume", "orders", "-b", silent, "--timeout", "60ms")
    assert said.code == 3
    assert "answers nothing for 0.06 s" in said.stderr


def test_a_smoke_run_ends_with_its_first_step(silent: str) -> None:
    said = run("smoke", "-b", silent, "--timeout", "60ms")
    assert said.code == 4
    metadata, *others = said.stdout.splitlines()[1:]
    assert "takes the connection and answers nothing for 0.06 s" in metadata
    assert all("not run" in line for line in others)


def test_a_report_says_how_to_wait_longer(silent: str) -> None:
    said = run("spark", "lag", "-b", silent, "--timeout", "60ms")
    assert said.code == 3
    assert said.stderr.endswith(" (--timeout 30s waits longer)\n")


@pytest.mark.parametrize(
    ("tool", "longer"),
    [
        (
            "producer --max-block-ms 300 --producer-property",
            "--producer-property socket.connection.setup.timeout.ms=30000",
        ),
        ("consumer --timeout-ms 300 --consumer-property", "--timeout 30s"),
    ],
)
def test_kafkas_console_tools_tell_silence_and_go_on_trying(
    silent: str, tool: str, longer: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from pykafka_ops.cli import main; raise SystemExit(main())",
         *f"kafka-console-{tool}".split(), "socket.connection.setup.timeout.ms=60",
         "--topic", "a", "--bootstrap-server", silent],
        input="a\n", capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    warning, *_, last = done.stderr.splitlines()
    name = tool.partition(" ")[0]
    assert f"WARN [{name.capitalize()} clientId=console-{name}] {silent}: takes the" in warning
    assert re.search(r"answers nothing for 0\.0\d* s: is it a broker, and is it well\? ", warning)
    assert f"? ({longer} " in warning
    assert last in (
        "org.apache.kafka.common.errors.TimeoutException: "
        "Topic a not present in metadata after 300 ms.",
        "Processed a total of 0 messages",
    )


def test_a_limit_above_the_time_of_a_call_lengthens_the_call() -> None:
    servers = {"bootstrap.servers": "a:1", "socket.connection.setup.timeout.ms": "90000"}
    assert ClientConfig.of(servers).api_timeout == 90.0
    assert ClientConfig.of({**servers, "default.api.timeout.ms": "7"}).api_timeout == 0.007
