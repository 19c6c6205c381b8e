"""A mirror with a login that has the rights of docs/mirror.md, and no other."""

from __future__ import annotations

import re
import shlex
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pykafka_ops.client.acls import create_acls, delete_acls, describe_acls, exactly
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import pko
from tests.support.process.mirror import (
    MirrorProcess,
    client,
    mirror_file,
    numbers_in,
    partitions,
    status_rows,
    write_numbers,
)
from tests.support.waiting import free_port, wait_for

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
LOGIN = f'{PLAIN} username="mirror" password="m";'
SETTINGS = {
    "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
    "super.users": "User:ANONYMOUS",
    "sasl.enabled.mechanisms": "PLAIN",
    "listener.name.sasl_plaintext.plain.sasl.jaas.config": f'{PLAIN} user_mirror="m";',
    "group.initial.rebalance.delay.ms": 0,
}


class Guarded:
    """A broker that asks for a login at ``login``, and lets who comes by the other way do all."""

    def __init__(self, directory: Path) -> None:
        self.login = f"127.0.0.1:{free_port()}"
        self.broker = BrokerProcess(directory, SETTINGS)
        self.broker.also = [f"SASL_PLAINTEXT://{self.login}"]
        self.broker.start()
        self.client = client(self.broker.bootstrap)

    def close(self) -> None:
        self.client.close()
        self.broker.close()


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[dict[str, Guarded]]:
    """Source us and target eu, where the mirror has the rights that the page shows."""
    made = {"us": Guarded(tmp_path / "us"), "eu": Guarded(tmp_path / "eu")}
    lines = re.findall(r"^pko (acls add mirror .*) -b (\w\w)1:9092$", page(), re.M)
    assert len(lines) == 6
    for line, alias in lines:
        done = pko(*shlex.split(line), "-b", made[alias].broker.bootstrap)
        assert done.returncode == 0, done.stderr
    yield made
    for one in made.values():
        one.close()


@pytest.fixture
def run() -> Iterator[Callable[[Path], MirrorProcess]]:
    """Starts mirrors, and ends them."""
    made: list[MirrorProcess] = []

    def start(file: Path) -> MirrorProcess:
        made.append(MirrorProcess(file))
        return made[-1]

    yield start
    for one in made:
        one.end(signal.SIGKILL)


def page() -> str:
    return (ROOT / "docs" / "mirror.md").read_text()


def logged_in(path: Path, sides: dict[str, Guarded]) -> Path:
    file = mirror_file(path, sides["us"].login, sides["eu"].login, alias="us")
    text = "".join(
        f'[cluster.{alias}.settings]\n"security.protocol" = "SASL_PLAINTEXT"\n'
        f'"sasl.mechanism" = "PLAIN"\n"sasl.jaas.config" = \'{LOGIN}\'\n'
        for alias in ("us", "b")
    )
    file.write_text(file.read_text() + text)
    return file


def rule(topic: str, permission: Permission) -> AclBinding:
    place = ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL)
    who = "User:mirror" if permission is Permission.DENY else "User:bob"
    return AclBinding(place, AclEntry(who, "*", Operation.WRITE, permission))


def test_the_rights_of_the_page_are_enough_and_one_that_is_taken_is_told(
    sides: dict[str, Guarded], run: Callable[[Path], MirrorProcess], tmp_path: Path
) -> None:
    us, eu = sides["us"].client, sides["eu"].client
    create_topics(us, [NewTopic("t", 2, 1), NewTopic("u", 1, 1)])
    reading = AclEntry("User:bob", "*", Operation.READ, Permission.ALLOW)
    create_acls(us, [rule("t", Permission.ALLOW)._replace(entry=reading)])
    write_numbers(us, "t", range(100), 2)
    file = logged_in(tmp_path / "m.toml", sides)
    mirror = run(file)

    def arrived(topic: str, count: int) -> bool:
        return bool(partitions(eu, topic)) and numbers_in(eu, topic).total() >= count

    wait_for(lambda: arrived("us.t", 100), what="the records are there", poll=0.2)
    mine = [r for r in describe_acls(eu) if r.entry.principal == "User:bob"]
    assert [(r.resource.name, r.entry.operation) for r in mine] == [("us.t", Operation.READ)]

    def is_well() -> bool:
        link = mirror.link("us->b")
        said = link["offsets"].get("troubles")
        return link["troubles"] == {} and link["trouble"] is None and said == []

    wait_for(is_well, what="no right is missing", poll=0.2, about=mirror.lines)

    denied = rule("us.t", Permission.DENY)
    create_acls(eu, [denied])
    for topic in "tu":
        write_numbers(us, topic, range(100, 200), 1)
    wait_for(lambda: arrived("us.u", 100), what="the other topic goes on", poll=0.2)
    wait_for(
        lambda: any(p["trouble"] for p in mirror.link("us->b")["partitions"]),
        what="the trouble is told",
        poll=0.2,
    )
    file.write_text(file.read_text().replace("127.0.0.1:0", mirror.url.removeprefix("http://")))
    row = next(row for row in status_rows(file) if row["topic"] == "t")
    assert row["state"] == "stopped" and "TOPIC_AUTHORIZATION_FAILED" in row["trouble"]
    delete_acls(eu, [exactly(denied)])
    wait_for(lambda: arrived("us.t", 200), what="it goes on once that is allowed", poll=0.2)
    assert numbers_in(eu, "us.t").total() == 200
