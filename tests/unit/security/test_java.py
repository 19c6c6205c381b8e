import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.security.java import is_true, system_properties


def test_kafka_opts_come_after_those_of_every_jvm() -> None:
    env = {
        "JAVA_TOOL_OPTIONS": "-Da=1 -Db=1 -Xmx1G",
        "KAFKA_OPTS": "-Db=2 '-Dc=x y=z' -Dd -agentlib:x=1",
    }
    assert system_properties(env) == {"a": "1", "b": "2", "c": "x y=z", "d": ""}
    assert system_properties({}) == {}


def test_an_open_quote_is_told() -> None:
    with pytest.raises(UsageError, match="KAFKA_OPTS: No closing quotation"):
        system_properties({"KAFKA_OPTS": "-Da='b"})


def test_only_true_is_true() -> None:
    assert [is_true(text) for text in ("true", "TRUE", "yes", "")] == [True, True, False, False]
