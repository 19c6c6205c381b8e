"""Every verb that names a thing of the cluster says in one line that it is not there, and fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pykafka_ops.commands import ROWS
from pykafka_ops.commands.framework.group import VerbGroup
from tests.conftest import Broker
from tests.support.golden.transcripts import run_patiently as run

pytestmark = pytest.mark.live

CASES: dict[str, list[str]] = {
    "topics list": ["NO"],
    "topics describe": ["NO"],
    "topics check": ["NO"],
    "topics alter": ["NO -p 5"],
    "topics delete": ["NO --yes"],
    "groups list": ["NO"],
    "groups describe": ["NO", "NO --members", "NO --state", "NO --topology"],
    "groups lag": ["NO", "NO --watch 1s"],
    "groups history": ["NO"],
    "groups reset-offsets": [
        "NO --all-topics --to-earliest --execute",
        "g --topic NO --to-earliest",
        "g --topic TOPIC:99 --to-earliest",
    ],
    "groups seek": ["NO --to-latest --yes", "g --topic TOPIC:99 --to-latest --yes"],
    "groups delete-offsets": ["NO --topic TOPIC --yes", "NO --topic NO --yes"],
    "groups delete": ["NO --yes"],
    "transactions describe": ["NO"],
    "transactions describe-producers": ["NO 0", "TOPIC 99", "TOPIC 0 --broker 99"],
    "transactions abort": ["NO 0 --start-offset 1 --yes", "TOPIC 99 --start-offset 1 --yes"],
    "transactions find-hanging": ["NO", "TOPIC -p 99", "--broker 99"],
    "transactions force-terminate": ["NO --yes"],
    "configs describe": [
        *("topics NO", "brokers 99", "broker-loggers 99", "users NO", "clients NO"),
        *("ips 10.9.9.9", "users NO --client NO", "groups NO"),
    ],
    "configs set": ["topics NO retention.ms=5", "brokers 99 log.cleaner.threads=2"],
    "configs unset": [
        *("topics NO retention.ms", "brokers 99 log.cleaner.threads"),
        *("users NO producer_byte_rate", "users NO SCRAM-SHA-256", "clients NO request_percentage"),
    ],
    "users describe": ["NO"],
    "users delete": ["NO --yes"],
    "get-offsets": ["NO", "TOPIC -p 99", "-p 99999"],
    "log-dirs describe": ["NO", "--broker 99"],
    "delete-records": ["NO --before 5 --yes", "TOPIC:99 --before 5 --yes", "--file RECORDS --yes"],
    "leader-election preferred": ["NO", "TOPIC:99"],
    "leader-election unclean": ["NO", "TOPIC:99"],
    "reassign-partitions plan": ["NO", "--drain 99", "--add 99"],
    "reassign-partitions execute": ["MOVES"],
    "reassign-partitions verify": ["MOVES"],
    "reassign-partitions run": ["MOVES"],
    "reassign-partitions generate": ["PLACED --broker-list 0"],
    "produce": ["NO"],
    "perf produce": ["NO --num-records 1 --record-size 1"],
    "perf consume": ["NO --num-records 1"],
    "perf latency": ["NO --num-records 1 --record-size 1"],
    "audit collect": ["one --topic NO --book :memory:"],
    "audit tiers": ["--audit-topic NO --book :memory:"],
    "backup run": ["kept --topic NO"],
    "consume": ["NO --max-messages 1", "TOPIC --partition 99 --offset 0 --max-messages 1"],
}
"""What is said behind the verb; NO is a name that nobody has."""
NAMES_NOTHING = {
    "quorum": "it asks controllers of KRaft, which brokers on ZooKeeper do not have",
    "features": "as quorum",
    "topics create": "it makes what it names",
    "transactions list": "it lists all",
    "leader-election list": "it lists all",
    "reassign-partitions list": "it lists all",
    "reassign-partitions cancel": "partitions of the file that do not move are passed over",
    "reassign-partitions status": "it shows partitions that are gone as such",
    "reassign-partitions rollback": "needs a file of a run: tests/unit/commands",
    "users list": "it lists all",
    "users add": "it makes what it names",
    "users alter": "users with quotas alone are known to no broker: certificates name them",
    "acls": "rules may be about what is not there",
    "tokens": "a broker without their secret has none",
    "certs": "of files, or of every broker",
    "api-versions": "it asks every broker",
    "cluster": "status, id and brokers name nothing; the rest is of this machine",
    "broker": "of this machine",
    "zookeeper": "no broker is asked",
    "zookeeper-acls": "no broker is asked",
    "client-metrics": "KRaft alone has them: tests/unit/commands",
    "storage": "of files",
    "dump-log": "of files",
    "spark": "reports",
    "smoke": "it makes what it uses",
    "audit": "of a book, which has what was counted",
    "backup": "of a place, which has what was kept",
    "restore": "of a place, which has what was kept",
    "mirror": "of a file, whose patterns may match nothing",
    "monitor": "it watches whatever is there",
    "top": "it shows whatever is there",
    "completion": "no broker is asked",
}


def _verbs() -> list[str]:
    found = []
    for row in ROWS:
        command = row.load()
        verbs = command.verbs if isinstance(command, VerbGroup) else []
        found += [f"{row.name} {verb.name}" for verb in verbs] or [row.name]
    return found


@pytest.mark.parametrize("verb", _verbs())
def test_no_verb_is_left_out(verb: str) -> None:
    assert verb in CASES or verb in NAMES_NOTHING or verb.split()[0] in NAMES_NOTHING


@pytest.mark.parametrize(
    ("verb", "words"), [(verb, words) for verb, cases in CASES.items() for words in cases]
)
def test_a_name_that_nobody_has_is_told_in_one_line(
    broker: Broker, topic: str, tmp_path: Path, verb: str, words: str
) -> None:
    assert run("topics", "create", topic, "-b", broker.bootstrap).code == 0
    files = {
        "RECORDS": {"partitions": [{"topic": "no-such", "partition": 0, "offset": 5}]},
        "MOVES": {"partitions": [{"topic": "no-such", "partition": 0, "replicas": [0]}]},
        "PLACED": {"topics": [{"topic": "no-such"}]},
    }
    for name, fields in files.items():
        (tmp_path / name).write_text(json.dumps({"version": 1, **fields}))
        words = words.replace(name, str(tmp_path / name))
    words = words.replace("NO", "no-such").replace("TOPIC", topic)
    said = run(*verb.split(), *words.split(), "-b", broker.bootstrap)
    assert said.code == 1, said
    heard = [line for line in said.stderr.splitlines() if line.startswith("pko: ")]
    assert len(heard) == 1 and "Traceback" not in said.stderr, said
    assert "no-such" in heard[0] or "99" in heard[0] or "10.9.9.9" in heard[0]
