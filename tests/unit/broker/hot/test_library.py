"""The compiled library is used where it is of these sources, and only there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pykafka_ops.broker import hot
from scripts import build_hot


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with sources, a library and its record."""
    for name in ("heads.py", "heads.pxd", "crc32c.h"):
        (tmp_path / name).write_text("source")
    (tmp_path / build_hot.LIBRARY).write_bytes(b"library")
    (tmp_path / build_hot.RECORD).write_text("abc 7\n")
    for name, path in (("LIBRARY", build_hot.LIBRARY), ("RECORD", build_hot.RECORD)):
        monkeypatch.setattr(hot, name, str(tmp_path / path))
    monkeypatch.setattr(hot, "_HERE", str(tmp_path))
    return tmp_path


def newer(path: Path) -> None:
    path.touch()
    os.utime(path, (path.stat().st_mtime + 9,) * 2)


def test_what_was_built_of_these_sources_is_used(beside: Path) -> None:
    assert hot._mismatch() == ""
    newer(beside / "heads.txt")
    newer(beside / "quick.py")  # not compiled
    assert hot._mismatch() == ""


@pytest.mark.parametrize("name", ["heads.py", "heads.pxd", "crc32c.h"])
def test_a_newer_source_in_a_checkout_makes_it_another(beside: Path, name: str) -> None:
    newer(beside / name)
    assert hot._mismatch() == f"{name} is newer"


def test_in_an_installation_times_say_nothing(beside: Path) -> None:
    (beside / "heads.pxd").unlink()
    newer(beside / "heads.py")
    assert hot._mismatch() == ""


def test_a_library_without_its_record_is_another(beside: Path) -> None:
    (beside / build_hot.RECORD).write_text("abc 8\n")
    assert hot._mismatch() == "it has not the size that was recorded"
    for text in ("", "abc", "abc def"):
        (beside / build_hot.RECORD).write_text(text)
        assert hot._mismatch().startswith("no record of what it was made of")
    (beside / build_hot.RECORD).unlink()
    assert hot._mismatch().startswith("no record of what it was made of")


def test_a_library_that_does_not_load_leaves_plain_python(beside: Path) -> None:
    (beside / build_hot.LIBRARY).write_bytes(b"library")
    code = (
        "import sys, warnings; warnings.simplefilter('error');"
        "import pykafka_ops.broker.hot as hot; assert not hot.is_compiled();"
        "from pykafka_ops.broker.hot import heads; assert heads.__file__.endswith('.py');"
        f"hot.LIBRARY, hot.RECORD, hot._HERE = [{str(beside)!r} + n for n in "
        f"('/{build_hot.LIBRARY}', '/{build_hot.RECORD}', '')];"
        "del sys.modules[heads.__name__]; del hot.os.environ['PKO_PURE'];"
        "warnings.simplefilter('always'); hot._use_library(); assert not hot.is_compiled();"
        "from pykafka_ops.broker.hot import heads; assert heads.__file__.endswith('.py')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PKO_PURE": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"{build_hot.LIBRARY} is left out, plain Python runs" in done.stderr


def test_the_library_in_use_is_of_these_sources() -> None:
    if hot.is_compiled():
        assert build_hot.built_of() == build_hot.digest()


def test_where_it_can_be_built_it_is_what_the_tests_run() -> None:
    could_be = build_hot.obstacle() is None
    assert could_be or not hot.is_compiled() or "PKO_PURE" not in os.environ
    if could_be and not hot.is_compiled():
        said = "broker/hot could be compiled here, and is not: run scripts/build_hot.py"
        if os.environ.get("PKO_TEST_ALL") == "1":
            pytest.fail(said)
        pytest.skip(said)
