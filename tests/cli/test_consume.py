"""``pko consume`` and kafka-console-consumer on a broker: what is read, and how it ends."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable

import pytest
from confluent_kafka import Producer

from tests.conftest import Broker
from tests.support.process.apache import ApacheBroker
from tests.support.process.console import pko, start
from tests.support.waiting import free_port, wait_for

pytestmark = pytest.mark.live
Fill = Callable[..., None]


@pytest.fixture
def fill(broker: Broker, topic: str) -> Fill:
    """Write values to the topic (or to another one)."""
    return filler(broker, topic)


def filler(broker: Broker, topic: str) -> Fill:
    def write(*values: bytes | str | None, into: str = topic, **more: object) -> None:
        producer = Producer({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        for value in values:
            producer.produce(into, value, **more)
        assert producer.flush(120) == 0

    return write


def lines(process: subprocess.Popen[bytes], count: int) -> list[bytes]:
    assert process.stdout is not None
    return [process.stdout.readline() for _ in range(count)]


def end(process: subprocess.Popen[bytes], number: int) -> tuple[int, bytes]:
    """Exit code and stderr after a signal."""
    process.send_signal(number)
    _, stderr = process.communicate(timeout=300)
    return process.returncode, stderr


# --- what is read --------------------------------------------------------------------------------


def test_exactly_as_many_as_asked_for_are_read(broker: Broker, topic: str, fill: Fill) -> None:
    fill(*(str(i) for i in range(1200)))
    for count in (1, 501, 1200):
        said = pko("consume", topic, "-b", broker.bootstrap, "--from-beginning", "-n", str(count))
        assert said.stdout.split() == [str(i).encode() for i in range(count)]
        assert (said.returncode, said.stderr) == (0, b"")


def test_reading_starts_at_the_end_unless_told_otherwise(
    broker: Broker, topic: str, fill: Fill
) -> None:
    fill("old")
    process = start("consume", topic, "-b", broker.bootstrap, "-n", "1")
    try:

        def arrived() -> bool:
            fill("new")
            return process.poll() is not None

        wait_for(arrived, poll=0.2)
        assert process.communicate()[0] == b"new\n"
    finally:
        process.kill()


def test_a_partition_is_read_from_an_offset(broker: Broker, topic: str, fill: Fill) -> None:
    fill("a", "b", "c")
    for offset, end, wanted in (
        ("1", ("-n", "2"), b"b\nc\n"),
        ("earliest", ("-n", "3"), b"a\nb\nc\n"),
        ("latest", ("--timeout-ms", "700"), b""),
    ):
        words = ("consume", topic, "-b", broker.bootstrap, "-p", "0", "--offset", offset)
        said = pko(*words, *end)
        assert (said.stdout, said.returncode) == (wanted, 0)


def test_without_records_it_ends_quietly_in_time(broker: Broker, topic: str, fill: Fill) -> None:
    fill("a")
    said = pko("consume", topic, "-b", broker.bootstrap, "--timeout-ms", "300")
    assert (said.stdout, said.stderr, said.returncode) == (b"", b"", 0)


def test_topics_that_match_are_read_and_later_ones_too(
    broker: Broker, topic: str, fill: Fill
) -> None:
    fill("one", into=f"{topic}-a")
    fill("other", into=f"x-{topic}-a")
    argv = ("consume", "--include", f"{topic}-.*", "-b", broker.bootstrap, "--from-beginning")
    process = start(*argv, "-n", "2")
    try:
        assert lines(process, 1) == [b"one\n"]
        fill("two", into=f"{topic}-b")
        assert process.communicate(timeout=300)[0] == b"two\n"
    finally:
        process.kill()


def test_a_record_that_cannot_be_shown_ends_it_or_is_skipped(
    broker: Broker, topic: str, fill: Fill
) -> None:
    fill(bytes(8), b"no number", bytes(7) + b"\1")
    name = "org.apache.kafka.common.serialization.LongDeserializer"
    argv = ("consume", topic, "-b", broker.bootstrap, "--from-beginning", "-n", "3")
    argv += ("--value-deserializer", name)
    said = pko(*argv)
    assert (said.stdout, said.returncode) == (b"0\n", 1)
    assert said.stderr == b"pko: Size of data received by LongDeserializer is not 8\n"
    said = pko(*argv, "--skip-message-on-error")
    assert (said.stdout, said.returncode) == (b"0\n1\n", 0)
    assert said.stderr.startswith(f"skipped {topic}-0 @1: ".encode())


# --- how it ends ---------------------------------------------------------------------------------


def test_a_closed_pipe_ends_it_quietly(broker: Broker, topic: str, fill: Fill) -> None:
    fill(*(b"x" * 100 for _ in range(20000)))
    verb = ("consume", topic, "-b", broker.bootstrap)
    flags = ("kafka-console-consumer", "--topic", topic, "--bootstrap-server", broker.bootstrap)
    for argv, code in ((verb, 141), (flags, 0)):
        process = start(*argv, "--from-beginning")
        assert lines(process, 1) == [b"x" * 100 + b"\n"]
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        stderr = process.stderr.read()
        assert process.wait(120) == code
        assert stderr == b"" or stderr.startswith(b"Processed a total of ")
        process.stderr.close()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_quietly(
    broker: Broker, topic: str, fill: Fill, number: int, code: int
) -> None:
    fill("a", "b")
    verb = ("consume", topic, "-b", broker.bootstrap)
    flags = ("kafka-console-consumer", "--topic", topic, "--bootstrap-server", broker.bootstrap)
    for argv, last in ((verb, b""), (flags, b"Processed a total of 2 messages\n")):
        process = start(*argv, "--from-beginning")
        assert lines(process, 2) == [b"a\n", b"b\n"]
        assert end(process, number) == (code, last)


def test_what_is_not_there_is_told_in_one_line(broker: Broker, topic: str, fill: Fill) -> None:
    fill("a")
    nobody = f"127.0.0.1:{free_port()}"
    for argv, code, text in (
        ((f"{topic}-not", "-b", broker.bootstrap), 1, f"topic {topic}-not does not exist"),
        ((topic, "-p", "7", "-b", broker.bootstrap), 1, f"topic {topic} has no partition 7"),
        (("bad name", "-b", broker.bootstrap), 1, "Invalid topics: [bad name]"),
        ((topic, "-b", nobody), 3, f"cannot connect to {nobody}: Connection refused"),
    ):
        said = pko("consume", *argv)
        assert (said.returncode, said.stdout) == (code, b"")
        assert said.stderr.decode().startswith(f"pko: {text}")
        assert said.stderr.count(b"\n") == 1


def test_in_kafkas_form_a_cluster_that_does_not_answer_is_waited_for() -> None:
    argv = ("kafka-console-consumer", "--topic", "t", "--bootstrap-server",
            f"127.0.0.1:{free_port()}", "--timeout-ms", "500")  # fmt: skip
    said = pko(*argv)
    assert said.returncode == 0
    assert said.stderr.endswith(b"Processed a total of 0 messages\n")
    assert b"Connection refused" in said.stderr


def test_a_topic_that_comes_later_is_read_from_its_start(
    broker: Broker, topic: str, fill: Fill
) -> None:
    flags = ("kafka-console-consumer", "--topic", topic, "--bootstrap-server", broker.bootstrap)
    created = "--consumer-property", "allow.auto.create.topics=false"
    process = start(*flags, *created, "--max-messages", "1")
    try:
        assert process.stderr is not None
        assert f"{{{topic}=UNKNOWN_TOPIC_OR_PARTITION}}".encode() in process.stderr.readline()
        fill("first")
        assert process.communicate(timeout=300)[0] == b"first\n"
    finally:
        process.kill()


# --- groups --------------------------------------------------------------------------------------


@pytest.mark.java
@pytest.mark.slow
def test_a_group_commits_what_was_printed_and_no_more(apache: ApacheBroker, topic: str) -> None:
    filler(apache, topic)(*(str(i) for i in range(700)))
    argv = ("consume", topic, "-b", apache.bootstrap, "-g", f"g-{topic}", "--from-beginning")
    first = pko(*argv, "-n", "3")
    assert first.stdout == b"0\n1\n2\n"
    process = start(*argv)
    assert lines(process, 697)[0] == b"3\n"
    assert end(process, signal.SIGTERM)[0] == 143

    def committed() -> bytes:
        said = pko("consume", "__consumer_offsets", "--decode", "offsets", "-b",
                   apache.bootstrap, "--from-beginning", "--timeout-ms", "2000")  # fmt: skip
        own = [x for x in said.stdout.splitlines() if f'"g-{topic}"'.encode() in x]
        return own[-1] if own else b""

    wait_for(lambda: b'"offset":700' in committed(), what="a commit of all")


@pytest.mark.java
@pytest.mark.slow
def test_a_group_reads_all_topics_that_match(apache: ApacheBroker, topic: str) -> None:
    for name in "ab":
        filler(apache, f"{topic}-{name}")(name)
    argv = ("consume", "--include", f"{topic}-[ab]", "-b", apache.bootstrap, "-g", f"g-{topic}")
    said = pko(*argv, "--from-beginning", "-n", "2")
    assert sorted(said.stdout.split()) == [b"a", b"b"]
