"""``pko spark all`` of a running broker, by the local engine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pykafka_ops.cli import main
from tests.support.process.broker import BrokerProcess


def all_reports(
    broker: BrokerProcess, capsys: pytest.CaptureFixture[str], *, with_files: bool
) -> list[dict[str, Any]]:
    """The documents of its three reports; of the cluster alone, or of its log directory, too."""
    words = ["spark", "all", "-b", broker.bootstrap, "--engine", "local", "-o", "json"]
    if with_files:
        words += ["--log-dirs", str(broker.data_dir)]
    assert main(words) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["reports"]
    return found
