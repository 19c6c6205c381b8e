"""The performance tools without a broker: their words, their figures."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pykafka_ops.commands.perf.client_metrics import Counted
from pykafka_ops.commands.perf.consume import figure, ratio
from pykafka_ops.commands.perf.dates import date_text
from pykafka_ops.commands.perf.failures import PerfError
from pykafka_ops.commands.perf.payload import letters
from pykafka_ops.commands.perf.stats import SendStats
from pykafka_ops.commands.perf.throttle import Throttle
from tests.support.golden.transcripts import Said, run

USAGE = """\
usage: kafka-producer-perf-test
       [-h] [--bootstrap-server BOOTSTRAP-SERVER] --topic TOPIC
       --num-records NUM-RECORDS [--payload-delimiter PAYLOAD-DELIMITER]
       --throughput THROUGHPUT
       [--producer-props PROP-NAME=PROP-VALUE [PROP-NAME=PROP-VALUE ...]]
       [--command-property PROP-NAME=PROP-VALUE [PROP-NAME=PROP-VALUE ...]]
       [--producer.config CONFIG-FILE] [--command-config CONFIG-FILE]
       [--print-metrics] [--transactional-id TRANSACTIONAL-ID]
       [--transaction-duration-ms TRANSACTION-DURATION]
       [--warmup-records WARMUP-RECORDS] [--reporting-interval INTERVAL-MS]
       (--record-size RECORD-SIZE | --payload-file PAYLOAD-FILE |
       --payload-monotonic)
"""
NO_BROKER = "--bootstrap-server 127.0.0.1:1"


def produce(words: str) -> Said:
    return run(*f"kafka-producer-perf-test --topic t --throughput -1 {words}".split())


def test_figures_of_windows_and_of_the_whole() -> None:
    said: list[str] = []
    stats = SendStats(4, 1000, 0.0, said.append)
    for latency, now in ((10, 100.0), (20, 500.0), (30, 1000.0), (40, 1500.0)):
        stats.record(latency, 1024, now)
    assert said == [
        "3 records sent, 3.0 records/sec (0.00 MB/sec), 20.0 ms avg latency, 30.0 ms max latency."
    ]
    assert stats.total_line(2000.0) == (
        "4 records sent, 2.000000 records/sec (0.00 MB/sec), 25.00 ms avg latency, 40.00 ms max "
        "latency, 30 ms 50th, 40 ms 95th, 40 ms 99th, 40 ms 99.9th."
    )


def test_without_a_record_the_figures_are_unknown() -> None:
    stats = SendStats(4, 1000, 0.0, print)
    assert stats.total_line(1000.0) == (
        "0 records sent, 0.000000 records/sec (0.00 MB/sec), NaN ms avg latency, 0.00 ms max "
        "latency, 0 ms 50th, 0 ms 95th, 0 ms 99th, 0 ms 99.9th."
    )
    assert stats.facts(1000.0)["latency_p999"] is None


def test_the_steady_state_has_a_line_of_its_own() -> None:
    said: list[str] = []
    stats = SendStats(2, 100, 0.0, said.append, steady=True)
    stats.record(5, 1, 150.0)
    assert said[0] == "In steady state." and said[1].startswith("1 records sent")
    assert stats.total_line(200.0).startswith("1 steady state records sent, ")


def test_a_throttle_lets_all_or_nothing_pass() -> None:
    assert Throttle(-1).wait(10**9) == 0
    assert Throttle(0).wait(1) == float("inf")
    slow = Throttle(0.1)
    assert slow.wait(10**6) == 10.0


def test_payloads_are_capital_letters() -> None:
    made = letters(random.Random(0), 1000)
    assert len(made) == 1000 and made.isupper() and made.isalpha()


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy-MM-dd HH:mm:ss:SSS", "1970-01-02 00:00:05:007"),
        ("yy 'at' H''m", "70 at 0'0"),
        ("MMM d", "Jan 2"),
    ],
)
def test_dates_by_javas_patterns(monkeypatch: pytest.MonkeyPatch, pattern: str, text: str) -> None:
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    assert date_text(pattern, 86_405_007) == text
    with pytest.raises(PerfError, match="Illegal pattern character 'Q'"):
        date_text("Q", 0)


def test_rates_without_time_are_javas() -> None:
    assert (figure(ratio(0, 0)), figure(ratio(1, 0)), figure(ratio(1, 2))) == (
        "NaN", "Infinity", "0.5000",
    )  # fmt: skip


def test_metrics_are_laid_out_as_kafkas() -> None:
    counted = Counted()
    counted.callback('{"tx": 3, "name": "x", "msg_cnt": 1.5}')
    assert list(counted.lines("producer", "me")) == [
        "",
        f"{'Metric Name':39}   Value",
        "producer-metrics:msg-cnt:{client-id=me} : 1.500",
        "producer-metrics:tx:{client-id=me}      : 3.000",
    ]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (f"{NO_BROKER} --num-records 5",
         "kafka-producer-perf-test: error:  one  of  the  arguments  --record-size --\n"
         "payload-file --payload-monotonic is required"),
        (f"{NO_BROKER} --num-records 0 --record-size 1",
         "kafka-producer-perf-test:  error:  --num-records  should  be  greater  than\nzero."),
        (f"{NO_BROKER} --num-records 5 --record-size 1 --warmup-records 5",
         "kafka-producer-perf-test: error: The  value  for  --warmup-records  must be\n"
         "strictly fewer than the number of records in the test, --num-records."),
        (f"{NO_BROKER} --num-records 5 --record-size 1 --throughput x",
         "kafka-producer-perf-test: error: argument  --throughput:  could not convert\n"
         "'x' to Double (For input string: \"x\")"),
        (f"{NO_BROKER} --num-records 5 --record-size 1 --transaction-duration-ms 0",
         "kafka-producer-perf-test:  error:   --transaction-duration-ms   should   be\n"
         "greater than zero."),
        (f"{NO_BROKER} --num-records 5 --record-size 1 --command-property a=1 --producer-props a=1",
         "kafka-producer-perf-test: error:  --command-property  and  --producer-props\n"
         "cannot be specified together."),
    ],
)  # fmt: skip
def test_the_producers_complaints_are_kafkas(words: str, text: str) -> None:
    said = produce(words)
    assert (said.code, said.stderr) == (1, f"{USAGE}{text}\n")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--record-size 1 --command-property bla",
         "java.lang.IllegalArgumentException: Invalid property: bla"),
        ("--record-size 1 --command-property acks=7",
         "org.apache.kafka.common.config.ConfigException: Invalid value 7 for configuration acks: "
         "String must be one of: all, -1, 0, 1"),
        ("--record-size 1 --command-config no-such",
         "java.nio.file.NoSuchFileException: no-such"),
        ("--payload-file no-such",
         "java.lang.IllegalArgumentException: File does not exist or empty file provided."),
    ],
)  # fmt: skip
def test_what_ends_the_producer_is_told_as_the_jvm_does(words: str, text: str) -> None:
    said = produce(f"{NO_BROKER} --num-records 5 {words}")
    assert (said.code, said.stderr) == (1, f'Exception in thread "main" {text}\n')


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--topic t --num-records 1", 'Missing required argument "[bootstrap-server]"'),
        (f"{NO_BROKER} --topic t --include x --num-records 1",
         "Exactly one of the following arguments is required: [topic], [include]"),
        (f"{NO_BROKER} --topic t",
         "Exactly one of the following arguments is required: [messages], [num-records]"),
        (f"{NO_BROKER} --topic t --num-records x",
         "Cannot parse argument 'x' of option num-records"),
        (f"{NO_BROKER} --topic t --num-records 1 --reporting-interval 0",
         "Reporting interval must be greater than 0."),
    ],
)  # fmt: skip
def test_the_consumers_complaints_are_kafkas(
    monkeypatch: pytest.MonkeyPatch, words: str, text: str
) -> None:
    monkeypatch.delenv("PKO_BOOTSTRAP_SERVER", raising=False)
    said = run("kafka-consumer-perf-test", *words.split())
    assert (said.code, said.stderr) == (1, f"{text}\n")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (f"{NO_BROKER} --topic t --num-records 1 --producer-acks 1",
         'Missing required argument "[record-size]"'),
        (f"{NO_BROKER} --topic t --num-records 0 --producer-acks 1 --record-size 1",
         "Value for --num-records must be a positive integer."),
        (f"{NO_BROKER} --topic t --num-records 1 --producer-acks 0 --record-size 1",
         "Invalid value for --producer-acks. Latency testing requires synchronous acknowledgement. "
         "Please use '1' or 'all'."),
        ("a b", "Invalid number of arguments. Expected 5 or 6 positional arguments, but got 2. "
         "Usage: bootstrap-server topic num-records producer-acks record-size [optional] "
         "command-config"),
    ],
)  # fmt: skip
def test_complaints_about_latency_are_kafkas(words: str, text: str) -> None:
    said = run("kafka-e2e-latency", *words.split())
    assert (said.code, said.stderr) == (1, f"{text}\n")


def test_pkos_form_says_in_one_line_what_is_missing(tmp_path: Path) -> None:
    for line in (
        "produce t --num-records 1",
        f"produce t --num-records 1 --payload-file {tmp_path}/no",
        "produce t --num-records 1 --record-size 1 --warmup-records 1",
        "consume --num-records 1",
    ):
        said = run("perf", *line.split(), "-b", "127.0.0.1:1")
        assert (said.code, said.stderr.count("\n")) == (2, 1), said
