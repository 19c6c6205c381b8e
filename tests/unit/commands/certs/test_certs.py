"""``pko certs``: what is made is taken, and what brokers show is told."""

import json
import shutil
import ssl
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.security.certificates import from_pem, host_names, issuer, subject, validity
from pykafka_ops.security.keystores import read_store
from tests.support.golden.transcripts import Said, run
from tests.support.memory.client_clock import client_clock
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]
DAY_MS = 86_400_000


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with an authority, and certificates: good, old and of another host."""
    directory = tmp_path_factory.mktemp("issued")
    for line in (
        "ca --days 400",
        "issue good --host 127.0.0.1 --host localhost --days 100",
        "issue old --host 127.0.0.1 --ended",
        "issue other --host other.example --days 10",
    ):
        said = run("certs", *line.split(), "--dir", str(directory))
        assert said.code == 0, said.stderr
    return directory


@pytest.fixture
def made(issued: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(issued, tmp_path / "tls"))


@pytest.fixture
def start(made: Path) -> Iterator[Callable[[str], FakeBroker]]:
    """Start a broker that shows a certificate."""
    running: list[FakeBroker] = []

    def go(name: str) -> FakeBroker:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(made / f"{name}.pem")
        running.append(FakeBroker(len(running), tls=context))
        return running[-1]

    with client_clock():
        yield go
    for broker in running:
        broker.close()


def expiry(pko: Pko, made: Path, where: str, *more: str) -> tuple[Said, list[dict[str, Any]]]:
    said = pko(f"certs expiry -b {where} -o json "
               f"-X ssl.truststore.location={made / 'ca.pem'}", *more)  # fmt: skip
    return said, json.loads(said.stdout)["items"] if said.stdout else []


def test_what_is_made_says_who_and_how_long(made: Path) -> None:
    _, good, authority = "", *from_pem((made / "good.pem").read_text())
    assert (subject(good), issuer(good)) == ("CN=good", "CN=pko test authority")
    assert sorted(host_names(good)) == ["127.0.0.1", "localhost"]
    assert subject(authority) == issuer(authority) == "CN=pko test authority"
    begins, ends = validity(good)
    assert ends - begins == 101 * DAY_MS
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in made.glob("*.*")}
    assert (modes["ca.key"], modes["ca.pem"], modes["good.pem"]) == (0o600, 0o644, 0o600)


def test_stores_for_java_hold_the_same(tmp_path: Path, pko: Pko) -> None:
    (tmp_path / "word").write_text("a password\n")
    word = f"--dir {tmp_path} --password-file {tmp_path / 'word'} --jks"
    assert pko(f"certs ca {word}").code == 0
    assert pko(f"certs issue alice {word}").code == 0
    for kind in ("p12", "jks"):
        key = read_store(str(tmp_path / f"alice.{kind}"), "a password", keys=True)
        assert "PRIVATE KEY" in key
        chain = [subject(der) for der in from_pem(key)]
        assert set(chain) == {"CN=alice", "CN=pko test authority"}
        trust = read_store(str(tmp_path / f"ca.{kind}"), "a password", keys=False)
        assert [subject(der) for der in from_pem(trust)] == ["CN=pko test authority"]


@pytest.mark.java
def test_java_opens_its_stores(tmp_path: Path, pko: Pko) -> None:
    (tmp_path / "word").write_text("a password\n")
    word = f"--dir {tmp_path} --password-file {tmp_path / 'word'} --jks"
    assert pko(f"certs ca {word}").code == 0
    assert pko(f"certs issue alice {word}").code == 0
    for name, entry in (("alice", "PrivateKeyEntry"), ("ca", "trustedCertEntry")):
        for kind in ("p12", "jks"):
            argv = ["keytool", "-list", "-keystore", str(tmp_path / f"{name}.{kind}")]
            said = subprocess.run([*argv, "-storepass", "a password", "-storetype", "JKS"],
                                  capture_output=True, text=True)  # fmt: skip
            assert entry in said.stdout, said.stdout


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("issue good", "is there already: remove it first"),
        ("ca", "is there already: remove it first"),
        ("issue x/y", "x/y: write letters"),
        ("issue ca", "and not ca"),
        ("issue new --host höst", "write it in ASCII"),
        ("issue new --days 99999999", "the calendar ends before"),
        ("issue new --jks", "such a store has a password"),
        ("issue new --password-env NONE", "there is no password"),
    ],
)
def test_what_cannot_be_made_is_told_and_nothing_is_written(
    made: Path, pko: Pko, line: str, text: str
) -> None:
    before = {path: path.read_bytes() for path in made.iterdir()}
    said = pko(f"certs {line} --dir {made}")
    assert (said.code, said.stderr.count("\n")) == (2, 1), said.stderr
    assert text in said.stderr
    assert {path: path.read_bytes() for path in made.iterdir()} == before


def test_an_authority_that_is_torn_is_told(made: Path, pko: Pko) -> None:
    (made / "ca.pem").write_text("nothing")
    said = pko(f"certs issue new --dir {made}")
    assert (said.code, "are not those of pko certs ca" in said.stderr) == (2, True)


def test_the_end_of_each_brokers_certificate_is_told(
    made: Path, pko: Pko, start: Callable[[str], FakeBroker]
) -> None:
    first, second = start("good"), start("other")
    first.peers = second.peers = [first, second]
    said, rows = expiry(pko, made, first.bootstrap)
    assert said.code == 0
    assert [(r["broker"], r["days"], r["trusted"]) for r in rows] == [(0, 99, True), (1, 9, False)]
    assert "IP address mismatch" in rows[1]["why"]
    assert rows[0]["subject"] == "CN=good"
    said, _ = expiry(pko, made, first.bootstrap, "--fail-on", "days<30")
    assert (said.code, said.stderr) == (
        4, f"pko: --fail-on: address {second.bootstrap}: days 9\n",
    )  # fmt: skip
    assert expiry(pko, made, first.bootstrap, "--fail-on", "days<5")[0].code == 0
    assert expiry(pko, made, first.bootstrap, "--fail-on", "trusted=false")[0].code == 4


def test_a_certificate_that_has_ended_is_shown_though_nobody_gets_in(
    made: Path, pko: Pko, start: Callable[[str], FakeBroker]
) -> None:
    old = start("old")
    said, (row,) = expiry(pko, made, old.bootstrap)
    assert (row["days"], row["trusted"], row["broker"]) == (-2, False, None)
    assert "expired" in row["why"]
    assert said.code == 1
    assert json.loads(said.stdout)["errors"][0]["item"] == "other brokers of the cluster"
    assert expiry(pko, made, old.bootstrap, "--fail-on", "days<30")[0].code == 4
    assert expiry(pko, made, old.bootstrap, "--fail-on", "days<-100")[0].code == 4


def test_a_broker_that_is_gone_fails_the_check(
    made: Path, pko: Pko, start: Callable[[str], FakeBroker]
) -> None:
    first, gone = start("good"), start("good")
    first.peers = [first, gone]
    gone.close()
    said, rows = expiry(pko, made, first.bootstrap)
    assert (said.code, [row["broker"] for row in rows]) == (1, [0])
    assert expiry(pko, made, first.bootstrap, "--fail-on", "days<1")[0].code == 4


def test_certificates_are_asked_for_over_tls_alone(pko: Pko) -> None:
    said = pko("certs expiry -b 127.0.0.1:1 -X security.protocol=PLAINTEXT")
    assert said.code == 2
    assert "certificates are shown over SSL and SASL_SSL" in said.stderr
