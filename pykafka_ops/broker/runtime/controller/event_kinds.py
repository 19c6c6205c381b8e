"""The kinds of events of a controller, for its metrics (``ControllerState``)."""

from __future__ import annotations

from enum import Enum


class ControllerEventKind(Enum):
    """The value is the name of Kafka's metric of the times, without ``RateAndTimeMs``."""

    BROKER_CHANGE = "LeaderElection"
    TOPIC_CHANGE = "TopicChange"
    TOPIC_DELETION = "TopicDeletion"
    REASSIGNMENT = "PartitionReassignment"
    ISR_CHANGE = "IsrChange"
    LOG_DIR_CHANGE = "LogDirChange"
    AUTO_LEADER_BALANCE = "AutoLeaderBalance"
    MANUAL_LEADER_BALANCE = "ManualLeaderBalance"
    CONTROLLER_CHANGE = "ControllerChange"
