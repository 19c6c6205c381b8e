"""``[mask]``, ``[decode]`` and ``[schema-registry]``: what they say, what is wrong in one line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.config import OTHERS
from pykafka_ops.monitor.messages.decoding import SchemaFiles
from pykafka_ops.monitor.messages.settings import (
    MESSAGE_TABLES,
    MessageSettings,
    message_settings,
)

GOOD = """
[mask.cards]
topics = ["payments.*", "refunds"]
fields = ["card", "Customer.cvv"]
headers = ["X-Card"]
with = "#"
[decode.orders]
topics = "orders"
key = "long"
value = "avro:/etc/pko/orders.avsc"
[schema-registry.prod]
url = "https://registry:8081/api/"
username = "pko"
password_env = "REGISTRY_PASSWORD"
ca_file = "/etc/pko/ca.pem"
timeout = "2s"
"""


def read(text: str) -> MessageSettings:
    return message_settings(tomllib.loads(text), "monitor.toml", ["prod"])


def test_the_configuration_lets_these_tables_through() -> None:
    assert set(MESSAGE_TABLES) <= set(OTHERS)


def test_all_of_it_is_read() -> None:
    found = read(GOOD)
    mask, rule, registry = found.masks[0], found.decode[0], found.registries["prod"]
    assert mask.fields == (("card",), ("customer", "cvv"))
    assert (mask.headers, mask.key, mask.stars) == (("x-card",), False, "#")
    assert (rule.key, rule.value) == ("long", "avro:/etc/pko/orders.avsc")
    assert (registry.url, registry.timeout_ms) == ("https://registry:8081/api", 2000)
    assert "REGISTRY_PASSWORD" in repr(registry.password)
    assert read("") == MessageSettings()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('mask = 1', "[mask]"),
        ('[mask.a]\nfields=["x"]', "[mask.a]: topics: is missing"),
        ('[mask.a]\ntopics="x"', "[mask.a]: fields: is missing"),
        ('[mask.a]\ntopics="("\nkey=true', "not a regular expression"),
        ('[mask.a]\ntopics="x"\nfields=["a..b"]', "write names, or paths"),
        ('[mask.a]\ntopics="x"\nfeilds=["a"]', "unknown key"),
        ('[mask.a]\ntopics="x"\nkey="yes"', "neither true nor false"),
        ('[decode.a]\ntopics="x"', "value: is missing"),
        ('[decode.a]\ntopics="x"\nvalue="xml"', "choose one of auto, utf-8"),
        ('[decode.a]\ntopics="x"\nvalue="avro:"', "write avro:orders.avsc"),
        ('[decode.a]\ntopics="x"\nvalue="protobuf:a.desc"', "write protobuf:orders.desc"),
        ('[schema-registry.pord]\nurl="http://x"', "there is no cluster pord (did you mean prod?)"),
        ('[schema-registry.prod]\nurl="x:1"', "write http://HOST:PORT"),
        ('[schema-registry.prod]\nurl="http://me:secret@x"', "no user belongs into it"),
        ('[schema-registry.prod]\nurl="http://x"\nusername="me"', "password_env: is missing"),
        ('[schema-registry.prod]\nurl="http://x"\npassword="p"', "unknown key"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(text: str, why: str) -> None:
    with pytest.raises(UsageError) as error:
        read(text)
    assert why in str(error.value)
    assert "\n" not in str(error.value)
    assert "secret" not in str(error.value)


def test_schema_files_that_cannot_be_used_are_told_at_the_start(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\xff{")
    for spec, why in (
        (f"avro:{broken}", "no JSON"),
        (f"avro:{tmp_path}/none", "No such file"),
        (f"protobuf:{broken}:shop.Order", "not a descriptor set"),
        (f"protobuf:{tmp_path}/none:shop.Order", "No such file"),
    ):
        rules = read(f'[decode.a]\ntopics="x"\nvalue="{spec}"').decode
        with pytest.raises(UsageError, match=why):
            SchemaFiles(rules)
