"""``pko configs --data-dir``: the settings of a broker that does not run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pykafka_ops.broker.metadata.embedded import FILE_NAME, EmbeddedStore
from pykafka_ops.broker.metadata.registration import ensure_paths
from pykafka_ops.broker.metadata.znodes.config import EntityConfig
from pykafka_ops.broker.runtime.cluster import membership
from pykafka_ops.broker.runtime.settings.start import last_start, record_start
from pykafka_ops.commands.configs import configs
from pykafka_ops.commands.framework.run import Run, execute
from pykafka_ops.errors import PkoError
from tests.support.memory.context import args_of, work_of

LOCKED = {"max.connections.per.ip": "0", "max.connections.per.ip.overrides": "1.2.3.4:1"}
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with the topic ``orders`` and a broker that lets nobody in."""

    async def fill() -> None:
        store = EmbeddedStore(tmp_path / FILE_NAME)
        await ensure_paths(store)
        await store.create("/brokers/topics/orders")
        await store.create("/config/brokers/0", EntityConfig.encode(LOCKED))
        await store.close()

    asyncio.run(fill())
    return tmp_path


@pytest.fixture
def say(data: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Say]:
    def go(*words: str, where: Path = data) -> tuple[int, str, str]:
        args = args_of(configs, [*words, "--data-dir", str(where)], tool=words[0].startswith("--"))
        try:
            code = execute(Run(args, {}, {}), work_of(configs, args))
        except PkoError as error:
            capsys.readouterr()
            return -error.exit_code, "", str(error)
        out, err = capsys.readouterr()
        return code, out, err

    yield go


def shown(say: Say, *words: str) -> list[list[str]]:
    code, out, err = say("describe", *words, "-o", "csv")
    assert (code, err) == (0, "" if out.count("\n") > 1 else "pko: no configs\n")
    return [line.split(",") for line in out.splitlines()[1:]]


def test_what_locks_out_is_shown_and_taken_back(say: Say) -> None:
    assert [row[1:4] for row in shown(say, "brokers")] == [["0", *item] for item in LOCKED.items()]
    assert say("unset", "brokers", "0", "max.connections.per.ip")[0] == 0
    assert [row[2] for row in shown(say, "brokers", "0")] == ["max.connections.per.ip.overrides"]
    code, _, err = say("unset", "brokers", "0", "max.connections.per.ip")
    assert (code, err) == (0, "brokers 0: max.connections.per.ip was not set\n")


@pytest.mark.parametrize(
    ("entity", "settings"),
    [
        (("topics", "orders"), {"retention.ms": "5", "cleanup.policy": "compact"}),
        (("brokers", "--default"), {"max.connections": "9"}),
        (("brokers", "1"), {"log.cleaner.threads": "2"}),
        (("users", "a b"), {"producer_byte_rate": "5"}),
        (("users", "--default"), {"request_percentage": "12.5"}),
        (("users", "alice", "--client", "c"), {"producer_byte_rate": "7"}),
        (("clients", "--default"), {"consumer_byte_rate": "7"}),
        (("ips", "10.0.0.1"), {"connection_creation_rate": "0"}),
        (("users", "bob"), {"SCRAM-SHA-256": "[iterations=5000,password=x]"}),
    ],
    ids=lambda value: " ".join(value),
)
def test_settings_of_everything_are_set_shown_and_unset(
    say: Say, entity: tuple[str, ...], settings: dict[str, str]
) -> None:
    pairs = [f"{name}={value}" for name, value in settings.items()]
    code, _, err = say("set", *entity, *pairs)
    assert (code, err) == (0, "")
    rows = shown(say, *entity)
    assert {row[-2] if entity[0] not in ("topics", "brokers") else row[2] for row in rows} == set(
        settings
    )
    assert say("unset", *entity, *settings)[0] == 0
    assert say("describe", *entity, "-o", "name")[1] == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("topics", "order", "retention.ms=5"), "does not exist (did you mean orders?)"),
        (("topics", "orders", "retention.ms=x"), "Not a number of type LONG"),
        (("topics", "orders", "retentoin.ms=5"), "(did you mean retention.ms?)"),
        (("brokers", "0", "max.connections=0"), "must be at least 1"),
        (("brokers", "0", "broker.id=4"), "Cannot update these configs dynamically"),
        (("brokers", "0", "max.connections.per.ip.overrides=a:0"), "allows some address"),
        (("ips", "--default", "connection_creation_rate=0"), "else nobody connects"),
        (("users", "--default", "SCRAM-SHA-256=[password=x]"), "only a user has credentials"),
        (("broker-loggers", "0", "kafka=INFO"), "does not run has no broker-loggers"),
    ],
)
def test_what_a_broker_refuses_is_refused(say: Say, words: tuple[str, ...], said: str) -> None:
    code, _, err = say("set", *words)
    assert (code, said in err, err.count("\n")) == (1, True, 1), err
    assert shown(say, "topics") == []
    assert len(shown(say, "brokers")) == len(LOCKED)


def test_a_trial_changes_nothing(say: Say) -> None:
    code, _, err = say("set", "topics", "orders", "retention.ms=5", "--dry-run")
    assert (code, err) == (0, "dry run: nothing was changed\n")
    assert shown(say, "topics") == []


def test_a_broker_that_runs_is_left_alone(say: Say, data: Path) -> None:
    held = membership.lock(data)
    try:
        for words in (("describe", "topics"), ("set", "topics", "orders", "retention.ms=5")):
            code, _, err = say(*words)
            assert (code, err.count("\n")) == (-1, 0)
            assert f"a broker runs on {data}" in err
    finally:
        held.close()
    assert shown(say, "topics") == []


def test_a_directory_of_no_broker_is_refused_and_stays_empty(say: Say, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    code, _, err = say("describe", "topics", where=empty)
    assert (code, f"no {FILE_NAME} in {empty}" in err) == (-2, True)
    assert list(empty.iterdir()) == []


def test_kafkas_form_has_no_such_option(say: Say) -> None:
    code, _, err = say("--describe", "--entity-type", "topics", "--bootstrap-server", "b:1")
    assert code != 0
    assert "data-dir" in err


def test_what_the_next_start_would_leave_out_is_refused(say: Say, data: Path) -> None:
    say("unset", "brokers", "0", *LOCKED)
    started = {"log.cleaner.dedupe.buffer.size": "5000000", "log.dirs": str(data)}
    record_start(started, data)
    code, _, err = say("set", "brokers", "0", "log.cleaner.threads=5")
    assert (code, "at least 1MB per cleaner thread" in err) == (1, True), err
    assert "last start" in err
    assert say("set", "brokers", "0", "log.cleaner.threads=3")[0] == 0
    code, _, err = say("set", "brokers", "--default", "log.cleaner.dedupe.buffer.size=3000000")
    assert (code, "at least 1MB per cleaner thread" in err) == (1, True), err
    more = ("log.cleaner.dedupe.buffer.size=9000000", "log.cleaner.threads=8")
    assert say("set", "brokers", "0", *more)[0] == 0
    code, _, err = say("unset", "brokers", "0", "log.cleaner.dedupe.buffer.size")
    assert (code, "at least 1MB per cleaner thread" in err) == (1, True), err
    assert say("unset", "brokers", "0", "log.cleaner.threads")[0] == 0
    assert say("unset", "brokers", "0", "log.cleaner.dedupe.buffer.size")[0] == 0


def test_what_does_not_fit_already_can_be_mended_piece_by_piece(say: Say, data: Path) -> None:
    record_start({"log.cleaner.dedupe.buffer.size": "5000000"}, data)
    assert say("set", "brokers", "0", "log.cleaner.threads=3")[0] == 0
    record_start({"log.cleaner.dedupe.buffer.size": "2500000"}, data)
    assert say("unset", "brokers", "0", "max.connections.per.ip")[0] == 0
    assert say("set", "brokers", "0", "log.cleaner.threads=2")[0] == 0


def test_secrets_of_a_start_are_not_left_in_the_directory(tmp_path: Path) -> None:
    static = {"ssl.keystore.password": "hush", "own.secret": "hush", "num.partitions": "3"}
    record_start(static, tmp_path)
    (left,) = tmp_path.iterdir()
    assert "hush" not in left.read_text()
    assert last_start(tmp_path).value("num.partitions") == 3
