"""What a report came to, as one value; and Airflow that is not installed."""

from __future__ import annotations

import json

import pytest

from pykafka_ops.commands.spark.places import document_text
from pykafka_ops.errors import StorageError
from pykafka_ops.spark.result import ReportResult
from tests.support.spark import reports


def test_a_result_says_what_the_document_says() -> None:
    made = [reports.lag_report(), reports.retention_report()]
    document = json.loads(document_text(made, "json", indent=False))
    found = ReportResult.of("all", 4, document, {"html": "x.html"})
    assert found.condition_met and (found.report, found.tone) == ("all", "bad")
    assert found.verdict == document["verdict"]["text"]
    assert found.sections["lag"]["groups"] == len(made[0].section("groups").rows)
    assert found.problems == {r.kind: len(r.problems) for r in made}
    assert ReportResult.from_dict(json.loads(json.dumps(found.as_dict()))) == found


def test_a_section_of_which_nothing_is_known_has_no_number_of_rows() -> None:
    made = reports.lag_report()
    made.section("groups").unknown = "no commits"
    document = json.loads(document_text([made], "json", indent=False))
    assert ReportResult.of("lag", 0, document, {}).sections["lag"]["groups"] is None


def test_another_document_is_refused_in_a_line() -> None:
    with pytest.raises(StorageError, match="no document of 'pko spark lag -o json'"):
        ReportResult.of("lag", 0, {"kind": "topics"}, {})


def test_the_operator_says_in_a_line_that_airflow_is_not_installed() -> None:
    with pytest.raises(ImportError) as caught:
        import pykafka_ops.spark.airflow  # noqa: F401
    assert str(caught.value) == (
        "pykafka_ops.spark.airflow needs Apache Airflow: pip install apache-airflow"
    )
