"""What is written in C: types that a compiler may tell apart are not mixed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scripts.build_hot import compiler

HEADERS = sorted((Path(__file__).parents[3] / "pykafka_ops/compiled").glob("*.h"))
WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-function", "-Werror")


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.name)
def test_a_header_compiles_without_a_warning(header: Path) -> None:
    """A pointer of one type to a number of another made the compiler take a read before the write
    that it depends on: right answers, by the slow way."""
    if not (cc := compiler()):
        pytest.skip("no C compiler here: nothing is compiled")
    source = f'#include "{header.name}"\n'
    done = subprocess.run(
        [*cc, "-O2", "-fsyntax-only", *WARNINGS, f"-I{header.parent}", "-xc", "-"],
        input=source, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
