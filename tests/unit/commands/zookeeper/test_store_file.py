"""pko zookeeper on the file of a broker without ZooKeeper."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from pykafka_ops.broker.metadata.embedded import FILE_NAME, EmbeddedStore
from pykafka_ops.commands.zookeeper import store_file
from tests.support.golden.transcripts import Said, run

TOPIC = b'{"partitions":{"0":[1]},"version":3,"adding_replicas":{},"removing_replicas":{}}'


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A data directory, its broker still running."""

    async def fill() -> None:
        found = EmbeddedStore(tmp_path / FILE_NAME)
        await found.create("/brokers/topics/t", TOPIC, make_parents=True)
        await found.create("/brokers/topics/bad", b"{", make_parents=True)
        await found.create("/controller", b'{"brokerid":1}', ephemeral=True)

    asyncio.run(fill())
    return tmp_path


def zookeeper(store: Path, *words: str) -> Said:
    return run("zookeeper", *words, "--store", str(store))


def test_the_file_is_that_of_the_broker() -> None:
    assert store_file.FILE_NAME == FILE_NAME


def test_znodes_are_read_as_those_of_zookeeper(store: Path) -> None:
    assert zookeeper(store, "ls", "/brokers/topics", "-o", "name").stdout == "bad\nt\n"
    (item,) = json.loads(zookeeper(store, "get", "/brokers/topics/t", "-o", "json").stdout)["items"]
    assert item["kind"] == "topic"
    assert item["stat"]["length"] == len(TOPIC)
    said = zookeeper(store, "tree", "-o", "name")
    assert said.stdout.splitlines() == [
        "/", "/brokers", "/brokers/topics", "/brokers/topics/bad", "/brokers/topics/t",
        "/controller",
    ]  # fmt: skip
    assert zookeeper(store, "get", "/nope").stderr == "pko: Node does not exist: /nope\n"


def test_bad_ones_are_found(store: Path) -> None:
    said = zookeeper(store, "check", "-o", "name")
    assert (said.code, said.stdout) == (4, "/brokers/topics/bad\n")


def test_a_damaged_row_is_told(store: Path) -> None:
    with sqlite3.connect(store / FILE_NAME) as database:
        database.execute("UPDATE nodes SET version = 'x', ctime = 1 WHERE name = 't'")
        database.execute("UPDATE nodes SET ctime = ?, mtime = -1 WHERE name = 'bad'", (2**62,))
    said = zookeeper(store, "check", "-o", "csv")
    assert "its row in the file is damaged" in said.stdout
    assert str(2**62) in zookeeper(store, "get", "/brokers/topics/bad", "--stat").stdout


@pytest.mark.parametrize("content", [b"", b"garbage" * 500, b"SQLite format 3\0" + b"\xff" * 4000])
def test_what_is_no_store_is_told_in_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    said = zookeeper(tmp_path, "tree")
    assert (said.code, said.stdout) == (1, "")
    assert said.stderr.startswith("pko: ")
    assert said.stderr.count("\n") == 1
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_a_directory_without_a_store_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PKO_ZOOKEEPER", raising=False)
    assert zookeeper(tmp_path, "tree").code == 2
    assert run("zookeeper", "ls").code == 2
    assert run("zookeeper", "ls", "--store", "x", "--zookeeper", "y").code == 2
    assert zookeeper(tmp_path, "get", "/x", "--watch").code == 2
