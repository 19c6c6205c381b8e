"""What a person may do: a right for each thing, never for a method of HTTP."""

from __future__ import annotations

from typing import Final

SIGHTS: Final = {
    "view": "see a cluster: how it is, its topics, groups and brokers",
    "messages": "read records of a topic",
    "audit": "read the audit log",
    "forget": "have the monitor forget the commits of a group, as Burrow's DELETE",
    "log-level": "set the level of the monitor's log",
}
"""What changes no cluster."""
ACTIONS: Final = {
    "seek": "move the committed offsets of a group",
    "undo": "take the last move of a group back",
    "elect": "have preferred replicas elected leaders of a topic",
    "elect-unclean": "have a replica elected that is not in sync: records are lost",
    "config": "set and unset settings of a topic",
    "broker-config": "set and unset settings of a broker, or the default of all brokers",
    "cancel-move": "cancel a move of replicas of a topic",
    "throttle": "throttle the moves of replicas of a topic",
    "unthrottle": "take throttles of a topic and of its brokers away",
    "abort-transaction": "abort a hanging transaction in a topic",
    "delete-records": "delete the records of a topic before an offset",
}
"""What changes a cluster."""
RIGHTS: Final = (*SIGHTS, *ACTIONS)
WHOLE: Final = frozenset({"view", "audit"})
"""Rights about a whole cluster: names do not narrow them."""
MONITOR: Final = frozenset({"log-level"})
"""Rights about the monitor itself: neither clusters nor names narrow them."""
