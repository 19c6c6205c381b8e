"""Runs of reports are read without Spark, whatever is in their directory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pykafka_ops.errors import CorruptError, StorageError
from pykafka_ops.runs.read import runs, section, sections, total
from pykafka_ops.spark.model import Column, Report, Section
from pykafka_ops.spark.output import history
from pykafka_ops.spark.output.stores import LocalStore

NOW = 1_763_769_600_000
COLUMNS = (
    Column("group", "Group", doc="its name"),
    Column("lag", "Lag", "records"),
    Column("last_commit", "Last commit", "ms"),
)
SOURCE = history.source_id({"log_dirs": ["/a"]})


def keep(root: Path, now: int, *lags: int | None) -> None:
    rows = [{"group": f"g{n}", "lag": lag, "last_commit": now - 5} for n, lag in enumerate(lags)]
    made = Report("lag", now, {}, {}, [Section("groups", "Groups", COLUMNS, rows)])
    history.append(LocalStore(root), made, SOURCE)


def only(root: Path) -> str:
    (name,) = runs(root)["lag"]
    return name.name


def test_runs_are_named_newest_first(tmp_path: Path) -> None:
    for n in (2, 0, 1):
        keep(tmp_path, NOW + n * 86_400_000, 5)
    (tmp_path / "kind=lag" / "section=groups" / "date=2025-11-22" / "notes.txt").write_text("x")
    found = runs(tmp_path)
    assert list(found) == ["lag"]
    assert [(n.now - NOW) // 86_400_000 for n in found["lag"]] == [2, 1, 0]
    assert {n.source for n in found["lag"]} == {SOURCE}


def test_a_section_comes_back_with_its_columns_and_its_first_rows(tmp_path: Path) -> None:
    keep(tmp_path, NOW, 5, None, 7)
    assert sections(tmp_path, "lag", only(tmp_path)) == ["groups"]
    found = section(tmp_path, "lag", only(tmp_path), "groups", 2)
    assert [tuple(c) for c in found.columns] == [
        ("group", "Group", "", "its name"),
        ("lag", "Lag", "records", ""),
        ("last_commit", "Last commit", "ms", ""),
    ]
    assert (found.total, [row["lag"] for row in found.rows]) == (3, [5, None])
    assert found.rows[0]["last_commit"] == NOW - 5
    assert total(tmp_path, "lag", only(tmp_path), "groups", "lag") == 12


def test_a_sum_of_nothing_known_is_not_0(tmp_path: Path) -> None:
    keep(tmp_path, NOW, None)
    assert total(tmp_path, "lag", only(tmp_path), "groups", "lag") is None


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"x" * 500])
def test_a_damaged_file_is_told(tmp_path: Path, damage: bytes) -> None:
    keep(tmp_path, NOW, 5)
    (file,) = tmp_path.rglob("*.parquet")
    file.write_bytes(damage)
    with pytest.raises(CorruptError, match="section groups: "):
        section(tmp_path, "lag", only(tmp_path), "groups", 2)
    with pytest.raises(CorruptError, match="section groups: "):
        total(tmp_path, "lag", only(tmp_path), "groups", "lag")


def test_a_file_that_was_cut_in_the_middle_is_told(tmp_path: Path) -> None:
    keep(tmp_path, NOW, *range(5000))
    (file,) = tmp_path.rglob("*.parquet")
    data = bytearray(file.read_bytes())
    data[100 : len(data) // 2] = bytes(len(data) // 2 - 100)
    file.write_bytes(data)
    with pytest.raises(CorruptError, match="section groups: "):
        section(tmp_path, "lag", only(tmp_path), "groups", 5000)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no such directory"):
        runs(tmp_path / "none")
    assert runs(tmp_path) == {}
    keep(tmp_path, NOW, 5)
    assert sections(tmp_path, "lag", f"{NOW}-{'0' * 8}-{'0' * 8}.parquet") == []
    with pytest.raises(StorageError, match="no such section"):
        section(tmp_path, "lag", only(tmp_path), "moon", 2)


def test_neither_spark_nor_its_package_is_imported(tmp_path: Path) -> None:
    keep(tmp_path, NOW, 5)
    code = (
        "import sys; from pathlib import Path; from pykafka_ops.runs.read import runs, section\n"
        "root = Path(sys.argv[1]); name = runs(root)['lag'][0].name\n"
        "print(section(root, 'lag', name, 'groups', 9).rows[0]['lag'])\n"
        "print([m for m in sys.modules if 'spark' in m])"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert said.stdout.split("\n")[:2] == ["5", "[]"]
