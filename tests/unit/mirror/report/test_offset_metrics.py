"""Metrics of groups and of the offset map."""

from __future__ import annotations

from pykafka_ops.metrics.family import Book
from pykafka_ops.mirror.report.offset_metrics import add_offsets
from pykafka_ops.mirror.settings.model import LinkSettings

LINK = LinkSettings("a", "b")
SAID = {
    "groups": {"synced": 3, "active": 1, "failed": 0},
    "groups_ahead": 2,
    "map": {"partitions": 8, "runs": 900, "damaged": 0},
    "troubles": ["groups: away"],
}


def _samples(said: dict[str, object]) -> dict[str, dict[str, object]]:
    book = Book()
    add_offsets(book, LINK, said)
    return {f.name: {labels.text: value for labels, value in f.samples} for f in book}


def test_says_how_groups_and_the_map_are() -> None:
    link = 'source="a",target="b"'
    found = _samples(SAID)
    assert {text.strip("{}"): value for text, value in found["pko_mirror_groups"].items()} == {
        f'{link},state="synced"': 3, f'{link},state="active"': 1, f'{link},state="failed"': 0,
    }  # fmt: skip
    rest = {name: list(values.values()) for name, values in found.items()}
    assert rest["pko_mirror_groups_ahead"] == [2]
    assert rest["pko_mirror_map_partitions"] == [8]
    assert rest["pko_mirror_map_runs"] == [900]
    assert rest["pko_mirror_offset_troubles"] == [1]


def test_says_nothing_where_another_process_translates() -> None:
    assert _samples({}) == {}
