"""kafka-acls against fake brokers: exact texts, and what it asks."""

from collections.abc import Callable

import pytest

from tests.support.golden.transcripts import Said, run
from tests.support.memory.fake_authorizer import FakeAuthorizer
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]
Fakes = tuple[FakeBroker, ...]


@pytest.fixture
def authorizer(fakes: Fakes) -> FakeAuthorizer:
    return FakeAuthorizer(fakes)


def test_blocks_have_the_blanks_and_tabs_of_kafka(authorizer: FakeAuthorizer, pko: Pko) -> None:
    line = "--add --allow-principal User:a --operation Read --operation Write --topic t"
    said = pko(f"kafka-acls {line}")
    block = (
        " for resource `ResourcePattern(resourceType=TOPIC, name=t, patternType=LITERAL)`: \n"
        " \t(principal=User:a, host=*, operation=READ, permissionType=ALLOW)\n"
        "\t(principal=User:a, host=*, operation=WRITE, permissionType=ALLOW) \n\n"
    )
    assert (said.code, said.stdout, said.stderr) == (0, f"Adding ACLs{block}", "")
    assert pko("acls --list").stdout == f"Current ACLs{block}"
    said = pko("acls --list --principal User:a --principal User:b")
    assert said.stdout == (
        f"ACLs for principal `User:a`\nCurrent ACLs{block}ACLs for principal `User:b`\n"
    )
    assert pko("acls --list --principal").stdout == f"Current ACLs{block}"


@pytest.mark.parametrize(
    ("answer", "left", "code"), [("y\n", 0, 0), ("Y\n", 0, 0), ("no\n", 1, 0), ("", 1, 1)]
)
def test_it_asks_before_it_removes(
    authorizer: FakeAuthorizer, pko: Pko, answer: str, left: int, code: int
) -> None:
    pko("acls --add --allow-principal User:a --operation Read --topic t")
    said = run("kafka-acls", "--remove", "--topic", "t", stdin=answer)
    assert said.code == code
    assert said.stdout.startswith(
        "Are you sure you want to delete all ACLs for resource filter `ResourcePattern("
        "resourceType=TOPIC, name=t, patternType=LITERAL)`? (y/n)\n"
    )
    assert ("add --force" in said.stdout) == bool(code)
    assert len(authorizer.rules) == left


@pytest.mark.parametrize(
    ("line", "out", "err"),
    [
        ("--list --topic x --resource-pattern-type foo",
         "Error while executing ACL command: Cannot parse argument 'foo' of option "
         "resource-pattern-type\njoptsimple.OptionArgumentConversionException: ", ""),
        ("--list --topic", "",
         'Exception in thread "main" joptsimple.OptionMissingRequiredArgumentException: Option '
         "topic requires an argument\n"),
        ("--list --command-config none.properties",
         "Error while executing ACL command: none.properties\njava.nio.file.NoSuchFileException: ",
         ""),
        ("--add --group g --allow-principal User:a --operation Fly", "",
         "ResourceType GROUP only supports operations Read, Delete, Describe, All\n"),
        ("--add --user-principal User:g --allow-principal User:a --operation Read", "",
         "ResourceType USER only supports operations DescribeTokens, CreateTokens, All\n"),
        ("--remove --principal User:a --topic t", "",
         "The --principal option is only available if --list is set\n"),
        ("--list --authorizer a.B", "",
         "Only one of --bootstrap-server or --authorizer must be specified\n"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_kafkas_words(
    authorizer: FakeAuthorizer, fakes: Fakes, line: str, out: str, err: str
) -> None:
    said = run("kafka-acls", "--bootstrap-server", fakes[0].bootstrap, *line.split())
    assert said.code == 1
    assert said.stdout.startswith(out)
    assert said.stderr == err
    assert bool(said.stdout) == bool(out)


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ("foo", "Missing value for key foo}"),
        ("a=b", "Missing required configuration `zookeeper.connect` which has no default value."),
    ],
)
def test_an_authorizer_without_its_zookeeper_is_refused(
    fakes: Fakes, pko: Pko, properties: str, text: str
) -> None:
    said = pko(f"kafka-acls --authorizer-properties {properties} --list")
    assert said.code == 1
    assert said.stdout.startswith(f"Error while executing ACL command: {text}\n")
    assert said.stderr.startswith("Warning: support for ACL configuration directly through")


def test_a_script_gets_json_from_kafkas_flags(authorizer: FakeAuthorizer, pko: Pko) -> None:
    pko("acls --add --allow-principal User:a --producer --topic t -o json")
    said = pko("acls --list -o json")
    assert '"operations": ["write", "create", "describe"]' in said.stdout
