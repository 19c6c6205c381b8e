"""The caps count what they say they count."""

from __future__ import annotations

import ast

import pytest

from scripts.caps import Function, code_lines, parameters, positional


def function(text: str) -> Function:
    (node,) = ast.parse(text).body
    assert isinstance(node, Function)
    return node


@pytest.mark.parametrize(
    ("signature", "by_position", "in_all"),
    [
        ("self, a, b", 2, 2),
        ("cls, a, /, b=1", 2, 2),
        ("a, *, b, c=1", 1, 3),
        ("a, *rest, b, **more", 1, 2),
    ],
)
def test_parameters_by_position_and_by_keyword(
    signature: str, by_position: int, in_all: int
) -> None:
    node = function(f"def f({signature}): ...")
    assert (positional(node), parameters(node)) == (by_position, in_all)


def test_a_docstring_is_no_code() -> None:
    assert code_lines(function('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n')) == 2
