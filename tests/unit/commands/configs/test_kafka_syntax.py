"""kafka-configs against a broker's own handlers, without sockets."""

from collections.abc import Callable

import pytest

from pykafka_ops.commands.configs import configs
from pykafka_ops.commands.framework.run import Run, execute
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.messages.alter_configs import AlterConfigsRequest
from pykafka_ops.wire.messages.alter_user_scram_credentials import AlterUserScramCredentialsRequest
from tests.support.memory.config_desk import DeskCluster
from tests.support.memory.context import args_of, work_of

Say = Callable[..., tuple[int, str, str]]


def test_lines_are_those_of_kafka(say: Say) -> None:
    alter = ("--alter", "--topic", "t", "--add-config", "retention.ms=5,cleanup.policy=[a]")
    assert say(*alter)[0] == -1
    assert say("--alter", "--topic", "t", "--add-config", "retention.ms=5") == (
        0,
        "Completed updating config for topic t.\n",
        "",
    )
    assert say("--describe", "--topic", "t")[1] == (
        "Dynamic configs for topic t are:\n"
        "  retention.ms=5 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=5}\n"
    )


def test_a_broker_is_written_as_a_whole(say: Say, cluster: DeskCluster) -> None:
    say("--alter", "--broker", "0", "--add-config", "max.connections=7,background.threads=9")
    say("--alter", "--broker", "0", "--delete-config", "max.connections")
    assert cluster.desk.stored("brokers/0") == {"background.threads": "9"}
    code, _, err = say("--alter", "--broker", "0", "--delete-config", "max.connections")
    assert (code, err) == (-2, "Invalid config(s): max.connections")
    say("--alter", "--broker", "0", "--add-config", "custom.thing=1")
    code, _, err = say("--alter", "--broker", "0", "--add-config", "max.connections=3")
    assert err == (
        "All sensitive broker config entries must be specified for --alter, missing entries: "
        "Set(custom.thing)"
    )


def test_the_header_of_a_missing_topic_comes_before_the_error(
    cluster: DeskCluster, capsys: pytest.CaptureFixture[str]
) -> None:
    args = args_of(configs, ["--bootstrap-server", "b:1", "--describe", "--topic", "nope"])
    run = Run(args, {}, {})
    run._cluster = cluster  # type: ignore[assignment]  # a double
    with pytest.raises(PkoError):
        execute(run, work_of(configs, args))
    assert capsys.readouterr().out == "Dynamic configs for topic nope are:\n"


def test_quota_lines_are_those_of_kafka(say: Say) -> None:
    say("--alter", "--user", "u", "--client-defaults", "--add-config", "producer_byte_rate=2e7")
    assert say("--describe", "--user", "u", "--client-defaults")[1] == (
        "Quota configs for user-principal 'u', the default client-id are producer_byte_rate=2.0E7\n"
    )


def test_a_password_is_sent_salted(say: Say, cluster: DeskCluster) -> None:
    say("--alter", "--user", "u", "--add-config", "SCRAM-SHA-256=[password=secret]")
    request = cluster.asked[-1]
    assert isinstance(request, AlterUserScramCredentialsRequest)
    (sent,) = request.upsertions
    assert (sent.name, sent.mechanism, sent.iterations) == ("u", 1, 4096)
    assert len(sent.salted_password) == 32
    assert b"secret" not in sent.salted_password
    assert say("--describe", "--user", "u")[1] == (
        "SCRAM credential configs for user-principal 'u' are SCRAM-SHA-256=iterations=4096\n"
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--user u --add-config a=1", "Only quota and SCRAM credential configs can be added for "
         "'users' using --bootstrap-server. Unexpected config names: Set(a)"),
        ("--user u --delete-config a", "Only quota and SCRAM credential configs can be deleted for "
         "'users' using --bootstrap-server. Unexpected config names: ArrayBuffer(a)"),
        ("--client c --add-config SCRAM-SHA-256=x", "Only quota configs can be added for 'clients' "
         "using --bootstrap-server. Unexpected config names: Set(SCRAM-SHA-256)"),
        ("--user u --add-config producer_byte_rate=x",
         "Cannot parse quota configuration value for producer_byte_rate: x"),
        ("--user u --add-config SCRAM-SHA-256=[iterations=100,password=x]",
         "Iterations 100 is less than the minimum 4096 required for SCRAM-SHA-256"),
        ("--user u --add-config SCRAM-SHA-256=[iterations=4096]",
         "Invalid credential property SCRAM_SHA_256=iterations=4096"),
        ("--user-defaults --add-config SCRAM-SHA-256=[password=x]",
         "The use of --entity-default or --user-defaults is not allowed with User SCRAM "
         "Credentials using --bootstrap-server."),
        ("--user u --add-config SCRAM-SHA-256=[password=x],producer_byte_rate=5",
         "Cannot alter both quota and SCRAM credential configs simultaneously for 'users' using "
         "--bootstrap-server."),
        ("--ip 127.0.0.1 --add-config a=1", "Only connection quota configs can be added for 'ips' "
         "using --bootstrap-server. Unexpected config names: a"),
        ("--user u --delete-config request_percentage", "Invalid config(s): request_percentage"),
        ("--topic t --delete-config flush.ms", "Invalid config(s): flush.ms"),
        ("--topic t --add-config a/b=1", "Invalid character found for config key: a/b"),
        ("--broker-logger 0 --add-config no.such=DEBUG", "Invalid broker logger(s): no.such"),
    ],
)  # fmt: skip
def test_what_kafka_refuses_is_refused_in_its_words(say: Say, words: str, text: str) -> None:
    assert say("--alter", *words.split()) == (-2, "", text)


def test_on_kafka_4_what_is_not_set_is_taken_back_and_brokers_are_changed_in_place(
    say: Say, cluster: DeskCluster
) -> None:
    cluster.announced = {1: (4, 18)}
    code, out, _ = say("--alter", "--topic", "t", "--delete-config", "flush.ms")
    assert (code, out) == (0, "Completed updating config for topic t.\n")
    say("--alter", "--broker", "0", "--add-config", "max.connections=7")
    code, out, _ = say("--alter", "--broker", "0", "--delete-config", "background.threads")
    assert (code, out) == (0, "Completed updating config for broker 0.\n")
    assert cluster.desk.stored("brokers/0") == {"max.connections": "7"}
    assert not [r for r in cluster.asked if isinstance(r, AlterConfigsRequest)]


@pytest.mark.parametrize("kind", ["topic", "broker"])
def test_on_kafka_4_what_is_not_there_is_no_error(
    say: Say, cluster: DeskCluster, kind: str
) -> None:
    cluster.announced = {1: (4, 18)}
    code, out, _ = say("--describe", f"--{kind}", "7")
    assert (code, out) == (0, f"The {kind} '7' doesn't exist and doesn't have dynamic config.\n")
