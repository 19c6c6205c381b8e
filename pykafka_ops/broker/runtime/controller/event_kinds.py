"""What a controller does, told apart for measurements (``ControllerState``)."""

from __future__ import annotations

from enum import Enum


class ControllerEventKind(Enum):
    """The value is what Kafka calls the metric of its times, without ``RateAndTimeMs``."""

    BROKER_CHANGE = "LeaderElection"
    TOPIC_CHANGE = "TopicChange"
    TOPIC_DELETION = "TopicDeletion"
    REASSIGNMENT = "PartitionReassignment"
    ISR_CHANGE = "IsrChange"
    LOG_DIR_CHANGE = "LogDirChange"
    AUTO_LEADER_BALANCE = "AutoLeaderBalance"
    MANUAL_LEADER_BALANCE = "ManualLeaderBalance"
    CONTROLLER_CHANGE = "ControllerChange"
