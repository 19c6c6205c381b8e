"""The example for cron in docs/spark.md is run, word by word, on a real broker."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.process.broker import BrokerProcess

PAGE = (Path(__file__).parents[2] / "docs" / "spark.md").read_text()
CRON = re.compile(r"^((?:\S+ +){5})(pko spark .+)$", re.MULTILINE)
FIELD = re.compile(r"(\*|\d+(-\d+)?)(/\d+)?(,\d+)*")


@pytest.fixture
def here(
    make_broker: Callable[..., BrokerProcess], log_dir: Path, tmp_path: Path
) -> Iterator[Callable[[str], str]]:
    """Puts a broker with known lag, and directories of the test, into a command."""
    shutil.copytree(log_dir, tmp_path / "data")
    broker = make_broker(data_dir=tmp_path / "data").start()
    for name in ("lib", "www"):
        (tmp_path / name).mkdir()

    def put(text: str) -> str:
        text = text.replace("broker:9092", broker.bootstrap)
        return text.replace("/var/lib/pko", f"{tmp_path}/lib").replace(
            "/srv/www", f"{tmp_path}/www"
        )

    yield put


def check_schedule(text: str) -> None:
    assert len(text.split()) == 5
    assert all(FIELD.fullmatch(field) for field in text.split())


def test_the_line_for_cron_mails_only_what_matters(
    here: Callable[[str], str], tmp_path: Path
) -> None:
    ((schedule, line),) = CRON.findall(PAGE)
    check_schedule(schedule)
    command = here(line).replace("pko ", f"{shlex.quote(sys.executable)} -m pykafka_ops ", 1)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": os.getcwd()}
    env |= {name: os.environ[name] for name in ("JAVA_HOME",) if name in os.environ}
    done = subprocess.run(["/bin/sh", "-c", command], env=env, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=300, check=False)  # fmt: skip
    # Nobody reads for the group billing any more: that is what the line is to tell.
    assert (done.returncode, done.stdout) == (4, "")
    assert re.fullmatch(r"pko: group billing: lag_seconds [\d.]+, status STOP\n", done.stderr)
    assert "billing" in (tmp_path / "lib/lag.txt").read_text()
    assert 'data-kind="lag"' in (tmp_path / "www/lag.html").read_text()
    assert list(tmp_path.glob("lib/history/kind=lag/section=groups/*/*.parquet"))
