"""Who comes in by a listener with TLS, and what is said of those who do not."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from typing import Any, cast

import pytest

from pykafka_ops.broker.runtime.security.handshakes import Handshakes
from pykafka_ops.broker.runtime.security.login_counts import LoginCounts
from pykafka_ops.broker.runtime.security.rare_lines import RareLines
from pykafka_ops.broker.runtime.security.tls_door import TlsDoor
from pykafka_ops.broker.runtime.security.tls_keys import ListenerKeys
from pykafka_ops.broker.runtime.security.tls_layer import TlsLayer
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.hello import Hello
from pykafka_ops.broker.storage.clocks import monotonic_clock
from pykafka_ops.security.certificates import from_pem
from tests.support.golden.certificates import GOLDEN, KEY_PASSWORD, PASSWORD

SETTINGS = {
    "ssl.keystore.location": str(GOLDEN / "key.jks"),
    "ssl.keystore.password": PASSWORD,
    "ssl.key.password": KEY_PASSWORD,
    "ssl.truststore.location": str(GOLDEN / "ca.pem"),
}


class Layer:
    """A client whose handshake failed."""

    address = "1.2.3.4"

    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


class Desk:
    """A listener, and what it did."""

    def __init__(self, protocol: str = "SSL", delay_ms: int = 0, **more: str) -> None:
        texts = {**SETTINGS, **{name.replace("_", "."): v for name, v in more.items()}}
        keys = ListenerKeys(
            ListenerConfigs(BrokerConfigs(texts), "X"), protocol, between_brokers=False
        )
        keys.load()
        self.left: list[str] = []
        self.served: list[tuple[str, str]] = []
        self.counts = LoginCounts()
        self.door = TlsDoor(
            keys,
            cast(Handshakes, None),
            RareLines(monotonic_clock),
            serve=self.serve,
            left=self.left.append,
            delay_ms=lambda: delay_ms,
            counts=self.counts,
        )

    def serve(self, principal: str, address: str) -> asyncio.BufferedProtocol:
        self.served.append((principal, address))
        return asyncio.BufferedProtocol()

    def refuse(self, error: Exception | Hello) -> Layer:
        layer = Layer()
        self.door.refused(cast(TlsLayer, layer), error)
        return layer


@pytest.fixture
def shown() -> Iterator[bytes]:
    """The certificate of a client."""
    yield from from_pem((GOLDEN / "broker.pem").read_text())


NAME = (GOLDEN / "subject.txt").read_text().strip()


def test_a_client_is_who_its_certificate_says(shown: bytes) -> None:
    assert Desk().door.user(shown) == f"User:{NAME}"
    assert Desk().door.user(None) == "User:ANONYMOUS"
    mapped = Desk(ssl_principal_mapping_rules="RULE:^CN=(\\w+),.*$/$1/U")
    assert mapped.door.user(shown) == "User:BROKER"
    with pytest.raises(
        ValueError, match=r"no rule of ssl\.principal\.mapping\.rules applies to CN="
    ):
        Desk(ssl_principal_mapping_rules="RULE:^O=(\\w+)$/$1/").door.user(shown)


def test_behind_a_login_the_certificate_says_nothing(shown: bytes) -> None:
    desk = Desk("SASL_SSL", ssl_principal_mapping_rules="RULE:^O=(\\w+)$/$1/")
    assert desk.door.user(shown) == "User:ANONYMOUS"
    desk.door.serve("User:ANONYMOUS", "1.2.3.4")
    assert desk.counts.succeeded == 0


def test_those_who_are_in_and_those_who_are_not_are_counted() -> None:
    desk = Desk()
    desk.door.serve("User:x", "1.2.3.4")
    assert desk.served == [("User:x", "1.2.3.4")]
    desk.refuse(Hello.KAFKA)
    desk.refuse(Hello.ELSE)
    assert (desk.counts.succeeded, desk.counts.failed) == (1, 2)


def error_of(kind: type[ssl.SSLError], reason: str) -> ssl.SSLError:
    made = kind(1, reason)
    made.reason = reason
    return made


def untrusted() -> ssl.SSLError:
    made: Any = error_of(ssl.SSLCertVerificationError, "CERTIFICATE_VERIFY_FAILED")
    made.verify_message, made.verify_code = "self-signed certificate", 18
    return cast(ssl.SSLError, made)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (Hello.KAFKA, "speaks Kafka without TLS: set security.protocol=SSL in that client"),
        (Hello.ELSE, "sends neither TLS nor Kafka"),
        (untrusted(), "its certificate is not trusted: self-signed certificate (ssl.truststore"),
        (
            error_of(ssl.SSLError, "PEER_DID_NOT_RETURN_A_CERTIFICATE"),
            "the TLS handshake failed: the client shows no certificate",
        ),
        (error_of(ssl.SSLError, "SOMETHING_NEW"), "the TLS handshake failed: something new"),
        (ValueError("no rule applies"), "the TLS handshake failed: no rule applies"),
    ],
)
def test_one_line_says_what_went_wrong(
    error: Exception | Hello, line: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk()
    assert desk.refuse(error).closed
    desk.refuse(error)
    (said,) = caplog.messages
    assert said.startswith(f"listener X: 1.2.3.4: {line}")


def test_a_client_that_failed_is_hung_up_on_later() -> None:
    async def work() -> None:
        desk = Desk(delay_ms=20)
        layer = desk.refuse(Hello.ELSE)
        assert not layer.closed
        while not layer.closed:
            await asyncio.sleep(0.005)
        desk.door.gone(cast(TlsLayer, layer))
        early = desk.refuse(Hello.ELSE)
        desk.door.gone(cast(TlsLayer, early))
        assert desk.left == ["1.2.3.4", "1.2.3.4"]

    asyncio.run(asyncio.wait_for(work(), 60))
