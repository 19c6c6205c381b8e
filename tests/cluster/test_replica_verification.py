"""kafka-replica-verification on three brokers of ours: followers answer, too."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pykafka_ops.testing import KafkaCluster
from tests.support.golden.transcripts import run_patiently as run
from tests.support.process.console import pko
from tests.support.waiting import wait_for


@contextmanager
def verifying(cluster: KafkaCluster, out: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    argv = [sys.executable, "-m", "pykafka_ops", "kafka-replica-verification",
            "--broker-list", cluster.bootstrap_servers, "--max-wait-ms", "50",
            "--report-interval-ms", "1", *words]  # fmt: skip
    with out.open("wb") as file:
        process = subprocess.Popen(argv, stdout=file, stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        process.kill()
        process.wait(120)


def test_all_replicas_are_compared_as_records_come(cluster: KafkaCluster, tmp_path: Path) -> None:
    where = ("-b", cluster.bootstrap_servers)
    assert run("topics", "create", "verified", "-p", "1", "-r", "3", *where).code == 0
    assert pko("produce", "verified", *where, text="a\nb\nc\n").returncode == 0
    out = tmp_path / "said"
    lag = "max lag is 0 for partition verified-0 at offset {} among 1 partitions"
    words = ("--topics-include", "verified", "--time", "-2")
    with verifying(cluster, out, *words) as process:
        wait_for(lambda: lag.format(3) in out.read_text(), what="the first records")
        assert pko("produce", "verified", *where, text="d\n").returncode == 0
        wait_for(lambda: lag.format(4) in out.read_text(), what="one more record")
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 130
    text = out.read_text()
    assert ": verification process is started\n" in text
    assert "checksum" not in text and "Traceback" not in text


def test_topics_that_are_not_there_are_told(cluster: KafkaCluster) -> None:
    said = run("kafka-replica-verification", "--broker-list", cluster.bootstrap_servers,
               "--topics-include", "no-such")  # fmt: skip
    assert (said.code, said.stdout) == (1, "") and "ERROR No topics found." in said.stderr


def test_times_at_which_nothing_is_are_told(cluster: KafkaCluster) -> None:
    where = ("-b", cluster.bootstrap_servers)
    assert run("topics", "create", "untimely", "-p", "1", *where).code == 0
    for time, complaint in (
        ("4102444800000", "untimely-0 has no record at 4102444800000 or later"),
        (
            "-3",
            "The target time for partition untimely-0 is -3. The target time cannot be negative.",
        ),
    ):
        said = run("kafka-replica-verification", "--broker-list", cluster.bootstrap_servers,
                   "--topics-include", "untimely", "--time", time)  # fmt: skip
        assert (said.code, said.stderr.splitlines()[1:]) == (1, [complaint])
