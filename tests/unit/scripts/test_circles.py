"""The check of import circles sees every kind of import."""

from __future__ import annotations

import ast

import pytest

from scripts.circles import circles, graph_of, imported

LAZY = "def f():\n    from {} import x"
TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from {} import X"


def groups(**sources: str) -> list[set[str]]:
    """The circles among modules of package ``p``: name -> text."""
    modules = {f"p.{name}": (text, False) for name, text in sources.items()}
    return [set(c.modules) for c in circles(graph_of({"p": ("", True)} | modules))]


@pytest.mark.parametrize("back", ["from p.a import x", LAZY.format("p.a"), TYPES.format("p.a")])
def test_two_files_that_import_each_other_are_a_circle_however_they_do(back: str) -> None:
    assert groups(a="from p import b", b=back) == [{"p.a", "p.b"}]


def test_a_circle_of_three_is_one_circle() -> None:
    assert groups(a="import p.b", b="import p.c", c="import p.a", d="import p.a") == [
        {"p.a", "p.b", "p.c"}
    ]


def test_imports_that_only_point_down_are_none() -> None:
    assert groups(a="from p import b, c", b=LAZY.format("p.c"), c="import os") == []


def test_separate_circles_are_separate() -> None:
    assert groups(a="import p.b", b="import p.a", c="import p.d\nimport p.a", d="import p.c") == [
        {"p.a", "p.b"},
        {"p.c", "p.d"},
    ]


def test_a_package_is_in_a_circle_with_a_file_it_names_only() -> None:
    sources = {"p": ("from p.a import x", True), "p.a": ("from p import y", False)}
    assert [set(c.modules) for c in circles(graph_of(sources))] == [{"p", "p.a"}]
    sources["p"] = ("", True)
    assert circles(graph_of(sources)) == []


def test_a_circle_names_the_lines_that_close_it() -> None:
    (circle,) = circles(graph_of({"a": ("\nimport b", False), "b": ("import a", False)}))
    assert circle.imports == (("a", "b", 2), ("b", "a", 1))


@pytest.mark.parametrize(
    ("text", "module", "package", "name"),
    [
        ("from . import x", "p.q.r", False, "p.q.x"),
        ("from .x import y", "p.q.r", False, "p.q.x.y"),
        ("from .x import y", "p.q", True, "p.q.x.y"),
        ("from ..x import y", "p.q.r", False, "p.x.y"),
        ("from p.x import y as z", "p.q", False, "p.x.y"),
    ],
)
def test_relative_imports_are_resolved(text: str, module: str, package: bool, name: str) -> None:
    assert list(imported(ast.parse(text), module, package)) == [(name, 1)]
