"""The borders between layers and the size caps hold; names on both sides of a seam match."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from pykafka_ops.wire.apis import APIS

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


def test_files_and_functions_are_small() -> None:
    run(sys.executable, "scripts/caps.py")


def test_a_handler_is_named_like_its_request() -> None:
    """A file in handlers that answers requests is called as the request, or as its tables."""
    requests = {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", spec.name).lower() for spec in APIS.values()}
    answering = {
        path.stem
        for path in (PACKAGE / "broker" / "handlers").glob("*.py")
        if "\ndef handle(" in path.read_text()
    }
    assert answering
    tables = {path.stem for path in (PACKAGE / "wire" / "messages").glob("*.py")}
    assert answering <= requests | tables
