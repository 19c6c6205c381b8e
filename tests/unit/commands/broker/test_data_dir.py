"""What the settings of a broker are, and where it keeps its data."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.commands.broker import broker
from pykafka_ops.commands.broker.data_dir import data_dir_of, properties_of, running
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.errors import UsageError
from tests.support.memory.context import args_of


def start(*words: str) -> Args:
    return args_of(broker, ["start", *words])


def test_overrides_stand_above_the_file_and_listen_above_both(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text("num.partitions=2\nlisteners=PLAINTEXT://:1\nlog.dirs=/a\n")
    words = (str(file), "--override", "num.partitions = 3", "--listen", "127.0.0.1:2")
    found = properties_of(start(*words))
    assert found == {
        "num.partitions": "3",
        "listeners": "PLAINTEXT://127.0.0.1:2",
        "log.dirs": "/a",
    }


def test_without_a_file_the_broker_listens_on_this_machine() -> None:
    assert properties_of(start()) == {"listeners": "PLAINTEXT://127.0.0.1:9092"}
    with pytest.raises(UsageError, match="--override x: write it as key=value"):
        properties_of(start("--override", "x"))


def test_logs_lie_in_the_data_directory_unless_log_dirs_says_otherwise(tmp_path: Path) -> None:
    settings: dict[str, str] = {}
    assert data_dir_of(start("--data-dir", str(tmp_path)), settings) == tmp_path
    assert settings == {"log.dirs": str(tmp_path)}
    assert data_dir_of(start(), {"log.dirs": "/a,/b"}) == Path("/a")


def test_nobody_runs_on_a_directory_without_a_pid_file(tmp_path: Path) -> None:
    assert running(tmp_path) is None
