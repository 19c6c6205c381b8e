"""The operator in Airflow itself: its tasks, what they push, how they fail and are stopped."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.spark.conftest import READ, RECORDS
from tests.support.process.broker import BrokerProcess
from tests.support.spark.airflow_kit import PKO, VERSIONS, Airflow

SUPPORT = Path(__file__).parents[1] / "support" / "spark"
PAGE = (Path(__file__).parents[2] / "docs" / "spark.md").read_text()
LAG = RECORDS - 2 * READ


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """On the newest Airflow, or with ``--every-airflow`` on each."""
    given = metafunc.definition.get_closest_marker("parametrize")
    if "version" in metafunc.fixturenames and given is None:
        count = None if metafunc.config.getoption("--every-airflow") else 1
        metafunc.parametrize("version", VERSIONS[:count], scope="module")


@pytest.fixture(scope="module")
def airflow(version: str, tmp_path_factory: pytest.TempPathFactory) -> Airflow:
    """That version of Airflow, with a database of its own."""
    return Airflow(version, tmp_path_factory.mktemp("airflow") / "home")


def test_tasks_push_what_a_report_came_to_and_fail_by_its_exit_code(
    airflow: Airflow, log_dir: Path, tmp_path: Path
) -> None:
    source = (SUPPORT / "airflow_dag.py").read_text()
    env = {"PKO_TEST_REPORTS": json.dumps([str(log_dir), str(tmp_path), *PKO])}
    states = airflow.states("reports", source, env)
    good, bad = ("fine", "taken", "keep_fine", "keep_met", "keep_taken"), ("met", "wrong")
    assert states == dict.fromkeys(good, "success") | dict.fromkeys(bad, "failed")
    fine, met, taken = (
        json.loads((tmp_path / f"{name}.json").read_text()) for name in ("fine", "met", "taken")
    )
    assert (fine["report"], fine["exit_code"], fine["condition_met"]) == ("lag", 0, False)
    assert fine["summary"]["lag"]["lag"] == LAG
    assert fine["sections"]["lag"]["groups"] == 1
    assert fine["verdict"] == "1 group is not known to keep up: billing."
    assert fine["tone"] == "warn"
    assert set(fine["paths"]) == {"html", "metrics"}  # the date was put into the name
    assert 'data-kind="lag"' in Path(fine["paths"]["html"]).read_text()
    assert re.search(r"\d{4}-\d\d-\d\d\.html$", fine["paths"]["html"])
    assert "kafka_consumergroup_lag{" in Path(fine["paths"]["metrics"]).read_text()
    assert (met["exit_code"], met["condition_met"]) == (4, True)
    assert list(taken["sections"]) == ["lag", "skew", "retention"]
    assert taken["summary"]["skew"]["records"] == RECORDS


def test_a_task_that_is_stopped_ends_its_report(airflow: Airflow) -> None:
    said = airflow.run(str(SUPPORT / "airflow_kill.py"))
    last = said.splitlines()[-1]
    assert last == "AirflowException: pko spark lag ended with -15: begun"


@pytest.mark.parametrize("version", VERSIONS[:1], scope="module")
def test_the_dag_of_the_page_runs_as_it_is(
    airflow: Airflow, make_broker: Callable[..., BrokerProcess], tmp_path: Path
) -> None:
    (source,) = re.findall(r"```python\n([^`]*?import PkoSparkOperator[^`]*?)```", PAGE)
    broker = make_broker().start()
    (tmp_path / "client.properties").write_text("client.id=airflow\n")
    for old, new in (
        ("broker:9092", broker.bootstrap), ("/etc/kafka", tmp_path), ("/var/lib/pko", tmp_path),
        ("/srv/www", tmp_path),
    ):  # fmt: skip
        assert old in source
        source = source.replace(old, str(new))
    source += (
        'if __name__ == "__main__":\n    import json\n    run = dag.test()\n'
        "    print(json.dumps({t.task_id: str(t.state) for t in run.get_task_instances()}))\n"
    )
    program = tmp_path / "pko"  # as pip puts it on the PATH of Airflow's own Python
    program.write_text(f'#!/bin/sh\nexec {shlex.join(PKO)} "$@"\n')
    program.chmod(0o755)
    source = source.replace('report="lag",', 'report="lag", pko=["pko"],')
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    assert airflow.states("kafka_lag", source, {"PATH": path}) == {
        "report": "success", "tell": "success",
    }  # fmt: skip
    assert 'data-kind="lag"' in (tmp_path / "lag.html").read_text()
