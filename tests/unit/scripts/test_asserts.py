"""The check that every test checks something finds those that do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import asserts
from tests.support.raising import raises_nothing, raises_only

HEAD = """
import pytest
from tests.support.raising import raises_nothing
from tests.support.waiting import wait_for
class Desk:
    def look(self):
        assert self
def helper():
    other()
def other():
    raise AssertionError("no")
def circle():
    circle()
"""


@pytest.mark.parametrize(
    ("body", "checks"),
    [
        ("assert 1", True),
        ("with pytest.raises(ValueError): int('x')", True),
        ("with raises_nothing(): int('1')", True),
        ("wait_for(lambda: True)", True),
        ("Desk().look()", True),
        ("helper()", True),
        ("print('fine')", False),
        ("circle()", False),
        ("int('1')", False),
    ],
)
def test_a_test_checks_something_itself_or_through_a_helper(
    tmp_path: Path, body: str, checks: bool
) -> None:
    path = tmp_path / "test_it.py"
    path.write_text(f"{HEAD}def test_it():\n    {body}\n")
    file = asserts.File(path)
    (test,) = file.functions["test_it"]
    assert file.checks(test) is checks


def test_what_is_not_declared_is_a_failure() -> None:
    with raises_only(KeyError):
        raise KeyError("x")
    with pytest.raises(AssertionError, match="ValueError"), raises_only(KeyError):
        raise ValueError("x")
    with pytest.raises(AssertionError, match="KeyError"), raises_nothing():
        raise KeyError("x")
    with pytest.raises(AssertionError, match=r"^own$"), raises_only(AssertionError):
        raise AssertionError("own")
