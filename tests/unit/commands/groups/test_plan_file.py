"""Plans as CSV: what is written is read again; what is no plan is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pykafka_ops.commands.groups.plan_file import (
    PlanFileError,
    PlanLine,
    PlanLineError,
    by_group,
    read_plan,
    write_plan,
)

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40)
PLANS = st.dictionaries(
    NAMES,
    st.dictionaries(
        st.tuples(NAMES, st.integers(0, 1000)), st.integers(0, 2**62), min_size=1, max_size=3
    ),
    min_size=1,
    max_size=3,
)


@given(PLANS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_plan_is_read_as_it_was_written(
    tmp_path: Path, plans: dict[str, dict[tuple[str, int], int]]
) -> None:
    path = tmp_path / "plan.csv"
    path.write_text("".join(write_plan(plans, with_group=True)), encoding="utf-8", newline="")
    assert by_group(read_plan(str(path)), []) == plans


def test_lines_without_a_group_belong_to_the_only_one_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    path.write_text("t,0,5\ng,t,1,6\n")
    lines = read_plan(str(path))
    assert lines == [PlanLine(None, ("t", 0), 5), PlanLine("g", ("t", 1), 6)]
    assert by_group(lines, ["x"]) == {"x": {("t", 0): 5}, "g": {("t", 1): 6}}
    assert by_group(lines, ["x", "y"]) == {"g": {("t", 1): 6}}


def test_long_names_are_quoted_as_kafkas_tool_does() -> None:
    plan = {"routes-svc-with-a-rather-long-name": {("t", 0): 1}}
    assert next(iter(write_plan(plan, with_group=True))).startswith('"routes-svc-')
    assert list(write_plan(plan, with_group=False)) == ["t,0,1\n"]


@pytest.mark.parametrize("line", ["a,b", "t,x,1", "t,0,1.5", "a,b,c,0,1", "t,99999999999,1"])
def test_a_line_that_is_no_plan_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "plan.csv"
    path.write_text(f"t,0,1\n{line}\n")
    with pytest.raises(PlanLineError, match="line 2: write"):
        read_plan(str(path))


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(PlanFileError, match="Unable to read file"):
        read_plan(str(tmp_path / "none.csv"))
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(PlanFileError, match="no CSV file"):
        read_plan(str(tmp_path / "bytes.csv"))
