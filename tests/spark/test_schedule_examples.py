"""The examples for cron and Airflow in docs/spark.md are run, word by word, on a real broker.

Airflow itself is not installed: stand-ins for its DAG and BashOperator note what the file says.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pykafka_ops.cli import main
from tests.support.process.broker import BrokerProcess

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = (Path(__file__).parents[2] / "docs" / "spark.md").read_text()
CRON = re.compile(r"^((?:\S+ +){5})(pko spark .+)$", re.MULTILINE)
FIELD = re.compile(r"(\*|\d+(-\d+)?)(/\d+)?(,\d+)*")


class StandIns:
    """The DAGs and tasks that a file makes, by the arguments that Airflow 3 takes."""

    def __init__(self) -> None:
        self.dags: list[dict[str, Any]] = []
        self.tasks: list[dict[str, Any]] = []

    def modules(self) -> dict[str, types.ModuleType]:
        """What ``import`` finds."""
        found = self

        class Dag:
            def __init__(
                self, dag_id: str, *, schedule: str, start_date: datetime, catchup: bool
            ) -> None:
                assert re.fullmatch(r"[\w.-]+", dag_id)
                found.dags.append({"schedule": schedule, "start": start_date, "catchup": catchup})

            def __enter__(self) -> Dag:
                return self

            def __exit__(self, *_: object) -> None:
                pass

        def bash(
            *, task_id: str, bash_command: str, env: dict[str, str], append_env: bool,
            execution_timeout: timedelta,
        ) -> None:  # fmt: skip
            assert re.fullmatch(r"[\w.-]+", task_id)
            found.tasks.append({"command": bash_command, "env": env, "append": append_env,
                                "limit": execution_timeout})  # fmt: skip

        made = {}
        for name, attributes in (
            ("airflow", {}), ("airflow.sdk", {"DAG": Dag}), ("airflow.providers", {}),
            ("airflow.providers.standard", {}), ("airflow.providers.standard.operators", {}),
            ("airflow.providers.standard.operators.bash", {"BashOperator": bash}),
        ):  # fmt: skip
            made[name] = types.ModuleType(name)
            made[name].__dict__.update(attributes)
        return made


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


def test_the_dag_for_airflow_runs_what_it_says(
    spark: SparkSession, here: Callable[[str], str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (source,) = re.findall(r"```python\n(.*?airflow.*?)```", PAGE, re.DOTALL)
    found = StandIns()
    for name, module in found.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    exec(compile(source, "kafka_lag.py", "exec"), {"__name__": "kafka_lag"})
    (dag,), (task,) = found.dags, found.tasks
    check_schedule(dag["schedule"])
    assert dag["start"] < datetime(2026, 12, 1) and dag["catchup"] is False
    assert (task["append"], task["limit"] > timedelta(minutes=1)) == (True, True)
    config = tmp_path / "client.properties"
    config.write_text("client.id=airflow\n")
    assert task["env"] == {"PKO_COMMAND_CONFIG": "/etc/kafka/client.properties"}
    monkeypatch.setenv("PKO_COMMAND_CONFIG", str(config))
    program, *words = shlex.split(here(task["command"]))
    assert program == "pko"
    assert main(words) == 0, capsys.readouterr().err  # half a second behind, at most
    assert capsys.readouterr() == ("", "")
    assert '"group": "billing"' in (tmp_path / "lib/lag.json").read_text()
