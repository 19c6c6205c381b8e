"""Every command that asks brokers, in both forms of command lines, of Apache Kafka 4 without
ZooKeeper; and while none of its nodes runs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.process.apache_kraft import NEWEST, USER, VERSION, KraftBroker
from tests.support.process.console import pko
from tests.support.process.secured_lines import (
    DELETED,
    GROUP,
    LINES,
    TO_DELETE,
    TOOLS,
    TOPIC,
    Line,
    keep_backup,
)

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]

INSTEAD = {
    "tokens": Line("tokens create -o json", f"User:{USER}"),
    "api-versions": Line("api-versions --diff", "Kafka 4.0 or newer", options=("-b", "")),
}
"""What is asked and answered otherwise than by a secured broker of Kafka 3.9."""
LOGIN = ("tokens", "kafka-delegation-tokens")
"""What wants a login."""
NOT_HERE = {"certs": "shows certificates of brokers, which have none here"}
KRAFT = (
    Line("quorum status", "LEADER"),
    Line("quorum replication", "leader"),
)
PREPARED = (
    f"topics create {TOPIC} -p 1",
    f"produce {TOPIC}",
    f"groups reset-offsets {GROUP} --topic {TOPIC} --to-latest --execute",
    "users add SCRAM-SHA-512-user --password",
    f"acls add SCRAM-SHA-256-user read topic:{TOPIC}",
)


class Kraft:
    """The broker, the directory that commands run in, and a login."""

    def __init__(self, broker: KraftBroker, directory: Path) -> None:
        self.broker, self.directory = broker, directory
        self.open = directory / "open.properties"
        self.open.touch()
        self.login = broker.client_properties(directory / "login.properties")

    def ask(self, line: Line, *more: str) -> subprocess.CompletedProcess[bytes]:
        secure = line.command in LOGIN
        where = self.broker.login if secure else self.broker.bootstrap
        file = self.login if secure else self.open
        argv = [*line.reach(where, file), *more]
        env = {**line.env(file), "XDG_STATE_HOME": str(self.directory)}
        return pko(*argv, text="a record\n", env=env, cwd=self.directory)


@pytest.fixture(scope="module", params=[VERSION, NEWEST])
def kraft(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Kraft]:
    base = tmp_path_factory.mktemp("kraft")
    secret = {"delegation.token.secret.key": "secret"}
    broker = KraftBroker(base / "data", secret, version=request.param)
    try:
        made = Kraft(broker.start(), base)
        for words in PREPARED:
            said = made.ask(Line(words, ""))
            assert said.returncode == 0, (words, said.stderr)
        (base / DELETED).write_text(TO_DELETE)
        keep_backup(base)
        yield made
    finally:
        broker.close()


EVERY = [INSTEAD.get(line.command, line) for line in LINES if line.command not in NOT_HERE]


def test_every_command_gets_its_answer(kraft: Kraft) -> None:
    wrong = []
    for line in (*EVERY, *KRAFT, *TOOLS):
        said = kraft.ask(line)
        told = (said.stdout + said.stderr).decode()
        if said.returncode or line.wanted not in told:
            wrong.append(f"{line.words}: exit code {said.returncode}: {told[-400:]}")
    assert not wrong, "\n".join(wrong)


def test_while_no_node_runs_every_command_says_so_in_a_line(kraft: Kraft) -> None:
    """This ends the broker: it is the last one here."""
    kraft.broker.kill()
    wrong = []
    lines = (*EVERY, *KRAFT)
    with ThreadPoolExecutor(8) as pool:  # each tries for a while
        heard = pool.map(lambda line: kraft.ask(line, "--timeout", "1s"), lines)
    for line, said in zip(lines, heard, strict=True):
        told = said.stderr.decode()
        if said.returncode != line.code or "refused" not in told + said.stdout.decode():
            wrong.append(f"{line.words}: exit code {said.returncode}: {told[-400:]}")
        if line.one_line and told.count("\n") != 1:
            wrong.append(f"{line.words}: not one line: {told}")
    assert not wrong, "\n".join(wrong)
