"""`pko dump-log repair`: after any damage the directory is whole, and what was sound is there."""

from __future__ import annotations

import fcntl
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pykafka_ops import cli
from pykafka_ops.commands.dump_log.checking.partition import How, PartitionCheck
from pykafka_ops.commands.dump_log.paths import jobs_of
from pykafka_ops.commands.dump_log.repairing import apply as repair_apply
from pykafka_ops.commands.dump_log.repairing.apply import apply
from pykafka_ops.commands.dump_log.repairing.plan import RepairPlan
from pykafka_ops.errors import StorageError
from tests.support.golden.damage import WHOLE, all_batches, batches, copy_of, harm
from tests.support.golden.segments import SEGMENTS

TORN = "damage-torn-tail-v2-none"
LAST = "00000000000000000107"


class Answer(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Answer]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.delenv("PKO_OUTPUT", raising=False)

    def call(*words: object) -> Answer:
        code = cli.main(["dump-log", *map(str, words)])
        got = capsys.readouterr()
        return Answer(code, got.out, got.err)

    return call


@pytest.fixture(autouse=True, scope="module")
def nobody_writes() -> Iterator[None]:
    """Do not wait for a broker to go on with a torn batch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pykafka_ops.commands.dump_log.checking.scan._WRITE_SECONDS", 0)
        yield


def plan_of(folder: Path) -> RepairPlan:
    (job,) = jobs_of([str(folder)])
    return RepairPlan(job)


def problems(folder: Path) -> list[tuple[str, list[str]]]:
    (job,) = jobs_of([str(folder)])
    return [(r.file, r.problems) for r in PartitionCheck(job, How()).run() if r.problems]


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), case=st.sampled_from(WHOLE), files=st.integers(1, 3))
@example(seed=1_499_639_665, case="upgraded", files=2)  # a flipped bit in an old message's offset
def test_any_damage_is_repaired_and_what_was_sound_stays(seed: int, case: str, files: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = copy_of(case, Path(place) / "t-0")
        touched = harm(folder, random.Random(seed), files=files)
        plan = plan_of(folder)
        if plan.steps:
            apply(plan, None)
        assert problems(folder) == []
        sound = all_batches(SEGMENTS / case, touched)
        assert all_batches(folder, {})[: len(sound)] == sound
        assert plan_of(folder).steps == []


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), case=st.sampled_from(WHOLE), stop=st.integers(0, 6))
def test_a_repair_that_was_interrupted_is_finished_by_the_next(
    seed: int, case: str, stop: int
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = copy_of(case, Path(place) / "t-0")
        touched = harm(folder, random.Random(seed), files=3)
        plan = plan_of(folder)
        for step in plan.steps[:stop]:  # as if killed behind this step
            repair_apply._do(str(folder), step)
        plan = plan_of(folder)
        if plan.steps:
            apply(plan, None)
        assert problems(folder) == []
        sound = all_batches(SEGMENTS / case, touched)
        assert all_batches(folder, {})[: len(sound)] == sound


def test_a_torn_tail_is_cut_and_kept(run: Run, tmp_path: Path) -> None:
    folder = copy_of(TORN, tmp_path / "t-0")
    torn = (folder / f"{LAST}.log").read_bytes()
    got = run("repair", folder, "--yes", "-o", "json")
    assert got.code == 0
    (cut,) = [item for item in json.loads(got.out)["items"] if item["action"] == "cut"]
    assert (cut["position"], Path(cut["kept"]).parent.name) == (2496, "repair-backup-1")
    assert cut["bytes"] == len(torn) - 2496
    assert f"{folder}: {cut['bytes']} bytes of log go, from offset" in got.err
    assert (folder / f"{LAST}.log").read_bytes() == torn[:2496]
    assert Path(cut["kept"]).read_bytes() == torn[2496:]
    assert f"kept in {folder}/repair-backup-1" in got.err
    assert "removed" in (folder / "repair-backup-1" / "repair.txt").read_text()
    assert run("verify", folder).code == 0
    assert len(batches(folder / f"{LAST}.log")) == 3


def test_indexes_made_anew_are_those_kafka_wrote(tmp_path: Path) -> None:
    """Kafka's own were written with an interval of 1024 bytes; the entries are a part of them."""
    folder = copy_of("v2-none", tmp_path / "t-0")
    before = contents(folder)
    (folder / "00000000000000000000.timeindex").unlink()
    plan = plan_of(folder)
    assert [(s.action, s.name) for s in plan.steps] == [("write", "00000000000000000000.timeindex")]
    apply(plan, None)
    made = (folder / "00000000000000000000.timeindex").read_bytes()
    rows = {before["00000000000000000000.timeindex"][n : n + 12] for n in range(0, 4096, 12)}
    assert made and {made[n : n + 12] for n in range(0, len(made), 12)} <= rows


def test_dry_run_changes_nothing_and_fails_the_check(run: Run, tmp_path: Path) -> None:
    folder = copy_of(TORN, tmp_path / "t-0")
    before = contents(folder)
    got = run("repair", folder, "--dry-run")
    assert got.code == 4 and "nothing was changed" in got.err
    assert "cut" in got.out and "2496" in got.out
    assert contents(folder) == before and not list(folder.glob("repair-backup-*"))


def test_a_sound_directory_is_left_alone(run: Run, tmp_path: Path) -> None:
    folder = copy_of("v2-transactions", tmp_path / "t-0")
    before = contents(folder)
    got = run("repair", folder, "--yes")
    assert (got.code, got.out) == (0, "") and "nothing to repair" in got.err
    assert contents(folder) == before and not list(folder.glob("repair-backup-*"))


def test_without_yes_nobody_is_harmed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_of(TORN, tmp_path / "t-0")
    before = contents(folder)
    with open("/dev/null") as null:
        monkeypatch.setattr(sys, "stdin", null)
        got = run("repair", folder)
    assert got.code == 2 and "--yes" in got.err
    assert contents(folder) == before


def test_damage_in_the_middle_says_what_is_cut_with_it(run: Run, tmp_path: Path) -> None:
    folder = copy_of("v2-none", tmp_path / "t-0")
    log = folder / "00000000000000000000.log"
    data = bytearray(log.read_bytes())
    data[100] ^= 1
    log.write_bytes(data)
    got = run("repair", folder, "--dry-run")
    assert "wrong CRC" in got.out and "readable batches behind it are cut, too" in got.out
    assert "comes after the damage" in got.out
    sizes = {path.name: path.stat().st_size for path in folder.glob("*.log")}
    assert f"{folder}: {sum(sizes.values())} bytes of log go, with at most 160 records" in got.err
    checked = run("verify", folder)
    assert "damaged from position 0 on, offset 0" in checked.err
    assert "behind it can still be read" in checked.err


def test_a_directory_that_a_broker_holds_is_refused(run: Run, tmp_path: Path) -> None:
    folder = copy_of(TORN, tmp_path / "t-0")
    (tmp_path / "meta.properties").write_text("version=0\nbroker.id=0\n")
    before = contents(folder)
    code = (
        "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.lockf(f, fcntl.LOCK_EX); "
        "print(1, flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / ".lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == b"1\n"
        got = run("repair", folder, "--yes")
        assert got.code == 1 and "a broker is running on" in got.err and "stop it first" in got.err
        assert contents(folder) == before
        assert run("repair", folder, "--dry-run").code == 4
    finally:
        holder.kill()
        holder.communicate()
    assert run("repair", folder, "--yes").code == 0
    with open(tmp_path / ".lock", "w") as file:  # let go again
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_the_mark_of_a_clean_stop_goes_with_what_it_vouched_for(run: Run, tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text("version=0\nbroker.id=0\n")
    mark = tmp_path / ".kafka_cleanshutdown"
    mark.write_text("")
    folder = copy_of("v2-none", tmp_path / "t-0")
    (folder / "00000000000000000000.index").unlink()
    assert run("repair", folder, "--yes").code == 0
    assert mark.exists()
    log = folder / "00000000000000000000.log"
    log.write_bytes(log.read_bytes()[:-1])
    assert run("repair", folder, "--yes").code == 0
    assert not mark.exists()


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = copy_of(TORN, tmp_path / "t-0")
    before = contents(folder)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(repair_apply, "_copy_tail", full)
    with pytest.raises(StorageError, match="No space left on device; nothing was changed"):
        apply(plan_of(folder), None)
    assert contents(folder) == before and not list(folder.glob("repair-backup-*"))


def test_what_cannot_be_repaired_is_left_and_told(run: Run, tmp_path: Path) -> None:
    folder = copy_of("v2-none", tmp_path / "t-0")
    (folder / "partition.metadata").write_text("version: 0\n")
    got = run("repair", folder, "--yes")
    assert got.code == 4 and "left" in got.out and "cannot be repaired here" in got.err


def test_files_alone_and_places_without_logs_are_usage_errors(run: Run, tmp_path: Path) -> None:
    folder = copy_of("v2-none", tmp_path / "t-0")
    got = run("repair", folder / "00000000000000000000.log", "--yes")
    assert got.code == 2 and "takes the partition's directory" in got.err
    (tmp_path / "empty").mkdir()
    assert run("repair", tmp_path / "empty", "--yes").code == 2
