"""Values before and after a change: what a person may see of them."""

from __future__ import annotations

import pytest

from pykafka_ops.client.configs import AlterOp
from pykafka_ops.client.setting_values import PresentValue
from pykafka_ops.commands.configs.entity import ConfigEntity
from pykafka_ops.commands.configs.held import changed_rows

BROKER = ConfigEntity(["brokers"], ["0"])
TOPIC = ConfigEntity(["topics"], ["t"])


@pytest.mark.parametrize(
    "key",
    ["ssl.key.password", "listener.name.a.ssl.keystore.password", "sasl.jaas.config", "what.is.it"],
)
def test_a_secret_is_hidden_before_and_after(key: str) -> None:
    for before in ({}, {key: PresentValue(None)}, None):
        (row,) = changed_rows(BROKER, [(AlterOp.SET, key, "hush")], before)
        assert row["new"] == "[hidden]" and row["old"] in ("[hidden]", None)


def test_what_is_no_secret_is_shown() -> None:
    before = {"log.cleaner.threads": PresentValue("1", "1", own=False)}
    keys = ("log.cleaner.threads", "leader.replication.throttled.rate")
    rows = changed_rows(BROKER, [(AlterOp.SET, key, "2") for key in keys], before)
    assert rows == [
        {"setting": keys[0], "old": "1", "new": "2"},
        {"setting": keys[1], "old": None, "new": "2"},
    ]


def test_lists_grow_and_shrink_as_brokers_do_it() -> None:
    before = {"cleanup.policy": PresentValue("delete", "delete", own=False)}
    for op, value, new in (
        (AlterOp.APPEND, "compact", "delete,compact"),
        (AlterOp.APPEND, "delete", "delete"),
        (AlterOp.SUBTRACT, "delete", ""),
        (AlterOp.DELETE, None, "delete"),
    ):
        (row,) = changed_rows(TOPIC, [(op, "cleanup.policy", value)], before)
        assert (row["old"], row["new"]) == ("delete", new)


def test_what_could_not_be_read_is_unknown() -> None:
    rows = changed_rows(TOPIC, [(AlterOp.SET, "a", "1"), (AlterOp.DELETE, "b", None)], None)
    assert [(row["old"], row["new"]) for row in rows] == [("?", "1"), ("?", "?")]
