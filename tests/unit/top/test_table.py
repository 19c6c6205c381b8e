"""Rows sorted, filtered and laid out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pykafka_ops.top.pages.groups import GROUPS, groups_page
from pykafka_ops.top.table import Order, fitted, laid, matching, next_order, ordered
from tests.unit.top.made import group, seen, view

PAGE = groups_page(
    seen(
        view(
            group("b", "OK", 0),
            group("a", "STALL", 9),
            group("c", "UNKNOWN", None),
            group("d", "STOP", 100),
        )
    )
)


def names(order: Order) -> list[object]:
    return [e.key for e in ordered(PAGE, order)]


def test_the_worst_group_comes_first_unless_asked_otherwise() -> None:
    assert names(Order()) == ["d", "a", "c", "b"]
    assert names(Order("group")) == ["a", "b", "c", "d"]


def test_an_unknown_lag_comes_last_both_ways() -> None:
    assert names(Order("lag")) == ["b", "a", "d", "c"]
    assert names(Order("lag", reverse=True)) == ["d", "a", "b", "c"]


def test_every_column_has_its_turn_and_then_the_first_order() -> None:
    order, seen_keys = Order(), []
    for _ in GROUPS:
        order = next_order(PAGE, order, GROUPS)
        seen_keys.append(order.key)
        assert len(ordered(PAGE, order)) == 4
    assert seen_keys == [c.key for c in GROUPS]
    assert next_order(PAGE, order, GROUPS) == Order()


def test_a_filter_finds_text_of_any_column_in_any_case_and_an_inverse_one_drops_it() -> None:
    entries = ordered(PAGE, Order("group"))
    assert [e.key for e in matching(PAGE, entries, "stall")] == ["a"]
    assert [e.key for e in matching(PAGE, entries, "!sTaLL")] == ["b", "c", "d"]
    assert len(matching(PAGE, entries, "")) == 4


def test_80_columns_hold_the_name_the_verdict_the_lag_and_the_time() -> None:
    fit = laid(GROUPS, 79)
    assert [c.key for c in fit.columns][:6] == [
        "group", "status", "lag", "lag_seconds", "catch_up_seconds", "loss",
    ]  # fmt: skip
    assert sum(fit.widths) + len(fit.widths) - 1 == 79


@given(st.integers(1, 300))
def test_a_narrow_terminal_leaves_out_what_matters_least(width: int) -> None:
    fit = laid(GROUPS, width)
    assert {"group", "status", "lag"} <= {c.key for c in fit.columns}
    assert width < 40 or sum(fit.widths) + len(fit.widths) - 1 <= width


@given(st.text(max_size=20), st.integers(1, 12))
def test_a_cell_has_its_width_whatever_stands_in_it(text: str, width: int) -> None:
    printable = "".join(c for c in text if c.isprintable())
    assert cell_len(fitted(printable, width)) == width
    assert cell_len(fitted(printable, width, right=True)) == width
