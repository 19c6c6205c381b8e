"""UpdateFeatures: codes and texts are those of Apache Kafka 3.9.1 in ZooKeeper mode."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pykafka_ops.broker.services.controller_requests import ControllerRequests
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from tests.support.memory.handler_site import Site

NOT_SUPPORTED = (
    "Could not apply finalized feature update because the provided feature is not supported."
)
NOT_THERE = "Can not delete non-existing finalized feature."
NO_NAME = "Feature name can not be empty."
NO_TYPE = "Received unknown upgrade type."
TOO_LOW = (
    "Can not provide versionLevel: 0 less than 1 without setting the SAFE downgradeType in the"
    " request."
)
UPGRADE, SAFE, UNSAFE = 1, 2, 3


def ask(version: int, *updates: FeatureUpdateKey, controller: bool = True) -> Any:
    site = Site()
    gate: Any = SimpleNamespace(is_active=controller)
    store: Any = None
    site.services.controller = ControllerRequests(gate, store)
    return site.ask(UpdateFeaturesRequest(feature_updates=list(updates)), version)


def level(number: int, kind: int = UPGRADE, **fields: Any) -> FeatureUpdateKey:
    return FeatureUpdateKey(
        **{"feature": "f", "max_version_level": number, "upgrade_type": kind, **fields}
    )


@pytest.mark.parametrize("version", range(2))
def test_only_the_controller_looks_at_features(version: int) -> None:
    answer = ask(version, level(1), controller=False)
    assert answer.error_code == ErrorCode.NOT_CONTROLLER
    assert answer.error_message == "This is not the correct controller for this cluster."
    assert answer.results == []


@pytest.mark.parametrize("version", range(2))
def test_nothing_to_change_is_no_error(version: int) -> None:
    answer = ask(version)
    assert (answer.error_code, answer.error_message, answer.results) == (0, None, [])


@pytest.mark.parametrize(
    ("version", "update", "reason"),
    [
        (0, level(1), NOT_SUPPORTED),
        (0, level(1, allow_downgrade=True), NOT_SUPPORTED),
        (0, level(0), TOO_LOW),
        (0, level(0, allow_downgrade=True), NOT_THERE),
        (0, level(0, feature=""), NO_NAME),
        (1, level(1), NOT_SUPPORTED),
        (1, level(1, SAFE), NOT_SUPPORTED),
        (1, level(0), TOO_LOW),
        (1, level(0, SAFE), NOT_THERE),
        (1, level(-1, UNSAFE), NOT_THERE),
        (1, level(1, 0), NO_TYPE),
        (1, level(0, 9), NO_TYPE),
        (1, level(1, 9, feature=""), NO_NAME),
    ],
)
def test_each_feature_is_refused_with_the_reason(
    version: int, update: FeatureUpdateKey, reason: str
) -> None:
    answer = ask(version, update)
    (result,) = answer.results
    assert (result.feature, result.error_message) == (update.feature, reason)
    assert result.error_code == ErrorCode.INVALID_REQUEST
    assert (answer.error_code, answer.error_message) == (0, None)


def test_of_a_feature_named_twice_the_first_counts() -> None:
    answer = ask(1, level(1), level(0, SAFE), level(0, SAFE, feature="g"))
    assert [(r.feature, r.error_message) for r in answer.results] == [
        ("f", NOT_SUPPORTED),
        ("g", NOT_THERE),
    ]
