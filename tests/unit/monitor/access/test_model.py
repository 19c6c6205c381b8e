"""What roles allow: by right, by cluster, by the whole name; actions only where switched on."""

from __future__ import annotations

import re

from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.model import ANYBODY, LOCAL, Person, Role, may
from pykafka_ops.monitor.access.rights import ACTIONS, RIGHTS

READER = Role("reader", frozenset({"view", "messages"}), re.compile("prod|dev"))
MOVER = Role("mover", frozenset({"seek", "messages"}), re.compile("dev"), re.compile("orders-.*"))


def person(*roles: Role) -> Person:
    return Person("anna", roles, "test")


def test_a_role_gives_its_rights_in_its_clusters_alone() -> None:
    anna = person(READER)
    assert may(anna, "view", "prod", "x", ())
    assert not may(anna, "view", "production", "x", ())
    assert not may(anna, "audit", "prod", "x", ())
    assert not may(anna, "seek", "prod", "x", ACTIONS)
    assert not may(person(), "view", "prod", "x", ())


def test_names_are_matched_as_a_whole() -> None:
    mover = person(MOVER)
    assert may(mover, "messages", "dev", "orders-1", ())
    for name in ("orders", "x-orders-1", "orders-1\nx", "ORDERS-1", ""):
        assert not may(mover, "messages", "dev", name, ()), name
    assert may(mover, "messages", "dev", None, ()), "there may be such a name"


def test_a_name_of_several_lines_is_matched_by_what_matches_everything() -> None:
    assert may(person(READER), "messages", "dev", "a\nb", ())


def test_view_is_about_a_whole_cluster_and_the_log_level_about_the_monitor() -> None:
    narrow = Role("n", frozenset({"view", "audit", "log-level"}), re.compile("a"), re.compile("b"))
    assert may(person(narrow), "view", "a", "other", ())
    assert may(person(narrow), "audit", "a", "other", ())
    assert may(person(narrow), "log-level", "", "", ())
    assert not may(person(narrow), "view", "other", "b", ())


def test_an_action_needs_the_role_and_the_switch() -> None:
    mover = person(MOVER)
    assert not may(mover, "seek", "dev", "orders-1", ())
    assert not may(mover, "seek", "dev", "orders-1", {"elect"})
    assert may(mover, "seek", "dev", "orders-1", {"seek"})


def test_several_roles_add_up() -> None:
    both = person(READER, MOVER)
    assert may(both, "messages", "prod", "anything", ())
    assert not may(both, "seek", "prod", "orders-1", {"seek"})


def test_without_a_login_everybody_may_see_all_and_change_what_is_switched_on() -> None:
    access = MonitorAccess(["seek"])
    allowed = {right for right in RIGHTS if access.may(LOCAL, right, "any", "any")}
    assert allowed == {*(set(RIGHTS) - set(ACTIONS)), "seek"}
    assert {r for r in RIGHTS if access.may_some(LOCAL, r, "any")} == allowed
    assert not any(MonitorAccess().may(LOCAL, right, "any", "any") for right in ACTIONS)


def test_what_is_open_to_all_shows_and_does_no_more() -> None:
    everything = MonitorAccess(ACTIONS)
    assert [r for r in RIGHTS if everything.may(ANYBODY, r, "any", "any")] == ["view"]
