"""``pko acls`` against fake brokers with rules."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from pykafka_ops.commands.acls.words import rule_words
from pykafka_ops.wire.messages.describe_acls import DescribeAclsResponse
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_authorizer import FakeAuthorizer
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]
Fakes = tuple[FakeBroker, ...]


@pytest.fixture
def authorizer(fakes: Fakes) -> FakeAuthorizer:
    return FakeAuthorizer(fakes)


@pytest.fixture
def ruled(authorizer: FakeAuthorizer, pko: Pko) -> FakeAuthorizer:
    """Rules of all kinds."""
    for line in (
        "alice read,describe topic:orders",
        "alice all topic:o*",
        "User:* write topic:* --deny --host 10.0.0.9",
        "etl read topic:orders --host 10.0.0.7",
        "billing consumer topic:orders group:billing",
    ):
        said = pko(f"acls add {line}")
        assert said.code == 0, said.stderr
    return authorizer


def words(authorizer: FakeAuthorizer) -> set[str]:
    return {rule_words(rule) for rule in authorizer.rules}


def items(said: Said) -> list[dict[str, Any]]:
    assert said.code in (0, 1, 4), said.stderr
    found: list[dict[str, Any]] = json.loads(said.stdout)["items"]
    return found


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ("alice read topic:orders", {"allow User:alice read topic:orders from *"}),
        ("Group:x READ topic:a* --deny --host 10.0.0.1",
         {"deny Group:x read topic:a* from 10.0.0.1"}),
        ("alice describe_configs cluster", {"allow User:alice describe-configs cluster from *"}),
        ("a two-phase-commit transactional-id:x", {
            "allow User:a two-phase-commit transactional-id:x from *"}),
        ("alice create-tokens user:bob", {"allow User:alice create-tokens user:User:bob from *"}),
        ("a consumer topic:t group:g", {
            "allow User:a read topic:t from *", "allow User:a describe topic:t from *",
            "allow User:a read group:g from *"}),
        ("a producer topic:t transactional-id:x", {
            "allow User:a write topic:t from *", "allow User:a describe topic:t from *",
            "allow User:a create topic:t from *", "allow User:a write transactional-id:x from *",
            "allow User:a describe transactional-id:x from *"}),
    ],
)  # fmt: skip
def test_rules_are_added_as_they_are_said(
    authorizer: FakeAuthorizer, pko: Pko, line: str, rules: set[str]
) -> None:
    said = pko(f"acls add {line}")
    assert (said.code, said.stderr) == (0, "")
    assert words(authorizer) == rules


def test_a_star_at_the_end_is_a_prefix_unless_names_are_literal(
    authorizer: FakeAuthorizer, pko: Pko
) -> None:
    pko("acls add a read group:x*")
    pko("acls add a read group:x* --pattern literal")
    pko("acls add a read group:x --pattern prefixed")
    found = {(rule.resource.name, rule.resource.pattern.name) for rule in authorizer.rules}
    assert found == {("x", "PREFIXED"), ("x*", "LITERAL")}


def test_what_is_there_is_not_added_again(ruled: FakeAuthorizer, fakes: Fakes, pko: Pko) -> None:
    before = words(ruled)
    asked = sum(len(fake.asked("CreateAcls")) for fake in fakes)
    said = pko("acls add alice read topic:orders -o json")
    assert items(said) == []
    assert said.stderr == "1 rule of 1 there already\n"
    assert words(ruled) == before
    assert sum(len(fake.asked("CreateAcls")) for fake in fakes) == asked


def test_a_dry_run_changes_nothing(ruled: FakeAuthorizer, tmp_path: Path, pko: Pko) -> None:
    before = words(ruled)
    file = tmp_path / "acls.yaml"
    file.write_text("version: 1\nrules: []\n")
    assert "dry run" in pko("acls add eve read topic:x --dry-run").stderr
    assert "dry run" in pko("acls remove topic:orders --dry-run").stderr
    assert "dry run" in pko(f"acls apply {file} --prune --dry-run").stderr
    assert words(ruled) == before


def test_a_rule_that_is_refused_is_named_and_the_others_are_added(
    authorizer: FakeAuthorizer, pko: Pko
) -> None:
    authorizer.refused.add("bad")
    said = pko("acls add alice read topic:bad topic:good")
    assert said.code == 1
    assert said.stderr == (
        "pko: allow User:alice read topic:bad from *: Failed to create ACL [INVALID_REQUEST]\n"
    )
    assert words(authorizer) == {"allow User:alice read topic:good from *"}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("add alice reed topic:x", "no operation: reed (did you mean read?)"),
        ("add alice cluster-action topic:x", "cluster-action means nothing for a topic"),
        ("add alice consumer cluster", "a consumer needs nothing there, but topic, group"),
        ("add alice read topics:x", "no kind of resource: topics (did you mean topic?)"),
        ("add alice read topic", "which topic? write topic:NAME"),
        ("add User: read topic:x", "principal 'User:': write User:NAME"),
        ("list topic --match", "--match and --pattern need a name"),
        ("list --match", "--match: rules that count for which resource?"),
        ("remove", "which rules?"),
        ("check User:* read topic:x", "check one principal"),
        ("check alice read,write topic:x", "one operation on one resource"),
    ],
)
def test_a_line_that_cannot_be_meant_is_refused(
    authorizer: FakeAuthorizer, pko: Pko, line: str, text: str
) -> None:
    said = pko(f"acls {line}")
    assert said.code == 2
    assert text in said.stderr
    assert said.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("", 8),
        ("topic", 7),
        ("topic:orders", 5),
        ("topic:orders --match", 7),
        ("topic:o*", 1),
        ("--principal alice", 3),
        ("--principal alice --principal etl --operation read", 2),
        ("--permission deny", 1),
        ("--host 10.0.0.7", 1),
        ("group cluster", 1),
    ],
)
def test_rules_are_listed_by_what_they_say(
    ruled: FakeAuthorizer, pko: Pko, line: str, count: int
) -> None:
    rows = items(pko(f"acls list {line} -o json"))
    assert sum(len(row["operations"]) for row in rows) == count


def test_removing_takes_just_what_fits(ruled: FakeAuthorizer, pko: Pko) -> None:
    before = words(ruled)
    said = pko("acls remove topic:orders --principal alice --yes -o json")
    assert [row["operations"] for row in items(said)] == [["read", "describe"]]
    gone = before - words(ruled)
    assert gone == {f"allow User:alice {done} topic:orders from *" for done in ("read", "describe")}


def test_nothing_is_removed_without_a_word(ruled: FakeAuthorizer, pko: Pko) -> None:
    before = words(ruled)
    said = pko("acls remove topic:orders")
    assert (said.code, "add --yes" in said.stderr) == (2, True)
    for more in ("", "--yes", "--confirm topic:other"):
        said = pko(f"acls remove topic:orders --match {more}")
        assert (said.code, "topic:orders" in said.stderr) == (2, True)
    assert words(ruled) == before
    assert pko("acls remove topic:orders --match --confirm topic:orders").code == 0
    assert words(ruled) == {"allow User:billing read group:billing from *"}


def test_on_a_terminal_the_resource_is_typed_for_a_match(
    ruled: FakeAuthorizer, pko: Pko, capfd: pytest.CaptureFixture[str]
) -> None:
    before = words(ruled)
    with mock.patch("sys.stdin.isatty", return_value=True):
        with mock.patch("click.prompt", return_value="yes") as asked:
            said = pko("acls remove topic:orders --match")
        assert (said.code, said.stderr) == (1, "nothing was removed\n")
        assert "Type topic:orders to go on" in asked.call_args.args[0]
        assert words(ruled) == before
        with mock.patch("click.prompt", return_value="topic:orders"):
            assert pko("acls remove topic:orders --match").code == 0
    assert len(words(ruled)) == 1


@pytest.mark.parametrize(
    ("line", "verdict", "why", "code"),
    [
        ("alice read topic:orders", "allowed", "allow User:alice", 0),
        ("alice describe topic:other", "allowed", "allow User:alice all topic:o* from *", 0),
        ("alice read topic:nix --host 1.2.3.4", "denied",
         "1 rule is about topic:nix, none allows User:alice from 1.2.3.4 to read", 4),
        ("alice write topic:orders --host 10.0.0.9", "denied", "a rule that denies wins", 4),
        ("etl describe topic:orders --host 10.0.0.7", "allowed", "who may do that may describe", 0),
        ("alice read group:nix", "unknown", "allow.everyone.if.no.acl.found", 4),
        ("alice read group:nix --if-no-rule allow", "allowed", "--if-no-rule is allow", 0),
        ("alice read group:nix --if-no-rule deny", "denied", "--if-no-rule is deny", 4),
    ],
)  # fmt: skip
def test_the_rule_that_decides_is_named(
    ruled: FakeAuthorizer, pko: Pko, line: str, verdict: str, why: str, code: int
) -> None:
    said = pko(f"acls check {line} -o json")
    (row,) = items(said)
    assert (row["verdict"], said.code) == (verdict, code)
    assert why in row["why"]
    assert ("super users" in said.stderr) == (verdict == "denied")


def test_who_may_and_who_may_not_although_others_may(ruled: FakeAuthorizer, pko: Pko) -> None:
    rows = items(pko("acls who-can read topic:orders -o json"))
    assert [(r["principal"], r["host"], r["verdict"]) for r in rows] == [
        ("User:alice", "*", "allowed"),
        ("User:billing", "*", "allowed"),
        ("User:etl", "*", "denied"),
        ("User:etl", "10.0.0.7", "allowed"),
    ]
    rows = items(pko("acls who-can write topic:orders -o json"))
    assert [(r["principal"], r["host"], r["verdict"]) for r in rows] == [
        ("User:alice", "*", "allowed"),
        ("User:alice", "10.0.0.9", "denied"),
    ]
    (row,) = items(pko("acls who-can read group:nix -o json"))
    assert (row["principal"], row["verdict"]) == ("User:*", "unknown")
    said = pko("acls who-can write topic:nix")
    assert said.stderr.startswith("no rule allows anybody to write topic:nix\n")


def test_an_exported_file_means_the_same_rules(
    ruled: FakeAuthorizer, tmp_path: Path, pko: Pko
) -> None:
    pko("acls add odd read group:x* --pattern literal")
    pko("acls add odd describe-configs cluster")
    file = tmp_path / "acls.yaml"
    file.write_text(pko("acls export").stdout)
    said = pko(f"acls diff {file}")
    assert (said.code, said.stdout, said.stderr) == (0, "", "no difference\n")
    before, ruled.rules = set(ruled.rules), set()
    assert pko(f"acls diff {file}").code == 4
    assert pko(f"acls apply {file}").code == 0
    assert ruled.rules == before
    said = pko(f"acls apply {file}")
    assert (said.code, said.stdout, said.stderr) == (0, "", "the cluster has these rules already\n")


def test_rules_beside_the_file_go_with_prune_alone(
    ruled: FakeAuthorizer, tmp_path: Path, pko: Pko
) -> None:
    file = tmp_path / "acls.yaml"
    file.write_text("version: 1\nrules: [{principal: eve, operation: read, resource: topic:x}]\n")
    rows = items(pko(f"acls diff {file} -o json"))
    assert {row["change"] for row in rows} == {"missing", "extra"}
    said = pko(f"acls apply {file}")
    assert (said.code, said.stderr) == (0, "8 rules beside the file; --prune removes those\n")
    assert len(ruled.rules) == 9
    said = pko(f"acls apply {file} --prune")
    assert (said.code, "add --yes" in said.stderr) == (2, True)
    assert len(ruled.rules) == 9
    assert pko(f"acls apply {file} --prune --yes").code == 0
    assert words(ruled) == {"allow User:eve read topic:x from *"}


def test_nothing_is_removed_where_something_could_not_be_added(
    ruled: FakeAuthorizer, tmp_path: Path, pko: Pko
) -> None:
    ruled.refused.add("x")
    before = words(ruled)
    file = tmp_path / "acls.yaml"
    file.write_text("version: 1\nrules: [{principal: eve, operation: read, resource: topic:x}]\n")
    assert pko(f"acls apply {file} --prune --yes").code == 1
    assert words(ruled) == before


def test_a_rule_that_stays_is_an_error(ruled: FakeAuthorizer, pko: Pko) -> None:
    ruled.refused.add("billing")
    said = pko("acls remove group --yes")
    assert said.code == 3
    assert "allow User:billing read group:billing from *: " in said.stderr
    assert "[CLUSTER_AUTHORIZATION_FAILED]" in said.stderr


def test_a_cluster_without_an_authorizer_says_so(fakes: Fakes, pko: Pko) -> None:
    text = "No Authorizer is configured on the broker"
    for fake in fakes:
        fake.on("DescribeAcls", lambda _: DescribeAclsResponse(error_code=54, error_message=text))
    said = pko("acls list")
    assert (said.code, said.stderr) == (1, f"pko: {text} [SECURITY_DISABLED]\n")
