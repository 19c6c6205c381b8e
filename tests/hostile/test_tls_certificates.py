"""Whatever certificate a client shows, it comes in as who Java says, or is refused in one line."""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pykafka_ops.broker.runtime.log_lines import CONTROLS
from tests.support.java import java_kit
from tests.support.process import certificates
from tests.support.process.client_certificates import Identity, Signer, bad, common, odd
from tests.support.process.commands import pko
from tests.support.process.tls_broker import TlsBroker, context
from tests.support.waiting import PATIENCE, wait_for
from tests.support.wire import raw
from tests.support.wire.raw import request

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
RULES = "RULE:^CN=(.*?),OU=mapped$/$1@ops/L,DEFAULT"
WHO = re.compile(
    r"ApiVersions v0 of client \S+ \((.*)\) at 127\.0\.0\.1, connection \d+ on CLOSED: "
)
WHY = re.compile(r"(?:is not trusted|handshake failed): (.*?)(?: \(.*)?$")


class Site(NamedTuple):
    """A broker whose listener CLOSED lets those in that ``signer`` knows."""

    broker: TlsBroker
    signer: Signer
    directory: Path

    def said(self, since: int = 0) -> str:
        return self.broker.log.read_bytes()[since:].decode(errors="replace")

    @property
    def size(self) -> int:
        return self.broker.log.stat().st_size

    def comes_in(self, who: Identity) -> bool:
        """Whether a client with this certificate gets an answer; the connection is closed."""
        made = context(self.broker.authority)
        made.load_cert_chain(who.write(self.directory / "client.pem"))
        plain = socket.create_connection(("127.0.0.1", self.broker.closed_port), PATIENCE)
        with (
            contextlib.suppress(ssl.SSLError, ConnectionError),
            made.wrap_socket(plain, server_hostname="localhost") as client,
        ):
            client.sendall(request(raw.API_VERSIONS, 0))
            return len(client.recv(4)) == 4
        plain.close()
        return False


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp("certificates")
    signer = Signer()
    broker = TlsBroker(
        directory / "broker",
        {
            "listener.name.closed.ssl.truststore.location": signer.write(directory / "ca.pem"),
            "listener.name.closed.ssl.principal.mapping.rules": RULES,
        },
    )
    broker.overrides["ssl.keystore.location"] = broker.authority.encrypted(broker.key)
    broker.overrides["ssl.key.password"] = certificates.PASSWORD
    try:
        broker.start()
        done = pko(
            "configs", "--bootstrap-server", broker.bootstrap, "--alter", "--entity-type",
            "broker-loggers", "--entity-name", "0", "--add-config", "kafka.request.logger=DEBUG",
        )  # fmt: skip
        assert done.code == 0, done.err
        yield Site(broker, signer, directory)
    finally:
        broker.close()


@pytest.fixture
def harmed(site: Site) -> Iterator[Site]:
    """Others who are in notice nothing, and no log has what is secret."""
    made = context(site.broker.authority)
    made.load_cert_chain(site.signer.issue(common("bystander")).write(site.directory / "by.pem"))
    plain = socket.create_connection(("127.0.0.1", site.broker.closed_port), PATIENCE)
    with (
        made.wrap_socket(plain, server_hostname="localhost") as other,
        raw.Connection(site.broker.bootstrap) as another,
    ):
        yield site
        other.sendall(request(raw.API_VERSIONS, 0))
        assert other.recv(4)
        assert another.ask(request(raw.API_VERSIONS, 0))
    text = site.said()
    key = site.broker.authority.encrypted(site.broker.key).read_text().splitlines()[3]
    for secret in ("Traceback", "PRIVATE KEY", certificates.PASSWORD, key):
        assert secret not in text


def java_says(site: Site, shown: list[Identity]) -> list[str | None]:
    """The user of each in Apache Kafka, None for those that it refuses."""
    argv = ["java", *java_kit.BRIEF_JVM, "-cp", java_kit.compiled("CertificateDriver")]
    argv += ["CertificateDriver", str(site.directory / "ca.pem"), RULES]
    asked = "".join(" ".join(der.hex() for der in who.der()) + "\n" for who in shown)
    done = subprocess.run(argv, input=asked, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: list[str | None] = []
    for line in done.stdout.splitlines():
        verdict, _, user = line.partition("\t")
        found.append(bytes.fromhex(user).decode() if verdict == "accepted" else None)
    return found


@pytest.mark.java
def test_a_client_with_an_odd_name_is_who_java_says(harmed: Site) -> None:
    shown = odd(harmed.signer)
    expected = dict(zip(shown, java_says(harmed, list(shown.values())), strict=True))
    found = {}
    for kind, who in shown.items():
        since = harmed.size
        assert harmed.comes_in(who), kind
        (named,) = wait_for(lambda s=since: WHO.findall(harmed.said(s)), what=kind)
        found[kind] = named
    assert found == {kind: f"User:{user}".translate(CONTROLS) for kind, user in expected.items()}
    assert "\n[2026-01-01" not in harmed.said()


@pytest.mark.java
def test_who_may_not_come_in_is_refused_in_one_line_as_by_java(harmed: Site) -> None:
    shown = bad(harmed.signer)
    refused = dict(zip(shown, java_says(harmed, [who for who, _ in shown.values()]), strict=True))
    assert {kind for kind, user in refused.items() if user is not None} <= {"200 KB of hosts"}
    since = harmed.size
    for kind, (who, _) in shown.items():
        assert not harmed.comes_in(who), kind
    texts = Counter(text for _, text in shown.values())
    wait_for(lambda: texts.keys() <= told(harmed.said(since)).keys(), what="a line for each")
    found = told(harmed.said(since))
    assert found.keys() == texts.keys()
    assert found <= texts  # of the same reason there may be one line


def told(log: str) -> Counter[str]:
    """Why handshakes on the listener failed, and how many lines say so."""
    lines = [line for line in log.splitlines() if "listener CLOSED: 127.0.0.1: " in line]
    return Counter(why[1] for line in lines if (why := WHY.search(line)))
