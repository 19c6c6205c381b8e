"""UpdateFeatures (57), v0-1: a broker in ZooKeeper mode has no features to finalize (KIP-584)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.controller.feature_updates import UpgradeType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.update_features import (
    FeatureUpdateKey,
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)


def handle(context: Context, request: UpdateFeaturesRequest) -> Answer:
    """INVALID_REQUEST for each feature, once, with the reason; the controller alone says so."""
    reasons = context.services.controller.refuse_features(
        (update.feature, update.max_version_level, _kind(update, context.version))
        for update in request.feature_updates
    )
    return UpdateFeaturesResponse(
        error_message=None,
        results=[
            UpdatableFeatureResult(
                feature=feature, error_code=ErrorCode.INVALID_REQUEST, error_message=reason
            )
            for feature, reason in reasons.items()
        ],
    )


def _kind(update: FeatureUpdateKey, version: int) -> int:
    if version > 0:
        return update.upgrade_type
    return UpgradeType.SAFE_DOWNGRADE if update.allow_downgrade else UpgradeType.UPGRADE
