"""kafka-configs --zookeeper on a tree in memory."""

import json
from contextlib import nullcontext
from typing import Any

import pytest
from kazoo.exceptions import NoNodeError

from pykafka_ops.commands.configs import configs
from pykafka_ops.commands.configs import zookeeper as _configs_zookeeper
from pykafka_ops.commands.configs.zookeeper import WARNING, ConfigTree
from pykafka_ops.commands.framework.run import Run, execute
from pykafka_ops.errors import PkoError
from pykafka_ops.zookeeper.client import NOBODY
from tests.support.memory.context import args_of, work_of


class FakeKazoo:
    """The calls of a client that are used, on a dict."""

    access = NOBODY

    def __init__(self) -> None:
        self.nodes: dict[str, bytes] = {}

    def get(self, path: str) -> tuple[bytes, None]:
        if path not in self.nodes:
            raise NoNodeError
        return self.nodes[path], None

    def set(self, path: str, data: bytes) -> None:
        self.nodes[path] = data

    def get_children(self, path: str) -> list[str]:
        found = {p[len(path) + 1 :].split("/")[0] for p in self.nodes if p.startswith(path + "/")}
        if not found and path not in self.nodes:
            raise NoNodeError
        return list(found)

    def exists(self, path: str) -> bool | None:
        return True if path in self.nodes else None

    def create(self, path: str, data: bytes | None, *, sequence: bool = False, **_: Any) -> None:
        self.nodes[f"{path}{len(self.nodes):010d}" if sequence else path] = data or b""

    def delete(self, path: str, recursive: bool) -> None:
        self.nodes.pop(path, None)

    def stop(self) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def tree(monkeypatch: pytest.MonkeyPatch) -> FakeKazoo:
    fake = FakeKazoo()
    monkeypatch.setattr(
        _configs_zookeeper, "opened_tree", lambda ctx: nullcontext(ConfigTree(fake))
    )
    return fake


def say(capsys: pytest.CaptureFixture[str], words: str) -> str:
    """What is printed after the warning, or the error."""
    args = args_of(configs, ["--zookeeper", "z:1", *words.split()], tool=True)
    work = work_of(configs, args)
    try:
        execute(Run(args, {}, {}), work)
    except PkoError as error:
        capsys.readouterr()
        return str(error)
    out, err = capsys.readouterr()
    assert (out + err).count(WARNING) == 1
    return out.removeprefix(WARNING)


def test_credentials_are_stored_as_kafka_stores_them(
    tree: FakeKazoo, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--alter --entity-type users --entity-name a@b --add-config"
    assert say(capsys, f"{words} SCRAM-SHA-256=[iterations=5000,password=x]") == (
        "Completed updating config for entity: user-principal 'a@b'.\n"
    )
    stored = json.loads(tree.nodes["/config/users/a%40b"])
    assert stored["version"] == 1
    keys = [part.partition("=")[0] for part in stored["config"]["SCRAM-SHA-256"].split(",")]
    assert keys == ["salt", "stored_key", "server_key", "iterations"]
    (change,) = [data for path, data in tree.nodes.items() if "config_change_" in path]
    assert json.loads(change) == {"version": 2, "entity_path": "users/a%40b"}
    described = say(capsys, "--describe --entity-type users")
    assert described.startswith("Configs for user-principal 'a@b' are SCRAM-SHA-256=salt=")
    assert "iterations=5000" in described


def test_a_user_without_settings_is_removed(
    tree: FakeKazoo, capsys: pytest.CaptureFixture[str]
) -> None:
    say(capsys, "--alter --user u --add-config SCRAM-SHA-256=[password=x]")
    say(capsys, "--alter --user u --delete-config SCRAM-SHA-256")
    assert "/config/users/u" not in tree.nodes
    assert say(capsys, "--describe --entity-type users") == ""


def test_quotas_are_stored_as_before_3_0(
    tree: FakeKazoo, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = "--entity-type users --entity-name u --entity-type clients --entity-name c"
    for entity, words, path in (
        (pair, "user-principal 'u', client-id 'c'", "users/u/clients/c"),
        ("--entity-type clients --entity-name c", "client-id 'c'", "clients/c"),
        ("--entity-type clients --entity-default", "default client-id", "clients/<default>"),
    ):
        assert say(capsys, f"--alter {entity} --add-config producer_byte_rate=5") == (
            f"Completed Updating config for entity: {words}.\n"
        )
        assert json.loads(tree.nodes[f"/config/{path}"])["config"] == {"producer_byte_rate": "5"}
        assert say(capsys, f"--describe {entity}") == (
            f"Configs for {words} are producer_byte_rate=5\n"
        )


def test_settings_of_a_topic_are_stored_as_before_3_0(
    tree: FakeKazoo, capsys: pytest.CaptureFixture[str]
) -> None:
    topic = "--entity-type topics --entity-name t"
    assert say(capsys, f"--alter {topic} --add-config retention.ms=5") == (
        'Topic "t" does not exist.'
    )
    tree.nodes["/brokers/topics/t"] = b"{}"
    assert say(capsys, f"--alter {topic} --add-config retention.ms=5,flush.ms=9") == (
        "Completed Updating config for entity: topic 't'.\n"
    )
    say(capsys, f"--alter {topic} --delete-config flush.ms")
    assert say(capsys, f"--describe {topic}") == "Configs for topic 't' are retention.ms=5\n"
    assert say(capsys, "--describe --entity-type topics") == (
        "Configs for topic 't' are retention.ms=5\n"
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--entity-type topics --entity-name t --add-config nonsense=1", "Unknown topic config"),
        ("--entity-type topics --entity-name t --add-config retention.ms=x", "Not a number"),
        ("--entity-type clients --entity-name c --add-config nonsense=1", "Unknown Dynamic"),
        ("--entity-type clients --entity-name c --add-config request_percentage=x", "Not a number"),
        (
            "--entity-type clients --entity-name c --add-config SCRAM-SHA-256=[password=x]",
            "Unknown",
        ),
        ("--entity-type users --entity-name u --add-config retention.ms=5", "Unknown Dynamic"),
    ],
)
def test_what_old_settings_cannot_be_is_refused_and_nothing_is_stored(
    tree: FakeKazoo, capsys: pytest.CaptureFixture[str], words: str, text: str
) -> None:
    tree.nodes["/brokers/topics/t"] = b"{}"
    assert text in say(capsys, f"--alter {words}")
    assert list(tree.nodes) == ["/brokers/topics/t"]


def test_a_broker_that_runs_is_left_alone(
    tree: FakeKazoo, capsys: pytest.CaptureFixture[str]
) -> None:
    tree.nodes["/brokers/ids/2"] = b"{}"
    assert say(capsys, "--alter --broker 2 --add-config log.cleaner.threads=2") == (
        "requirement failed: --bootstrap-server option must be specified to update brokers "
        "configs: {add: {log.cleaner.threads=2}, delete: List()} - broker 2 is running. Broker "
        "configuration operations using ZooKeeper are only supported if the affected broker(s) "
        "are not running."
    )
    assert "1 brokers are running" in say(
        capsys, "--alter --broker-defaults --add-config log.cleaner.threads=2"
    )
    throttle = "leader.replication.throttled.rate=7"
    assert say(capsys, f"--alter --broker 2 --add-config {throttle}") == (
        "Completed Updating config for entity: brokers '2'.\n"
    )
    assert say(capsys, "--describe --broker 2") == f"Configs for brokers '2' are {throttle}\n"


def test_settings_of_a_stopped_broker_are_stored(
    tree: FakeKazoo, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--add-config log.cleaner.threads=2,password.encoder.secret=s"
    assert say(capsys, f"--alter --broker 2 {words}") == (
        "Completed updating config for entity: brokers '2'.\n"
    )
    assert say(capsys, "--describe --broker 2") == (
        "Configs for brokers '2' are log.cleaner.threads=2\n"
    )
    assert say(capsys, "--alter --broker-defaults --add-config max.connections=2") == (
        "Completed updating config for entity: default brokers.\n"
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--broker 2 --add-config broker.rack=x", "Cannot update these configs dynamically"),
        ("--broker 2 --add-config num.io.threads=x", "Not a number of type INT"),
        ("--broker-defaults --add-config ssl.client.auth=none", "at default cluster level"),
        (
            "--broker 2 --add-config listener.name.a.ssl.key.password=x",
            "passwords cannot be encrypted here",
        ),
        ("--broker 2 --delete-config num.io.threads", "Invalid config(s): num.io.threads"),
    ],
)
def test_settings_of_brokers_are_checked(
    tree: FakeKazoo, capsys: pytest.CaptureFixture[str], words: str, text: str
) -> None:
    assert text in say(capsys, f"--alter {words}")
