"""`pko dump-log` says what kafka-dump-log of Apache Kafka 3.9.1 said, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pykafka_ops import cli
from tests.support.golden.segments import GOLDEN

EXPECTED = GOLDEN / "expected"
CASES = sorted(path.relative_to(EXPECTED) for path in EXPECTED.glob("*/*.json"))


def blocks(text: str) -> list[str]:
    """The error blocks of stderr; Kafka orders those of several files by a hash of their paths."""
    found: list[str] = []
    for line in text.splitlines(keepends=True):
        if found and line.startswith(("  ", "Indexed offset")):
            found[-1] += line
        else:
            found.append(line)
    return sorted(found)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_output_equals_kafkas(
    case: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    expected = json.loads((EXPECTED / case).read_text())
    monkeypatch.chdir(GOLDEN)
    code = cli.main(["kafka-dump-log", *expected["argv"]])
    got = capsysbinary.readouterr()
    assert got.out.decode() == (EXPECTED / case).with_suffix(".txt").read_bytes().decode()
    assert code == expected["rc"]
    stderr = got.err.decode().replace(str(GOLDEN), "/golden")
    if code:
        assert stderr.partition("\n")[0] == expected["stderr"].partition("\n")[0]
    else:
        assert blocks(stderr) == blocks(expected["stderr"])
