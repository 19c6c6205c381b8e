"""Batches of commits cut up compiled and plain: the same fields, and the same are left out."""

from __future__ import annotations

from itertools import product
from typing import Any

from pykafka_ops.disk.batch import read_header
from tests.support.fuzz.forms import plain, running
from tests.support.fuzz.mutations import ODD
from tests.unit.disk.hot.test_commit_layouts import batch, commit

MODULE = "disk.hot.commit_layouts"
ONE = batch([commit(0, 1)])
TWO = batch([commit(1, 5, "note"), commit(2, 6)])


def both() -> list[Any]:
    """Layouts that know both batches, in the form that runs and as plain Python."""
    found = []
    for form in (running(MODULE), plain(MODULE)):
        layouts = form.Layouts("{}s".format)
        for data in (ONE, ONE, TWO, TWO):
            layouts.learn(data, 0, read_header(data))
        found.append(layouts)
    return found


def cut_alike(forms: list[Any], data: bytes, place: int) -> int:
    """How many batches both cut, the same way."""
    first, second = (form.some(data, place) for form in forms)
    assert first == second
    return len(first)


def test_any_damaged_byte_is_taken_or_left_by_both_forms_alike() -> None:
    forms, usual = both(), ONE + TWO + ONE
    assert cut_alike(forms, usual, 0) == 3
    taken = left = 0
    for place, value in product(range(len(ONE + TWO)), [*ODD, 1, 2]):
        bad = bytearray(usual)
        bad[place] = value
        count = cut_alike(forms, bytes(bad), 0)
        taken, left = taken + (count == 3), left + (count < 3)
    assert taken > 100 and left > 500


def test_bytes_that_end_early_are_cut_up_to_there_by_both_forms() -> None:
    forms, usual = both(), ONE + TWO
    found = [cut_alike(forms, usual[:size], 0) for size in range(len(usual) + 1)]
    assert found.count(1) == len(TWO) and found[-1] == 2
    assert [cut_alike(forms, usual, place) for place in range(len(ONE) + 1)][-1] == 1
    assert cut_alike(forms, usual, len(usual)) == cut_alike(forms, usual, len(usual) + 9) == 0


def test_more_batches_than_are_cut_in_one_go() -> None:
    forms, data = both(), ONE * 1000
    assert cut_alike(forms, data, 0) < 1000
    for form in forms:
        assert sum(1 for _ in form.cut(data, 0)) == 1000
