"""The records that Apache Kafka's own dump tool printed of the golden segments, as plain values."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from tests.support.golden.segments import CASES, GOLDEN, files

_BATCH = re.compile(
    r"^baseOffset: (?P<base>-?\d+) .* count: (?P<count>\d+) .* producerId: (?P<pid>-?\d+) .*"
    r"isControl: (?P<control>\w+) .* position: (?P<position>\d+) .* size: (?P<size>\d+) "
    r"magic: 2 compresscodec: (?P<codec>\w+)"
)
_MESSAGE = re.compile(r"^offset: \d+ position: (?P<position>\d+) .* size: (?P<size>\d+) magic: ")
_RECORD = re.compile(
    r"^\| offset: (?P<offset>\d+) (?P<type>\w+): (?P<time>-?\d+) keySize: (?P<key>-?\d+) "
    r"valueSize: (?P<value>-?\d+) .*?(?:headerKeys: \[(?P<headers>[^]]*)\]|crc: \d+})(?P<rest>.*)$",
    re.S,
)


class Printed(NamedTuple):
    """A record and where it lies; sizes are bytes, -1 for null."""

    file: str
    position: int
    offset: int
    timestamp: int
    producer_id: int
    control: bool
    headers: list[str]
    key: str | None
    value: str | None
    key_size: int
    value_size: int

    @property
    def payload(self) -> int:
        """Bytes of key and value."""
        return max(self.key_size, 0) + max(self.value_size, 0)


class PrintedBatch(NamedTuple):
    """A batch; size in bytes."""

    file: str
    position: int
    size: int


@cache
def printed(case: str) -> tuple[list[PrintedBatch], list[Printed]]:
    """The batches and records of one case."""
    text = (GOLDEN / "expected" / case / "log.deep-print.txt").read_bytes().decode()
    batches: list[PrintedBatch] = []
    records: list[Printed] = []
    name, producer, control = "", -1, False
    for line in re.split(r"\n(?=\||baseOffset|offset|Dumping|Log start)", text):
        if line.startswith("Dumping "):
            name = line.split("/")[-1].strip()
        elif (batch := _BATCH.match(line)) or (batch := _MESSAGE.match(line)):
            batches.append(PrintedBatch(name, int(batch["position"]), int(batch["size"])))
            new = "pid" in batch.groupdict()
            producer = int(batch["pid"]) if new else -1
            control = new and batch["control"] == "true"
        elif record := _RECORD.match(line):
            records.append(_record(record, batches[-1], producer, control))
    return batches, records


def _record(found: re.Match[str], batch: PrintedBatch, producer: int, control: bool) -> Printed:
    rest, key_size, value_size = found["rest"].rstrip("\n"), int(found["key"]), int(found["value"])
    key = value = None
    if not control:
        if key_size >= 0:
            key = rest.removeprefix(" key: ")[:key_size]
            rest = rest[len(" key: ") + key_size :]
        if value_size >= 0:
            value = rest.removeprefix(" payload: ")
    names = [name for name in (found["headers"] or "").split(",") if name]
    return Printed(
        batch.file, batch.position, int(found["offset"]), int(found["time"]), producer, control,
        names, key, value, key_size, value_size,
    )  # fmt: skip


def _whole(case: str) -> bool:
    """Whether Kafka's tool was given every segment of the case."""
    path = GOLDEN / "expected" / case / "log.deep-print.txt"
    if not path.exists():
        return False
    shown = re.findall(rb"^Dumping .*/(.*)$", path.read_bytes(), re.M)
    return {name.decode() for name in shown} == {path.name for path in files(case, ".log")}


#: Whole logs of plain text; the others hold damage, bytes, or records of internal topics.
READABLE = [
    case
    for case in CASES
    if case.startswith(("v0-", "v1-", "v2-", "upgraded"))
    and case not in ("v2-wide", "v2-empty")
    and _whole(case)
]
