"""Listeners are bound to every address of their host, on one port."""

from __future__ import annotations

import socket

import pytest

from pykafka_ops.broker.net.listeners import bind


def close(sockets: list[socket.socket]) -> None:
    for each in sockets:
        each.close()


def test_any_host_means_every_family_on_one_port() -> None:
    bound = bind("", 0)
    ports = {each.getsockname()[1] for each in bound}
    families = [each.family for each in bound]
    close(bound)
    assert len(ports) == 1
    assert 0 not in ports
    assert socket.AF_INET in families
    assert len(set(families)) == len(families)


def test_an_address_is_bound_alone() -> None:
    (bound,) = bind("127.0.0.1", 0)
    assert bound.getsockname()[0] == "127.0.0.1"
    bound.close()


def test_a_port_that_is_taken_is_named() -> None:
    (taken,) = bind("127.0.0.1", 0)
    taken.listen()
    port = taken.getsockname()[1]
    with pytest.raises(OSError, match=f"127.0.0.1:{port}: Address already in use"):
        bind("127.0.0.1", port)
    taken.close()


def test_a_host_that_is_not_known_is_an_error() -> None:
    with pytest.raises(OSError, match=r"not known|failure"):
        bind("nowhere.invalid", 0)
