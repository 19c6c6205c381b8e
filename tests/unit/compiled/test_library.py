"""The compiled library is used where it is of these sources, and only there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pykafka_ops import compiled
from scripts import build_hot


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a library and its record, beside one with sources."""
    place, sources = tmp_path / "compiled", tmp_path / "hot"
    place.mkdir()
    sources.mkdir()
    for path in (
        place / "raw.pxd",
        place / "crc32c.h",
        sources / "heads.py",
        sources / "heads.pxd",
    ):
        path.write_text("source")
    (place / build_hot.LIBRARY).write_bytes(b"library")
    (place / build_hot.RECORD).write_text("abc 7\n")
    for name, path in (("LIBRARY", build_hot.LIBRARY), ("RECORD", build_hot.RECORD)):
        monkeypatch.setattr(compiled, name, str(place / path))
    monkeypatch.setattr(compiled, "_HERE", str(place))
    monkeypatch.setattr(compiled, "_TOP", str(tmp_path))
    monkeypatch.setattr(compiled, "MODULES", ("hot.heads",))
    return place


def newer(path: Path) -> None:
    path.touch()
    os.utime(path, (path.stat().st_mtime + 9,) * 2)


def test_what_was_built_of_these_sources_is_used(beside: Path) -> None:
    assert compiled._mismatch() == ""
    newer(beside.parent / "hot" / "heads.txt")
    newer(beside.parent / "hot" / "quick.py")  # not compiled
    assert compiled._mismatch() == ""


@pytest.mark.parametrize(
    "name", ["hot/heads.py", "hot/heads.pxd", "compiled/raw.pxd", "compiled/crc32c.h"]
)
def test_a_newer_source_in_a_checkout_makes_it_another(beside: Path, name: str) -> None:
    newer(beside.parent / name)
    assert compiled._mismatch() == f"{Path(name).name} is newer"


def test_in_an_installation_times_say_nothing(beside: Path) -> None:
    (beside / "raw.pxd").unlink()
    newer(beside.parent / "hot" / "heads.py")
    assert compiled._mismatch() == ""


def test_a_library_without_its_record_is_another(beside: Path) -> None:
    (beside / build_hot.RECORD).write_text("abc 8\n")
    assert compiled._mismatch() == "it has not the size that was recorded"
    for text in ("", "abc", "abc def"):
        (beside / build_hot.RECORD).write_text(text)
        assert compiled._mismatch().startswith("no record of what it was made of")
    (beside / build_hot.RECORD).unlink()
    assert compiled._mismatch().startswith("no record of what it was made of")


def test_a_library_that_does_not_load_leaves_plain_python(beside: Path) -> None:
    (beside / build_hot.LIBRARY).write_bytes(b"library")
    code = (
        "import sys, warnings; warnings.simplefilter('error');"
        "import pykafka_ops.compiled as compiled; assert not compiled.is_compiled();"
        "from pykafka_ops.broker.hot import heads; assert heads.__file__.endswith('.py');"
        f"compiled.LIBRARY, compiled.RECORD = [{str(beside)!r} + n for n in "
        f"('/{build_hot.LIBRARY}', '/{build_hot.RECORD}')]; compiled._newer = lambda made: '';"
        "del sys.modules[heads.__name__]; del compiled.os.environ['PKO_PURE'];"
        "warnings.simplefilter('always'); compiled._decided = False;"
        "compiled.use_library('pykafka_ops.broker.hot.heads'); assert not compiled.is_compiled();"
        "from pykafka_ops.broker.hot import heads; assert heads.__file__.endswith('.py')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PKO_PURE": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"{build_hot.LIBRARY} is left out, plain Python runs" in done.stderr


def test_the_library_in_use_is_of_these_sources() -> None:
    if compiled.is_compiled():
        assert build_hot.built_of() == build_hot.digest()


def test_where_it_can_be_built_it_is_what_the_tests_run() -> None:
    could_be = build_hot.obstacle() is None
    assert could_be or not compiled.is_compiled() or "PKO_PURE" not in os.environ
    if could_be and not compiled.is_compiled():
        said = "the library could be compiled here, and is not: run scripts/build_hot.py"
        if os.environ.get("PKO_TEST_ALL") == "1":
            pytest.fail(said)
        pytest.skip(said)
