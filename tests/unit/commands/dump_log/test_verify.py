"""`pko dump-log verify`: processes, lines, progress, what lies behind damage."""

from __future__ import annotations

import json
import os
import pty
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops import cli
from pykafka_ops.commands.dump_log.checking.partition import How, PartitionCheck
from pykafka_ops.commands.dump_log.checking.report import FileReport
from pykafka_ops.commands.dump_log.paths import jobs_of
from pykafka_ops.commands.framework.progress import ProgressBar
from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.build import assemble, build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.snapshot import ProducerEntry, write_snapshot
from tests.support.golden.damage import WHOLE, batches, copy_of, harm
from tests.support.golden.segments import SEGMENTS

NAME = f"{0:020}.log"


@pytest.fixture(autouse=True, scope="module")
def nobody_writes() -> Iterator[None]:
    """Do not wait for a broker to go on with a torn batch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pykafka_ops.commands.dump_log.checking.scan._WRITE_SECONDS", 0)
        yield


def check(folder: Path, *, deep: bool = False, keep_going: bool = False) -> dict[str, FileReport]:
    (job,) = jobs_of([str(folder)])
    reports = PartitionCheck(job, How(deep, keep_going)).run()
    return {os.path.basename(r.file): r for r in reports}


def log_of(folder: Path, data: bytes, *, base: int = 0) -> FileReport:
    folder.mkdir(exist_ok=True)
    path = folder / f"{base:020}.log"
    path.write_bytes(data)
    return check(folder)[path.name]


def one(base: int, count: int = 1, **batch: object) -> bytes:
    records = [Record(base + n, 1000 + base + n, b"k", b"v%d" % n) for n in range(count)]
    return bytes(build_batch(records, base_offset=base, leader_epoch=0, **batch))  # type: ignore[arg-type]


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_several_processes_say_what_one_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for n, case in enumerate(WHOLE):
        harm(copy_of(case, tmp_path / f"t-{n}"), random.Random(n))
    said = []
    for workers in ("1", "3"):
        code = cli.main(["dump-log", "verify", str(tmp_path), "-o", "json", "--workers", workers])
        said.append((code, capsys.readouterr().out))
    assert said[0] == said[1] and said[0][0] == 4
    found = lines(said[0][1])
    assert found[-1]["kind"] == "summary" and found[-1]["files"] == len(found) - 1


def test_a_process_that_dies_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in range(2):
        copy_of("v2-none", tmp_path / f"t-{n}")
    monkeypatch.setattr(PartitionCheck, "run", lambda _: os._exit(9))
    assert cli.main(["dump-log", "verify", str(tmp_path), "--workers", "2"]) == 1
    assert "a checking process died" in capsys.readouterr().err


@pytest.mark.parametrize("case", ["v2-none", "v2-zstd", "v2-wide", "v2-compacted-gzip"])
def test_every_batch_behind_damage_is_found_again(case: str, tmp_path: Path) -> None:
    folder = copy_of(case, tmp_path / "t-0")
    log = folder / NAME
    whole = batches(log)
    for lost in range(1, len(whole) - 1, 3):
        before, after = whole[:lost], whole[lost + 1 :]
        for hole in (b"", b"\x02" * 300, bytes(64), random.Random(lost).randbytes(500)):
            torn = whole[lost][:50] if hole else bytes(whole[lost][:61])
            log.write_bytes(b"".join(before) + torn + hole + b"".join(after))
            report = check(folder)[NAME]
            damage = report.damage
            assert damage is not None
            assert damage.position == sum(map(len, before)) and damage.batches == len(before)
            assert (report.readable(), damage.torn) == (len(after), False)
            assert damage.resumes == log.stat().st_size - sum(map(len, after))


def test_keep_going_tells_what_is_wrong_behind_damage(tmp_path: Path) -> None:
    bad = bytearray(one(2))
    bad[-1] ^= 1
    data = one(0, 2) + bad + one(3) + bad + one(5)
    assert log_of(tmp_path / "t-0", data).count == 1
    going = check(tmp_path / "t-0", keep_going=True)[NAME]
    assert [text.split(": ")[1] for text in going.problems] == [
        *(f"wrong CRC (stored {read_header(bad).crc})",) * 2
    ]
    assert going.damage is not None and going.readable() == 2


def test_sequences_epochs_and_transactions_of_a_log(tmp_path: Path) -> None:
    idempotent = {"producer_id": 3, "producer_epoch": 0}
    data = one(0, base_sequence=0, **idempotent) + one(1, base_sequence=2, **idempotent)
    assert log_of(tmp_path / "s-0", data).problems == [
        f"at position {len(data) // 2}: producer 3: sequence 2 where 1 comes next"
    ]
    lower = read_header(one(1))._replace(partition_leader_epoch=4)
    epochs = bytes(assemble(lower, one(1)[61:])) + one(2)
    (text,) = log_of(tmp_path / "e-0", epochs).problems
    assert text.endswith("leader epoch 0 after 4")
    txn = one(0, base_sequence=0, transactional=True, **idempotent)
    abort = build_marker(
        EndTxnMarker(ControlType.ABORT, 0), timestamp=5, producer_id=3, producer_epoch=0
    )
    header = read_header(abort)._replace(base_offset=1, partition_leader_epoch=0)
    assert log_of(tmp_path / "t-0", txn + bytes(assemble(header, abort[61:]))).problems == []
    missing = check(tmp_path / "t-0")[f"{0:020}.txnindex"].problems
    assert missing == [
        "missing: the transaction of producer 3 from offset 0 to 1 was aborted, but is not in it"
    ]


@pytest.mark.parametrize("codec", list(Codec))
def test_records_that_do_not_fill_their_batch(tmp_path: Path, codec: Codec) -> None:
    good = one(0, 3, codec=codec)
    fewer = bytes(assemble(read_header(good)._replace(record_count=2), good[61:]))
    (text,) = log_of(tmp_path / "t-0", fewer).problems
    assert "records still remaining" in text


def test_deep_iteration_looks_at_every_field(tmp_path: Path) -> None:
    good = one(0, 3)
    body = bytearray(good[61:])
    body[3] = 4  # the first record's offset delta
    wrong = bytes(assemble(read_header(good), body))
    assert log_of(tmp_path / "t-0", wrong).problems == []
    (text,) = check(tmp_path / "t-0", deep=True)[NAME].problems
    assert "record offset" in text


def test_a_segment_may_not_reach_into_the_next(tmp_path: Path) -> None:
    log_of(tmp_path / "t-0", one(4), base=4)
    (text,) = log_of(tmp_path / "t-0", one(0, 2) + one(2, 4)).problems
    assert text.endswith("offsets 2 to 5, but the next segment begins at 4")


@pytest.mark.parametrize(("first", "problems"), [(20, 0), (0, 1)])
def test_a_snapshot_may_name_a_batch_that_was_compacted_away(
    tmp_path: Path, first: int, problems: int
) -> None:
    """Before the batch at 20 nothing is left, or all is there and the snapshot is wrong."""
    folder = tmp_path / "t-0"
    log_of(folder, b"" if first else one(0, 10) + one(10, 10))
    snapshot = folder / f"{10:020}.snapshot"
    snapshot.write_bytes(write_snapshot([ProducerEntry(7, 0, 9, 9, 0, 1009)]))
    log_of(folder, one(20, producer_id=7, producer_epoch=0, base_sequence=20), base=20)
    assert len(check(folder)[snapshot.name].problems) == problems


def test_names_that_a_broker_would_not_read(tmp_path: Path) -> None:
    (tmp_path / "5.log").write_bytes(one(5))
    assert "20 digits" in check(tmp_path)["5.log"].problems[0]
    (tmp_path / "orphan").mkdir()
    (tmp_path / "orphan" / f"{7:020}.index").write_bytes(b"")
    (text,) = check(tmp_path / "orphan")[f"{7:020}.index"].problems
    assert "there is no log beside it" in text


def test_single_files_are_checked_against_what_lies_beside_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = SEGMENTS / "damage-index-wrong-position"
    names = sorted(str(p) for p in folder.glob("*.index"))
    assert cli.main(["dump-log", "verify", *names, "-o", "json"]) == 4
    found = lines(capsys.readouterr().out)
    assert [f["file"] for f in found[:-1]] == names
    assert any("entry " in str(f["problems"]) for f in found[:-1])


@pytest.mark.parametrize("seed", range(30))
def test_noise_never_stops_the_check(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    folder = copy_of(rng.choice(WHOLE), tmp_path / "t-0")
    for _ in range(4):
        harm(folder, rng, files=9)
    assert set(check(folder, deep=True, keep_going=True)) >= {p.name for p in folder.glob("*.log")}


def test_what_cannot_be_read_does_not_hide_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy_of("v2-none", tmp_path / "b-0")
    (tmp_path / "a-0").mkdir()
    (tmp_path / "a-0" / NAME).symlink_to(tmp_path / "nowhere")
    assert cli.main(["dump-log", "verify", str(tmp_path), "-o", "json"]) == 4
    found = lines(capsys.readouterr().out)
    assert found[0]["verdict"] == "unreadable"
    assert found[0]["problems"] == ["cannot be read: No such file or directory"]
    assert [f["verdict"] for f in found[3:-1]] == ["ok"] * 10
    assert cli.main(["dump-log", "repair", str(tmp_path), "--yes"]) == 1
    assert "nothing was changed" in capsys.readouterr().err


def test_files_that_a_broker_deletes_meanwhile_are_no_problem(tmp_path: Path) -> None:
    folder = copy_of("v2-idempotent", tmp_path / "t-0")
    (job,) = jobs_of([str(folder)])
    for path in folder.glob(f"{0:020}.*"):
        path.unlink()
    reports = PartitionCheck(job, How()).run()
    assert reports and not any(report.problems for report in reports)


def test_a_batch_that_is_being_written_is_not_torn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / NAME
    path.write_bytes(one(0) + one(1)[:-5])

    def write_on(_: float) -> None:
        path.write_bytes(one(0) + one(1))

    monkeypatch.setattr("pykafka_ops.commands.dump_log.checking.scan.time.sleep", write_on)
    assert check(tmp_path)[NAME].problems == []


def test_progress_is_drawn_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys\n"
        "from pykafka_ops.commands.framework import progress\n"
        "progress._PATIENCE_SECONDS = progress._EVERY_SECONDS = 0\n"
        "with progress.ProgressBar(2_000_000, 'verified') as bar: bar.add(1_000_000)\n"
    )
    parent, child = pty.openpty()
    subprocess.run([sys.executable, "-c", code], stderr=child, check=True)
    os.close(child)
    assert " 50% 1 of 2 MB verified" in os.read(parent, 4096).decode()
    os.close(parent)
    quiet = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert quiet.stderr == b""
    assert ProgressBar(0, "verified").total == 0
