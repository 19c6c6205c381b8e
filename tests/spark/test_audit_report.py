"""``pko spark audit``: the figures of ``pko audit``, counted by executors."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from confluent_kafka import Producer

from pykafka_ops.cli import main
from tests.support.kept_logs import in_batches, write_log
from tests.support.logs_by_chance import end_of, random_batches
from tests.support.process.broker import BrokerProcess

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    spark: SparkSession,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Run:
    """Run ``pko`` in the session of the tests, with a book of its own; code, stdout, stderr."""
    for name in ("PKO_BOOTSTRAP_SERVER", "PKO_PROFILE", "PKO_OUTPUT", "PKO_COMMAND_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def made(line: str, *words: object) -> tuple[int, str, str]:
        code = main([*line.split(), *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return made


def exported(run: Run, tier: str, folder: Path) -> list[dict[str, Any]]:
    """The lines of a tier's book, without its name."""
    file = folder / f"{tier}.parquet"
    assert run("audit export", file, tier)[0] == 0
    rows: list[dict[str, Any]] = pq.read_table(file).to_pylist()
    return [{key: value for key, value in row.items() if key != "tier"} for row in rows]


def rows_of(text: str, section: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["sections"][section]["rows"]
    return found


def test_both_engines_write_the_same_book_of_files_and_go_on_from_each_other(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pykafka_ops.audit.stretches.FolderReader.least", 6_000)
    chance, folder = random.Random(8), tmp_path / "logs"
    ends = {}
    for name in ("orders-0", "orders-1", "users-0"):
        batches = random_batches(chance, 0, 150)
        middle = int.from_bytes(batches[len(batches) // 2][:8], "big")
        write_log(folder, name, batches, segments=(0, middle))
        ends[name] = end_of(batches)
    (folder / "cleaner-offset-checkpoint").write_text("0\n1\nusers 0 1\n")
    for turn in range(2):
        one, two = ("one", "two") if not turn else ("two", "one")
        assert run(f"audit collect {one}", folder)[0] == 0
        code, out, err = run(f"spark audit --tier {two} -o json", folder)
        assert (code, err) == (0, "")
        assert exported(run, "one", tmp_path) == exported(run, "two", tmp_path) != []
        for name, end in ends.items():
            place = write_log(folder, name, [], segments=(end,))
            (place / f"{end:020d}.log").write_bytes(b"".join(random_batches(chance, end, 20)))
    counted = {(r["topic"], r["partition"]): r for r in rows_of(out, "counted")}
    assert counted["users", 0]["keys"] > 0 and counted["users", 0]["records"] is None
    assert counted["orders", 0]["new"] > 0
    code, out, _ = run("audit compare one two -o json")
    assert (code, {item["state"] for item in json.loads(out)["items"]}) == (0, {"equal"})


SENT: Sequence[tuple[int, bytes, bytes]] = [(n * 20_000, b"k%d" % n, b"v" * 40) for n in range(600)]


def test_lost_and_doubled_records_are_found(run: Run, tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    write_log(a, "orders-0", in_batches(SENT))
    write_log(a, "orders-1", in_batches(SENT))
    write_log(a, "users-0", in_batches(SENT))
    write_log(b, "us.orders-0", in_batches([*SENT[:200], *SENT[207:]]))
    write_log(b, "us.orders-1", in_batches([*SENT[:300], *SENT[297:]]))
    write_log(b, "us.users-0", in_batches(SENT, 17))
    page = tmp_path / "audit.html"
    words = ("--against", a, "--prefix", "us.", "--bucket", "10m")
    code, out, err = run("spark audit -o json", b, *words, "--html", page, "--history",
                         tmp_path / "kept")  # fmt: skip
    assert code == 4, err
    parts = {(r["topic"], r["partition"]): r for r in rows_of(out, "partitions")}
    assert [parts["orders", n]["missing"] for n in (0, 1)] == [7, 0]
    assert [parts["orders", n]["extra"] for n in (0, 1)] == [0, 3]
    assert parts["users", 0]["state"] == "equal"
    differing = rows_of(out, "buckets")
    assert {(r["topic"], r["partition"]) for r in differing} == {("orders", 0), ("orders", 1)}
    assert "2 of 3 partitions differ" in page.read_text()
    assert run("spark audit", b, *words, "--topic", "orders", "--fail-on", "missing>7")[0] == 4
    assert run("spark audit", b, *words, "--topic", "users", "--fail-on", "missing>0")[0] == 0
    assert run("audit collect a", a)[0] == 0
    code, out, err = run("spark audit -o json", b, "--tier", "b", "--against", "a", "--prefix",
                         "us.", "--history", tmp_path / "kept")  # fmt: skip
    assert code == 4, err
    code, out, err = run("audit compare a b --prefix us. -o json")
    assert code == 4
    items = json.loads(out)["items"]
    told = {(i["topic"], i["partition"]): (i["missing"], i["extra"]) for i in items}
    assert told == {("orders", 0): (7, 0), ("orders", 1): (0, 3), ("users", 0): (0, 0)}


def test_a_cluster_is_counted_as_its_files_are(run: Run, tmp_path: Path) -> None:
    broker = BrokerProcess(tmp_path / "broker").start()
    try:
        producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": "t"})
        producer.init_transactions(30)
        for turn in range(4):
            producer.begin_transaction()
            for n in range(50):
                producer.produce("orders", b"v%d" % n, b"k%d" % turn)
            (producer.abort_transaction if turn % 2 else producer.commit_transaction)(30)
        server = ("-b", broker.bootstrap)
        assert run("audit collect one", *server)[0] == 0
        code, out, err = run("spark audit --tier two --against one -o json", *server)
        assert (code, err) == (0, "")
    finally:
        broker.close()
    (part,) = rows_of(out, "partitions")
    assert (part["state"], part["records_b"]) == ("equal", 100)
    assert exported(run, "one", tmp_path) == exported(run, "two", tmp_path)
    code, out, err = run("spark audit --tier three --against one -o json --topic orders",
                         f"file://{tmp_path / 'broker'}")  # fmt: skip
    assert (code, err) == (0, "")
    assert exported(run, "one", tmp_path) == exported(run, "three", tmp_path)


def test_wrong_names_fail_before_anything_is_read(run: Run, tmp_path: Path) -> None:
    write_log(tmp_path, "orders-0", in_batches(SENT[:5]))
    for words, said in (
        (("--against", "nobody"), "there is no such book"),
        (("--prefix", "us."), "--against"),
        (("--bucket", "1ms"), "--bucket"),
        (("--section", "groups"), "choose one of"),
        (("-b", "127.0.0.1:1"), "one at a time"),
    ):
        code, out, err = run("spark audit", tmp_path, *words)
        assert (code, out) == (2, ""), err
        assert said in err and len(err.splitlines()) == 1
    code, _, err = run("spark audit", tmp_path, "--topic", "none")
    assert (code, err) == (1, "pko: there is no topic none here\n")
