"""pko audit over log directories: planted faults, found to the record."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.golden.transcripts import Said
from tests.support.kept_logs import Sent, in_batches, write_log

Pko = Callable[..., Said]
SENT: list[Sent] = [(n * 1000, b"k%d" % n, b"value-%d" % n) for n in range(3000)]


@pytest.fixture
def tiers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two tiers; of ``orders`` in the second a record is lost, one doubled, two exchanged, one
    altered; ``users`` is the same in both."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    other = list(SENT)
    other[2500] = (other[2500][0], other[2500][1], b"another")
    other[1900], other[1901] = other[1901], other[1900]
    other.insert(1300, other[1299])
    del other[100]
    a, b = tmp_path / "a", tmp_path / "b"
    for folder, orders in ((a, SENT), (b, other)):
        write_log(folder, "orders-0", in_batches(orders, 70))
        write_log(folder, "users-0", in_batches(SENT, 70 if folder is a else 31))
    return a, b


def answer(said: Said, code: int) -> list[dict[str, Any]]:
    assert said.code == code, said.stderr
    document = json.loads(said.stdout)
    assert document["version"] == 1
    items: list[dict[str, Any]] = document["items"]
    return items


def test_planted_faults_are_found_to_the_record(tiers: tuple[Path, Path], pko: Pko) -> None:
    orders, users = answer(pko("audit compare", *map(str, tiers), "--records", "-o", "json"), 4)
    assert users["state"] == "equal" and users["different_records"] == []
    found = [
        (r["what"], r["key"], r["offset_a"], r["offset_b"]) for r in orders["different_records"]
    ]
    assert found == [
        ("missing", "k100", 100, None),
        ("duplicate", "k1299", None, 1299),
        ("reordered", "k1901", 1901, 1900),
        ("altered", "k2500", 2500, 2500),
    ]
    counts = [orders[kind] for kind in ("missing", "duplicates", "reordered", "altered", "extra")]
    assert counts == [1, 1, 1, 1, 0]


def test_without_a_look_at_records_the_buckets_are_named(
    tiers: tuple[Path, Path], pko: Pko
) -> None:
    orders, _ = answer(pko("audit compare", *map(str, tiers), "-o", "json"), 4)
    states = {b["bucket"]: b["state"] for b in orders["different_buckets"]}
    assert states == {
        0: "missing", 1_200_000: "extra", 1_800_000: "reordered", 2_400_000: "altered",
    }  # fmt: skip
    assert (orders["missing"], orders["altered"]) == (1, None)


@pytest.mark.parametrize(
    ("condition", "code"),
    [("missing>0", 4), ("missing>1", 4), ("records_b<3000", 0), ("altered>0", 4),
     ("topic=users", 4), ("state=equal&topic=orders", 0)],
)  # fmt: skip
def test_conditions_decide_and_what_is_not_known_meets_them(
    tiers: tuple[Path, Path], pko: Pko, condition: str, code: int
) -> None:
    assert pko("audit compare", *map(str, tiers), "--fail-on", condition).code == code


@pytest.mark.parametrize("most", [200_000, 500])
def test_records_that_changed_places_from_one_bucket_to_another_are_reordered(
    tmp_path: Path, pko: Pko, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("pykafka_ops.audit.records._AT_ONCE", most)
    other = list(SENT)
    other[599], other[600] = other[600], other[599]
    other.insert(1203, other.pop(1190))
    other.insert(1795, other.pop(1802))
    a, b = tmp_path / "a", tmp_path / "b"
    for folder, orders in ((a, SENT), (b, other)):
        write_log(folder, "orders-0", in_batches(orders, 70))
    (row,) = answer(pko("audit compare", str(a), str(b), "--records", "-o", "json"), 4)
    assert (row["state"], row["differing"]) == ("reordered", 4)
    found = [(r["what"], r["offset_a"], r["offset_b"]) for r in row["different_records"]]
    assert found == [
        ("reordered", 600, 599), ("reordered", 1190, 1203), ("reordered", 1802, 1795),
    ]  # fmt: skip


def test_a_condition_on_a_field_that_is_none_is_refused(tiers: tuple[Path, Path], pko: Pko) -> None:
    said = pko("audit compare", *map(str, tiers), "--fail-on", "lost>0")
    assert said.code == 2 and "there is no field lost" in said.stderr


def test_tiers_are_kept_and_counted_on(tiers: tuple[Path, Path], pko: Pko) -> None:
    assert pko("audit collect one", str(tiers[0])).code == 0
    assert pko("audit collect two", str(tiers[1])).code == 0
    again = answer(pko("audit collect two", str(tiers[1]), "-o", "json"), 0)
    assert [row["records"] for row in again] == [0, 0]
    assert pko("audit compare one two --topic users").code == 0
    assert pko("audit compare one two").code == 4
    tier, _ = answer(pko("audit list -o json"), 0)
    assert (tier["tier"], tier["records"], tier["partitions"]) == ("one", 6000, 2)
    buckets = answer(pko("audit report one --topic orders --buckets -o json"), 0)
    assert [row["records"] for row in buckets] == [600] * 5
    assert pko("audit forget one --yes").code == 0
    assert pko("audit compare one two").code == 2


def test_it_is_compared_again_until_something_is_wrong(
    tiers: tuple[Path, Path], pko: Pko, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = tiers
    write_log(b, "orders-0", in_batches(SENT, 70))

    def lose(seconds: float) -> None:
        assert seconds == 5
        write_log(b, "orders-0", in_batches(SENT[1:], 70))

    monkeypatch.setattr("pykafka_ops.commands.framework.watch.time.sleep", lose)
    said = pko("audit compare", str(a), str(b), "--watch", "-o", "json")
    states = [json.loads(line)["items"][0]["state"] for line in said.stdout.splitlines()]
    assert (said.code, states) == (4, ["equal", "missing"])


def test_topics_that_are_not_there_are_named(tiers: tuple[Path, Path], pko: Pko) -> None:
    for words in (("--topic", "no-such"), ("--topic", "no-.*", "--regex")):
        said = pko("audit collect one", str(tiers[0]), *words)
        assert said.code == 1 and "pko: no-" in said.stderr
    assert (
        "no topic userz (did you mean users?)"
        in pko("audit collect one", str(tiers[0]), "--topic", "users,userz").stderr
    )


def test_topics_may_have_other_names_and_partitions_at_the_second(tmp_path: Path, pko: Pko) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    write_log(a, "orders-0", in_batches(SENT))
    write_log(b, "us.orders-0", in_batches(SENT[::2]))
    write_log(b, "us.orders-1", in_batches(SENT[1::2]))
    words = ["audit compare", str(a), str(b)]
    assert pko(*words, "--prefix", "us.", "--together").code == 0
    assert pko(*words, "--rename", r"(.*)=us.\1", "--together").code == 0
    assert pko(*words, "--prefix", "us.").code == 4
    assert pko(*words).code == 4
    assert "REGEX=NAME" in pko(*words, "--rename", "orders").stderr


def test_what_cannot_be_compared_is_said_in_a_line(
    tmp_path: Path, tiers: tuple[Path, Path], pko: Pko
) -> None:
    assert "there is no such book" in pko("audit compare one two").stderr
    pko("audit collect one --bucket 1m", str(tiers[0]))
    assert "no such tier" in pko("audit compare one two").stderr
    pko("audit collect two", str(tiers[1]))
    assert "buckets of 60000 ms" in pko("audit compare one two").stderr
    assert "count what?" in pko("audit collect three").stderr


def test_a_timestamp_in_the_future_does_not_make_a_loss_of_what_is_behind(
    tmp_path: Path, pko: Pko
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    wrong: Sent = (4_000_000_000_000, b"k", b"v")
    write_log(a, "orders-0", in_batches([wrong, *SENT]))
    write_log(b, "orders-0", in_batches([wrong, *SENT[:1000]]))
    (row,) = answer(pko("audit compare", str(a), str(b), "-o", "json"), 0)
    assert (row["missing"], row["pending"], row["behind_ms"]) == (0, 2000, 2_000_000)


def test_records_without_a_time_are_a_bucket_of_their_own(tmp_path: Path, pko: Pko) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    some: list[Sent] = [(-1, b"k%d" % n, b"v") for n in range(10)]
    write_log(a, "orders-0", in_batches([*some, *SENT[:50]]))
    write_log(b, "orders-0", in_batches([*some[1:], *SENT[:50]]))
    (row,) = answer(pko("audit compare", str(a), str(b), "--records", "-o", "json"), 4)
    assert [(r["what"], r["key"]) for r in row["different_records"]] == [("missing", "k0")]
    assert [one["bucket"] for one in row["different_buckets"]] == [None]


def test_of_many_records_the_times_that_differ_are_found_first(
    tmp_path: Path, pko: Pko, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pykafka_ops.audit.records._AT_ONCE", 100)
    a, b = tmp_path / "a", tmp_path / "b"
    write_log(a, "orders-0", in_batches(SENT))
    write_log(b, "orders-0", in_batches([*SENT[:1234], *SENT[1236:]]))
    (row,) = answer(pko("audit compare", str(a), str(b), "--records", "-o", "json"), 4)
    assert [r["offset_a"] for r in row["different_records"]] == [1234, 1235]
    write_log(b, "orders-0", in_batches([(t, k, b"other") for t, k, _ in SENT]))
    said = pko("audit compare", str(a), str(b), "--records")
    assert "too many to name each" in said.stderr
