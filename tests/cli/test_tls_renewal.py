"""Certificates of a running broker are renewed: by a changed file, by a changed setting."""

from __future__ import annotations

import shutil
import socket
import ssl
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from pykafka_ops.security.certificates import from_pem
from tests.support.process import certificates
from tests.support.process.certificates import Authority
from tests.support.process.commands import Said, pko
from tests.support.process.tls_broker import TlsBroker, context
from tests.support.waiting import PATIENCE, wait_for
from tests.support.wire import raw

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
KEY_STORE = "listener.name.open.ssl.keystore.location"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsBroker]:
    directory = tmp_path_factory.mktemp("renewed")
    trust = directory / "trust.pem"
    found = TlsBroker(
        directory, {"ssl.truststore.location": trust, "ssl.allow.dn.changes": "false"}
    )
    shutil.copyfile(found.authority.ca, trust)
    try:
        yield found.start()
    finally:
        found.close()


def connected(broker: TlsBroker, port: int, key: Path | None = None) -> ssl.SSLSocket:
    plain = socket.create_connection(("127.0.0.1", port), PATIENCE)
    return context(broker.authority, key).wrap_socket(plain, server_hostname="localhost")


def shown(broker: TlsBroker, port: int) -> bytes | None:
    """The certificate that a new client sees."""
    with connected(broker, port) as client:
        return client.getpeercert(True)


def shows(broker: TlsBroker, expected: bytes) -> bool:
    """Whether a new client sees this certificate, on the listener for everybody."""
    return shown(broker, broker.open_port) == expected


def der(path: Path) -> bytes:
    """The first certificate in a file."""
    return from_pem(path.read_text())[0]


def asks(client: ssl.SSLSocket) -> bool:
    """Whether it gets an answer; with TLS 1.3 a client hears only then that it is not let in."""
    try:
        client.sendall(raw.request(raw.API_VERSIONS, 0))
        return len(client.recv(4096)) > 0
    except (ConnectionError, ssl.SSLError):
        return False


def configs(broker: TlsBroker, *words: str) -> Said:
    return pko("configs", "set", "brokers", "0", *words, "-b", broker.bootstrap)


def test_a_changed_file_counts_for_new_connections(broker: TlsBroker) -> None:
    first = der(broker.key)
    assert shown(broker, broker.open_port) == first
    with connected(broker, broker.open_port) as old:
        broker.authority.issue("broker")  # the same name, in the same file
        second = der(broker.key)
        assert second != first
        wait_for(lambda: shown(broker, broker.open_port) == second, what="the new certificate")
        wait_for(lambda: shown_is_new(broker, second), what="it on the other listener")
        assert asks(old)


def shown_is_new(broker: TlsBroker, expected: bytes) -> bool:
    """On the listener that needs a certificate of the client."""
    with connected(broker, broker.closed_port, broker.authority.issue("client")) as client:
        return client.getpeercert(True) == expected


def test_a_file_that_cannot_be_used_leaves_the_old_certificate(broker: TlsBroker) -> None:
    whole = broker.key.read_text()
    before = shown(broker, broker.open_port)
    broker.key.write_text("nothing")
    wait_for(
        lambda: "listener OPEN goes on with its old certificate" in broker.log.read_text(),
        what="a line in the log",
    )
    assert shown(broker, broker.open_port) == before
    broker.key.write_text(whole)


def test_a_changed_setting_counts_at_once_or_is_refused(broker: TlsBroker, tmp_path: Path) -> None:
    before = shown(broker, broker.open_port)
    said = configs(broker, f"{KEY_STORE}={tmp_path / 'nowhere.pem'}")
    assert said.code == 1
    assert "nowhere.pem: No such file or directory" in said.err + said.out
    stranger = Authority(tmp_path).issue("stranger")
    said = configs(broker, f"{KEY_STORE}={stranger}")
    assert said.code == 1
    assert "Keystore DistinguishedName does not match" in said.err + said.out
    assert shown(broker, broker.open_port) == before
    moved = tmp_path / "moved.pem"
    other = broker.authority.issue("broker")
    shutil.copyfile(other, moved)
    said = configs(broker, f"{KEY_STORE}={moved}")
    assert said.code == 0, said.err
    wait_for(lambda: shown(broker, broker.open_port) == der(moved), what="the new certificate")


def test_authorities_come_and_go(broker: TlsBroker, tmp_path: Path) -> None:
    old = broker.authority.issue("old")
    other = Authority(tmp_path)
    new = other.issue("new")

    def let_in(key: Path) -> bool:
        try:
            with connected(broker, broker.closed_port, key) as client:
                return asks(client)
        except (ConnectionError, ssl.SSLError):
            return False

    assert (let_in(old), let_in(new)) == (True, False)
    trust = broker.authority.directory / "trust.pem"
    shutil.copyfile(other.ca, trust)
    wait_for(lambda: let_in(new), what="the new authority")
    assert not let_in(old)


def in_settings(pem: Path, prefix: str, gap: str) -> dict[str, str]:
    """A key and its certificates as settings, on one line each where ``gap`` is none."""
    key, begin, chain = pem.read_text().partition("-----BEGIN CERTIFICATE-----")
    texts = {"key": key, "certificate.chain": begin + chain}
    return {
        f"{prefix}ssl.keystore.{name}": gap.join(text.splitlines()) for name, text in texts.items()
    }


def test_pem_in_settings_is_renewed_and_kept_encrypted(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    first = in_settings(authority.issue("broker"), "", " ")
    settings = {"ssl.keystore.location": "", "password.encoder.secret": "x", **first}
    broker = TlsBroker(tmp_path / "broker", dict(settings), authority)
    try:
        broker.start()
        for gap in ("\n", " "):
            new = authority.issue("broker")
            renewed = in_settings(new, "listener.name.open.", gap)
            done = configs(broker, *(f"{name}={text}" for name, text in renewed.items()))
            assert done.code == 0, done.err
            wait_for(partial(shows, broker, der(new)), what="the new certificate")
        stranger = in_settings(authority.issue("stranger"), "listener.name.open.", "\n")
        refused = configs(broker, *(f"{name}={text}" for name, text in stranger.items()))
        assert "Keystore DistinguishedName does not match" in refused.err
        alone = configs(broker, f"listener.name.open.ssl.keystore.location={new}")
        assert "Both SSL key store location and separate private key" in alone.err
        broker.restart()
        assert shown(broker, broker.open_port) == der(new)
        stored = b"".join(p.read_bytes() for p in broker.data_dir.glob("*") if p.is_file())
        assert b"BEGIN PRIVATE KEY" not in stored
        assert "BEGIN PRIVATE KEY" not in broker.log.read_text()
    finally:
        broker.close()
