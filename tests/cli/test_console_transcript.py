"""kafka-console-producer and -consumer: every command line of the transcript, answered the same.

Left out of the comparison: what log4j writes, Java's stack traces, help tables, the exception of a
normal end by ``--timeout-ms`` (quiet here), and time stamps.
"""

from __future__ import annotations

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from tests.support.golden.transcripts import GOLDEN, STAMP
from tests.support.process.apache import ApacheBroker, run_tool
from tests.support.process.console import pko

pytestmark = [pytest.mark.java, pytest.mark.slow]
NOW = re.compile(r"\b1[789]\d{11}\b")
MANY_PARTITIONS = (34, 37)
BY_JAVA = 36
FIRST_READER = 25
OF_ONE_GROUP = (34, 35, 36)
FIRST_OF_GROUP = 34
INTERNAL = (46, 47, 48)
TIMES_MS = ((2000, 0), (30_000, 8000), (60_000, 60_000))
"""The most and the least of time-outs: shorter ones than in the transcript first; what a machine
that stood still had no time for is tried again with more."""
AT_ONCE = 6
MADE_UP_GROUP = re.compile(r"console-consumer-\d+")


def load() -> list[tuple[int, dict[str, Any]]]:
    lines = (GOLDEN / "console.jsonl").read_text().splitlines()
    found = [(number, json.loads(line)) for number, line in enumerate(lines)]
    cut_short = found[37][1]  # its time was up before it had read partition 0
    cut_short["stdout"] += "vq-0\nvq-3\nvq-6\nvq-9\n"
    cut_short["stderr"] = cut_short["stderr"].replace(" 27 ", " 31 ")
    return found


def heard(stderr: str) -> list[str]:
    """What a tool says besides its log; only the first line where help follows."""
    found = []
    for line in stderr.splitlines():
        if line.startswith("Option  "):
            return found[:1]
        noise = STAMP.match(line) or re.match(r"\s+at |\s+\.\.\. |Caused by: ", line)
        if line.strip() and not noise and not line.endswith("errors.TimeoutException"):
            found.append(line)
    return found


def shown(number: int, stdout: str) -> list[str]:
    text = NOW.sub(lambda m: m[0] if m[0].startswith("17000") else "NOW", stdout)
    lines = text.split("\n")
    return sorted(lines) if number in MANY_PARTITIONS else lines


def sessions(bootstrap: str) -> None:
    """The topic that earlier groups of transcripts left behind."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    topic = NewTopic("sessions", 3, 1, config={"retention.ms": "-1"})
    admin.create_topics([topic])["sessions"].result(120)
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    for i in range(12):
        stamp = 1700000000000 + 60000 * i
        producer.produce("sessions", f"vq-{i}", f"k{i}", partition=i % 3, timestamp=stamp)
    assert producer.flush(120) == 0


def argv_for(entry: dict[str, Any], bootstrap: str) -> list[str]:
    return [bootstrap if word == "127.0.0.1:23100" else word for word in entry["argv"]]


def patient(argv: list[str]) -> list[str]:
    """For Kafka's own tools, which are slow to start where much else runs."""
    words = list(argv)
    for i, word in enumerate(argv):
        if word == "--timeout-ms":
            words[i + 1] = "15000"
    return words if "--timeout-ms" in words else [*words, "--timeout", "30000"]


def timed(argv: list[str], most_ms: int, least_ms: int) -> list[str]:
    """With a time-out between the two, if there is one."""
    words = list(argv)
    for i, word in enumerate(argv):
        if word == "--timeout-ms":
            words[i + 1] = str(max(min(int(argv[i + 1]), most_ms), least_ms))
    return words


def differences(
    number: int,
    entry: dict[str, Any],
    argv: list[str],
    said: subprocess.CompletedProcess[bytes],
) -> list[str]:
    name = f"{number}: {' '.join(entry['argv'])}"
    found = []
    if said.returncode != entry["rc"]:
        found.append(f"{name}: exit {said.returncode}, not {entry['rc']}: {said.stderr.decode()}")
    wanted, got = shown(number, entry["stdout"]), shown(number, said.stdout.decode())
    if wanted != got:
        found.append(f"{name}:\n  got  {got}\n  want {wanted}")
    wanted, got = heard(entry["stderr"]), heard(said.stderr.decode())
    if wanted != got:
        found.append(f"{name}: stderr\n  got  {got}\n  want {wanted}")
    return found


def of_internal_topics(
    number: int,
    entry: dict[str, Any],
    argv: list[str],
    said: subprocess.CompletedProcess[bytes],
) -> list[str]:
    """Against what Kafka's tool shows here and now; it ends no line of JSON and adds a group."""
    theirs = run_tool(*patient(argv))
    wanted = set(theirs.stdout.replace("}{", "}\n{").splitlines())
    got = said.stdout.decode().splitlines()
    missing = {line for line in wanted if not MADE_UP_GROUP.search(line)} - set(got)
    found = [f"{' '.join(argv)}: not shown: {line}" for line in sorted(missing)]
    found += [f"{' '.join(argv)}: made up: {line}" for line in got if line not in wanted]
    if not [line for line in got if "meters-svc" in line] or said.returncode != entry["rc"]:
        found.append(f"{' '.join(argv)}: exit {said.returncode}, {got}")
    if heard(said.stderr.decode())[:-1] != heard(entry["stderr"])[:-1]:
        found.append(f"{' '.join(argv)}: {said.stderr.decode()}")
    return found


def test_every_command_line_answers_like_apache_kafka(apache: ApacheBroker, tmp_path: Path) -> None:
    """Those that write in their order; then those that read, which wait for time-outs, beside each
    other, but for one group's; at last those that read of groups and what they wrote."""
    sessions(apache.bootstrap)

    def ask(*asked: tuple[int, dict[str, Any]]) -> list[str]:
        return [x for number, entry in asked for x in wrong(number, entry, apache, tmp_path)]

    every = load()
    writers, readers = every[:FIRST_READER], every[FIRST_READER:]
    found = ask(*writers)
    of_groups = [e for e in readers if e[0] in OF_ONE_GROUP]
    others = [e for e in readers if e[0] not in (*OF_ONE_GROUP, *INTERNAL)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        chain = pool.submit(ask, *of_groups)
        found += [x for some in pool.map(ask, others) for x in some]
        found += chain.result()
        found += [x for some in pool.map(ask, (every[n] for n in INTERNAL)) for x in some]
    assert not found, "\n".join(found)


def wrong(number: int, entry: dict[str, Any], apache: ApacheBroker, directory: Path) -> list[str]:
    """What is different for one command line."""
    argv = argv_for(entry, apache.bootstrap)
    if number == BY_JAVA:
        rows = run_tool(*patient(argv)).stdout.splitlines()
        same = sorted(rows) == sorted(entry["stdout"].splitlines())
        return [] if same else [f"{number}: {rows}"]
    if number == FIRST_OF_GROUP:  # cannot be tried again: it commits what it has read
        argv = [*timed(argv, 120_000, 120_000), "--max-messages", "12"]
    again = "--timeout-ms" in argv and "--group" not in argv
    for most, least in TIMES_MS if again else ((120_000, 0),):
        said = pko(*timed(argv, most, least), text=entry["stdin"], cwd=directory)
        judge = of_internal_topics if number in INTERNAL else differences
        found = judge(number, entry, argv, said)
        if not found:
            break
    return found
