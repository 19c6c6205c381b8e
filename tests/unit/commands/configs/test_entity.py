"""kafka-configs' own checks: options and words, before anything is asked."""

import pytest

from pykafka_ops.commands.configs import configs
from pykafka_ops.commands.configs.entity import (
    ConfigEntity,
    ConfigProblem,
    entity,
    kind_of,
    parse_pairs,
    with_client,
)
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.errors import UsageError
from tests.support.each import each
from tests.support.golden.transcripts import AS_BEFORE_3, Entry, entries, first_error
from tests.support.memory.context import args_of, work_of
from tests.support.raising import raises_nothing

BOOTSTRAP = ["--bootstrap-server", "b:1"]
LATER = ("Error while", "Invalid config", "Invalid broker", "Invalid credential", "requirement",
         "All sensitive", "Only quota", "Only connection", "Cannot ", "Iterations", "The use of",
         "Error parsing")  # fmt: skip
EARLY = [
    e
    for e in entries("configs")
    if e.code
    and len(e.argv) > 1
    and not first_error(e.stderr).startswith(LATER)
    and not AS_BEFORE_3.search(str(e))
]


def flags(*words: str) -> Args:
    args = args_of(configs, list(words), tool=True)
    work_of(configs, args)
    return args


@pytest.mark.parametrize("entry", EARLY, ids=str)
def test_wrong_options_are_refused_in_kafkas_words(entry: Entry) -> None:
    with pytest.raises(UsageError) as caught:
        flags(*entry.argv[1:])
    assert str(caught.value) == first_error(entry.stderr)


def test_every_kind_of_early_refusal_is_in_the_transcript() -> None:
    assert len(EARLY) >= 15


@each("entry", [e for e in entries("configs") if e.code == 0])
def test_good_command_lines_pass(entry: Entry) -> None:
    with raises_nothing():
        flags(*entry.argv[1:])


@pytest.mark.parametrize(
    ("words", "types", "names"),
    [
        ("--describe --entity-type topics", ["topics"], []),
        ("--describe --topic t", ["topics"], ["t"]),
        (
            "--describe --entity-type users --entity-default --entity-type clients --entity-name c",
            ["users", "clients"],
            ["", "c"],
        ),
        (
            "--describe --entity-type users --entity-name u --entity-type clients --entity-default",
            ["users", "clients"],
            ["u", ""],
        ),
        (
            "--describe --entity-type users --entity-default --entity-type clients "
            "--entity-default",
            ["users", "clients"],
            ["", ""],
        ),
        ("--describe --user u --client-defaults", ["users", "clients"], ["u", ""]),
        ("--describe --user-defaults --client-defaults", ["clients", "users"], ["", ""]),
        ("--describe --broker-logger 1", ["broker-loggers"], ["1"]),
    ],
)
def test_entities_come_from_all_forms(words: str, types: list[str], names: list[str]) -> None:
    found = entity(flags(*BOOTSTRAP, *words.split()))
    assert (found.types, found.names) == (types, names)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("a=1", {"a": "1"}),
        (" a = 1 , b=2", {"a": "1", "b": "2"}),
        ("a=[1,2],b=3", {"a": "1,2", "b": "3"}),
        ("a=", {"a": ""}),
        ("a=1,", {"a": "1"}),
        ("S=[iterations=1,password=x]", {"S": "iterations=1,password=x"}),
    ],
)
def test_pairs_are_split_outside_of_brackets(text: str, pairs: dict[str, str]) -> None:
    assert parse_pairs(text) == pairs


@pytest.mark.parametrize("text", ["", "a", "a=b=c", "a=1,b"])
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(ConfigProblem, match='must be in the format "key=val"'):
        parse_pairs(text)


def test_kinds_are_understood_in_both_numbers() -> None:
    assert [kind_of(w) for w in ("topic", "topics", "loggers", "broker-logger", "ip")] == [
        "topics",
        "topics",
        "broker-loggers",
        "broker-loggers",
        "ips",
    ]
    with pytest.raises(UsageError, match="planet: say which settings"):
        kind_of("planet")


def test_a_client_goes_with_a_user_only() -> None:
    args = args_of(configs, ["set", "users", "u", "--client", "c", "a=1"])
    found = with_client(args, "users", "u")
    assert (found.types, found.names) == (["users", "clients"], ["u", "c"])
    assert found.label() == "users u, clients c"
    with pytest.raises(UsageError, match="go with users"):
        with_client(args, "topics", "t")
    with pytest.raises(UsageError, match="need a user"):
        with_client(args, "users", None)
    assert ConfigEntity(["users"], [""]).label() == "users <default>"
