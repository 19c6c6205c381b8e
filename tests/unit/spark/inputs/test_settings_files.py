"""Settings of topics from files and from a broker's own store."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.settings.topic import TOPIC
from pykafka_ops.spark.inputs.settings import (
    Settings,
    config_rows,
    read_settings,
    stored_settings,
)


def settings(tmp_path: Path, text: str) -> Settings:
    file = tmp_path / "settings"
    file.write_text(text)
    return read_settings(str(file))


def test_json_names_topics_and_a_star_for_all(tmp_path: Path) -> None:
    text = json.dumps({"orders": {"retention.ms": 1000}, "*": {"segment.ms": "5"}})
    assert settings(tmp_path, text) == {
        "orders": {"retention.ms": "1000"},
        "*": {"segment.ms": "5"},
    }


def test_lines_name_a_topic_with_dots_and_a_setting_with_dots(tmp_path: Path) -> None:
    text = "my.orders.retention.ms=7\n*.segment.bytes=9\n# no\n"
    assert settings(tmp_path, text) == {
        "my.orders": {"retention.ms": "7"},
        "*": {"segment.bytes": "9"},
    }


def test_a_brokers_properties_give_the_defaults(tmp_path: Path) -> None:
    text = "broker.id=1\nlog.retention.hours=2\nlog.segment.bytes=1000\nlog.retention.bytes=5\n"
    assert settings(tmp_path, text) == {
        "*": {"retention.ms": "7200000", "segment.bytes": "1000", "retention.bytes": "5"}
    }
    both = text + "log.retention.ms=3\n"
    assert settings(tmp_path, both)["*"]["retention.ms"] == "3"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ('{"orders": 5}', 'orders: not {"KEY": "VALUE"}'),
        ("log.retention.hours=soon", "log.retention.hours=soon: not a number"),
        ("a=\\u00", "Malformed"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        settings(tmp_path, text)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gone: cannot be read: No such file"):
        read_settings(str(tmp_path / "gone"))


def test_what_a_topic_has_itself_stands_above_the_defaults() -> None:
    made = config_rows(["a"], {"a": {"retention.ms": "1", "odd": "2"}, "*": {"odd": "3",
                       "retention.ms": "4", "segment.ms": "5"}})  # fmt: skip
    rows = {name: (value, source) for _, name, value, source in made}
    assert set(rows) == {*TOPIC, "odd"}
    assert rows["retention.ms"] == ("1", "DYNAMIC_TOPIC_CONFIG")
    assert rows["segment.ms"] == ("5", "STATIC_BROKER_CONFIG")
    assert rows["retention.bytes"] == (TOPIC["retention.bytes"].default, "DEFAULT_CONFIG")


def test_a_brokers_store_is_read_and_one_that_is_none_is_not(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
    with sqlite3.connect(tmp_path / "one" / "metadata.db") as db:
        db.execute("CREATE TABLE nodes (parent TEXT, name TEXT, data BLOB)")
        rows = [
            ("/config/topics", "orders", b'{"version":1,"config":{"retention.ms":"9"}}'),
            ("/config/topics", "damaged", b"\x00"),
            ("/config/brokers", "0", b'{"version":1,"config":{"retention.ms":"8"}}'),
        ]
        db.executemany("INSERT INTO nodes VALUES (?, ?, ?)", rows)
    db.close()
    (tmp_path / "two" / "metadata.db").write_bytes(b"no database")
    found = stored_settings(str(tmp_path / name) for name in ("one", "two", "three"))
    assert found == {"orders": {"retention.ms": "9"}, "damaged": {}}
