import pytest

from pykafka_ops.client.config import (
    Address,
    ClientConfig,
    ClientConfigError,
    parse_address,
    parse_bootstrap,
)


def test_addresses_take_names_ipv6_and_a_protocol() -> None:
    assert parse_bootstrap("a:1, [::1]:9093 ,SSL://b.c:65535") == [
        Address("a", 1),
        Address("::1", 9093),
        Address("b.c", 65535),
    ]
    assert str(Address("::1", 5)) == "[::1]:5"


@pytest.mark.parametrize("text", ["localhost", "a:b", ":9092", "a:", "::1:9092"])
def test_a_wrong_address_is_refused_in_kafkas_words(text: str) -> None:
    with pytest.raises(ClientConfigError, match=r"Invalid url in bootstrap\.servers: "):
        parse_address(text)


def test_no_address_and_a_wrong_port_are_refused() -> None:
    with pytest.raises(ClientConfigError, match="No resolvable bootstrap urls given"):
        parse_bootstrap(" , ")
    with pytest.raises(ClientConfigError, match=r"Invalid port in bootstrap\.servers: a:0"):
        parse_bootstrap("a:0")


def test_times_are_kafkas_defaults_in_seconds() -> None:
    config = ClientConfig.of({"bootstrap.servers": "a:1"})
    assert (config.request_timeout, config.api_timeout, config.backoff) == (30, 60, 0.1)
    assert config.client_id.startswith("pko/")
    assert not config.tls and not config.sasl


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("request.timeout.ms", "x", "Invalid value x for configuration request.timeout.ms"),
        ("retries", "-1", "Value must be at least 0"),
        ("security.protocol", "TLS", "String must be one of"),
    ],
)
def test_a_wrong_value_is_refused(key: str, value: str, text: str) -> None:
    with pytest.raises(ClientConfigError, match=text):
        ClientConfig.of({"bootstrap.servers": "a:1", key: value})


def test_an_unsupported_sasl_mechanism_is_refused_before_connecting() -> None:
    with pytest.raises(ClientConfigError, match="DIGEST-MD5 is not supported here"):
        ClientConfig.of(
            {
                "bootstrap.servers": "a:1",
                "security.protocol": "sasl_ssl",
                "sasl.mechanism": "DIGEST-MD5",
            }
        )
