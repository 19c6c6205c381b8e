"""Requests to a provider of tokens: bounded, and by https only where it is trusted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.errors import ConnectError, SettingError
from pykafka_ops.security.provider_calls import MOST_BYTES, ProviderCalls
from tests.support.process.certificates import PASSWORD, Authority
from tests.support.process.token_provider import TokenProvider

TRUST = "ssl.truststore.location"


def read(url: str, **options: str) -> bytes:
    """``options`` with _ for dots."""
    named = {name.replace("_", "."): value for name, value in options.items()}
    return ProviderCalls(named, "LOGIN").read(url)


def test_files_are_read_within_a_bound(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_bytes(b"{}")
    assert read(f"file://{file}") == b"{}"
    file.write_bytes(bytes(MOST_BYTES + 1))
    with pytest.raises(ConnectError, match="more than"):
        read(f"file://{file}")


@pytest.mark.parametrize("url", ["file:///nowhere/keys", "gopher://x", "http://127.0.0.1:1/keys"])
def test_an_address_that_answers_nothing_is_named(url: str) -> None:
    with pytest.raises(ConnectError) as failed:
        read(url)
    assert str(failed.value).startswith(url)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    made = Authority(tmp_path_factory.mktemp("provider"))
    made.issue("provider")
    made.issue("elsewhere", names="DNS:elsewhere")
    return made


@pytest.fixture(params=["provider"])
def provider(request: pytest.FixtureRequest, authority: Authority) -> Iterator[TokenProvider]:
    made = TokenProvider({}, certificate=authority.directory / f"{request.param}.pem")
    yield made
    made.close()


def test_https_goes_by_the_trust_store_of_the_login_module(
    authority: Authority, provider: TokenProvider
) -> None:
    store = authority.pkcs12(authority.ca, keys=False)
    for options in (
        {"ssl_truststore_type": "PEM", "ssl_truststore_location": str(authority.ca)},
        {"ssl_truststore_location": str(store), "ssl_truststore_password": PASSWORD},
        {"ssl_truststore_type": "PEM", "ssl_truststore_certificates": authority.ca.read_text()},
    ):
        assert len(json.loads(read(provider.keys_url, **options))["keys"]) == 1


def test_without_a_trust_store_https_goes_by_the_system_s(provider: TokenProvider) -> None:
    with pytest.raises(ConnectError, match="certificate verify failed"):
        read(provider.keys_url)


@pytest.mark.parametrize("provider", ["elsewhere"], indirect=True)
def test_the_host_name_is_checked_whatever_the_options_are(
    authority: Authority, provider: TokenProvider
) -> None:
    options = {"ssl_endpoint_identification_algorithm": " "}
    with pytest.raises(ConnectError, match="IP address mismatch"):
        read(provider.keys_url, ssl_truststore_location=str(authority.ca), **options)


def test_a_store_that_cannot_be_used_is_named_at_the_start(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.pem")
    with pytest.raises(SettingError, match=f"module of OAUTHBEARER on listener LOGIN: .*{missing}"):
        ProviderCalls({TRUST: missing}, "LOGIN")
