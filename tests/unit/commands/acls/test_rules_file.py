"""Rules as code: what a file means, and what is wrong with it."""

from pathlib import Path

import pytest

from pykafka_ops.commands.acls.rules_file import read_rules, written
from pykafka_ops.commands.acls.words import rule_words
from pykafka_ops.errors import UsageError

HEAD = "version: 1\nrules:\n"


def test_lists_multiply_and_each_rule_counts_once(tmp_path: Path) -> None:
    file = tmp_path / "acls.yaml"
    file.write_text(
        f"{HEAD}"
        "- principal: [alice, User:bob]\n  operation: [read, consumer]\n"
        "  resource: [topic:a, topic:b*]\n  host: [10.0.0.1, '*']\n"
        "- {principal: alice, operation: read, resource: topic:a, permission: allow}\n"
        "- {principal: x, operation: all, resource: cluster, permission: deny}\n"
    )
    rules = [rule_words(rule) for rule in read_rules(str(file))]
    assert len(rules) == len(set(rules)) == 2 * 2 * 2 * 2 + 1
    assert rules[0] == "allow User:alice read topic:a from 10.0.0.1"
    assert rules[-1] == "deny User:x all cluster from *"
    file.write_text(written(read_rules(str(file))))
    assert sorted(rule_words(rule) for rule in read_rules(str(file))) == sorted(rules)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ": a mapping with version and rules is expected"),
        ("version: 2\nrules: []", ": version: 1 is expected"),
        ("version: 1\nrule: []", ": unknown key rule (did you mean rules?)"),
        ("version: 1", ": rules: a list is expected"),
        (f"{HEAD}- principal: a\n  opperation: read", ", line 3: unknown key opperation (did you "),
        (f"{HEAD}- principal: a\n  operation: read", ", line 3: a rule without resource"),
        (f"{HEAD}\n- {{principal: a, operation: fly, resource: topic:x}}",
         ", line 4: no operation: fly"),
        (f"{HEAD}- {{principal: 7, operation: read, resource: topic:x}}",
         ", line 3: principal: 7 is no name"),
        (f"{HEAD}- {{principal: [], operation: read, resource: topic:x}}",
         ", line 3: principal: nothing is named"),
        (f"{HEAD}- {{principal: a, operation: read, resource: topic:x, permission: maybe}}",
         ", line 3: permission: 'maybe': write allow or deny"),
        (f"{HEAD}- principal: a\n  principal: b", ", line 4: principal stands here twice"),
        (f"{HEAD}- [", ", line 3: "),
        (f"{HEAD}- read", ", line 3: a rule is a mapping with principal, operation, resource"),
        ("version: !!python/object:os.system 1", ", line 1: could not determine a constructor"),
        ("\x00", ": not YAML ("),
        (f"{HEAD}- {'[' * 2000}", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "acls.yaml"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_rules(str(file))
    assert str(caught.value).startswith(f"{file}{said}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_rules(str(tmp_path / "none.yaml"))


def test_a_small_file_cannot_mean_more_rules_than_there_is_room_for(tmp_path: Path) -> None:
    names = "[" + ",".join(f"n{n}" for n in range(400)) + "]"
    file = tmp_path / "acls.yaml"
    file.write_text(
        f"{HEAD}- principal: {names}\n  operation: read\n  resource: topic:x\n  host: {names}\n"
    )
    with pytest.raises(UsageError, match="line 3: more than 100,000 rules"):
        read_rules(str(file))
