"""`pko dump-log show` of several files: what is wrong stands under the file that it is of."""

from __future__ import annotations

from pathlib import Path
from struct import pack

import pytest

from pykafka_ops import cli
from tests.support.golden.damage import copy_of

NAME = "00000000000000000000"


def test_each_file_answers_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PKO_OUTPUT", raising=False)
    monkeypatch.chdir(tmp_path)
    copy_of("v2-none", tmp_path / "a-0")
    copy_of("v2-none", tmp_path / "b-0")
    (tmp_path / "a-0" / f"{NAME}.index").write_bytes(pack(">ii", 5, 100))
    (tmp_path / "a-0" / f"{NAME}.timeindex").write_bytes(pack(">qi", 5, 1))
    files = [f"a-0/{NAME}.{kind}" for kind in ("index", "timeindex", "log")]
    assert cli.main(["dump-log", "show", *files, f"b-0/{NAME}.log"]) == 1
    said = capsys.readouterr().err.splitlines()
    heads = [line for line in said if line.startswith("pko: ")]
    assert heads[0].startswith(f"pko: a-0/{NAME}.index: ")
    assert heads[1] == f"pko: a-0/{NAME}.timeindex:"
    assert len(heads) == 2 and said.index(heads[1]) < len(said) - 1
