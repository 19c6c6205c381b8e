"""User and password of a client, from a JAAS line."""

from __future__ import annotations

import pytest

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.client.sasl import credentials


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
