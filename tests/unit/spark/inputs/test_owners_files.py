"""Files that say who owns which topics."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.analysis.owners import NOBODY, TopicOwner
from pykafka_ops.errors import UsageError
from pykafka_ops.spark.inputs.owners import read_owners

ORDERS = TopicOwner("anna", "shop", ("tier-1", "pii"))
FORMS = {
    "owners.toml": """
        "payments.*" = "billing"
        [orders]
        owner = "anna"
        team = "shop"
        tags = ["tier-1", "pii"]
    """,
    "owners.csv": "team,topic,owner,tags\nshop,orders,anna,tier-1 pii\n,payments.*,billing,\n",
    "owners.json": '{"orders": {"owner": "anna", "team": "shop", "tags": ["tier-1", "pii"]},'
    ' "payments.*": "billing"}',
    "list.json": '[{"topic": "orders", "owner": "anna", "team": "shop", "tags": "tier-1, pii"},'
    ' {"topic": "payments.*", "owner": "billing"}]',
    "lines.jsonl": '{"topic": "orders", "owner": "anna", "team": "shop", "tags": "tier-1;pii"}\n'
    '\n{"topic": "payments.*", "owner": "billing"}\n',
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_the_same(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(FORMS[name])
    rules = read_owners(str(file))
    assert rules.of("orders") == ORDERS
    assert rules.of("payments.eu") == TopicOwner("billing")
    assert rules.of("payments") == NOBODY


def test_one_line_of_json_is_a_rule_and_no_topic_called_owner(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text('{"topic": "orders", "owner": "anna"}')
    assert read_owners(str(file)).of("orders") == TopicOwner("anna")
    assert read_owners(str(file)).of("topic") == NOBODY


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.toml", "orders = ", "not TOML"),
        ("x.toml", "orders = 3", "orders: no owner"),
        ("x.toml", "", "no topic has an owner there"),
        ("x.toml", '[orders]\nowner = " "', "orders: no owner"),
        (
            "x.toml",
            'orders.eu = "a"',
            "orders: eu is none of owner, team, tags; a topic with dots in its name needs quotes:"
            ' "orders.eu"',
        ),
        ("x.toml", 'orders.eu = "a"\norders.owner = "b"', "orders: eu is none of owner"),
        ("x.toml", '[orders]\nowner = "a"\nteam = 3', "orders: team is no text"),
        ("x.toml", '[orders]\nowner = "a"\ntags = [3]', "orders: tags are no list of texts"),
        ("x.csv", "name,owner\na,b\n", "no column topic: the first line names topic, owner"),
        ("x.csv", "topic,owner\n,b\n", "entry 1 names no topic"),
        ("x.csv", "topic,owner\na,b\na,c\n", "a has two owners"),
        ("x.json", '{"topic": "a", "owner": "b"}\nnothing', "line 2: not JSON"),
        ("x.json", "[3]", "entry 1 names no topic"),
        ("x.txt", "orders anna", "neither JSON nor named .toml or .csv"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(name: str, text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(UsageError) as told:
        read_owners(str(file))
    assert str(told.value).startswith(f"{file}: {said}")
    assert "\n" not in str(told.value)


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file or directory"):
        read_owners(str(tmp_path / "none.toml"))
    file = tmp_path / "bytes.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_owners(str(file))
