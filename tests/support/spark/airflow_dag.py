"""A DAG that Airflow itself runs: reports on a directory, each pulled by a task behind it, which
writes what it got. Both directories, and how ``pko`` is called, are in PKO_TEST_REPORTS (JSON).

As a program it runs the DAG and prints the state of every task. For Airflow 2 and 3.
"""

import json
import os
from datetime import datetime

try:
    from airflow.sdk import DAG, task
except ImportError:
    from airflow.decorators import task
    from airflow.models import DAG

from pykafka_ops.spark.airflow import PkoSparkOperator
from pykafka_ops.spark.result import ReportResult

LOGS, OUT, *PKO = json.loads(os.environ["PKO_TEST_REPORTS"])


@task(trigger_rule="all_done")
def keep(value: dict[str, object], name: str) -> None:
    result = ReportResult.from_dict(value)
    with open(f"{OUT}/{name}.json", "w") as file:
        json.dump(result.as_dict() | {"condition_met": result.condition_met}, file)


with DAG("reports", schedule=None, start_date=datetime(2026, 1, 1), catchup=False) as dag:
    reads = {"log-dirs": [LOGS], "engine": "local"}
    files = {"html": f"{OUT}/{{{{ ds }}}}.html", "metrics": f"{OUT}/lag.prom"}
    fine = PkoSparkOperator(task_id="fine", options={**reads, **files}, pko=PKO)
    met = PkoSparkOperator(task_id="met", options={**reads, "fail-on": "lag>0"}, pko=PKO)
    taken = PkoSparkOperator(
        task_id="taken", report="all", accept=(0, 4), pko=PKO,
        options={**reads, "topic": "orders", "no-progress": True, "strict": False},
    )  # fmt: skip
    wrong = PkoSparkOperator(
        task_id="wrong", options={**reads, "fail-on": "nonsense>0"}, pko=PKO, retries=3
    )
    for operator in (fine, met, taken):
        keep.override(task_id=f"keep_{operator.task_id}")(operator.output, operator.task_id)

if __name__ == "__main__":
    run = dag.test()
    print(json.dumps({ti.task_id: str(ti.state) for ti in run.get_task_instances()}))
