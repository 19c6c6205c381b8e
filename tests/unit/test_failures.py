"""A test that fails is named when it does, not at the end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest

@pytest.fixture
def broken():
    raise OSError

def test_goes_well(): pass
def test_fails(): assert False
def test_has_no_fixture(broken): pass
def test_goes_well_too(): pass
"""


def test_what_fails_is_named_before_what_comes_after_it(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(
        "from tests.support.failures import AtOnce\n"
        "def pytest_configure(config): config.pluginmanager.register(AtOnce(config))\n"
    )
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        [*argv, tmp_path],
        capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    progress = done.stdout[: done.stdout.index("[100%]")].split()
    said = " ".join(progress)
    assert "failed: test_some.py::test_fails (call, 0 s)" in said
    assert "failed: test_some.py::test_has_no_fixture (setup, 0 s)" in said
    assert progress[-1] == "."
