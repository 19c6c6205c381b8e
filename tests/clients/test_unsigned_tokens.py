"""Tokens of OAUTHBEARER that nobody has signed, for tests: on a listener that takes them every
library and every command is who its token says; elsewhere they let nobody in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.wire.codes import ErrorCode
from tests.support.clients.base import Message, RefusedError
from tests.support.clients.entries import BEARER, Entry, Login, java
from tests.support.clients.libraries import JAVA, PYTHON, Libraries
from tests.support.process import certificates
from tests.support.process.console import pko
from tests.support.process.every_way import UNSIGNED, EveryWay, every_way, prefix_of, user_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
LIBRARIES = [*PYTHON, *(pytest.param(name, marks=pytest.mark.java) for name in JAVA)]
SITES = ["pko", pytest.param("apache", marks=pytest.mark.java)]
USER = user_of("", BEARER)
(DOOR,) = UNSIGNED
SIGNED = "SASL_PLAINTEXT"


@pytest.fixture(scope="module", params=SITES)
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EveryWay]:
    with every_way(tmp_path_factory.mktemp("unsigned"), request.param, doors=UNSIGNED) as made:
        yield made


@pytest.fixture(scope="module")
def libraries(site: EveryWay) -> Iterator[Libraries]:
    made = Libraries(site.provider.tokens_url)
    yield made
    made.close()


def entry(site: EveryWay, way: str = DOOR) -> Entry:
    return site.entry(way, Login(BEARER, USER, ""))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_client_is_who_its_token_says(site: EveryWay, libraries: Libraries, library: str) -> None:
    topic = f"{prefix_of(USER)}unsigned.{library}"
    client = libraries.client(library, entry(site))
    with pytest.raises(RefusedError) as refused:
        client.create_topic(f"not-of-{topic}")
    assert refused.value.code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    client.create_topic(topic)
    assert client.produce(topic, [Message(b"v")]) == [0]
    assert [each.message.value for each in client.consume_in_group(topic, topic, 1)] == [b"v"]


def file(site: EveryWay, directory: Path, way: str, **options: str) -> tuple[str, ...]:
    """How a command gets in there; ``options`` are more of the login module's."""
    found = java(entry(site, way))
    more = "".join(f' {name}="{value}"' for name, value in options.items())
    found["sasl.jaas.config"] = found["sasl.jaas.config"].replace(";", f"{more};")
    path = directory / "client.properties"
    path.write_text("".join(f"{k}={v}\n" for k, v in found.items() if k != "bootstrap.servers"))
    return ("-b", site.where(way), "--command-config", str(path))


def test_a_command_is_who_its_token_says(site: EveryWay, tmp_path: Path) -> None:
    reach, topic = file(site, tmp_path, DOOR), f"{prefix_of(USER)}command"
    made = pko("produce", topic, "--create", *reach, text="v\n")
    assert (made.returncode, made.stderr) == (0, f"1 record: {topic}-0 at 0\n".encode())
    read = pko("consume", topic, "--from-beginning", "-n", "1", *reach)
    assert (read.returncode, read.stdout) == (0, b"v\n"), read.stderr
    listed = pko("topics", "list", "-o", "name", *reach)
    assert topic.encode() in listed.stdout
    refused = pko("topics", "create", "another", *reach)
    assert refused.returncode == 3
    assert b"another: not allowed: this login needs create on the topic" in refused.stderr


@pytest.mark.parametrize(
    ("way", "options", "why"),
    [
        (SIGNED, {}, "is the token one that the brokers expect"),
        (DOOR, {"unsecuredLoginLifetimeSeconds": "0"}, "its token ended at"),
    ],
)
def test_a_token_that_does_not_count_is_refused_at_the_first_try(
    site: EveryWay, tmp_path: Path, way: str, options: dict[str, str], why: str
) -> None:
    reach = file(site, tmp_path, way, **options)
    for line in ("topics list", "produce any", "consume any"):
        said = pko(*line.split(), *reach, "--debug", text="v\n")
        told = said.stderr.decode()
        assert said.returncode == 3, told
        assert f"refuses the login of {USER} by OAUTHBEARER" in told
        assert why in told
        assert told.count(f"trace: {site.where(way)} connected") == 1, told
