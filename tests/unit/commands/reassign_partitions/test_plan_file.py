"""Files of plans: what is written is read, what is broken is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.framework.failures import in_one_line
from pykafka_ops.commands.reassign_partitions import plan_file
from pykafka_ops.commands.reassign_partitions.document import DocumentError
from pykafka_ops.errors import PkoError

AFTER = {("t", 0): (1, 2), ("ü", 7): (0,)}
BEFORE = {("t", 0): (2, 1), ("ü", 7): (3,)}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = str(tmp_path / "plan.json")
    plan_file.write(path, plan_file.text_of(BEFORE, AFTER, "id", {"t": "one", "x": "two"}))
    assert plan_file.read(path) == plan_file.PlanFile(BEFORE, AFTER, "id", {"t": "one"})
    assert [p.name for p in tmp_path.iterdir()] == ["plan.json"]


def test_kafkas_files_tell_nothing_of_before(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text('{"partitions":[{"topic":"t","partition":0,"replicas":[1]}]}')
    assert plan_file.read(str(path)) == plan_file.PlanFile(None, {("t", 0): (1,)}, None, {})
    assert plan_file.beside(str(path)) == str(tmp_path / "plan.before.json")


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(PkoError, match=r"cannot write .*: No such file"):
        plan_file.write(str(tmp_path / "no" / "plan.json"), "{}")


_ITEM = {"topic": "t", "partition": 0, "replicas": [1]}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"partitions": []}, "cannot be empty"),
        ({"partitions": [_ITEM, _ITEM]}, "duplicate topic partitions: t-0"),
        ({"partitions": [{**_ITEM, "replicas": [1, 1]}]}, "multiple entries for 1"),
        ({"partitions": [{**_ITEM, "log_dirs": ["/d"]}]}, "it names log directories"),
        ({"partitions": [_ITEM], "before": 7}, "Expected JSON array"),
        ({"partitions": [_ITEM], "before": None}, "Expected JSON array"),
        ({"partitions": [_ITEM], "before": [{**_ITEM, "partition": 1}]}, "not of the same ones"),
        ({"version": 2, "partitions": [_ITEM]}, "Not supported version"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_name(
    tmp_path: Path, fields: dict[str, object], text: str
) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(fields))
    with pytest.raises(DocumentError, match=text) as caught:
        plan_file.read(str(path))
    assert in_one_line(caught.value).startswith(str(path))


@given(st.binary(max_size=200), st.integers(0, 300))
def test_damaged_files_are_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, at: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    whole = plan_file.text_of(BEFORE, AFTER, "id", {}).encode()
    path.write_bytes(whole[:at] + junk + whole[at + len(junk) :])
    try:
        found = plan_file.read(str(path))
    except DocumentError as error:
        assert "\n" not in str(error).strip()
    else:
        assert found.after and (found.before is None or found.before.keys() == found.after.keys())
