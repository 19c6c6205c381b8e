"""Transcripts of Apache Kafka's tools (tests/golden/cli): read, replay through pko, compare."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from pykafka_ops.cli import main
from tests.support.process.console import PATIENT

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "cli"
TOPIC_ID = re.compile(r"(?<=TopicId: )[A-Za-z0-9_-]{22}")
ISR = re.compile(r"(?<=\tIsr: )[0-9,]+")
CONFIGS = re.compile(r"(?<=\tConfigs: ).*")
PLACED = re.compile(r"(Leader|Replicas|Isr): [0-9,]+")
STAMP = re.compile(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] ")
AS_BEFORE_3 = re.compile(
    r"kafka-configs --zookeeper .*(--describe --entity-type (topics|brokers)|topics|producer_byte)"
)
"""What 3.9 refuses, and the tool did before 3.0: it is done (tests/cli/test_old_command_lines.py).
"""


@dataclass
class Entry:
    """One run of a tool, or (``step``) something that was done to the cluster."""

    number: int
    step: str = ""
    argv: list[str] = field(default_factory=list)
    stdout: str = ""
    stderr: str = ""
    code: int | None = 0
    files: dict[str, str] = field(default_factory=dict)
    stdin: str = ""

    def __str__(self) -> str:
        return f"{self.number}: {' '.join(self.argv) or self.step}"


@dataclass
class Said:
    """What pko answered."""

    stdout: str
    stderr: str
    code: int


def entries(group: str) -> Iterator[Entry]:
    """The transcript of one tool, in order."""
    for number, line in enumerate((GOLDEN / f"{group}.jsonl").read_text().splitlines()):
        raw = json.loads(line)
        if "step" in raw:
            yield Entry(number, step=raw["step"])
            continue
        yield Entry(
            number,
            argv=raw["argv"],
            stdout=raw["stdout"],
            stderr=raw["stderr"],
            code=raw["rc"],
            files=raw.get("files") or {},
            stdin=raw.get("stdin") or "",
        )


def run(*argv: str, stdin: str | None = None) -> Said:
    """Run pko in this process; ``stdin`` is what it is told when it asks."""
    out, err = io.StringIO(), io.StringIO()
    heard = sys.stdin if stdin is None else io.StringIO(stdin)
    told_so = mock.patch.object(sys, "stdin", heard)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), told_so:
        code = main(list(argv))
    return Said(out.getvalue(), err.getvalue(), code)


def run_patiently(*argv: str, stdin: str | None = None) -> Said:
    """The same on brokers that are processes, and may take their time to answer at first."""
    with mock.patch.dict(os.environ, PATIENT):
        return run(*argv, stdin=stdin)


def replay(entry: Entry, bootstrap: str, replaced: Mapping[str, str] | None = None) -> Said:
    """Run an entry's command line against ``bootstrap``, its files in the working directory."""
    for name, text in entry.files.items():
        Path(name).write_text(text)
    swap = {"127.0.0.1:23100": bootstrap, **(replaced or {})}
    words = (swap.get(word, word) for word in entry.argv)
    return run_patiently(*words, stdin=entry.stdin or None)


def rows(text: str, *, loose: frozenset[str] = frozenset(), reports: bool = False) -> list[str]:
    """Lines as a sorted list, without what differs between two equal clusters.

    ``loose`` topics were placed at random: their brokers are masked, and with ``reports`` (only
    troubled partitions are shown) their lines are dropped.
    """
    found = []
    for line in text.splitlines():
        topic = re.match(r"\t?Topic: (\S+)", line)
        if topic and topic[1] in loose:
            if reports:
                continue
            line = PLACED.sub(r"\1: x", line)
        line = TOPIC_ID.sub("ID", line)
        line = ISR.sub(lambda m: ",".join(sorted(m[0].split(","))), line)
        line = CONFIGS.sub(lambda m: ",".join(sorted(re.split(r",(?=[a-z.]+=)", m[0]))), line)
        found.append(line)
    return sorted(found)


def differences(entry: Entry, said: Said, wanted: Sequence[str], got: Sequence[str]) -> list[str]:
    """In words: another exit code, and the lines ``got`` where they are not those ``wanted``."""
    found = []
    if said.code != entry.code:
        found.append(f"{entry}: exit {said.code}, not {entry.code}: {said.stderr}{said.stdout}")
    if got != wanted:
        found.append(f"{entry}:\n  got  {got}\n  want {wanted}")
    return found


def other_error(entry: Entry, said: Said) -> list[str]:
    """In words, another first line of stderr where a command failed that printed nothing else."""
    wanted, got = first_error(entry.stderr), first_error(said.stderr)
    failed = entry.code and not entry.stdout
    return [f"{entry}: {said.stderr!r}, not {wanted!r}"] if failed and got != wanted else []


def topic_ids(text: str) -> dict[str, str]:
    """Topic ids by topic name, of a describe."""
    return dict(re.findall(r"^Topic: (\S+)\tTopicId: (\S+)", text, re.M))


def first_error(text: str) -> str:
    """The first line of stderr that no logger wrote."""
    lines = [x for x in text.splitlines() if not STAMP.match(x) and x.strip()]
    return lines[0] if lines else ""


def error_of(text: str) -> list[str]:
    """The lines up to the first ``Error:``, without the stack trace behind it."""
    lines = text.splitlines()
    ends = [i for i, line in enumerate(lines) if line.startswith("Error: ")]
    return lines[: ends[0] + 1] if ends else lines
