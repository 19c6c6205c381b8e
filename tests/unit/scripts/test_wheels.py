"""What ``pip install`` makes of the sources: a wheel with the library, or one for every machine.

``scripts/wheels`` builds and uses both, in empty environments of each Python.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pykafka_ops import compiled
from scripts import build_hot

pytestmark = pytest.mark.slow

BUILD = """
import pathlib, shutil, sys
sys.path.insert(0, "scripts")
import build_hot
made = pathlib.Path({made!r})
def build(folder):
    if not (made / build_hot.LIBRARY).exists():
        raise build_hot.StaysPureError("it does not work", "words of the compiler")
    for name in (build_hot.LIBRARY, build_hot.RECORD):
        shutil.copyfile(made / name, folder / name)
build_hot.build = build
import hatchling.build
hatchling.build.build_wheel({folder!r})
"""
"""Hatchling's part of ``pip install``, with a compiler that takes no time."""


def python(
    code: str, place: Path = build_hot.ROOT, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run code at ``place``, where compiling is not forbidden."""
    clean = {key: value for key, value in os.environ.items() if key != build_hot.PURE}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=place, env={**clean, **variables},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def built(folder: Path, made: Path) -> tuple[Path, str]:
    """A wheel in ``folder``, with what was ``made`` as what is compiled, and what was said."""
    done = python(BUILD.format(folder=str(folder), made=str(made)))
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel, done.stderr


def names(wheel: Path) -> set[str]:
    """Files in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def place(path: Path) -> str:
    """Where it is in a distribution."""
    return path.relative_to(build_hot.ROOT).as_posix()


SOURCES = [build_hot.source_of(module) for module in compiled.MODULES]
MADE = {place(build_hot.PLACE / name) for name in (build_hot.LIBRARY, build_hot.RECORD)}


def test_a_source_distribution_has_what_is_compiled_and_how() -> None:
    done = python(
        "from hatchling.builders.sdist import SdistBuilder\n"
        "for file in SdistBuilder('.').recurse_included_files(): print(file.distribution_path)"
    )
    there = set(done.stdout.splitlines())
    types = [*(source.with_suffix(".pxd") for source in SOURCES)]
    assert {place(path) for path in (*SOURCES, *types)} < there, done.stderr
    assert {place(build_hot.PLACE / name) for name in ("raw.pxd", "crc32c.h")} < there
    assert {"scripts/build_hot.py", "scripts/hatch_build.py"} < there
    assert not [name for name in there if name.endswith((".so", ".record"))]


def test_a_compiled_wheel_is_for_this_platform_and_runs_compiled(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    for name in (build_hot.LIBRARY, build_hot.RECORD):
        (made / name).write_text("abc 9\n")  # where it is not compiled
        if compiled.is_compiled():
            shutil.copyfile(build_hot.PLACE / name, made / name)
    wheel, _ = built(tmp_path, made)
    assert "-cp311-abi3-" in wheel.name and not wheel.name.endswith("-any.whl")
    assert names(wheel) > MADE
    assert not [n for n in names(wheel) if n.endswith((".pxd", ".h"))]
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    code = "from pykafka_ops import compiled; print(compiled.__file__, compiled.is_compiled())"
    done = python(code, installed, PYTHONPATH=str(installed))
    file, form = done.stdout.split()
    assert Path(file).is_relative_to(installed)
    assert form == str(compiled.is_compiled()), done.stderr
    assert ("is left out" in done.stderr) is not compiled.is_compiled()


def test_what_cannot_be_compiled_is_a_wheel_for_every_machine(tmp_path: Path) -> None:
    wheel, said = built(tmp_path, tmp_path / "nothing")
    assert wheel.name.endswith("-py3-none-any.whl")
    assert {*map(place, SOURCES)} < names(wheel)
    assert not MADE & names(wheel)
    assert "all stays pure Python: it does not work" in said


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [({build_hot.PURE: "1"}, []), ({"CC": "", "PATH": "/nowhere"}, []), ({}, [build_hot.CYTHON])],
)
def test_cython_is_asked_for_only_where_it_is_of_use(
    variables: dict[str, str], wanted: list[str]
) -> None:
    if not variables and (why := build_hot.obstacle()) and why != f"{build_hot.PURE}=1":
        pytest.skip(why)
    done = python(
        "import hatchling.build; print(hatchling.build.get_requires_for_build_wheel())", **variables
    )
    assert done.stdout.splitlines()[-1:] == [str(wanted)], done.stderr
