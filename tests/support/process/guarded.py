"""A broker with users, rights, delegation tokens, and a listener of each kind: ours, or Apache
Kafka's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support.golden.transcripts import Said, run_patiently
from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.process.certificates import Authority
from tests.support.waiting import free_port

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required"
USERS = {"admin": "a-word", "alice": "w0nder", "bob": "b-word"}
"""Those that PLAIN knows; admin and who does not log in (PLAINTEXT) are super users."""


class GuardedKafka:
    """``broker`` with its settings; ``where`` is a listener's address, by its protocol."""

    def __init__(self, directory: Path, broker: ApacheBroker | BrokerProcess) -> None:
        self.directory, self.broker = directory, broker
        self.authority = Authority(directory)
        self.ports = {p: free_port() for p in ("SASL_PLAINTEXT", "SSL", "SASL_SSL")}
        more = [f"{p}://127.0.0.1:{port}" for p, port in self.ports.items()]
        broker.overrides = self._settings()
        if isinstance(broker, BrokerProcess):
            broker.also = more
        else:
            listeners = [f"PLAINTEXT://127.0.0.1:{broker.port}", *more]
            broker.overrides["listeners"] = ",".join(listeners)

    def _settings(self) -> dict[str, object]:
        known = " ".join(f'user_{name}="{word}"' for name, word in USERS.items())
        found: dict[str, object] = {
            "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
            "super.users": "User:ANONYMOUS;User:admin",
            "delegation.token.secret.key": "a secret of the brokers",
            "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": self.authority.issue("broker"),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": self.authority.ca,
            "listener.name.ssl.ssl.client.auth": "required",
        }
        for name in ("sasl_plaintext", "sasl_ssl"):
            prefix = f"listener.name.{name}"
            found[f"{prefix}.plain.sasl.jaas.config"] = (
                f'{PLAIN} username="admin" password="{USERS["admin"]}" {known};'
            )
            found[f"{prefix}.scram-sha-256.sasl.jaas.config"] = f"{SCRAM};"
        return found

    def where(self, protocol: str) -> str:
        return f"127.0.0.1:{self.ports.get(protocol, self.broker.port)}"

    def login(self, name: str, password: str | None = None, **properties: str) -> Path:
        """A file of client settings: SASL_PLAINTEXT and PLAIN unless ``properties`` say more."""
        word = USERS[name] if password is None else password
        more = {k.replace("_", "."): v for k, v in properties.items()}
        module = SCRAM if more.get("sasl.mechanism", "").startswith("SCRAM") else PLAIN
        settings = {
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": f'{module} username="{name}" password="{word}";',
            **more,
        }
        path = self.directory / f"{name}.properties"
        path.write_text("".join(f"{k}={v}\n" for k, v in settings.items()))
        return path

    def as_user(self, login: Path, *words: str, protocol: str = "SASL_PLAINTEXT") -> Said:
        """Run pko, logged in as the file says."""
        reach = ("-b", self.where(protocol), "--command-config", str(login))
        return run_patiently(*words, *reach)

    def as_admin(self, *words: str) -> Said:
        """Run pko as a super user."""
        return run_patiently(*words, "-b", self.where("PLAINTEXT"))


@contextmanager
def guarded_kafka(directory: Path, kind: str) -> Iterator[GuardedKafka]:
    """A fresh one that is up: "pko", or "apache" and its ZooKeeper."""
    with ExitStack() as after:
        if kind == "pko":
            ours = BrokerProcess(directory / "broker-0")
            made = GuardedKafka(directory, ours)
        else:
            zookeeper = ZooKeeper(directory).start()
            after.callback(zookeeper.close)
            made = GuardedKafka(directory, ApacheBroker(directory / "broker-0", zookeeper))
        after.callback(made.broker.close)
        made.broker.start()
        yield made
