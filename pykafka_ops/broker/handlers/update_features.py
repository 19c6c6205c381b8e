"""UpdateFeatures (57), v0-1: a broker in ZooKeeper mode has no features to finalize (KIP-584)."""

from __future__ import annotations

from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.update_features import (
    FeatureUpdateKey,
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)

UPGRADE: Final = 1
UPGRADE_TYPES: Final = (UPGRADE, 2, 3)
"""Upgrade, safe and unsafe downgrade."""


def handle(context: Context, request: UpdateFeaturesRequest) -> Answer:
    """INVALID_REQUEST for each feature, once, with the reason; the controller alone says so."""
    context.services.topics.require_controller(ErrorCode.NOT_CONTROLLER.text)
    reasons: dict[str, str] = {}
    for update in request.feature_updates:
        reasons.setdefault(update.feature, _reason(update, context.version))
    return UpdateFeaturesResponse(
        error_message=None,
        results=[
            UpdatableFeatureResult(
                feature=feature, error_code=ErrorCode.INVALID_REQUEST, error_message=reason
            )
            for feature, reason in reasons.items()
        ],
    )


def _reason(update: FeatureUpdateKey, version: int) -> str:
    """Why the update cannot be (``KafkaController.validateFeatureUpdate``)."""
    is_upgrade = not update.allow_downgrade if version == 0 else update.upgrade_type == UPGRADE
    if not update.feature:
        return "Feature name can not be empty."
    if version > 0 and update.upgrade_type not in UPGRADE_TYPES:
        return "Received unknown upgrade type."
    if update.max_version_level >= 1:
        return (
            "Could not apply finalized feature update because the provided feature is not"
            " supported."
        )
    if not is_upgrade:
        return "Can not delete non-existing finalized feature."
    return (
        f"Can not provide versionLevel: {update.max_version_level} less than 1 without setting the"
        " SAFE downgradeType in the request."
    )
