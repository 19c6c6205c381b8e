"""Why no feature can be finalized by a controller on ZooKeeper (KIP-584)."""

from __future__ import annotations

from enum import IntEnum


class UpgradeType(IntEnum):
    """How a feature's version may change, by the numbers of UpdateFeatures."""

    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3


def refusal(feature: str, max_version_level: int, kind: int) -> str:
    """The reason (``KafkaController.validateFeatureUpdate``); ``kind`` may be no UpgradeType."""
    if not feature:
        return "Feature name can not be empty."
    if kind not in list(UpgradeType):
        return "Received unknown upgrade type."
    if max_version_level >= 1:
        return (
            "Could not apply finalized feature update because the provided feature is not"
            " supported."
        )
    if kind != UpgradeType.UPGRADE:
        return "Can not delete non-existing finalized feature."
    return (
        f"Can not provide versionLevel: {max_version_level} less than 1 without setting the"
        " SAFE downgradeType in the request."
    )
