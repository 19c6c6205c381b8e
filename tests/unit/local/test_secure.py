"""Certificates and users of a secure cluster on this machine."""

from __future__ import annotations

import contextlib
import ssl
import stat
from pathlib import Path

import pytest

from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.local import children
from pykafka_ops.local.cluster import RECORD, LocalCluster
from pykafka_ops.local.secure import ADMIN, BROKER, SecureSetup, write_settings


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> SecureSetup:
    made = SecureSetup(tmp_path_factory.mktemp("cluster") / "secure")
    made.make()
    return made


def test_only_the_owner_reads_what_is_made(setup: SecureSetup) -> None:
    files = [setup.directory, *setup.directory.iterdir()]
    assert len(files) == 6
    assert all(stat.S_IMODE(file.stat().st_mode) & 0o077 == 0 for file in files)


def test_what_is_there_stays(setup: SecureSetup) -> None:
    before = {file: file.read_bytes() for file in setup.directory.iterdir()}
    setup.make()
    assert {file: file.read_bytes() for file in setup.directory.iterdir()} == before


def test_brokers_and_clients_trust_each_other(setup: SecureSetup) -> None:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(setup.broker_settings()["ssl.keystore.location"])
    client = ssl.create_default_context(cafile=str(setup.authority))
    ours, theirs = [(ssl.MemoryBIO(), ssl.MemoryBIO()) for _ in range(2)]
    sides = [
        server.wrap_bio(*ours, server_side=True),
        client.wrap_bio(*theirs, server_hostname="localhost"),
    ]
    for _ in range(4):
        for side, (_, out), (other, _) in ((sides[1], theirs, ours), (sides[0], ours, theirs)):
            with contextlib.suppress(ssl.SSLWantReadError):
                side.do_handshake()
            other.write(out.read())
    assert sides[1].getpeercert()


def test_users_have_passwords_of_their_own_that_stand_in_no_argument(
    setup: SecureSetup, tmp_path: Path
) -> None:
    assert setup.password(ADMIN) != setup.password(BROKER)
    cluster = LocalCluster(tmp_path, 1, secure=True)
    assert cluster.setup is not None
    cluster.setup.make()
    (broker,) = cluster.brokers
    arguments = " ".join(broker.argv(9092))
    assert "SASL_SSL://127.0.0.1:9092" in arguments
    assert cluster.setup.password(BROKER) not in arguments
    assert cluster.setup.password(BROKER) in str(cluster.setup.broker_settings())


def test_a_cluster_stays_secure_at_later_starts_and_one_without_tls_becomes_none(
    tmp_path: Path,
) -> None:
    record = {"version": 1, "brokers": 1, "settings": {}, "secure": True}
    children.write_record(tmp_path / RECORD, record)
    assert LocalCluster(tmp_path).setup is not None
    children.write_record(tmp_path / RECORD, {**record, "secure": False})
    assert LocalCluster(tmp_path).setup is None
    with pytest.raises(UsageError, match="a cluster without TLS: choose another directory"):
        LocalCluster(tmp_path, secure=True)


def test_damaged_passwords_are_named(tmp_path: Path) -> None:
    made = SecureSetup(tmp_path)
    (tmp_path / "passwords.json").write_text("{}")
    with pytest.raises(PkoError, match=r"passwords.json cannot be used"):
        made.password(ADMIN)


def test_a_file_of_settings_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    for value in ("1", "2"):
        write_settings(path, {"a": value})
        assert path.read_text() == f"a={value}\n"
    assert list(tmp_path.iterdir()) == [path]
