"""``pko configs`` against a broker's own handlers, without sockets."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.wire.messages.alter_configs import AlterConfigsRequest
from tests.support.memory.config_desk import DeskCluster

Say = Callable[..., tuple[int, str, str]]


# -- our command line syntax


def test_settings_are_set_shown_and_unset(say: Say) -> None:
    code, out, _ = say("set", "topics", "t", "retention.ms=5", "cleanup.policy+=compact")
    assert code == 0
    assert [line.split() for line in out.splitlines()] == [
        ["KIND", "NAME", "SETTING", "OLD", "NEW"],
        ["topics", "t", "retention.ms", "604800000", "5"],
        ["topics", "t", "cleanup.policy", "delete", "delete,compact"],
    ]
    _, out, _ = say("describe", "topics", "t", "-o", "csv")
    assert [line.split(",")[2] for line in out.splitlines()[1:]] == [
        "cleanup.policy",
        "retention.ms",
    ]
    assert say("unset", "topics", "t", "retention.ms")[0] == 0
    _, out, _ = say("describe", "topics", "-o", "name")
    assert out == "cleanup.policy\n"


def _changes(said: tuple[int, str, str]) -> list[tuple[str, str | None, str | None]]:
    assert said[0] == 0, said
    return [(r["setting"], r["old"], r["new"]) for r in json.loads(said[1])["items"]]


def test_a_change_shows_the_value_of_before_and_of_after(say: Say) -> None:
    first = ("set", "topics", "t", "retention.ms=5", "cleanup.policy=compact", "-o", "json")
    assert _changes(say(*first, "--dry-run")) == _changes(say(*first))
    assert _changes(say("set", "topics", "t", "cleanup.policy-=compact", "-o", "json")) == [
        ("cleanup.policy", "compact", "")
    ]
    assert _changes(say("unset", "topics", "t", "retention.ms", "-o", "json")) == [
        ("retention.ms", "5", "<default>")
    ]
    assert _changes(say("set", "users", "u", "producer_byte_rate=5", "-o", "json")) == [
        ("producer_byte_rate", None, "5")
    ]
    assert _changes(say("unset", "users", "u", "producer_byte_rate", "-o", "json")) == [
        ("producer_byte_rate", "5.0", None)
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["brokers", "0", "log.cleaner.thread=hush"],
        ["users", "u", "SCRAM-SHA-256=[iterations=5000,password=hush]"],
    ],
)
def test_no_secret_is_shown(say: Say, words: list[str]) -> None:
    for _ in range(2):
        code, out, err = say("set", *words)
        assert code == 0 and "hush" not in out + err
        assert "[hidden]" in out or "iterations=5000" in out
    assert "hush" not in say("unset", *words[:2], words[2].partition("=")[0])[1]


def test_a_broker_that_is_not_there_is_told_at_once(say: Say, cluster: DeskCluster) -> None:
    for words in (
        ("set", "brokers", "9", "log.cleaner.threads=2"),
        ("set", "broker-loggers", "9", "kafka=DEBUG"),
        ("unset", "brokers", "9", "log.cleaner.threads"),
        ("describe", "brokers", "9"),
    ):
        code, out, err = say(*words)
        assert (code, out) == (1, "")
        text = f"{words[1]} 9: there is no broker 9; brokers are 0 [BROKER_NOT_AVAILABLE]"
        assert err == f"pko: {text}\n"
    assert cluster.asked == []


def test_who_has_nothing_set_is_an_error_by_name(say: Say) -> None:
    wanted: tuple[tuple[str, ...], ...] = (
        ("describe", "users", "nobody"),
        ("describe", "clients", "nobody"),
        ("unset", "users", "nobody", "producer_byte_rate"),
        ("unset", "users", "nobody", "SCRAM-SHA-256"),
    )
    for words in wanted:
        code, out, err = say(*words)
        assert (code, out) == (1, "")
        assert err == f"pko: {words[1]} nobody: nothing is set for it [RESOURCE_NOT_FOUND]\n"


def test_json_tells_everything(say: Say) -> None:
    say("set", "topics", "t", "segment.bytes=100")
    _, out, _ = say("describe", "topics", "t", "-o", "json")
    (item,) = json.loads(out)["items"]
    assert (item["kind"], item["name"]) == ("topics", "t")
    assert item["configs"] == [
        {
            "name": "segment.bytes",
            "value": "100",
            "source": "DYNAMIC_TOPIC_CONFIG",
            "type": "INT",
            "sensitive": False,
            "read_only": False,
            "synonyms": [
                {"name": "segment.bytes", "value": "100", "source": "DYNAMIC_TOPIC_CONFIG"},
                {"name": "log.segment.bytes", "value": "1073741824", "source": "DEFAULT_CONFIG"},
            ],
            "documentation": None,
        }
    ]


def test_all_and_docs_show_more(say: Say) -> None:
    _, out, _ = say("describe", "topic", "t", "--all", "-o", "name")
    assert len(out.splitlines()) == 36
    _, out, _ = say("describe", "brokers", "0", "--all", "--docs", "-o", "csv")
    assert "Number of this broker in the cluster" in out


def test_brokers_have_a_default(say: Say) -> None:
    assert say("set", "brokers", "--default", "max.connections=7")[0] == 0
    assert say("set", "brokers", "0", "max.connections=8")[0] == 0
    _, out, _ = say("describe", "brokers", "-o", "csv")
    assert [line.split(",")[1:4] for line in out.splitlines()[1:]] == [
        ["0", "max.connections", "8"],
        ["<default>", "max.connections", "7"],
    ]
    _, out, _ = say("describe", "brokers", "--default", "-o", "name")
    assert out == "max.connections\n"


def test_several_names_are_changed_and_failures_told_apart(say: Say) -> None:
    code, out, err = say("set", "topics", "t,nope", "retention.ms=5")
    assert code == 1
    assert "topics  t" in out
    assert (
        err == "pko: topics nope: The topic 'nope' does not exist. [UNKNOWN_TOPIC_OR_PARTITION]\n"
    )


def test_values_may_stand_in_brackets(say: Say, cluster: DeskCluster) -> None:
    assert say("set", "topics", "t", "cleanup.policy=[compact,delete]")[0] == 0
    assert say("set", "users", "u", "SCRAM-SHA-256=[iterations=5000,password=x]")[0] == 0
    assert cluster.desk.stored("topics/t") == {"cleanup.policy": "compact,delete"}
    assert "iterations=5000" in cluster.desk.stored("users/u")["SCRAM-SHA-256"]


def test_a_trial_changes_nothing(say: Say, cluster: DeskCluster) -> None:
    code, _, err = say("set", "topics", "t", "retention.ms=5", "--dry-run")
    assert (code, err) == (0, "dry run: nothing was changed\n")
    assert say("set", "users", "u", "producer_byte_rate=5", "--dry-run")[0] == 0
    assert cluster.desk.stored("topics/t") == {}
    assert cluster.desk.stored("users/u") == {}


def test_a_misspelt_setting_is_noticed(say: Say) -> None:
    code, _, err = say("unset", "topics", "t", "retention.m")
    assert code == 1
    assert "retention.m is no setting of topics (did you mean retention.ms?)" in err
    code, _, err = say("unset", "topics", "t", "retention.ms")
    assert (code, err) == (0, "topics t: retention.ms was not set\n")
    code, _, err = say("set", "brokers", "0", "log.cleaner.thread=2")
    assert code == 0
    assert "not a setting that brokers know (did you mean log.cleaner.threads?)" in err


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(say: Say) -> None:
    for words, near in (
        (("set", "topics", "t", "retention.mss=5"), "retention.ms"),
        (("set", "topics", "tt", "retention.ms=5"), "t"),
        (("unset", "topics", "tt", "retention.ms"), "t"),
        (("describe", "topics", "tt"), "t"),
    ):
        code, _, err = say(*words)
        assert (code, err.count(f" (did you mean {near}?)")) == (1, 1), err
        assert ":  (" not in err
    for refused, near in (
        (("set", "users", "u", "producer_byte_rat=5"), "producer_byte_rate"),
        (("set", "clients", "c", "request_percent=5"), "request_percentage"),
        (("describe", "topcs"), "topics"),
    ):
        code, _, err = say(*refused)
        assert (code, f"(did you mean {near}?)" in err) == (-2, True), err
    assert "did you mean" not in say("--describe", "--topic", "tt")[2]


def test_no_name_at_all_is_a_usage_error(say: Say) -> None:
    code, _, err = say("set", "topics", ",", "retention.ms=5")
    assert (code, "whose settings?" in err) == (-2, True)


def test_a_file_gives_settings(say: Say, cluster: DeskCluster, tmp_path: Path) -> None:
    path = tmp_path / "topic.properties"
    path.write_text("retention.ms=5\nsegment.bytes = 100\n")
    assert say("set", "topics", "t", "--file", str(path))[0] == 0
    assert cluster.desk.stored("topics/t") == {"retention.ms": "5", "segment.bytes": "100"}


def test_an_old_cluster_gets_all_settings_at_once(say: Say, cluster: DeskCluster) -> None:
    say("set", "topics", "t", "retention.ms=5")
    cluster.incremental = False
    assert say("set", "topics", "t", "segment.bytes=100")[0] == 0
    assert isinstance(cluster.asked[-1], AlterConfigsRequest)
    assert cluster.desk.stored("topics/t") == {"retention.ms": "5", "segment.bytes": "100"}
    code, _, err = say("set", "topics", "t", "cleanup.policy+=compact")
    assert code == 1
    assert "too old for += and -=" in err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["set", "topics"], "whose settings?"),
        (["set", "topics", "t"], "what to set?"),
        (["set", "topics", "t", "a"], "write it as KEY=VALUE"),
        (["unset", "topics", "t", "a=1"], "only the name of the setting"),
        (["unset", "topics", "t"], "what to unset?"),
        (["set", "topics", "--default", "a=1"], "topics have no default of all"),
        (["set", "brokers", "x", "a=1"], "brokers are named by their number"),
        (["describe", "brokers", "x"], "brokers are named by their number"),
        (["describe", "topics", "--default"], "topics have no default of all"),
        (["set", "users", "u", "producer_byte_rate+=1"], "settings that are lists"),
    ],
)
def test_wrong_words_are_refused(say: Say, words: list[str], text: str) -> None:
    code, _, err = say(*words)
    assert code == -UsageError.exit_code
    assert text in err


def test_quotas_and_credentials_are_set_and_shown(say: Say, cluster: DeskCluster) -> None:
    assert say("set", "users", "u", "producer_byte_rate=1e7")[0] == 0
    assert say("set", "users", "u", "--client", "c", "request_percentage=12.5")[0] == 0
    assert say("set", "users", "--default", "consumer_byte_rate=3")[0] == 0
    assert say("set", "users", "u", "SCRAM-SHA-512=iterations=5000,password=x")[0] == 0
    _, out, _ = say("describe", "users", "-o", "json")
    assert json.loads(out)["items"] == [
        {
            "types": ["user"],
            "user": "u",
            "client_id": None,
            "ip": None,
            "quotas": {"producer_byte_rate": 1e7},
            "scram": {"SCRAM-SHA-512": 5000},
        },
        {
            "types": ["user"],
            "user": None,
            "client_id": None,
            "ip": None,
            "quotas": {"consumer_byte_rate": 3.0},
            "scram": {},
        },
    ]
    assert say("unset", "users", "u", "producer_byte_rate")[0] == 0
    assert say("unset", "users", "u", "SCRAM-SHA-512")[0] == 0
    assert say("describe", "users", "u", "-o", "name")[:2] == (1, "")
