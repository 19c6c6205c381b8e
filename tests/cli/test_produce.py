"""``pko produce`` and kafka-console-producer on a broker: what is written, and how it ends."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import subprocess
import termios

import pytest
from confluent_kafka import Consumer, TopicPartition

from tests.conftest import Broker
from tests.support.process.console import PKO, environment, pko, start
from tests.support.waiting import free_port, wait_for

pytestmark = pytest.mark.live
Found = tuple[bytes | None, bytes | None, list[tuple[str, bytes | None]] | None]


def written(broker: Broker, topic: str, count: int) -> list[Found]:
    """The first records of partition 0: key, value, headers."""
    consumer = Consumer(
        {"bootstrap.servers": broker.bootstrap, "group.id": "none", "enable.auto.commit": False}
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: list[Found] = []
    try:
        while len(found) < count:
            message = consumer.poll(120)
            assert message is not None, f"{len(found)} of {count} arrived"
            assert message.error() is None, message.error()
            found.append((message.key(), message.value(), message.headers()))
    finally:
        consumer.close()
    return found


def values(broker: Broker, topic: str, count: int) -> list[bytes | None]:
    return [value for _, value, _ in written(broker, topic, count)]


def test_every_line_is_a_record_as_it_was_typed(broker: Broker, topic: str) -> None:
    text = b"one\ntwo\r\n\n\xff\xfe\nlast"
    said = pko("produce", "--create", topic, "-b", broker.bootstrap, text=text)
    assert (said.returncode, said.stdout) == (0, b"")
    assert said.stderr.decode() == f"5 records: {topic}-0 at 0..4\n"
    assert values(broker, topic, 5) == [b"one", b"two", b"", b"\xff\xfe", b"last"]


def test_nothing_in_is_nothing_out(broker: Broker, topic: str) -> None:
    said = pko("produce", "--create", topic, "-b", broker.bootstrap)
    assert (said.returncode, said.stderr) == (0, b"")


def test_key_headers_and_partition_can_be_given_to_all(broker: Broker, topic: str) -> None:
    argv = (
        "produce",
        "--create",
        topic,
        "-b",
        broker.bootstrap,
        "-k",
        "id",
        "-H",
        "a=1",
        "-H",
        "b=",
        "-p",
    )
    assert pko(*argv, "0", text="v\n").returncode == 0
    assert written(broker, topic, 1) == [(b"id", b"v", [("a", b"1"), ("b", b"")])]
    said = pko(*argv, "5", text="v\nw\n")
    assert said.returncode == 1
    assert said.stderr == (
        f"pko: 2 of 2 records not delivered to {topic}: Local: Unknown partition\n".encode()
    )


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd", ""])
def test_every_codec_is_read_back(broker: Broker, topic: str, codec: str) -> None:
    words = ["--compression-codec", codec] if codec else ["--compression-codec"]
    said = pko(
        "produce", "--create", *words, topic, "-b", broker.bootstrap, text="squeeze me " * 50
    )
    assert (said.returncode, said.stderr.decode()) == (0, f"1 record: {topic}-0 at 0\n")
    assert values(broker, topic, 1) == [b"squeeze me " * 50]


def test_what_stands_before_a_bad_line_is_delivered(broker: Broker, topic: str) -> None:
    argv = ("-b", broker.bootstrap, "--property", "parse.key=true")
    said = pko("produce", "--create", topic, *argv, text="a\tb\nno\nc\td\n")
    heard = f"1 record: {topic}-0 at 0\npko: No key separator found on line number 2: 'no'\n"
    assert said.stderr.decode() == heard
    assert said.returncode == 1
    said = pko(
        "produce", "--create", topic, "--json", "-b", broker.bootstrap, text='{"value":"x"}\n\n{\n'
    )
    heard = f"1 record: {topic}-0 at 1\npko: line 3 is not a record in JSON: "
    assert said.stderr.decode().startswith(heard)
    assert written(broker, topic, 2) == [(b"a", b"b", None), (None, b"x", None)]


def test_json_goes_round(broker: Broker, topic: str) -> None:
    lines = [
        {"key": None, "value": "plain"},
        {"key": "k", "value": "/w==", "value_encoding": "base64", "timestamp": 1700000000000},
        {"key": "/w==", "key_encoding": "base64", "value": None,
         "headers": [{"key": "h", "value": "1"}, {"key": "n", "value": None}]},
        {"value": {"nested": [1, "ü"]}},
    ]  # fmt: skip
    text = "".join(json.dumps(line) + "\n" for line in lines)
    assert (
        pko("produce", "--create", topic, "--json", "-b", broker.bootstrap, text=text).returncode
        == 0
    )
    first = pko("consume", topic, "-b", broker.bootstrap, "--from-beginning", "-n", "4", "-o",
                "json")  # fmt: skip
    copy = f"{topic}-copy"
    pko("produce", "--create", copy, "--json", "-b", broker.bootstrap, text=first.stdout)
    assert written(broker, copy, 4) == written(broker, topic, 4)
    assert written(broker, topic, 4) == [
        (None, b"plain", None),
        (b"k", b"\xff", None),
        (b"\xff", None, [("h", b"1"), ("n", None)]),
        (None, '{"nested":[1,"ü"]}'.encode(), None),
    ]
    assert json.loads(first.stdout.splitlines()[1])["timestamp"] == 1700000000000


def test_json_of_formats_goes_round(broker: Broker, topic: str) -> None:
    records = [("0007", b"null"), ("00ff", b'"text"'), ("", b'{"n":[1,2]}'), ("01", None)]
    text = "".join(
        json.dumps({"key": key, "key_encoding": "hex", "value": value and value.decode()}) + "\n"
        for key, value in records
    )
    assert (
        pko("produce", "--create", topic, "--json", "-b", broker.bootstrap, text=text).returncode
        == 0
    )
    shown = pko("consume", topic, "-b", broker.bootstrap, "--from-beginning", "-n", "4", "-o",
                "json", "--key-format", "hex", "--value-format", "json")  # fmt: skip
    lines = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [line["value"] for line in lines] == [None, "text", {"n": [1, 2]}, None]
    copy = f"{topic}-copy"
    pko("produce", "--create", copy, "--json", "-b", broker.bootstrap, text=shown.stdout)
    assert written(broker, copy, 4) == written(broker, topic, 4)
    assert written(broker, copy, 4) == [(bytes.fromhex(k), v, None) for k, v in records]


def test_records_that_are_too_large_are_counted_and_the_rest_arrives(
    broker: Broker, topic: str
) -> None:
    text = b"small\n" + b"x" * 1_100_000 + b"\nsmall too\n"
    said = pko("produce", "--create", topic, "-b", broker.bootstrap, text=text)
    assert said.returncode == 1
    assert said.stderr.startswith(
        f"2 records: {topic}-0 at 0..1\n"
        f"pko: 1 of 3 records not delivered to {topic}: a record of 1100000 bytes is larger than "
        "max.request.size 1048576".encode()
    )
    assert values(broker, topic, 2) == [b"small", b"small too"]


def test_a_property_nobody_knows_is_told_and_dropped(broker: Broker, topic: str) -> None:
    argv = (
        "produce",
        "--create",
        topic,
        "-b",
        broker.bootstrap,
        "--producer-property",
        "no.such=1",
    )
    said = pko(*argv, text="v\n")
    assert said.returncode == 0
    ignored = "pko: The configuration 'no.such' is not known here and was ignored\n"
    assert said.stderr.decode() == f"{ignored}1 record: {topic}-0 at 0\n"
    assert values(broker, topic, 1) == [b"v"]


def test_a_line_is_sent_while_the_next_is_waited_for(broker: Broker, topic: str) -> None:
    process = start("produce", "--create", topic, "-b", broker.bootstrap)
    try:
        assert process.stdin is not None
        process.stdin.write(b"at once\n")
        process.stdin.flush()
        assert values(broker, topic, 1) == [b"at once"]
        assert process.poll() is None
    finally:
        process.kill()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_and_what_was_typed_arrives(
    broker: Broker, topic: str, number: int, code: int
) -> None:
    argv = ("produce", "--create", topic, "-b", broker.bootstrap, "--timeout", "60000")
    process = start(*argv)
    assert process.stdin is not None
    process.stdin.write(b"typed\n")
    process.stdin.flush()
    wait_for(lambda: _has_read(process))
    process.send_signal(number)
    _, stderr = process.communicate(timeout=300)
    heard = f"1 record: {topic}-0 at 0\n"
    assert (process.returncode, stderr.decode()) == (code, heard)
    assert values(broker, topic, 1) == [b"typed"]


def test_on_a_terminal_each_line_is_prompted_for_and_told_in_the_end(
    broker: Broker, topic: str
) -> None:
    said = on_a_terminal(b"one\ntwo\n\x04", "produce", "--create", topic, "-b", broker.bootstrap)
    assert said == f">>>\r\n2 records: {topic}-0 at 0..1\r\n"


def on_a_terminal(typed: bytes, *argv: str) -> str:
    """What a terminal without an echo shows of a command, with what is typed into it."""
    ours, theirs = pty.openpty()
    settings = termios.tcgetattr(theirs)
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    process = subprocess.Popen(
        [*PKO, *argv], stdin=theirs, stdout=theirs, stderr=theirs, env=environment()
    )
    os.close(theirs)
    shown = b""
    try:
        for line in typed.splitlines(keepends=True):
            while shown.count(b">") < typed.count(b"\n", 0, typed.index(line)) + 1:
                shown += os.read(ours, 4096)
            os.write(ours, line)
        while True:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # the other end is closed: the process is gone
                break
        assert process.wait(120) == 0, shown
    finally:
        process.kill()
        os.close(ours)
    return shown.decode()


def _has_read(process: subprocess.Popen[bytes]) -> bool:
    """Whether its standard input is read and it waits for more."""
    assert process.stdin is not None
    left = fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))
    with open(f"/proc/{process.pid}/stat") as stat:
        return left == bytes(4) and stat.read().rpartition(")")[2].split()[0] == "S"


def test_who_cannot_be_reached_or_written_to_is_told_in_one_line(broker: Broker) -> None:
    nobody = f"127.0.0.1:{free_port()}"
    for argv, code, text in (
        (("t", "-b", nobody), 3, f"cannot connect to {nobody}: Connection refused"),
        (("bad name", "-b", broker.bootstrap), 1, "Invalid topics: [bad name]"),
    ):
        said = pko("produce", *argv, text="v\n")
        assert (said.returncode, said.stdout) == (code, b"")
        assert said.stderr.decode().startswith(f"pko: {text}")
        assert said.stderr.count(b"\n") == 1


def test_a_topic_that_is_not_there_is_made_on_demand(broker: Broker, topic: str) -> None:
    argv = ("produce", topic, "-b", broker.bootstrap)
    said = pko(*argv, text="v\n")
    assert (said.returncode, said.stdout) == (1, b"")
    assert said.stderr.decode().startswith(f"pko: there is no topic {topic}")
    assert b": --create makes it" in said.stderr
    for offset in range(2):
        said = pko(*argv, "--create", text="v\n")
        assert (said.returncode, said.stderr.decode()) == (0, f"1 record: {topic}-0 at {offset}\n")


def test_sync_stops_at_the_first_failure(broker: Broker, topic: str) -> None:
    argv = ("produce", "--create", topic, "-b", broker.bootstrap, "--sync", "-p")
    assert pko(*argv, "0", text="a\nb\n").returncode == 0
    said = pko(*argv, "9", text="c\nd\n")
    assert said.returncode == 1
    assert said.stderr.startswith(b"pko: 1 of 1 record not delivered")
    assert values(broker, topic, 2) == [b"a", b"b"]
