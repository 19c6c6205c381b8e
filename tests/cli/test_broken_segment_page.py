"""docs/broken-segment.md shows what its commands say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pykafka_ops import cli
from tests.support.golden.damage import copy_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "broken-segment.md").read_text()
BLOCKS = re.findall(r"```console\n\$ pko (.*)\n([\s\S]*?)```", PAGE)


def test_the_page_is_linked() -> None:
    assert "(docs/broken-segment.md)" in (ROOT / "README.md").read_text()


def test_every_command_says_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PKO_OUTPUT", raising=False)
    monkeypatch.chdir(tmp_path)
    copy_of("damage-torn-tail-v2-none", tmp_path / "orders-0")
    log = copy_of("v2-none", tmp_path / "payments-0") / f"{0:020}.log"
    data = bytearray(log.read_bytes())
    data[1000] ^= 1
    log.write_bytes(data)
    assert len(BLOCKS) == PAGE.count("```console")
    codes = []
    for command, shown in BLOCKS:
        codes.append(cli.main(shlex.split(command)))
        got = capsys.readouterr()
        assert got.out + got.err == shown, command
    assert codes == [4, 4, 4, 0, 0]
