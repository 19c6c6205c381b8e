"""The check of class names sees who shares a name."""

from __future__ import annotations

from scripts.class_names import shared


def test_classes_of_one_name_in_two_files_are_named_with_their_places() -> None:
    sources = {"a.py": "class Reader: ...", "b.py": "\nclass Reader: ...", "c.py": "class One: ..."}
    assert shared(sources) == {"Reader": ["a.py:1", "b.py:2"]}


def test_private_and_inner_classes_may_be_called_as_others() -> None:
    inner = "class One:\n    class Reader: ..."
    assert shared({"a.py": inner, "b.py": "class _One: ...", "c.py": "class Reader: ..."}) == {}
