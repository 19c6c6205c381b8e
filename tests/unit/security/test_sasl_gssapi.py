"""Both sides of RFC 4752 agree on no security layer, and refuse what breaks it."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from pykafka_ops.security.sasl_gssapi import LayerError, accept, initiate


class Context:
    """Complete after ``steps`` tokens; ``says`` are the tokens, signed messages begin with an S."""

    def __init__(self, *says: bytes) -> None:
        self._says = list(says)
        self.heard: list[bytes] = []

    @property
    def complete(self) -> bool:
        return not self._says

    def step(self, token: bytes) -> bytes:
        self.heard.append(token)
        return self._says.pop(0)

    def wrap(self, message: bytes) -> bytes:
        return b"S" + message

    def unwrap(self, token: bytes) -> bytes:
        return token[1:]


def ended(talk: Generator[bytes, bytes, None], heard: bytes) -> bool:
    try:
        talk.send(heard)
    except StopIteration:
        return True
    return False


def test_a_client_and_a_broker_agree_on_no_layer() -> None:
    client, broker = initiate(Context(b"ask", b""), "alice@R"), accept(Context(b"reply"))
    assert next(broker) == b""
    assert broker.send(next(client)) == b"reply"
    offer = broker.send(client.send(b"reply"))
    assert offer == b"S\x01\0\0\0"
    assert client.send(offer) == b"S\x01\0\0\0alice@R"
    assert ended(client, b"")
    assert ended(broker, b"S\x01\0\0\0alice@R")


def test_a_broker_that_has_nothing_to_reply_offers_at_once() -> None:
    broker = accept(Context(b""))
    next(broker)
    assert broker.send(b"ask") == b"S\x01\0\0\0"


@pytest.mark.parametrize("offer", [b"S", b"S\x01\0\0", b"S\x06\0\xff\xff", b"S\x01\0\0\0more"])
def test_a_client_refuses_an_offer_that_is_none(offer: bytes) -> None:
    client = initiate(Context(b"ask", b""), "alice@R")
    next(client)
    client.send(b"reply")
    with pytest.raises(LayerError):
        client.send(offer)


@pytest.mark.parametrize("choice", [b"S", b"S\x01\0\0", b"S\x02\0\0\0", b"S\x03\0\0\0a"])
def test_a_broker_refuses_a_layer_that_it_did_not_offer(choice: bytes) -> None:
    broker = accept(Context(b""))
    next(broker)
    broker.send(b"ask")
    with pytest.raises(LayerError):
        broker.send(choice)


def test_a_broker_refuses_a_token_where_none_is_due() -> None:
    broker = accept(Context(b"reply"))
    next(broker)
    broker.send(b"ask")
    with pytest.raises(LayerError, match="where none was due"):
        broker.send(b"more")
