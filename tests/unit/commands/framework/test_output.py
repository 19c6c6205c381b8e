import csv
import io
import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.framework.output import Column, ItemError, Table, cell, counted, write
from pykafka_ops.errors import KafkaError

ROWS = [
    {"topic": "b", "size": 1200, "isr": [0, 1], "moving": [], "id": "x", "ok": True},
    {"topic": "longer", "size": None, "isr": [], "moving": [], "id": None, "ok": False},
]
COLUMNS = (
    Column("topic"),
    Column("size", right=True),
    Column("isr", "IN-SYNC"),
    Column("moving", optional=True),
    Column("id", wide=True),
    Column("ok"),
)


def shown(table: Table, form: str, *, flags: bool = False) -> str:
    out = io.StringIO()
    write(table, form, flags=flags, out=out)
    return out.getvalue()


def test_the_grid_is_aligned_and_leaves_out_what_is_empty_or_wide() -> None:
    assert shown(Table("t", COLUMNS, ROWS), "table") == (
        "TOPIC   SIZE  IN-SYNC  OK\n"
        "b       1200  0,1      yes\n"
        "longer     -  -        no\n"
    )  # fmt: skip
    assert "ID" in shown(Table("t", COLUMNS, ROWS), "wide")


def test_zero_is_something_unless_the_column_is_about_trouble() -> None:
    columns = (Column("a"), Column("n", optional=True), Column("bad", optional=True, bad=bool))
    good = {"a": 1, "n": 0, "bad": 0}
    assert shown(Table("t", columns, [good]), "table").split() == ["A", "N", "1", "0"]
    assert "BAD" in shown(Table("t", columns, [good, {**good, "bad": 2}]), "table")


def test_json_and_yaml_are_the_same_versioned_document() -> None:
    table = Table("t", COLUMNS, ROWS, errors=[ItemError("c", "UNKNOWN", "no such topic")])
    wanted = {
        "kind": "t",
        "version": 1,
        "items": ROWS,
        "errors": [{"item": "c", "error": "UNKNOWN", "message": "no such topic"}],
    }
    assert json.loads(shown(table, "json")) == wanted
    assert yaml.safe_load(shown(table, "yaml")) == wanted


def test_items_are_what_json_shows_where_they_are_given() -> None:
    table = Table("t", COLUMNS, ROWS, items=[{"deep": {"a": 1}}])
    assert json.loads(shown(table, "json"))["items"] == [{"deep": {"a": 1}}]
    assert "deep" not in shown(table, "csv")


def test_csv_has_every_column_by_its_key() -> None:
    lines = shown(Table("t", COLUMNS, ROWS), "csv").splitlines()
    assert lines[0] == "topic,size,isr,moving,id,ok"
    assert lines[1] == "b,1200,0;1,,x,true"


@given(st.text(), st.text())
def test_csv_reads_back_whatever_the_text(a: str, b: str) -> None:
    text = shown(Table("t", (Column("a"), Column("b")), [{"a": a, "b": b}]), "csv")
    assert list(csv.reader(io.StringIO(text, newline="")))[1] == [a, b]


def test_names_are_one_a_line_without_doubles() -> None:
    rows = [{"topic": "a"}, {"topic": "a"}, {"topic": "b"}]
    assert shown(Table("t", (Column("topic"),), rows), "name") == "a\nb\n"


def test_kafkas_text_is_the_table_of_its_form_only() -> None:
    table = Table("t", COLUMNS, ROWS, kafka=["as Kafka\n", "prints it"])
    assert shown(table, "table", flags=True) == "as Kafka\nprints it"
    assert "TOPIC" in shown(table, "table")
    assert "kind" in shown(table, "json", flags=True)


def test_a_second_grid_stands_above() -> None:
    head = Table("", (Column("x"),), [{"x": 1}])
    text = shown(Table("t", (Column("y"),), [{"y": 2}], above=head), "table")
    assert text == "X\n1\n\nY\n2\n"


def test_an_empty_table_prints_nothing_for_people_and_a_document_for_programs() -> None:
    assert shown(Table("t", COLUMNS, []), "table") == ""
    assert json.loads(shown(Table("t", COLUMNS, []), "json"))["items"] == []


def test_errors_make_the_exit_code() -> None:
    assert Table("t", COLUMNS, ROWS).code == 0
    assert Table("t", COLUMNS, ROWS, errors=[ItemError("a", "b", "c")]).code == 1
    assert Table("t", COLUMNS, ROWS, errors=[ItemError("a", "b", "c")], exit_code=4).code == 4


def test_the_exit_code_is_3_where_all_that_was_asked_for_is_out_of_reach() -> None:
    unreached, refused = (
        ItemError("a", name, "c") for name in ("UNREACHABLE", "TOPIC_AUTHORIZATION_FAILED")
    )
    assert Table("t", COLUMNS, [], errors=[unreached, refused]).code == 3
    assert Table("t", COLUMNS, ROWS, errors=[refused]).code == 1
    assert Table("t", COLUMNS, [], errors=[refused, ItemError("a", "b", "c")]).code == 1


@pytest.mark.parametrize(
    ("error", "name", "text"),
    [
        (KafkaError(3), "UNKNOWN_TOPIC_OR_PARTITION", "This server does not host"),
        (KafkaError(36, "Topic 'a' already exists."), "TOPIC_ALREADY_EXISTS", "Topic 'a' already"),
        (KafkaError(9999), "ERROR_9999", "error code 9999"),
    ],
)
def test_kafka_errors_have_a_name_and_a_text(error: KafkaError, name: str, text: str) -> None:
    made = ItemError.of("x", error)
    assert made.error == name
    assert made.message.startswith(text)


def test_cells_for_people() -> None:
    assert [cell(v) for v in (None, "", [], {}, {"a": 1}, 0)] == ["-", "-", "-", "-", "a=1", "0"]
    assert (counted([1], "topic"), counted([], "topic")) == ("1 topic", "0 topics")
