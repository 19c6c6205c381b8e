"""Our broker's storage opens what `pko dump-log repair` left, and finds nothing to cut."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pykafka_ops import cli
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log_manager import LogManager
from tests.support.golden.damage import WHOLE, copy_of, harm
from tests.support.golden.segments import CASES
from tests.support.memory.logs import NOW


def test_repaired_directories_are_opened_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PKO_OUTPUT", raising=False)
    monkeypatch.setattr("pykafka_ops.commands.dump_log.checking.scan._WRITE_SECONDS", 0)
    for case in CASES:
        # An empty segment before others: Apache Kafka keeps those, ours takes them for torn off.
        if case.startswith("damage-") and case != "damage-empty-log":
            copy_of(case, tmp_path / f"{case}-0")
    for seed in range(20):
        rng = random.Random(seed)
        harm(copy_of(rng.choice(WHOLE), tmp_path / f"chance-{seed}"), rng, files=3)
    assert cli.main(["dump-log", "repair", str(tmp_path), "--yes"]) == 0, capsys.readouterr()
    logs = {path: path.read_bytes() for path in tmp_path.glob("*/*.log")}
    config = TopicConfig()
    dirs = LogManager([str(tmp_path)], broker_id=0, cluster_id="c", config_of=lambda _: config)
    dirs.open(NOW)
    for key in dirs.partitions():
        log = dirs.get(*key)
        assert log is not None
        log.open()
    dirs.close()
    assert {path: path.read_bytes() for path in tmp_path.glob("*/*.log")} == logs
    assert cli.main(["dump-log", "verify", str(tmp_path)]) == 0, capsys.readouterr()
