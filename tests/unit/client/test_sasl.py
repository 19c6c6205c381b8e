"""How a client logs in: user and password of a JAAS line, tokens."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from pykafka_ops.client.config import ClientConfig, ClientConfigError
from pykafka_ops.client.sasl import credentials, new_dialogue, token, who, why_refused
from pykafka_ops.security.bearer_tokens import unsigned
from pykafka_ops.security.provider_calls import ProviderCalls


def test_jaas_lines_in_all_their_quotes() -> None:
    line = (
        "org.apache.kafka.common.security.scram.ScramLoginModule required "
        r"""username="al\"ice" password='p w;d' serviceName=kafka;"""
    )
    assert credentials(line) == ('al"ice', "p w;d")


def test_a_jaas_line_without_password_is_refused() -> None:
    with pytest.raises(ClientConfigError, match=r"sasl.jaas.config must hold"):
        credentials('X required username="a";')
    with pytest.raises(ClientConfigError):
        credentials(None)


def config(**more: str) -> ClientConfig:
    line = "".join(f' {key}="{value}"' for key, value in more.items() if "." not in key)
    given = {"sasl.mechanism": "OAUTHBEARER", "sasl.jaas.config": f"X required{line};"}
    dotted = {key: value for key, value in more.items() if "." in key}
    return ClientConfig.of({"bootstrap.servers": "b:1", **given, **dotted})


def test_a_login_by_a_token_that_nobody_signed() -> None:
    made = config(unsecuredLoginStringClaim_sub="alice", unsecuredLoginExtension_a="1")
    (message, *_) = new_dialogue(made, "localhost")
    assert message.startswith(b"n,,\x01auth=Bearer ey")
    assert message.endswith(b"\x01a=1\x01\x01")
    assert who(made) == "alice"


def test_a_token_that_has_ended_is_why_the_broker_refuses_it(tmp_path: Path) -> None:
    ended = unsigned({"unsecuredLoginStringClaim_sub": "alice"}, 0)
    (tmp_path / "token").write_text(ended)
    url = f"file://{tmp_path / 'token'}"
    made = config(**{"sasl.oauthbearer.token.endpoint.url": url})
    assert token(made) == ended
    assert why_refused(made) == " (its token ended at 1970-01-01T01:00:00Z)"
    (tmp_path / "token").write_text("opaque")
    assert token(made) == "opaque"
    assert "signer, issuer, audience" in why_refused(made)


def test_a_provider_is_asked_again_only_when_its_token_nears_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def read(_: object, url: str, *__: object) -> bytes:
        asked.append(url)
        lives = "100" if len(asked) == 1 else "0"
        made = unsigned({"unsecuredLoginLifetimeSeconds": lives}, int(time.time() * 1000))
        return json.dumps({"access_token": made}).encode()

    monkeypatch.setattr(ProviderCalls, "read", read)
    url = "https://provider/token"
    given = {"sasl.oauthbearer.token.endpoint.url": url}
    made = config(clientId="a", clientSecret="b", **given)
    assert token(made) == token(made)
    assert asked == [url]
    assert why_refused(made)
    token(made)
    token(made)
    assert asked == [url] * 3


def test_a_delegation_token_is_named_and_may_have_ended() -> None:
    given = {"sasl.mechanism": "SCRAM-SHA-256"}
    made = config(username="id", password="x", tokenauth="true", **given)
    assert who(made) == "the delegation token id"
    assert "has the token ended" in why_refused(made)
    assert why_refused(config(username="u", password="x", **given)) == ""
