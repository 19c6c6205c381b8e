"""kafka-streams-application-reset on a broker."""

from __future__ import annotations

import json
from pathlib import Path

import confluent_kafka
import pytest

from pykafka_ops.commands.groups.streams_offsets import StreamsResetError, read_reset_plan
from pykafka_ops.commands.groups.streams_reset import is_internal_topic
from tests.conftest import Broker
from tests.support.golden.transcripts import Said
from tests.support.golden.transcripts import run_patiently as run
from tests.support.process.console import pko
from tests.support.waiting import wait_for

pytestmark = pytest.mark.live


@pytest.fixture
def made(broker: Broker, topic: str) -> str:
    assert run("topics", "create", topic, "-p", "1", "-b", broker.bootstrap).code == 0
    done = pko("produce", topic, "-b", broker.bootstrap, text="a\nb\nc\nd\n")
    assert done.returncode == 0
    return topic


def reset(broker: Broker, words: str) -> Said:
    return run("kafka-streams-application-reset", "--bootstrap-server", broker.bootstrap,
               *words.split())  # fmt: skip


def committed(broker: Broker, group: str) -> int | None:
    said = run("groups", "describe", group, "-b", broker.bootstrap, "-o", "json")
    items = json.loads(said.stdout)["items"] if said.code == 0 else []
    return items[0]["current_offset"] if items else None


def test_offsets_move_and_topics_of_its_own_go(broker: Broker, made: str) -> None:
    app, own = f"{made}-app", f"{made}-app-store-changelog"
    for name in (own, f"{made}-app-output"):
        assert run("topics", "create", name, "-b", broker.bootstrap).code == 0
    head = [
        f"Reset-offsets for input topics [{made}]",
        f"Following input topics offsets will be reset to (for consumer group {app})",
        f"Topic: {made} Partition: 0 Offset: 2",
        "Done.",
        f"Deleting inferred internal topics [{own}]",
        "Done.",
    ]
    words = f"--application-id {app} --input-topics {made} --to-offset 2"
    dry = reset(broker, f"{words} --dry-run")
    assert (dry.code, dry.stdout.splitlines()[1:]) == (0, head)
    assert committed(broker, app) is None
    assert reset(broker, words).stdout.splitlines() == head
    assert committed(broker, app) == 2
    left = run("topics", "list", "-b", broker.bootstrap, "-o", "name").stdout.split()
    assert own not in left and f"{made}-app-output" in left
    for option, offset, said in (
        ("--shift-by 1", 3, ""),
        ("--shift-by 9", 4, "New offset (12) is higher than latest offset. Value will be set to 4"),
        ("--to-earliest", 0, ""),
        ("--to-latest", 4, ""),
        ("", 0, ""),
        ("--to-datetime 2999-01-01T00:00:00.000", 4,
         f"Partition 0 from topic {made} is empty, without a committed record. Falling back to "
         "latest known offset."),
        ("--by-duration P1D", 0, ""),
    ):  # fmt: skip
        done = reset(broker, f"--application-id {app} --input-topics {made} {option}")
        assert done.code == 0 and said in done.stdout, done
        assert committed(broker, app) == offset, option


def test_plans_of_files_are_taken(broker: Broker, made: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.csv"
    words = f"--application-id {made}-app --input-topics {made} --from-file {plan}"
    plan.write_text(f"{made},0,3\n")
    assert reset(broker, words).code == 0
    assert committed(broker, f"{made}-app") == 3
    plan.write_text("other,0,3\n")
    said = reset(broker, words)
    assert (said.code, said.stderr) == (
        1, "ERROR: java.lang.IllegalStateException: the plan has a line for other-0, which is not "
        "of an input topic\n",
    )  # fmt: skip


def test_members_are_in_the_way_until_they_are_put_out(broker: Broker, made: str) -> None:
    group = f"{made}-app"
    busy = joined(broker, made, group)
    try:
        words = f"--application-id {group} --input-topics {made}"
        said = reset(broker, words)
        assert said.code == 1 and said.stderr.startswith(
            "ERROR: java.lang.IllegalStateException: Consumer group "
            f"'{group}' is still active and has following members: [(memberId="
        )
        forced = reset(broker, f"{words} --force")
        assert forced.stdout.startswith(f"Force deleting all active members in the group: {group}")
    finally:
        busy.close()


def joined(broker: Broker, topic: str, group: str) -> confluent_kafka.Consumer:
    consumer = confluent_kafka.Consumer(
        {"bootstrap.servers": broker.bootstrap, "group.id": group, "auto.offset.reset": "earliest"}
    )
    consumer.subscribe([topic])
    wait_for(lambda: consumer.poll(0.2), what="a record")
    return consumer


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("", "Missing required option(s) [application-id]"),
        ("--application-id a --to-latest --shift-by 1",
         'Option "[to-latest]" can\'t be used with option "[shift-by]"'),
        ("--application-id a --internal-topics none",
         "ERROR: java.lang.IllegalArgumentException: Invalid topic specified in the "
         "--internal-topics option. Ensure that the topics specified are all internal topics. Do a "
         "dry run without the --internal-topics option to see the list of all internal topics that "
         "can be deleted."),
        ("--application-id a --command-config no-such",
         "ERROR: java.nio.file.NoSuchFileException: no-such"),
    ],
)  # fmt: skip
def test_complaints_are_kafkas(broker: Broker, words: str, complaint: str) -> None:
    said = reset(broker, words)
    assert (said.code, said.stderr) == (1, f"{complaint}\n")


def test_topics_that_are_gone_are_told(broker: Broker) -> None:
    said = reset(broker, "--application-id a --input-topics none --intermediate-topics nor")
    assert said.code == 1
    assert said.stdout.splitlines()[2:6] == [
        "Following input topics are not found, skipping them", "Topic: none",
        "Following intermediate topics are not found, skipping them", "Topic:nor",
    ]  # fmt: skip


def test_names_of_internal_topics() -> None:
    ends = ("changelog", "repartition", "KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-0000000006-topic")
    assert all(is_internal_topic(f"app-{end}") for end in ends)
    assert not is_internal_topic("app-KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-x-topic")
    assert not is_internal_topic("app-output")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "Error parsing reset plan CSV file. It is empty,"),
        ("a,0\n", "Reset plan CSV file is not following the format `TOPIC,PARTITION,OFFSET`."),
        ("a,b,0\n", 'For input string: "b"'),
    ],
)
def test_plans_that_are_none(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "plan"
    path.write_text(text)
    with pytest.raises(StreamsResetError) as caught:
        read_reset_plan(str(path))
    assert str(caught.value) == complaint
