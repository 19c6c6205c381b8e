"""The static checks are run; names on both sides of a seam match."""

from __future__ import annotations

import re
from pathlib import Path

from pykafka_ops.wire.apis import ApiKey

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "pykafka_ops"
CHECKS = ("caps", "circles", "class_names", "asserts")


def test_what_the_static_checks_hold_is_held_before_a_change_lands() -> None:
    assert "\nscripts/check\n" in (ROOT / ".ci" / "run").read_text()
    check = (ROOT / "scripts" / "check").read_text()
    for each in ("mypy", "lint-imports", *(f"python scripts/{name}.py" for name in CHECKS)):
        assert re.search(rf"^{re.escape(each)}", check, re.M), each


def test_the_files_that_answer_are_those_of_the_rows_and_each_has_a_test() -> None:
    answering = {
        path.stem
        for path in (PACKAGE / "broker" / "handlers").glob("*.py")
        if "def handle(" in path.read_text()
    }
    assert answering == {api.name.lower() for api in ApiKey if api.is_announced}
    tested = ROOT / "tests" / "unit" / "broker" / "handlers"
    assert [name for name in sorted(answering) if not (tested / f"test_{name}.py").is_file()] == []
