"""Command lines of Kafka's documentation before 3.0, as they stand there, on a real ZooKeeper."""

from __future__ import annotations

import pytest
from kazoo.client import KazooClient

from pykafka_ops.commands.configs.zookeeper import WARNING
from tests.support.process.old_lines import Old
from tests.support.waiting import free_port, wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
COPIED = "/copied/brokers/ids"


def test_the_quickstart(old: Old) -> None:
    assert old.output(
        "kafka-topics.sh --create --zookeeper ZK --replication-factor 1 --partitions 1 --topic test"
    ) == 'Created topic "test".\n'  # fmt: skip
    assert "test\n" in old.output("kafka-topics.sh --list --zookeeper ZK")
    old.output(
        "kafka-console-producer.sh --broker-list BROKER --topic test", "This\nis a message\n"
    )
    read = "kafka-console-consumer.sh --zookeeper ZK --topic test --from-beginning"
    assert old.output(f"{read} --max-messages 2") == "This\nis a message\n"
    create = "kafka-topics.sh --create --zookeeper ZK --topic my-replicated-topic"
    old.output(f"{create} --replication-factor 2 --partitions 1")
    head, row = old.output(
        "kafka-topics.sh --describe --zookeeper ZK --topic my-replicated-topic"
    ).splitlines()
    assert head == "Topic:my-replicated-topic\tPartitionCount:1\tReplicationFactor:2\tConfigs:"
    assert row.startswith("\tTopic: my-replicated-topic\tPartition: 0\tLeader: ")
    assert len(row.split("\tIsr: ")[1].split(",")) == 2


def test_operations_on_topics(old: Old) -> None:
    create = "kafka-topics.sh --zookeeper ZK --create --topic my_topic_name"
    assert old.output(
        f"{create} --partitions 2 --replication-factor 1 --config max.message.bytes=64000"
    ).splitlines()[-1] == 'Created topic "my_topic_name".'  # fmt: skip
    alter = "kafka-topics.sh --zookeeper ZK --alter --topic my_topic_name"
    assert old.output(f"{alter} --partitions 4") == (
        "WARNING: If partitions are increased for a topic that has a key, the partition logic "
        "or ordering of the messages will be affected\nAdding partitions succeeded!\n"
    )
    changed = old.output(f"{alter} --config flush.messages=1")
    assert changed.splitlines()[-1] == 'Updated config for topic "my_topic_name".'
    describe = "kafka-topics.sh --zookeeper ZK --describe --topic my_topic_name"
    wanted = (
        "Topic:my_topic_name\tPartitionCount:4\tReplicationFactor:1"
        "\tConfigs:flush.messages=1,max.message.bytes=64000\n"
    )
    wait_for(lambda: old.output(describe).startswith(wanted), what="every broker to know of it")
    old.output(f"{alter} --delete-config flush.messages")
    wait_for(lambda: "flush.messages" not in old.output(describe), what="the default")
    report = "kafka-topics.sh --zookeeper ZK --describe"
    assert "Topic:my_topic_name\t" in old.output(f"{report} --topics-with-overrides")
    for trouble in ("unavailable", "under-replicated"):
        wait_for(lambda t=trouble: not old.output(f"{report} --{t}-partitions"), what="no trouble")
    assert old.output("kafka-topics.sh --zookeeper ZK --delete --topic my_topic_name") == (
        "Topic my_topic_name is marked for deletion.\n"
        "Note: This will have no impact if delete.topic.enable is not set to true.\n"
    )
    listing = "kafka-topics.sh --zookeeper ZK --list"
    wait_for(lambda: "my_topic_name" not in old.output(listing), what="the end of the topic")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("--create --topic a --partitions 1", 'Missing required argument "[replication-factor]"'),
        ("--delete --topic nobody", "Topic nobody does not exist on ZK path HERE"),
        ("--alter --topic nobody --partitions 2", "Topic nobody does not exist on ZK path HERE"),
        ("--list --bootstrap-server BROKER", "Only one of --bootstrap-server or --zookeeper must"),
    ],
)  # fmt: skip
def test_what_was_wrong_is_wrong(old: Old, line: str, text: str) -> None:
    done = old.say(f"kafka-topics.sh --zookeeper ZK {line}")
    assert done.returncode == 1
    assert text.replace("HERE", old.zookeeper) in done.stdout + done.stderr


def test_several_servers_and_a_chroot(old: Old, tree: KazooClient) -> None:
    tree.ensure_path(COPIED)
    for name in tree.get_children("/brokers/ids"):
        if not tree.exists(f"{COPIED}/{name}"):
            tree.create(f"{COPIED}/{name}", tree.get(f"/brokers/ids/{name}")[0])
    where = f"127.0.0.1:{free_port()},ZK/copied"
    assert old.output(f"kafka-topics.sh --zookeeper {where} --list") == old.output(
        "kafka-topics.sh --zookeeper ZK --list"
    )


def test_a_chroot_without_brokers_and_no_zookeeper_are_told_in_one_line(old: Old) -> None:
    done = old.say("kafka-topics.sh --zookeeper ZK/elsewhere --list")
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (1, 1, "")
    assert "ZooKeeper knows no broker: /elsewhere/brokers/ids is empty" in done.stdout
    nobody = f"127.0.0.1:{free_port()}"
    done = old.say(f"kafka-topics.sh --zookeeper {nobody} --list --timeout 300ms")
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (1, 1, "")
    assert f"no ZooKeeper at {nobody} lets us in" in done.stdout


def test_tools_that_read_files_and_offsets(old: Old) -> None:
    old.output("kafka-topics.sh --zookeeper ZK --create --topic f --partitions 1 "
             "--replication-factor 2")  # fmt: skip
    old.output("kafka-console-producer.sh --broker-list BROKER --topic f", "a\nb\nc\n")
    shell = "kafka-run-class.sh kafka.tools.GetOffsetShell --broker-list BROKER --topic f"
    for time, offset in (("-1", 3), ("-2", 0)):
        assert old.output(f"{shell} --time {time}") == f"f:0:{offset}\n"
        assert old.output(f"{shell} --time {time} --offsets 1 --max-wait-ms 1000").endswith("\n")
    assert old.output(f"{shell} --time -1 --offsets 2") == "f:0:3,0\n"
    assert old.output(f"{shell} --time 1000 --offsets 2") == "f:0:\n"
    assert old.say(f"{shell} --offsets 2 --time -3").stderr.count("\n") == 1
    file = old.cluster.directory / "broker-0/data/f-0/00000000000000000000.log"
    dump = f"kafka-run-class.sh kafka.tools.DumpLogSegments --files {file}"
    assert "payload: c" in old.output(f"{dump} --deep-iteration --print-data-log")


def test_a_preferred_election(old: Old) -> None:
    assert "Successfully started preferred replica election" in old.output(
        "kafka-preferred-replica-election.sh --zookeeper ZK"
    )


CHECKER = "kafka-run-class.sh kafka.tools.ConsumerOffsetChecker"
TITLES = "%-15s %-30s %-3s %-15s %-15s %-15s %s"


def lines(*rows: tuple[object, ...]) -> list[str]:
    titles = ("Group", "Topic", "Pid", "Offset", "logSize", "Lag", "Owner")
    return [TITLES % row for row in (titles, *rows)]


def test_offsets_of_consumers_that_keep_them_in_zookeeper(old: Old, tree: KazooClient) -> None:
    create = "kafka-topics.sh --zookeeper ZK --create --topic read --partitions 1"
    old.output(f"{create} --replication-factor 2")
    old.output("kafka-console-producer.sh --broker-list BROKER --topic read", "a\nb\nc\n")
    for path, value in (("offsets/read/0", b"1"), ("owners/read/0", b"old-group_host-1")):
        tree.create(f"/consumers/old-group/{path}", value, makepath=True)
    seen = old.output(f"{CHECKER} --zookeeper ZK --group old-group --broker-info").splitlines()
    assert seen[:2] == lines(("old-group", "read", 0, 1, 3, 2, "old-group_host-1"))
    assert seen[2] == "BROKER INFO"
    assert seen[3][:5] in ("0 -> ", "1 -> ")
    old.output("kafka-console-consumer.sh --zookeeper ZK --topic read --from-beginning "
             "--group new-group --max-messages 2")  # fmt: skip
    assert old.output(f"{CHECKER} --zookeeper ZK --group new-group").splitlines() == lines(
        ("new-group", "read", 0, 2, 3, 1, "none")
    )
    assert old.output(
        f"{CHECKER} --zookeeper ZK --group nobody --topic read"
    ).splitlines() == lines(("nobody", "read", 0, "unknown", 3, "unknown", "none"))
    assert old.output(f"{CHECKER} --zookeeper ZK --group nobody").startswith("Exiting due to: ")
    assert old.say(f"{CHECKER} --zookeeper ZK").stderr == 'Missing required argument "[group]"\n'
    nobody = f"127.0.0.1:{free_port()}"
    done = old.say(f"{CHECKER} --zookeeper {nobody} --group g --timeout 300ms")
    assert done.stdout.startswith(f"Exiting due to: no ZooKeeper at {nobody} lets us in")
    assert done.stdout.count("\n") == 1


def test_settings(old: Old) -> None:
    create = "kafka-topics.sh --create --zookeeper ZK --topic my-topic --partitions 1"
    old.output(f"{create} --replication-factor 1 --config max.message.bytes=64000")
    topic = "kafka-configs.sh --zookeeper ZK --entity-type topics --entity-name my-topic"
    assert old.output(f"{topic} --alter --add-config max.message.bytes=128000") == (
        "Completed Updating config for entity: topic 'my-topic'.\n"
    )
    assert old.output(f"{topic} --describe") == (
        "Configs for topic 'my-topic' are max.message.bytes=128000\n"
    )
    describe = "kafka-topics.sh --zookeeper ZK --describe --topic my-topic"
    wait_for(lambda: "Configs:max.message.bytes=128000" in old.output(describe), what="the brokers")
    old.output(f"{topic} --alter --delete-config max.message.bytes")
    wait_for(lambda: "Configs:\n" in old.output(describe), what="the brokers")


QUOTAS = "producer_byte_rate=1024,consumer_byte_rate=2048,request_percentage=200"


@pytest.mark.parametrize(
    ("entity", "words"),
    [
        (
            "--entity-type users --entity-name user1 --entity-type clients --entity-name clientA",
            "user-principal 'user1', client-id 'clientA'",
        ),
        ("--entity-type users --entity-name user1", "user-principal 'user1'"),
        ("--entity-type clients --entity-name clientA", "client-id 'clientA'"),
        (
            "--entity-type users --entity-name user1 --entity-type clients --entity-default",
            "user-principal 'user1', default client-id",
        ),
        ("--entity-type users --entity-default", "default user-principal"),
        ("--entity-type clients --entity-default", "default client-id"),
    ],
)
def test_quotas(old: Old, entity: str, words: str) -> None:
    tool = f"kafka-configs.sh --zookeeper ZK {entity}"
    assert old.output(f"{tool} --alter --add-config {QUOTAS}") == (
        f"Completed Updating config for entity: {words}.\n"
    )
    described = old.output(f"{tool} --describe").removeprefix(WARNING)
    head, _, shown = described.rstrip("\n").partition(" are ")
    assert head == f"Configs for {words}"
    assert sorted(shown.split(",")) == sorted(QUOTAS.split(","))


def test_credentials_and_throttles(old: Old) -> None:
    users = "kafka-configs.sh --zookeeper ZK --entity-type users --entity-name alice"
    secret = "SCRAM-SHA-256=[iterations=8192,password=alice-secret]"
    old.output(f"{users} --alter --add-config '{secret}'")
    assert "SCRAM-SHA-256=salt=" in old.output(f"{users} --describe")
    old.output(f"{users} --alter --delete-config SCRAM-SHA-256")
    throttle = "follower.replication.throttled.rate=700000000"
    brokers = "kafka-configs.sh --zookeeper ZK --entity-type brokers"
    old.output(f"{brokers} --entity-name 1 --alter --add-config {throttle}")
    assert f"Configs for brokers '1' are {throttle}\n" in old.output(f"{brokers} --describe")
