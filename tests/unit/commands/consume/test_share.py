"""``pko consume --share`` and kafka-console-share-consumer on a fake broker."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import pytest

from pykafka_ops.cli import main
from pykafka_ops.client.share.session import AckType
from tests.support.golden.transcripts import Said
from tests.support.memory.client_clock import client_clock
from tests.support.memory.fake_broker import FakeBroker
from tests.support.memory.share_group import ShareGroupDesk

Fakes = tuple[FakeBroker, ...]
TOOL = "kafka-console-share-consumer"


def run(*words: str) -> Said:
    """As transcripts do it, with a standard output that takes bytes."""
    out, err = io.TextIOWrapper(io.BytesIO(), write_through=True), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), client_clock():
        code = main(list(words))
    out.seek(0)
    return Said(out.read(), err.getvalue(), code)


@pytest.fixture
def desk(fakes: Fakes) -> ShareGroupDesk:
    fakes[0].peers = [fakes[0]]
    fakes[0].controller = 0
    return ShareGroupDesk(fakes[0])


def test_what_is_printed_is_accepted_and_the_rest_is_given_back(
    desk: ShareGroupDesk,
) -> None:
    desk.gives(0, 3)
    said = run(*["consume", "orders", "--share", "g", "-n", "2", "-o", "json"])
    assert said.code == 0
    assert [json.loads(line)["offset"] for line in said.stdout.splitlines()] == [0, 1]
    accept, release = AckType.ACCEPT, AckType.RELEASE
    assert desk.outcomes == {0: accept, 1: accept, 2: release}
    assert [epoch for _, epoch in desk.members][-1] == -1


@pytest.mark.parametrize("how", ["release", "reject"])
def test_what_becomes_of_records_can_be_chosen(desk: ShareGroupDesk, how: str) -> None:
    desk.gives(0, 1)
    assert run(*f"consume orders --share g -n 1 --acknowledge {how}".split()).stdout == "0\n"
    assert desk.outcomes == {0: AckType[how.upper()]}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--share g --group h", "--share and --group exclude each other"),
        ("--share g --from-beginning", "--share and --from-beginning exclude each other"),
        ("--share g --key k", "--share and --key exclude each other"),
        ("--acknowledge reject", "--acknowledge goes with --share GROUP"),
    ],
)
def test_what_does_not_go_with_share_groups_is_refused(
    desk: ShareGroupDesk, words: str, complaint: str
) -> None:
    said = run(*f"consume orders {words}".split())
    assert (said.code, complaint in said.stderr) == (2, True)


def test_the_tool_shows_how_often_records_were_delivered(
    desk: ShareGroupDesk, fakes: Fakes
) -> None:
    desk.gives(0, 1)
    said = run(TOOL, "--bootstrap-server", fakes[0].bootstrap, "--topic", "orders", "--reject",
               "--max-messages", "1", "--property", "print.delivery=true")  # fmt: skip
    assert (said.code, said.stderr) == (0, "Processed a total of 1 messages\n")
    assert said.stdout == (
        "Option --property is deprecated and will be removed in a future version. "
        "Use --formatter-property instead.\nDelivery:1\t0\n"
    )
    assert desk.outcomes == {0: AckType.REJECT}


def test_what_cannot_be_shown_is_rejected_on_demand(desk: ShareGroupDesk, fakes: Fakes) -> None:
    desk.gives(0, 2)
    said = run(TOOL, "--bootstrap-server", fakes[0].bootstrap, "--topic", "orders",
               "--reject-message-on-error", "--max-messages", "2", "--value-deserializer",
               "org.apache.kafka.common.serialization.LongDeserializer")  # fmt: skip
    assert (said.code, said.stdout) == (0, "")
    assert "rejecting this message" in said.stderr
    assert desk.outcomes == {0: AckType.REJECT, 1: AckType.REJECT}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--group g", "--topic is a required argument"),
        ("--topic t --reject --release", "At most one of --reject and --release may be specified."),
        ("--topic t --odd", "odd is not a recognized option"),
        ("--topic t --consumer-property group.id=a --group b", "Detected group ids: 'a', 'b'"),
        ("--topic t --timeout-ms x", "OptionArgumentConversionException: Cannot parse argument"),
    ],
)
def test_wrong_options_are_told_in_kafkas_words(
    desk: ShareGroupDesk, fakes: Fakes, words: str, complaint: Any
) -> None:
    said = run(TOOL, "--bootstrap-server", fakes[0].bootstrap, *words.split())
    assert (said.code, complaint in said.stderr) == (1, True), said.stderr
