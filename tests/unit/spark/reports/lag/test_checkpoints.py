"""Checkpoints of Structured Streaming jobs, found and read."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.inputs.names import ALL, Names
from pykafka_ops.spark.reports.lag.checkpoints import jobs
from tests.support.spark.stream_jobs import START, checkpoint


def inputs(groups: Names = ALL, topics: Names = ALL) -> Any:
    return SimpleNamespace(wanted_groups=groups, wanted_topics=topics)


def test_a_job_stands_where_its_last_finished_batch_ended(tmp_path: Path) -> None:
    found = jobs(inputs(), [str(checkpoint(tmp_path / "enrich", 3, 4))])
    (job,) = found.found
    assert (job.name, [p.number for p in job.done]) == ("enrich", [0, 1, 2])
    assert job.done[-1].offsets == {("orders", 0): 30, ("orders", 1): 2}
    assert [p.time for p in job.done] == [START + n * 1000 + 600 for n in range(3)]
    assert not found.problems


def test_a_directory_of_checkpoints_is_all_of_them(tmp_path: Path) -> None:
    for name in ("b", "a"):
        checkpoint(tmp_path / name, 1, 1)
    (tmp_path / "not one").mkdir()
    assert [job.name for job in jobs(inputs(), [str(tmp_path)]).found] == ["a", "b"]
    wanted = inputs(groups=Names.of(["b"]))
    assert [job.name for job in jobs(wanted, [str(tmp_path)]).found] == ["b"]


def test_jobs_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    paths = [str(checkpoint(tmp_path / part / "job", 1, 1)) for part in "xyz"]
    names = [job.name for job in jobs(inputs(), paths).found]
    assert names == ["job", "job (d54b6658)", paths[2]]


def test_topics_nobody_asked_for_are_left_out(tmp_path: Path) -> None:
    path = str(checkpoint(tmp_path / "job", 1, 1))
    (job,) = jobs(inputs(topics=Names.of(["payments"])), [path]).found
    assert job.done[-1].offsets == {}


def test_a_torn_file_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    root = checkpoint(tmp_path / "job", 3, 3)
    (root / "offsets" / "2").write_text("v1\n{torn")
    found = jobs(inputs(), [str(root)])
    assert found.found[0].done[-1].number == 1
    (problem,) = found.problems
    assert problem.where.endswith("/offsets/2")
    assert "this batch is left out" in problem.what


def test_what_is_no_checkpoint_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path, said in (
        (tmp_path / "none", "no such directory"),
        (tmp_path / "file", "no such directory"),
        (tmp_path, "no checkpoint of a Structured Streaming job"),
        ("nope://somewhere", "cannot be opened"),
    ):
        with pytest.raises(UsageError, match=said):
            jobs(inputs(), [str(path)])
