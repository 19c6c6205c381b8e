"""Lines for every command that asks brokers, on Apache Kafka 4 without ZooKeeper."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.support.process.apache_kraft import USER, KraftBroker
from tests.support.process.console import pko
from tests.support.process.secured_lines import (
    DELETED,
    GROUP,
    LINES,
    TO_DELETE,
    TOPIC,
    Line,
    keep_backup,
)

INSTEAD = {
    "tokens": Line("tokens create -o json", f"User:{USER}"),
    "api-versions": Line("api-versions --diff", "Kafka 4.0 or newer", options=("-b", "")),
}
"""What is asked and answered otherwise than by a secured broker of Kafka 3.9."""
LOGIN = ("tokens", "kafka-delegation-tokens")
"""What wants a login."""
NOT_HERE = {"certs": "shows certificates of brokers, which have none here"}
EVERY = [INSTEAD.get(line.command, line) for line in LINES if line.command not in NOT_HERE]
KRAFT = (
    Line("quorum status", "LEADER"),
    Line("quorum replication", "leader"),
)
PREPARED = (
    f"produce {TOPIC}",
    f"groups reset-offsets {GROUP} --topic {TOPIC} --to-latest --execute",
    "users add SCRAM-SHA-512-user --password",
    f"acls add SCRAM-SHA-256-user read topic:{TOPIC}",
)


class Kraft:
    """A cluster, the directory that commands run in, and a login. ``bootstrap`` and ``login_at``
    are the addresses of its brokers, without and with a login."""

    def __init__(self, broker: KraftBroker, directory: Path) -> None:
        self.broker, self.directory = broker, directory
        self.bootstrap, self.login_at = broker.bootstrap, broker.login
        self.open = directory / "open.properties"
        self.open.touch()
        self.login = broker.client_properties(directory / "login.properties")

    def prepare(self, replicas: Sequence[int] = ()) -> None:
        """Make what the lines name, the topic on ``replicas`` (the first leads by preference)."""
        places = f"--replica-assignment {':'.join(map(str, replicas))}" if replicas else "-p 1"
        for words in (f"topics create {TOPIC} {places}", *PREPARED):
            said = self.ask(Line(words, ""))
            assert said.returncode == 0, (words, said.stderr)
        (self.directory / DELETED).write_text(TO_DELETE)
        keep_backup(self.directory)

    def ask(self, line: Line, *more: str) -> subprocess.CompletedProcess[bytes]:
        secure = line.command in LOGIN
        where = self.login_at if secure else self.bootstrap
        file = self.login if secure else self.open
        argv = [*line.reach(where, file), *more]
        env = {**line.env(file), "XDG_STATE_HOME": str(self.directory)}
        return pko(*argv, text="a record\n", env=env, cwd=self.directory)
