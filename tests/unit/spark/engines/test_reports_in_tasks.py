"""Reports of directories whose rows are dealt to tasks, against those made in one piece."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from pykafka_ops.analysis.cost import CostRules, Prices
from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.output.document import document
from tests.support.spark.pickled_tasks import PickledTasks
from tests.support.spark.workload import NOW, Workload

KINDS = ("lag", "skew", "retention", "cost", "slo", "formats")
OPTIONS = ReportOptions(cost=CostRules(Prices(8.0), "EUR"))
VOLUME = ("usable_bytes", "days_to_", "first_full_days")


def made(session: Any, work: Workload) -> dict[str, Any]:
    inputs = open_inputs(session, InputQuery(now=NOW), locations=[*map(str, work.places)],
                         configs=str(work.settings))  # fmt: skip
    try:
        reports = {k: import_module(f"pykafka_ops.spark.reports.{k}.report") for k in KINDS}
        return {k: steady(document(r.build(inputs, OPTIONS))) for k, r in reports.items()}
    finally:
        inputs.close()


def steady(found: Any) -> Any:
    """Without what the volume says, which others write to."""
    if isinstance(found, dict):
        return {k: steady(v) for k, v in found.items() if not k.startswith(VOLUME)}
    return [steady(v) for v in found] if isinstance(found, list) else found


def test_figures_do_not_depend_on_tasks(tmp_path: Path) -> None:
    work = Workload(tmp_path, 3)
    runner = PickledTasks()
    in_tasks, alone = made(LocalSession(runner), work), made(LocalSession(), work)
    for kind in KINDS:
        assert in_tasks[kind] == alone[kind], kind
    assert runner.ran > 20
