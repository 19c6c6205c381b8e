"""Directories counted by several processes: the book of one, and errors come through."""

from __future__ import annotations

from pathlib import Path

from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.collect import collect
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.audit.parallel import collect_by, divided
from tests.support.kept_logs import Sent, in_batches, write_log

SENT: list[Sent] = [(n * 10, b"k%d" % (n % 7), b"value-%d" % n) for n in range(200)]


def test_the_largest_are_divided_first_and_all_are_taken() -> None:
    sizes = {("t", n): size for n, size in enumerate((5, 100, 40, 40, 20))}
    assert divided(sizes, 2) == [[("t", 1), ("t", 0)], [("t", 2), ("t", 3), ("t", 4)]]
    assert divided({("t", 0): 1}, 4) == [[("t", 0)]]


def test_several_processes_write_the_book_of_one(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for number in range(4):
        write_log(logs, f"orders-{number}", in_batches(SENT[number * 10 :]))
    batches = in_batches(SENT)
    write_log(logs, "users-0", [batches[0], batches[1][:-1] + b"!", *batches[2:]])
    path, source = str(tmp_path / "book.db"), AuditedFiles([str(logs)], lambda: 0)
    with AuditBook(path) as many, AuditBook(":memory:") as one:
        tier = many.put_tier("t", {"directories": [str(logs)]}, 600_000)
        alone = one.put_tier("t", {}, 600_000)
        found = collect_by(3, many, tier, source, lambda _: True)
        wanted = collect(one, alone, source, lambda _: True)
        assert found.rows == wanted.rows
        assert "offset 50" in str(found.failed["users-0"])
        for a, b in zip(many.places(tier), one.places(alone), strict=True):
            assert many.book(a).lines == one.book(b).lines
