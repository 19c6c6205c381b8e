"""Apache Kafka opens what `pko dump-log repair` left, and finds nothing to cut."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from pykafka_ops import cli
from pykafka_ops.commands.dump_log.paths import jobs_of
from pykafka_ops.commands.dump_log.repairing.plan import RepairPlan
from tests.storage.test_apache import problems
from tests.support.golden.damage import WHOLE, copy_of, harm
from tests.support.golden.segments import CASES
from tests.support.process.apache import ApacheBroker
from tests.support.process.commands import KafkaTools
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
SEEDS = 40


def damaged(directory: Path) -> None:
    """Golden directories that are damaged, and sound ones damaged by chance."""
    for case in CASES:
        if case.startswith("damage-"):
            copy_of(case, directory / f"{case}-0")
    for seed in range(SEEDS):
        rng = random.Random(seed)
        harm(copy_of(rng.choice(WHOLE), directory / f"chance-{seed}"), rng, files=3)


def written(directory: Path) -> set[str]:
    """The indexes that a repair would make anew."""
    plans = [RepairPlan(job) for job in jobs_of([str(directory)])]
    return {
        f"{plan.folder}/{step.name}"
        for plan in plans
        for step in plan.steps
        if step.action == "write" and step.name.endswith("index")
    }


def test_apache_kafka_opens_repaired_directories(
    tmp_path: Path,
    make_apache: Callable[..., ApacheBroker],
    kafka_tools: KafkaTools,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("PKO_OUTPUT", raising=False)
    data = tmp_path / "data"
    damaged(data)
    anew = written(data)
    assert cli.main(["dump-log", "repair", str(data), "--yes"]) == 0, capsys.readouterr()
    logs = {path: path.read_bytes() for path in data.glob("*/*.log")}
    indexes = {path: path.read_bytes() for path in data.glob("*/*index") if str(path) in anew}
    epochs = {path: path.read_bytes() for path in data.glob("*/leader-epoch-checkpoint")}
    assert len(anew) > 60 and len(logs) > 60
    settings = {"log.retention.ms": -1, "log.cleaner.enable": "false"}
    broker = make_apache(data, settings).start()
    wait_for(lambda: "started (kafka.server.KafkaServer)" in broker.log.read_text())
    assert cli.main(["dump-log", "repair", str(data), "--yes"]) == 1
    assert "a broker is running on" in capsys.readouterr().err
    broker.stop()
    assert problems(broker) == []
    assert (data / ".kafka_cleanshutdown").exists()
    # Kafka has recovered every log: what it would have cut or made otherwise is different now.
    assert {path: path.read_bytes() for path in data.glob("*/*.log")} == logs
    assert {path for path, content in indexes.items() if path.read_bytes() != content} == set()
    assert {path for path, content in epochs.items() if path.read_bytes() != content} == set()
    assert cli.main(["dump-log", "verify", str(data)]) == 0, capsys.readouterr()
    some = sorted(data.glob("damage-*/*.log"))[:12]
    done = kafka_tools("kafka-dump-log", "--deep-iteration", "--files", ",".join(map(str, some)))
    assert done.code == 0 and "isvalid: false" not in done.out, done.err
