"""Passwords among dynamic settings: Apache Kafka's broker and ours, one after the other in the same
place, read what the other has encrypted, and encrypt it anew when the secret changes."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from kazoo.client import KazooClient

from pykafka_ops.errors import SettingError
from pykafka_ops.security.password_encoder import PasswordEncoder
from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.process.certificates import PASSWORD, Authority
from tests.support.process.console import pko
from tests.support.waiting import free_port, wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]

LISTENERS = ("FIRST", "SECOND")


class Place:
    """Broker 0 and its two listeners with TLS, whose key stores dynamic settings name, and
    those of :attr:`static`."""

    def __init__(self, directory: Path, zookeeper: ZooKeeper, stack: ExitStack) -> None:
        self.directory, self.zookeeper, self._stack = directory, zookeeper, stack
        self.authority = Authority(directory)
        self.port = free_port()
        self.ports = {name: free_port() for name in LISTENERS}
        self.static = {
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": str(self.store("begin")),
            "ssl.keystore.password": PASSWORD,
            "ssl.key.password": PASSWORD,
        }

    def store(self, name: str) -> Path:
        """A key store of that name; all are for the same owner."""
        pem = self.authority.issue("broker")
        made = self.authority.pkcs12(pem).rename(self.directory / f"{name}.p12")
        pem.rename(self.directory / f"{name}.pem")
        return made

    def shows(self, listener: str, name: str) -> bool:
        """Whether a listener shows the certificate of the store of that name."""
        text = (self.directory / f"{name}.pem").read_text()
        shown = ssl.get_server_certificate(("127.0.0.1", self.ports[listener]))
        return ssl.PEM_cert_to_DER_cert(shown) == ssl.PEM_cert_to_DER_cert(
            text[text.index("-----BEGIN CERTIFICATE") :].partition("-----END")[0]
            + "-----END CERTIFICATE-----\n"
        )

    def start(self, kind: str, **secrets: str) -> ApacheBroker | BrokerProcess:
        """A broker of that kind, started; ``secrets`` are settings with _ for dots."""
        where = self.directory / "data"
        settings = {
            "broker.id": 0,
            "zookeeper.connect": self.zookeeper.connect,
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,FIRST:SSL,SECOND:SSL",
            **self.static,
            **{f"password.encoder.{name}".replace("_", "."): v for name, v in secrets.items()},
        }
        also = [f"{name}://127.0.0.1:{port}" for name, port in self.ports.items()]
        made: ApacheBroker | BrokerProcess
        if kind == "apache":
            made = ApacheBroker(where, self.zookeeper, settings, heap="256M")
            made.overrides["listeners"] = ",".join([f"PLAINTEXT://127.0.0.1:{self.port}", *also])
        else:
            made = BrokerProcess(where, settings)
            made.also = also
        made.port = self.port
        self._stack.callback(made.close)
        made.start()
        return made

    def use(self, listener: str, name: str) -> None:
        """Have a listener use the store of that name, by dynamic settings."""
        prefix = f"listener.name.{listener.lower()}.ssl."
        (self.directory / "change.properties").write_text(
            f"{prefix}keystore.type=PKCS12\n{prefix}keystore.location={self.store(name)}\n"
            f"{prefix}keystore.password={PASSWORD}\n{prefix}key.password={PASSWORD}\n"
        )
        words = ("-f", str(self.directory / "change.properties"), "--yes")
        said = pko("configs", "set", "brokers", "0", *words, "-b", f"127.0.0.1:{self.port}")
        assert said.returncode == 0, said.stderr
        wait_for(lambda: self.shows(listener, name), what=f"{listener} with {name}")

    def stored(self) -> dict[str, str]:
        """The passwords as they stand in ZooKeeper."""
        client = KazooClient(self.zookeeper.connect)
        client.start()
        try:
            config = json.loads(client.get("/config/brokers/0")[0])["config"]
        finally:
            client.stop()
            client.close()
        return {name: text for name, text in config.items() if name.endswith("password")}

    def sealed_by(self, secret: str) -> int:
        """How many passwords are encrypted by it alone."""
        count = 0
        for text in self.stored().values():
            try:
                assert PasswordEncoder(secret).decode(text) == PASSWORD
            except SettingError:
                continue
            count += 1
        return count


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with ExitStack() as stack:
        zookeeper = ZooKeeper(tmp_path / "zookeeper").start()
        stack.callback(zookeeper.close)
        # Apache Kafka encrypts anew only where another broker is controller meanwhile.
        other = {"broker.id": 1, "zookeeper.connect": zookeeper.connect}
        controller = BrokerProcess(tmp_path / "other", other)
        stack.callback(controller.close)
        controller.start()
        yield Place(tmp_path, zookeeper, stack)


def test_each_kind_reads_what_the_other_encrypted_also_by_a_secret_of_before(place: Place) -> None:
    theirs = place.start("apache", secret="one")
    place.use("FIRST", "by-apache")
    assert place.sealed_by("one") == 2
    theirs.stop()
    place.static = {f"listener.name.second.{name}": v for name, v in place.static.items()}
    ours = place.start("pko", secret="two", old_secret="one")
    assert place.shows("FIRST", "by-apache")
    assert (place.sealed_by("one"), place.sealed_by("two")) == (0, 2)
    place.use("SECOND", "by-pko")
    ours.stop()
    place.static.clear()
    theirs = place.start("apache", secret="three", old_secret="two")
    assert place.shows("FIRST", "by-apache")
    assert place.shows("SECOND", "by-pko")
    assert (place.sealed_by("two"), place.sealed_by("three")) == (0, 4)
    theirs.stop()
    before = place.stored()
    ours = place.start("pko", secret="three", old_secret="two")
    assert place.shows("FIRST", "by-apache")
    assert place.shows("SECOND", "by-pko")
    assert place.stored() == before, "what the secret of now reads stays as it is"
    assert PASSWORD not in ours.log.read_text()
