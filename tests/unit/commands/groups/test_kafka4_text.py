"""The tables of kafka-consumer-groups 4.3; the lines are those that 4.3.1 printed."""

from __future__ import annotations

from pykafka_ops.analysis.lag.standing import AssignedMember, Standing
from pykafka_ops.client.group_describe import GroupDescription, MemberDescription
from pykafka_ops.commands.groups import kafka4_text as text

PLACES = (("orders", 1), ("orders", 0))


def group(*members: MemberDescription, kind: str = "Consumer") -> GroupDescription:
    return GroupDescription("new", "Stable", kind, "consumer", "uniform", 0, members,
                            epoch=3, target_epoch=3)  # fmt: skip


def member(name: str, *, is_classic: bool = False) -> MemberDescription:
    return MemberDescription(
        name, None, "c", "/h", PLACES, epoch=2, target=PLACES, is_classic=is_classic
    )


def test_members_with_what_they_move_to() -> None:
    said = "".join(text.members(group(member("m")), verbose=True))
    assert said == (
        "\nGROUP           CONSUMER-ID     HOST            CLIENT-ID       #PARTITIONS     "
        "CURRENT-EPOCH   CURRENT-ASSIGNMENT   TARGET-EPOCH    TARGET-ASSIGNMENT   \n"
        "new             m               /h              c               2               "
        "2               orders:0,1           3               orders:0,1          \n"
    )


def test_while_a_group_is_upgraded_it_is_told_who_is() -> None:
    found = group(member("a", is_classic=True), member("b"))
    head, first, second = "".join(text.members(found, verbose=True)).splitlines()[1:]
    assert [line.split()[-1] for line in (head, first, second)] == ["UPGRADED", "false", "true"]


def test_members_without_verbose_end_with_a_space() -> None:
    said = "".join(text.members(group(member("m")), verbose=False))
    assert said.splitlines()[1].endswith("#PARTITIONS     ")


def test_offsets_with_the_leader_epochs_of_commits() -> None:
    reader = AssignedMember("m", "/h", "c", PLACES)
    rows = [Standing("orders", 0, 5, 7, 2, reader), Standing("orders", 1, None, 7, None, None)]
    said = "".join(text.offsets("new", rows, {("orders", 0): 4})).splitlines()
    assert said[1].split()[3:5] == ["LEADER-EPOCH", "CURRENT-OFFSET"]
    assert said[2].split() == ["new", "orders", "0", "4", "5", "7", "2", "m", "/h", "c"]
    assert said[3].split() == ["new", "orders", "1", "-", "-", "7", "-", "-", "-", "-"]


def test_no_assignment_is_a_dash() -> None:
    assert text.assignment(()) is None
    assert text.assignment([("b", 1), ("a", 2), ("b", 0)]) == "a:2;b:0,1"
