"""Units of tests that run on one worker: those with long ones first, single tests last."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scheduling import (
    CLIENT_FILES,
    LONG,
    OWN_SPARK,
    SPARK,
    TRIO,
    TRIO_FILES,
    rank,
    unit_of,
)

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("node", "unit"),
    [
        ("tests/spark/test_session.py::test_a", SPARK),
        ("tests/spark/test_demo.py::test_a", "tests/spark/test_demo.py"),
        ("tests/peer/test_cluster_answers.py::test_a[x]", TRIO),
        ("tests/cluster/test_faults.py::test_a[kill]", "tests/cluster/test_faults.py"),
        ("tests/clients/test_admin.py::test_a[java-3.9.1]", "clients java-3.9.1"),
        ("tests/clients/test_round_trip.py::test_a[aiokafka-gzip]", "clients aiokafka"),
        ("tests/clients/test_groups.py::test_a[aiokafka]", "tests/clients/test_groups.py"),
        ("tests/clients/test_x.py::test_a[more]", "tests/clients/test_x.py::test_a[more]"),
        ("tests/unit/test_cli.py::test_a", "tests/unit/test_cli.py::test_a"),
    ],
)
def test_what_shares_something_dear_is_one_unit(node: str, unit: str) -> None:
    assert unit_of(node) == unit


def test_long_units_come_first_and_single_tests_last() -> None:
    nodes = [
        "tests/crash/test_kill.py::test_a",
        "tests/peer/test_storage.py::test_a",
        "tests/cluster/test_mixed.py::test_a",
        "tests/spark/test_session.py::test_a",
    ]
    assert sorted(nodes, key=rank) == nodes[::-1]


def test_every_file_that_is_named_exists() -> None:
    named = {*OWN_SPARK, *TRIO_FILES, *CLIENT_FILES, *LONG} - {SPARK, TRIO}
    assert [name for name in named if not (ROOT / name).is_file()] == []
