"""The borders between layers and the size caps hold; names on both sides of a seam match."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pykafka_ops.wire.apis import ApiKey

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "pykafka_ops"
SCRIPTS = Path(sys.executable).parent


def run(*argv: str) -> None:
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_imports_point_down() -> None:
    run(str(SCRIPTS / "lint-imports"), "--no-cache")


def test_no_two_files_import_each_other() -> None:
    run(sys.executable, "scripts/circles.py")


def test_no_two_classes_share_a_name() -> None:
    run(sys.executable, "scripts/class_names.py")


def test_files_and_functions_are_small() -> None:
    run(sys.executable, "scripts/caps.py")


def test_every_test_checks_something() -> None:
    run(sys.executable, "scripts/asserts.py")


def test_the_files_that_answer_are_those_of_the_rows_and_each_has_a_test() -> None:
    answering = {
        path.stem
        for path in (PACKAGE / "broker" / "handlers").glob("*.py")
        if "def handle(" in path.read_text()
    }
    assert answering == {api.name.lower() for api in ApiKey if api.is_announced}
    tested = ROOT / "tests" / "unit" / "broker" / "handlers"
    assert [name for name in sorted(answering) if not (tested / f"test_{name}.py").is_file()] == []
