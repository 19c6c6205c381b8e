"""`pko dump-log` says what kafka-dump-log of Apache Kafka 3.9.1 said, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pykafka_ops import cli
from tests.support.golden.segments import GOLDEN

EXPECTED = GOLDEN / "expected"
FOLDERS = sorted(path.name for path in EXPECTED.iterdir() if path.is_dir())


def blocks(text: str) -> list[str]:
    """The error blocks of stderr; Kafka orders those of several files by a hash of their paths."""
    found: list[str] = []
    for line in text.splitlines(keepends=True):
        if found and line.startswith(("  ", "Indexed offset")):
            found[-1] += line
        else:
            found.append(line)
    return sorted(found)


@pytest.mark.parametrize("folder", FOLDERS)
def test_output_equals_kafkas(
    folder: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(GOLDEN)
    cases = sorted(path.relative_to(EXPECTED) for path in (EXPECTED / folder).glob("*.json"))
    assert cases
    for case in cases:
        compare(case, capsysbinary)


def compare(case: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """One run of the tool."""
    expected = json.loads((EXPECTED / case).read_text())
    code = cli.main(["kafka-dump-log", *expected["argv"]])
    got = capsysbinary.readouterr()
    printed = (EXPECTED / case).with_suffix(".txt").read_bytes().decode()
    assert got.out.decode() == printed, case
    assert code == expected["rc"], case
    stderr = got.err.decode().replace(str(GOLDEN), "/golden")
    if code:
        assert stderr.partition("\n")[0] == expected["stderr"].partition("\n")[0], case
    else:
        assert blocks(stderr) == blocks(expected["stderr"]), case
