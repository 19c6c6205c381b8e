"""When the Python of executors is asked for what it lacks, and what is said of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pykafka_ops.spark import workers

EXITED = RuntimeError("SparkException: Python worker exited unexpectedly (crashed)")


def spark(master: str) -> Any:
    return SimpleNamespace(sparkContext=SimpleNamespace(master=master, pythonExec="python3"))


@pytest.mark.parametrize(
    ("master", "error"),
    [("local[2]", EXITED), ("spark://a:7077", RuntimeError("No space left on device"))],
)
def test_it_is_not_asked_where_it_cannot_be_at_fault(
    monkeypatch: pytest.MonkeyPatch, master: str, error: Exception
) -> None:
    monkeypatch.setattr(workers, "_answers", pytest.fail)
    assert workers.at_fault(spark(master), error) is None


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"/usr/bin/python3\t3.12\t"}, None),
        (
            {"/b/python\t3.12\tnumba,cramjam", "/a/python\t3.12\t"},
            "the Python of the executors, /b/python (3.12), has no numba, cramjam: pip install ",
        ),
        ({"\t3.12\tnumpy"}, "the Python of the executors, python3 (3.12), has no numpy: "),
    ],
)
def test_what_it_lacks_is_said_with_its_place(
    monkeypatch: pytest.MonkeyPatch, answers: set[str], said: str | None
) -> None:
    monkeypatch.setattr(workers, "_answers", lambda spark, python: answers)
    found = workers.at_fault(spark("yarn"), EXITED)
    assert (found is None) == (said is None)
    assert found is None or (str(found).startswith(said or "?") and "--archives" in str(found))


def test_one_that_cannot_be_asked_leaves_the_error_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(spark: object, python: str) -> set[str]:
        raise RuntimeError("the application was ended")

    monkeypatch.setattr(workers, "_answers", gone)
    assert workers.at_fault(spark("yarn"), EXITED) is None
