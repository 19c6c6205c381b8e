"""What was made is deleted, and is gone."""

from __future__ import annotations

import contextlib

from pykafka_ops.client.group_offsets import delete_groups
from pykafka_ops.client.membership import leave
from pykafka_ops.client.smoke.site import NothingToDoError, SmokeSite, StepError
from pykafka_ops.client.topic_changes import delete_topics
from pykafka_ops.client.topics import describe_topics
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

SWEEP_SECONDS = 5.0


def delete(site: SmokeSite) -> str:
    """Delete topics and group, and see that the topics are gone."""
    if not site.made and not site.group_made:
        raise NothingToDoError("nothing was made")
    found = []
    if site.made:
        _topics(site)
        found.append("topics")
    if site.group_made:
        _group(site)
        found.append("group")
    return f"{' and '.join(found)} gone"


def _topics(site: SmokeSite) -> None:
    try:
        done = delete_topics(site.cluster, site.made)
    except PkoError as error:
        raise StepError(f"topic {site.made[0]}", site.in_words(error)) from None
    for name, refused in done.items():
        if refused is not None and refused.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise StepError(f"topic {name}", site.in_words(refused))
    site.until(lambda: _gone(site), lambda: StepError(f"topic {site.made[0]}", "is still there"))
    site.made.clear()


def _gone(site: SmokeSite) -> bool | None:
    found = describe_topics(site.cluster, site.made)
    return True if all(isinstance(topic, KafkaError) for topic in found.values()) else None


def _group(site: SmokeSite) -> None:
    error = delete_groups(site.cluster, [site.name])[site.name]
    gone = isinstance(error, KafkaError) and error.code == ErrorCode.GROUP_ID_NOT_FOUND
    if error is not None and not gone:
        raise StepError(f"group {site.name}", site.in_words(error))
    site.group_made = False


def sweep(site: SmokeSite) -> None:
    """Delete what is still there, as well as that goes in a few seconds."""
    config = site.cluster.config
    config.api_timeout = min(config.api_timeout, SWEEP_SECONDS)
    config.patience = min(config.patience, SWEEP_SECONDS)
    with contextlib.suppress(PkoError):
        if site.member is not None:
            leave(site.cluster, site.member)
    with contextlib.suppress(PkoError):
        if site.group_made:
            delete_groups(site.cluster, [site.name])
    with contextlib.suppress(PkoError):
        if site.made:
            delete_topics(site.cluster, site.made)
