"""Features of a cluster: which levels brokers support and which are switched on (KIP-584)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pykafka_ops import __version__
from pykafka_ops.client.answers import error_of, raise_error
from pykafka_ops.client.cluster import ANY, CONTROLLER, Cluster, Question
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import api_versions as av
from pykafka_ops.wire.messages import update_features as uf

UPGRADE: Final = 1
SAFE_DOWNGRADE: Final = 2
UNSAFE_DOWNGRADE: Final = 3
"""``FeatureUpdate.UpgradeType``."""
_MOST = 1000
"""More features than any release will have: who tells of more is not believed."""


class FeatureRange(NamedTuple):
    """First and last level that a node supports."""

    low: int
    high: int


class FoundFeatures(NamedTuple):
    """By name; ``epoch``: the offset in the metadata log that the levels are of, -1: none."""

    supported: dict[str, FeatureRange]
    finalized: dict[str, int]
    epoch: int


def describe_features(cluster: Cluster, *, to: int = ANY) -> FoundFeatures:
    """What one node supports and the cluster has; nothing of a node before 2.4 or of a broker of
    3.9 on ZooKeeper. KafkaError, ConnectError."""
    return _found(cluster.call(_request(), av.ApiVersionsResponse, to=to, name="describeFeatures"))


def describe_features_of(
    cluster: Cluster, nodes: Sequence[int]
) -> dict[int, FoundFeatures | PkoError]:
    """The same of several nodes; per node what it says, or why it does not."""
    questions = [Question(n, _request(), av.ApiVersionsResponse) for n in nodes]
    answers = cluster.call_each(questions, name="describeFeatures")
    found: dict[int, FoundFeatures | PkoError] = {}
    for node, answer in zip(nodes, answers, strict=True):
        try:
            found[node] = answer if isinstance(answer, PkoError) else _found(answer)
        except PkoError as error:
            found[node] = error
    return found


def _request() -> av.ApiVersionsRequest:
    return av.ApiVersionsRequest(client_software_name="pko", client_software_version=__version__)


def _found(answer: av.ApiVersionsResponse) -> FoundFeatures:
    raise_error(answer)
    if max(len(answer.supported_features), len(answer.finalized_features)) > _MOST:
        text = f"the answer has more than {_MOST} features"
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, text)
    return FoundFeatures(
        {f.name: FeatureRange(f.min_version, f.max_version) for f in answer.supported_features},
        {f.name: f.max_version_level for f in answer.finalized_features},
        answer.finalized_features_epoch,
    )


def update_features(
    cluster: Cluster, levels: Mapping[str, int], kind: int, *, dry_run: bool, timeout_ms: int
) -> dict[str, PkoError | None]:
    """Set levels, all or none; by feature why not, or None. ``kind``: one of UPGRADE and so on.

    UnsupportedVersionError, ConnectError where nothing can be asked at all; a downgrade and a dry
    run need Kafka 3.3.
    """
    request = uf.UpdateFeaturesRequest(
        timeout_ms=timeout_ms,
        validate_only=dry_run,
        feature_updates=[
            uf.FeatureUpdateKey(feature=name, max_version_level=level, upgrade_type=kind)
            for name, level in levels.items()
        ],
    )
    answer = cluster.call(
        request, uf.UpdateFeaturesResponse, to=CONTROLLER, name="updateFeatures",
        lowest=1 if dry_run or kind != UPGRADE else 0,
        again=lambda r: bool(r.error_code == ErrorCode.NOT_CONTROLLER),
    )  # fmt: skip
    whole = error_of(answer)
    if whole is not None or not answer.results:  # version 2 has no outcome for each
        return dict.fromkeys(levels, whole)
    said = {r.feature: error_of(r) for r in answer.results}
    return {name: said[name] if name in said else _left_out(name) for name in levels}


def _left_out(feature: str) -> KafkaError:
    text = f"The controller response did not contain a result for feature {feature}"
    return KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, text)
