"""What only ZooKeeper knows: groups of before Kafka 0.9, and topics that wait for their deletion.

The texts are those of Kafka 1.1.1, the last whose kafka-consumer-groups reads these znodes.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kazoo.client import KazooClient

from tests.support.process.old_lines import Old

pytestmark = [pytest.mark.java, pytest.mark.slow]
NOTE = (
    "Note: This will only show information about consumers that use ZooKeeper (not those using the "
    "Java consumer API).\n"
)
ROW = "%-15s %-10s %-15s %-15s %-15s %-28s \n"
TITLES = ("TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID")
MISSING = (
    "Error: Could not fetch offset from zookeeper for group 'g1' partition 'seen-2' due to missing "
    "offset data in zookeeper.\n"
)
Put = Callable[[str, str], None]


@pytest.fixture(scope="module")
def put(tree: KazooClient) -> Put:
    """Write a znode, with those above it."""

    def write(path: str, text: str) -> None:
        tree.ensure_path(path)
        tree.set(path, text.encode())

    return write


def member(topics: str, pattern: str) -> str:
    return f'{{"version":1,"subscription":{{{topics}}},"pattern":"{pattern}","timestamp":"1"}}'


@pytest.fixture(scope="module")
def groups(old: Old, put: Put) -> None:
    """``g1`` with a member that owns two of three partitions and two that own none, ``g2`` without
    members, ``g3`` of another topic."""
    create = "kafka-topics.sh --zookeeper ZK --create --topic seen --partitions 3"
    old.output(f"{create} --replication-factor 1")
    for number in range(2):
        put(f"/consumers/g1/offsets/seen/{number}", "0")
        put(f"/consumers/g1/owners/seen/{number}", f"g1_host-1448188800000-abcdef-{number}")
    put("/consumers/g1/ids/g1_host-1448188800000-abcdef", member('"seen":2', "static"))
    put("/consumers/g1/ids/g1_idle", member('"seen":1', "static"))
    put("/consumers/g1/ids/g1_filter", member('"see.*":1', "white_list"))
    for group in ("g2", "g3"):
        put(f"/consumers/{group}/ids", "")
    put("/consumers/g2/owners/seen", "")
    put("/consumers/g2/owners/other", "")
    put("/consumers/g2/offsets/seen/0", "0")
    put("/consumers/g3/owners/other", "")


GROUPS = "kafka-consumer-groups.sh --zookeeper ZK"


def noted(old: Old, line: str) -> str:
    """What the tool prints beside its note."""
    done = old.say(f"{GROUPS} {line}")
    assert (done.returncode, done.stderr) == (0, NOTE)
    return done.stdout


@pytest.mark.usefixtures("groups")
def test_groups_in_zookeeper_are_listed_and_described(old: Old) -> None:
    assert {"g1", "g2", "g3"} <= set(noted(old, "--list").splitlines())
    who = "g1_host-1448188800000-abcdef"
    rows = [
        ("seen", 0, 0, 0, 0, who),
        ("seen", 1, 0, 0, 0, who),
        ("seen", 2, "-", 0, "-", "-"),
        (*"-----", "g1_filter"),
        (*"-----", "g1_idle"),
    ]
    table = "".join(ROW % row for row in (TITLES, *rows))
    assert noted(old, "--describe --group g1") == f"{MISSING}\n{table}"


@pytest.mark.usefixtures("groups")
def test_what_is_not_there_is_told_in_the_words_of_then(old: Old, put: Put) -> None:
    assert noted(old, "--describe --group nobody") == (
        "Error: The consumer group 'nobody' does not exist.\n"
    )
    put("/consumers/bare/offsets/seen/0", "1")
    assert noted(old, "--describe --group bare") == (
        "Error: Executing consumer group command failed due to org.apache.zookeeper."
        "KeeperException$NoNodeException: KeeperErrorCode = NoNode for /consumers/bare/ids\n"
    )
    assert noted(old, "--delete --group nobody") == (
        "Error: Delete for group 'nobody' failed because group does not exist.\n"
    )


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("--delete", "Option [delete] either takes [group], [topic], or both"),
        ("--describe", 'Missing required argument "[group]"'),
        (
            "--list --describe --group g1",
            "Command must include exactly one action: --list, --describe, --delete, "
            "--reset-offsets",
        ),
        ("--list --bootstrap-server BROKER", "Option [bootstrap-server] is not valid with"),
        ("--list --new-consumer", "Option [new-consumer] is not valid with [zookeeper]."),
    ],
)
def test_which_options_went_together(old: Old, line: str, text: str) -> None:
    done = old.say(f"{GROUPS} {line}")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(text)


@pytest.mark.usefixtures("groups")
def test_groups_without_members_are_deleted(old: Old, tree: KazooClient) -> None:
    assert noted(old, "--delete --group g1") == (
        "Error: Delete for group 'g1' failed because its consumers are still active.\n"
    )
    assert tree.exists("/consumers/g1/offsets/seen/0")
    assert noted(old, "--delete --group g2 --topic seen") == (
        "Deleted consumer group information for group 'g2' topic 'seen' in zookeeper.\n"
    )
    assert tree.get_children("/consumers/g2/owners") == ["other"]
    assert tree.get_children("/consumers/g2/offsets") == []
    assert noted(old, "--delete --group g2 --group g3") == "".join(
        f"Deleted all consumer group information for group '{group}' in zookeeper.\n"
        for group in ("g2", "g3")
    )
    assert not tree.exists("/consumers/g2")
    assert noted(old, "--delete --topic nothing") == (
        "Deleted consumer group information for all inactive consumer groups for topic 'nothing' "
        "in zookeeper.\n"
    )


def test_offsets_in_zookeeper_cannot_be_reset_and_the_line_says_what_can(old: Old) -> None:
    done = old.say(f"{GROUPS} --reset-offsets --group g1 --to-earliest --all-topics --dry-run")
    assert (done.returncode, done.stderr) == (0, NOTE)
    assert done.stdout.count("\n") == 1
    assert "give --bootstrap-server" in done.stdout


@pytest.fixture(scope="module")
def marked(old: Old, tree: KazooClient, put: Put) -> str:
    """A chroot with the brokers, where the topic ``doomed`` waits for its deletion."""
    root = "/waiting"
    for name in tree.get_children("/brokers/ids"):
        put(f"{root}/brokers/ids/{name}", tree.get(f"/brokers/ids/{name}")[0].decode())
    put(f"{root}/admin/delete_topics/doomed", "")
    put(f"{root}/admin/delete_topics/gone", "")
    put(f"{root}/brokers/topics/doomed", '{"version":1,"partitions":{"0":[0,1],"1":[1,0]}}')
    put(
        f"{root}/brokers/topics/doomed/partitions/0/state",
        '{"controller_epoch":1,"leader":-1,"version":1,"leader_epoch":2,"isr":[0]}',
    )
    put(f"{root}/config/topics/doomed", '{"version":1,"config":{"retention.ms":"5000"}}')
    return f"kafka-topics.sh --zookeeper ZK{root}"


def test_topics_that_wait_for_their_deletion_are_marked(old: Old, marked: str) -> None:
    listed = old.output(f"{marked} --list").splitlines()
    assert "doomed - marked for deletion" in listed
    assert not [line for line in listed if line.startswith("gone")]
    assert old.output(f"{marked} --describe --topic doomed") == (
        "Topic:doomed\tPartitionCount:2\tReplicationFactor:2\tConfigs:retention.ms=5000"
        "\tMarkedForDeletion:true\n"
        "\tTopic: doomed\tPartition: 0\tLeader: -1\tReplicas: 0,1\tIsr: 0\n"
        "\tTopic: doomed\tPartition: 1\tLeader: -1\tReplicas: 1,0\tIsr: \n"
    )
    report = old.output(f"{marked} --describe --unavailable-partitions --topic doomed")
    assert report.splitlines()[0] == (
        "\tTopic: doomed\tPartition: 0\tLeader: -1\tReplicas: 0,1\tIsr: 0\tMarkedForDeletion: true"
    )
    assert old.output(f"{marked} --delete --topic doomed") == (
        "Topic doomed is already marked for deletion.\n"
    )


DOCUMENTED = (
    ("kafka-run-class.sh kafka.tools.ConsumerOffsetChecker --zkconnect ZK --group g1", "Owner"),
    ("kafka-run-class.sh kafka.tools.ConsumerOffsetChecker --zookeeper ZK --group g1", "Owner"),
    ("kafka-run-class.sh kafka.tools.GetOffsetShell --broker-list BROKER --topic docs", "docs:0:"),
    ("kafka-run-class.sh kafka.admin.TopicCommand --zookeeper ZK --list", "docs"),
    ("kafka-run-class.sh kafka.admin.ConsumerGroupCommand --zookeeper ZK --list", "g1"),
    ("kafka-consumer-groups.sh --zookeeper ZK --list", "g1"),
    ("kafka-consumer-groups.sh --zookeeper ZK --describe --group g1", "CONSUMER-ID"),
    ("kafka-consumer-groups.sh --new-consumer --bootstrap-server BROKER --list", "readers"),
    (
        "kafka-consumer-groups.sh --new-consumer --bootstrap-server BROKER --describe "
        "--group readers",
        "LOG-END-OFFSET",
    ),
    (
        "kafka-console-consumer.sh --bootstrap-server BROKER --topic docs --new-consumer "
        "--from-beginning --consumer.config EMPTY --max-messages 1",
        "one",
    ),
    (
        "kafka-console-consumer.sh --zookeeper ZK --whitelist 'doc.*' --from-beginning "
        "--max-messages 1",
        "one",
    ),
    (
        "kafka-console-consumer.sh --zookeeper ZK --topic docs --from-beginning "
        "--formatter kafka.tools.DefaultMessageFormatter --property print.key=true "
        "--property print.value=true --property "
        "key.deserializer=org.apache.kafka.common.serialization.StringDeserializer --property "
        "value.deserializer=org.apache.kafka.common.serialization.StringDeserializer "
        "--max-messages 1",
        "null\tone",
    ),
    *(
        (
            "kafka-console-consumer.sh --topic __consumer_offsets --zookeeper ZK --formatter "
            f"'{name}$OffsetsMessageFormatter' --consumer.config EMPTY --from-beginning "
            "--max-messages 2",
            "[readers,docs,0]",
        )
        for name in (
            "kafka.server.OffsetManager",
            "kafka.coordinator.GroupMetadataManager",
            "kafka.coordinator.group.GroupMetadataManager",
        )
    ),
    ("kafka-topics.sh --zookeeper ZK/ --describe --topic docs", "PartitionCount:1"),
    (
        "kafka-topics.sh --zookeeper ZK --create --topic assigned --replica-assignment 0:1,1:0",
        'Created topic "assigned".',
    ),
    ("kafka-configs.sh --zookeeper ZK --describe --entity-type brokers", ""),
    ("kafka-configs.sh --zookeeper ZK --describe --entity-type topics --entity-name docs", "docs"),
    ("kafka-configs.sh --zookeeper ZK --describe --entity-type users --entity-type clients", ""),
    (
        "kafka-reassign-partitions.sh --zookeeper ZK --topics-to-move-json-file TOPICS "
        "--broker-list '0,1' --generate",
        "Proposed partition reassignment configuration",
    ),
    (
        "kafka-reassign-partitions.sh --zookeeper ZK --reassignment-json-file MOVES --execute "
        "--throttle 50000000",
        "Successfully started",
    ),
    (
        "kafka-reassign-partitions.sh --zookeeper ZK --reassignment-json-file MOVES --verify",
        "Status of partition reassignment",
    ),
    (
        "kafka-preferred-replica-election.sh --zookeeper ZK --path-to-json-file MOVES",
        "Successfully started preferred replica election for partitions Set(docs-0)",
    ),
    ("zookeeper-shell.sh ZK ls /brokers/ids", "[0, 1]"),
)
"""Of the pages on quickstart, operations, security and upgrades from 0.8.2 to 2.8, what stands in
no test of test_old_command_lines.py; with something that is printed."""


@pytest.fixture(scope="module")
def docs(old: Old, groups: None) -> dict[str, str]:
    """A topic with a record, a group that has read it, and the files of the lines."""
    create = "kafka-topics.sh --zookeeper ZK --create --topic docs --partitions 1"
    old.output(f"{create} --replication-factor 1")
    old.output("kafka-console-producer.sh --broker-list BROKER --topic docs", "one\n")
    read = "kafka-console-consumer.sh --bootstrap-server BROKER --topic docs --from-beginning"
    old.output(f"{read} --group readers --max-messages 1")
    texts = {
        "EMPTY": "",
        "TOPICS": '{"topics": [{"topic": "docs"}], "version": 1}',
        "MOVES": '{"version":1,"partitions":[{"topic":"docs","partition":0,"replicas":[0,1]}]}',
    }
    files = {}
    for name, text in texts.items():
        path = old.cluster.directory / f"{name.lower()}.txt"
        path.write_text(text)
        files[name] = str(path)
    return files


@pytest.mark.parametrize(("line", "text"), DOCUMENTED)
def test_a_line_of_the_old_documentation_works(
    old: Old, docs: dict[str, str], line: str, text: str
) -> None:
    for name, path in docs.items():
        line = line.replace(name, path)
    done = old.say(line)
    assert done.returncode == 0, done
    assert text in done.stdout
