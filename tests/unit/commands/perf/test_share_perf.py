"""``pko perf consume --share`` and kafka-share-consumer-perf-test on a fake broker."""

from __future__ import annotations

import json
import re

import pytest

from pykafka_ops.client.config import ClientConfig, ClientConfigError
from pykafka_ops.client.share.session import AckType
from pykafka_ops.commands.perf import share_members
from tests.support.golden.transcripts import Said, run
from tests.support.memory.fake_broker import FakeBroker
from tests.support.memory.share_group import ShareGroupDesk

Fakes = tuple[FakeBroker, ...]
TOOL = "kafka-share-consumer-perf-test"
HEAD = (
    "start.time, end.time, data.consumed.in.MB, MB.sec, nMsg.sec, data.consumed.in.nMsg, "
    "fetch.time.ms"
)
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3}"
FIGURES = rf"{TIME}, {TIME}, 0\.\d{{4}}, [\d.]+, [\d.]+"


@pytest.fixture
def desk(fakes: Fakes) -> ShareGroupDesk:
    fakes[0].peers = [fakes[0]]
    fakes[0].controller = 0
    return ShareGroupDesk(fakes[0])


def perf_test(fakes: Fakes, words: str) -> Said:
    return run(TOOL, "--bootstrap-server", fakes[0].bootstrap, *words.split())


def shared(words: str) -> Said:
    return run("perf", "consume", "orders", "--share", "g", *words.split())


def test_what_is_read_is_counted_and_accepted(desk: ShareGroupDesk, fakes: Fakes) -> None:
    desk.gives(0, 3)
    desk.gives(3, 2)
    said = perf_test(fakes, "--topic orders --num-records 5")
    head, line = said.stdout.splitlines()
    assert (said.code, said.stderr, head) == (0, "", HEAD)
    assert re.fullmatch(rf"{FIGURES}, 5, \d+", line)
    assert desk.outcomes == dict.fromkeys(range(5), AckType.ACCEPT)
    assert [epoch for _, epoch in desk.members][-1] == -1


def test_members_have_lines_and_figures_of_their_own(desk: ShareGroupDesk, fakes: Fakes) -> None:
    desk.gives(0, 4)
    said = perf_test(fakes, "--topic orders --num-records 4 --threads 2 --show-consumer-stats "
                "--hide-header --print-metrics")  # fmt: skip
    lines = said.stdout.splitlines()
    for n, line in enumerate(lines[:2], 1):
        start = f"Share consumer {n} having client id {share_client(n)} consumption metrics- "
        assert re.fullmatch(rf"{re.escape(start)}{FIGURES}, [04], \d+", line), line
    assert re.fullmatch(rf"{FIGURES}, 4, \d+", lines[2])
    counted = [line for line in lines if ":records-consumed-total:" in line]
    assert sorted(line.split(" : ")[1] for line in counted) == ["0.000", "4.000"]


def share_client(number: int) -> str:
    return f"perf-share-consumer-client-{number}"


def test_too_few_are_told_after_the_time_without_any(desk: ShareGroupDesk, fakes: Fakes) -> None:
    desk.gives(0, 2)
    said = perf_test(fakes, "--topic orders --messages 9 --timeout 200 --hide-header")
    old, warning, line = said.stdout.splitlines()
    assert (said.code, old) == (
        0, "Warning: --messages is deprecated. Use --num-records instead."
    )  # fmt: skip
    assert warning == (
        "WARNING: Exiting before consuming the expected number of records: timeout (200 ms) "
        "exceeded. You can use the --timeout option to increase the timeout."
    )
    assert line.split(", ")[5] == "2"


def test_a_test_longer_than_the_timeout_goes_on(
    desk: ShareGroupDesk, fakes: Fakes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where Kafka's tool breaks off."""
    moments = iter(range(0, 10**9, 90))
    monkeypatch.setattr(share_members, "now_ms", lambda: next(moments))
    for n in range(20):
        desk.gives(n, 1)
    said = perf_test(fakes, "--topic orders --num-records 20 --timeout 100 --hide-header "
                "--show-detailed-stats --reporting-interval 900")  # fmt: skip
    lines = said.stdout.splitlines()
    assert said.code == 0 and lines[-1].split(", ")[5] == "20"
    assert [line.split(", ")[5] for line in lines[:-1]] == ["10", "20"]
    assert all(line.endswith(", 900 for share consumer 1") for line in lines[:-1])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--num-records 1", 'Missing required argument "[topic]"'),
        ("--topic t",
         "Exactly one of the following arguments is required: [messages], [num-records]"),
        ("--topic t --num-records 1 --consumer.config a --command-config b",
         'Option "[consumer.config]" can\'t be used with option "[command-config]"'),
        ("--topic t --num-records x", "Cannot parse argument 'x' of option num-records"),
        ("--topic t --num-records 1 --threads 0", "--threads 0: write a number from 1 on"),
        ("--topic t --num-records 1 --command-config no-such", "no-such"),
        ("--topic t --num-records 1 --date-format q",
         "java.lang.IllegalArgumentException: Illegal pattern character 'q'"),
        ("--topic t --num-records 1 --fetch-size -5",
         "Invalid value -5 for configuration fetch.max.bytes: Value must be at least 0"),
        ("--topic t --num-records 1 --socket-buffer-size -5",
         "Invalid value -5 for configuration receive.buffer.bytes: Value must be at least -1"),
        ("--topic t --num-records 1 --command-property isolation.level=x",
         "isolation.level cannot be set when using a share group."),
        ("--topic t --num-records 1 --group=",
         "Failed to construct Kafka share consumer\nCaused by: "
         "org.apache.kafka.common.config.ConfigException: You must provide a valid group.id in the "
         "consumer configuration."),
    ],
)  # fmt: skip
def test_complaints_are_kafkas(
    desk: ShareGroupDesk, fakes: Fakes, words: str, complaint: str
) -> None:
    said = perf_test(fakes, words)
    assert (said.code, said.stderr) == (1, f"{complaint}\n")


def test_an_interval_of_nothing_is_told_once_there_are_records(
    desk: ShareGroupDesk, fakes: Fakes
) -> None:
    desk.gives(0, 1)
    said = perf_test(fakes, "--topic orders --num-records 1 --reporting-interval 0")
    text = "java.lang.IllegalArgumentException: Reporting interval must be greater than 0."
    assert (said.code, said.stderr) == (1, f"{text}\n")


def test_a_topic_that_is_not_there_is_a_warning(desk: ShareGroupDesk, fakes: Fakes) -> None:
    said = perf_test(fakes, "--topic none --num-records 1 --timeout 100")
    assert said.code == 0 and "{none=UNKNOWN_TOPIC_OR_PARTITION}" in said.stderr


def test_pkos_form_has_a_row_per_member(desk: ShareGroupDesk) -> None:
    desk.gives(0, 3)
    said = shared("--threads 2 --num-records 3 -o json")
    rows = json.loads(said.stdout)["items"]
    assert said.code == 0 and [row["consumer"] for row in rows] == ["all", "1", "2"]
    assert rows[0]["records"] == rows[1]["records"] + rows[2]["records"] == 3
    assert [row["complete"] for row in rows] == [True, None, None]


def test_pkos_form_says_where_new_groups_begin(desk: ShareGroupDesk) -> None:
    said = shared("--num-records 3 --idle 100ms")
    assert said.code == 1 and "0 of 3 read" in said.stderr
    assert "share.auto.offset.reset" in said.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("t --share g --group h", "--share and --group exclude each other"),
        ("t --share g --from-latest", "--share and --from-latest exclude each other"),
        ("--share g", "which topic? name one"),
        ("t --threads 2", "--threads goes with --share GROUP"),
    ],
)
def test_what_does_not_go_together_is_refused(
    desk: ShareGroupDesk, words: str, complaint: str
) -> None:
    said = run("perf", "consume", "--num-records", "1", *words.split())
    assert (said.code, said.stderr) == (2, f"pko: {complaint}\n")


def test_receive_buffers_are_checked() -> None:
    where = {"bootstrap.servers": "h:1"}
    assert ClientConfig.of(where).receive_buffer == 0
    assert ClientConfig.of({**where, "receive.buffer.bytes": "-1"}).receive_buffer == 0
    assert ClientConfig.of({**where, "receive.buffer.bytes": "4096"}).receive_buffer == 4096
    with pytest.raises(ClientConfigError):
        ClientConfig.of({**where, "receive.buffer.bytes": "-2"})
