"""Tokens for librdkafka, which would wait for 10 s for one that it does not get or take."""

from __future__ import annotations

import time

import pytest

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.commands.console.rdkafka import librdkafka
from pykafka_ops.commands.console.rdkafka_bearer import LEAST_LIFE, new_token

GIVEN = {"bootstrap.servers": "b:1", "sasl.mechanism": "OAUTHBEARER"}


def line(**options: str) -> dict[str, str]:
    said = "".join(f' {key}="{value}"' for key, value in options.items())
    return {**GIVEN, "sasl.jaas.config": f"X required{said};"}


def test_a_token_that_has_ended_is_for_the_broker_to_refuse() -> None:
    who = {"unsecuredLoginStringClaim_sub": "alice", "unsecuredLoginExtension_a": "1"}
    asked = time.time()
    _, ends, name, sent = new_token(line(**who, unsecuredLoginLifetimeSeconds="0"))("")
    assert ends >= asked + LEAST_LIFE
    assert (name, sent) == ("alice", {"a": "1"})


def test_where_there_is_no_token_that_is_said_before_librdkafka_asks() -> None:
    with pytest.raises(ClientConfigError, match="has no token"):
        librdkafka(line(), consumer=True)


def test_delegation_tokens_are_refused_in_one_line() -> None:
    given = {**line(username="id", password="x", tokenauth="true"), "sasl.mechanism": "PLAIN"}
    with pytest.raises(ClientConfigError, match="takes no delegation tokens"):
        librdkafka(given, consumer=True)
