"""Every client library gets in by every way and every login, as who it is; where it must stay
outside, it says why in its own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from pykafka_ops.wire.codes import ErrorCode
from tests.support.clients.base import Message, RefusedError
from tests.support.clients.entries import Entry
from tests.support.clients.libraries import JAVA, PYTHON, Libraries
from tests.support.process import certificates
from tests.support.process.every_way import CELLS, TOKEN, EveryWay, every_way, prefix_of, user_of
from tests.support.waiting import wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
LIBRARIES = [*PYTHON, *(pytest.param(name, marks=pytest.mark.java) for name in JAVA)]
CANNOT = {(TOKEN, library) for library in PYTHON}
"""Logins that a library does not know: none of these sends an extension of SCRAM, by which brokers
tell a delegation token from a user. They are tried, and fail as a user that there is not."""
MESSAGES = [Message(b"small"), Message(bytes(700_000))]


class Stranger(NamedTuple):
    """A client that TLS keeps outside: what it trusts and shows, and what our broker logs."""

    trusts_us: bool
    shows: str
    logged: str


NOT_TRUSTING, NAMELESS, UNKNOWN = "trusts others", "no certificate", "unknown certificate"
STRANGERS = {
    NOT_TRUSTING: Stranger(False, "right", "the client does not trust our certificate"),
    NAMELESS: Stranger(True, "", "the client shows no certificate"),
    UNKNOWN: Stranger(True, "wrong", "its certificate is not trusted"),
}
STAY_OUTSIDE = [
    (way, why)
    for way in ("SSL", "MTLS", "SASL_SSL", "SASL_MTLS")
    for why in (STRANGERS if way.endswith("MTLS") else [NOT_TRUSTING])
]
NO_SUCH_USER = "failed during authentication due to invalid credentials with SASL mechanism "
WORDS = {
    "PLAIN": "Authentication failed: Invalid username or password",
    "SCRAM-SHA-256": f"{NO_SUCH_USER}SCRAM-SHA-256",
    "SCRAM-SHA-512": f"{NO_SUCH_USER}SCRAM-SHA-512",
    "OAUTHBEARER": '{"status":"invalid_token"}',
    TOKEN: f"{NO_SUCH_USER}SCRAM-SHA-256",
    NOT_TRUSTING: "certificate verify failed|does not chain with any of the trust anchors",
    NAMELESS: "alert:? (certificate.required|bad.certificate)",
    UNKNOWN: "alert:? (unknown.ca|certificate.unknown)",
}
"""What clients say, by what is wrong; an expression."""
OWN_WORDS = {
    ("OAUTHBEARER", "confluent-kafka"): "Must supply an unexpired token",
    ("OAUTHBEARER", "aiokafka"): "Unable to update metadata",
    (NAMELESS, "aiokafka"): "Connection at .* closed",
    (UNKNOWN, "aiokafka"): "Connection at .* closed",
}
"""librdkafka looks at tokens by itself; aiokafka does not look at the answer to its token, nor at
alerts of TLS."""
SILENT = (NOT_TRUSTING, "aiokafka")
"""It hangs up without an alert, so that the broker knows of nothing."""


@pytest.fixture(scope="module")
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EveryWay]:
    target = request.config.getoption("--target")
    with every_way(tmp_path_factory.mktemp("every-way"), target) as made:
        yield made


@pytest.fixture(scope="module")
def libraries(site: EveryWay) -> Iterator[Libraries]:
    made = Libraries(site.provider.tokens_url)
    yield made
    made.close()


def explains(libraries: Libraries, library: str, entry: Entry, wrong: str) -> bool:
    """Whether a client says what is wrong, in its own words; AssertionError if it gets in."""
    words = OWN_WORDS.get((wrong, library), WORDS[wrong])
    return re.search(words, libraries.complaint(library, entry, words)) is not None


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("way", "login"), CELLS)
def test_a_client_writes_and_reads_as_who_it_is(
    site: EveryWay, libraries: Libraries, library: str, way: str, login: str
) -> None:
    """Only that user may touch these topics and groups."""
    entry = site.entry(way, site.login(login))
    if (login, library) in CANNOT:
        assert explains(libraries, library, entry, login)
        return
    topic = f"{prefix_of(user_of(way, login))}{way}.{library}"
    client = libraries.client(library, entry)
    with pytest.raises(RefusedError) as refused:
        client.create_topic(f"not-of-{topic}")
    assert refused.value.code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    client.create_topic(topic)
    assert client.produce(topic, MESSAGES) == [0, 1]
    found = client.consume_in_group(topic, topic, len(MESSAGES))
    assert [each.message.value for each in found] == [each.value for each in MESSAGES]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("way", "login"), [cell for cell in CELLS if cell[1]])
def test_a_client_hears_that_its_login_is_wrong(
    site: EveryWay, libraries: Libraries, library: str, way: str, login: str
) -> None:
    """A wrong password, a token that has expired, a delegation token that was ended."""
    entry = site.entry(way, site.wrong_login(login))
    assert explains(libraries, library, entry, login)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("way", "why"), STAY_OUTSIDE)
def test_a_client_hears_why_tls_keeps_it_outside(
    site: EveryWay, libraries: Libraries, library: str, way: str, why: str
) -> None:
    stranger = STRANGERS[why]
    entry = site.entry(way, site.login("PLAIN") if way.startswith("SASL") else None)
    if not stranger.trusts_us:
        entry = entry._replace(authority=site.stranger)
    if stranger.shows != "right":
        entry = entry._replace(key=site.false_key if stranger.shows else None)
    assert explains(libraries, library, entry, why)
    if site.broker.kind == "pko" and (why, library) != SILENT:
        line = re.compile(f"listener {way}: .*{re.escape(stranger.logged)}")
        wait_for(lambda: line.search(site.broker.log.read_text()), what=line.pattern)
