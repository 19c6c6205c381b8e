"""``pko perf`` and Kafka's performance tools on a broker."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Broker
from tests.support.golden.transcripts import Said
from tests.support.golden.transcripts import run_patiently as run
from tests.support.process.console import pko

pytestmark = pytest.mark.live

TOTAL = re.compile(
    r"(\d+)( steady state)? records sent, [\d.]+ records/sec \([\d.]+ MB/sec\), [\d.]+ ms avg "
    r"latency, [\d.]+ ms max latency, \d+ ms 50th, \d+ ms 95th, \d+ ms 99th, \d+ ms 99\.9th\."
)


@pytest.fixture
def made(broker: Broker, topic: str) -> str:
    assert run("topics", "create", topic, "-b", broker.bootstrap).code == 0
    return topic


def tool(broker: Broker, name: str, words: str) -> Said:
    said = run(name, "--bootstrap-server", broker.bootstrap, *words.split())
    assert said.code == 0, said
    return said


def rows(broker: Broker, words: str) -> list[dict[str, Any]]:
    said = run("perf", *words.split(), "-b", broker.bootstrap, "-o", "json")
    assert said.code == 0, said
    found: list[dict[str, Any]] = json.loads(said.stdout)["items"]
    return found


def test_what_is_written_is_read(broker: Broker, made: str) -> None:
    words = f"--topic {made} --num-records 600 --record-size 20 --throughput -1"
    said = tool(broker, "kafka-producer-perf-test", f"{words} --warmup-records 100")
    first, whole, steady = said.stdout.splitlines()
    assert first.startswith("Warmup first 100 records.")
    found = [TOTAL.fullmatch(line) for line in (whole, steady)]
    assert [(m[1], m[2]) for m in found if m] == [("600", None), ("500", " steady state")]
    said = tool(broker, "kafka-consumer-perf-test", f"--topic {made} --num-records 600")
    head, line = said.stdout.splitlines()
    cells = line.split(", ")
    assert len(head.split(", ")) == len(cells) == 10
    assert (cells[2], cells[4]) == (f"{600 * 20 / 1024 / 1024:.4f}", "600")
    short = tool(broker, "kafka-consumer-perf-test",
                 f"--topic {made} --messages 900 --timeout 300 --hide-header")  # fmt: skip
    lines = short.stdout.splitlines()
    assert lines[0].startswith("Warning: --messages is deprecated.")
    assert lines[1].startswith("WARNING: Exiting before consuming the expected number of records")
    assert lines[2].split(", ")[4] == "600"


def test_transactions_are_committed(broker: Broker, made: str) -> None:
    words = f"--topic {made} --num-records 50 --payload-monotonic --throughput -1"
    tool(broker, "kafka-producer-perf-test", f"{words} --transaction-duration-ms 1")
    read = pko("consume", made, "--from-beginning", "--isolation-level", "read_committed",
               "--max-messages", "50", "-b", broker.bootstrap)  # fmt: skip
    assert sorted(map(int, read.stdout.split())) == list(range(50)), read


def test_pkos_form_has_figures(broker: Broker, made: str, tmp_path: Path) -> None:
    (tmp_path / "values").write_text("one\ntwo\n")
    (row,) = rows(broker, f"produce {made} --num-records 30 --payload-file {tmp_path}/values")
    assert (row["records"], row["failed"]) == (30, 0) and row["latency_p99"] >= 0
    (row,) = rows(broker, f"consume {made} --num-records 30")
    assert (row["records"], row["complete"], row["mb"]) == (30, True, round(90 / 2**20, 4))
    said = run("perf", "consume", made, "--num-records", "40", "--idle", "300ms",
               "-b", broker.bootstrap)  # fmt: skip
    assert (said.code, "30 of 40 read" in said.stderr) == (1, True), said


def test_latency_from_end_to_end(broker: Broker, made: str) -> None:
    (row,) = rows(broker, f"latency {made} --num-records 5 --record-size 10")
    assert row["records"] == 5 and 0 < row["p50_ms"] <= row["max_ms"]
    said = run("kafka-e2e-latency", broker.bootstrap, f"{made}-new", "5", "all", "10")
    lines = said.stdout.splitlines()
    assert (said.code, lines[0]) == (0, (
        f'Topic "{made}-new" does not exist. Will create topic with 1 partition(s) and '
        "replication factor = 1"
    ))  # fmt: skip
    assert re.fullmatch(r"0\t[\d.E-]+", lines[1])
    assert re.fullmatch(r"Avg latency: [\d.]+ ms", lines[2])
    assert re.fullmatch(r"Percentiles: 50th = \d+, 99th = \d+, 99\.9th = \d+", lines[3])
