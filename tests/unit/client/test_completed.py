"""Properties of a client whose values stand elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.client.completed import completed
from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.client.sasl import credentials
from pykafka_ops.errors import UsageError

LOGIN = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}
PROVIDER = "org.apache.kafka.common.config.provider.EnvVarConfigProvider"
JAAS_FILE = r"""
KafkaServer { other.Module required user_x="server-secret"; };
KafkaClient {
  org.apache.kafka.common.security.plain.PlainLoginModule required
  username="alice" password="a\"b\\c";
};
"""


def options(path: Path) -> dict[str, str]:
    return {"KAFKA_OPTS": f"-Djava.security.auth.login.config={path}"}


def test_values_come_from_config_providers_which_are_not_left_over() -> None:
    given = {
        "config.providers": "env",
        "config.providers.env.class": PROVIDER,
        "ssl.keystore.password": "${env:WORD}",
    }
    assert completed(given, {"WORD": "s3cret"}) == {"ssl.keystore.password": "s3cret"}
    with pytest.raises(ClientConfigError, match=r"\$\{env:WORD\} has no value"):
        completed(given, {})


def test_a_login_comes_from_the_jaas_file_where_none_is_set(tmp_path: Path) -> None:
    file = tmp_path / "jaas.conf"
    file.write_text(JAAS_FILE)
    found = completed(LOGIN, options(file))
    assert credentials(found["sasl.jaas.config"]) == ("alice", 'a"b\\c')
    own = {**LOGIN, "sasl.jaas.config": 'x required username="u" password="p";'}
    assert completed(own, options(file)) == own
    assert completed({"security.protocol": "SSL"}, options(file)) == {"security.protocol": "SSL"}


def test_a_jaas_file_without_such_a_login_is_told_and_nothing_of_it_shown(tmp_path: Path) -> None:
    file = tmp_path / "jaas.conf"
    file.write_text('KafkaServer { other.Module required user_x="server-secret"; };')
    with pytest.raises(ClientConfigError, match="not find a 'KafkaClient'") as told:
        completed(LOGIN, options(file))
    assert "secret" not in str(told.value)
    with pytest.raises(UsageError, match="cannot read /nowhere"):
        completed(LOGIN, options(Path("/nowhere")))
