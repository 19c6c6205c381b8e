"""The plan of a link out of what is known of both sides. Pure."""

from __future__ import annotations

from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.control.state import ControlState
from pykafka_ops.mirror.settings.model import IDENTITY, LinkSettings
from pykafka_ops.mirror.sync.choice import LinkChooser
from pykafka_ops.mirror.sync.configs import plan_configs
from pykafka_ops.mirror.sync.facts import MirrorFacts
from pykafka_ops.mirror.sync.plan import SyncPlan
from pykafka_ops.mirror.sync.rules import plan_acls, plan_quotas, plan_users
from pykafka_ops.mirror.sync.topics import plan_topics


def make_plan(
    link: LinkSettings,
    source: MirrorFacts,
    target: MirrorFacts,
    own: ControlState,
    reverse: ControlState | None,
) -> SyncPlan:
    """What is to be changed at the target. ``own`` is the control state of the link, ``reverse``
    that of the link in the other direction (None: there is none)."""
    chooser = LinkChooser(link)
    plan = SyncPlan()
    plan.choices = [
        chooser.topic(name, own, reverse, target.topics) for name in sorted(source.topics)
    ]
    plan.notes += [
        f"{choice.topic} is not mirrored: {choice.why}"
        for choice in plan.choices
        if choice.conflict
    ]
    plan_topics(link, plan, source, target, own)
    if reverse is not None:
        _yield_to_reverse(link, plan, own, reverse)
    plan_configs(link, plan, source, target)
    plan_acls(link, plan, source, target)
    plan_quotas(plan, source, target)
    plan_users(link, plan, source, target)
    return plan


def _yield_to_reverse(
    link: LinkSettings, plan: SyncPlan, own: ControlState, reverse: ControlState
) -> None:
    """Where both directions claim a topic at the same time, one of them takes its claim back. The
    other waits for that: who copies is the only one to claim, so that nothing goes round."""
    if link.naming != IDENTITY or link.source < link.target:
        return
    for choice in plan.choices:
        if own.made_here(choice.target) and reverse.made_here(choice.topic):
            plan.origins[choice.target] = None


def check_clusters(
    link: LinkSettings, source: MirrorFacts, target: MirrorFacts, own: ControlState
) -> None:
    """Raise PkoError where the two are one cluster, or the source is another one than before: all
    that it does not have would seem deleted, and offsets would mean other records."""
    if source.cluster_id is not None and source.cluster_id == target.cluster_id:
        raise PkoError(
            f"link {link.name}: {link.source} and {link.target} are the same cluster "
            f"({source.cluster_id}): look at their bootstrap servers"
        )
    before = own.source_cluster
    if before is not None and source.cluster_id is not None and before != source.cluster_id:
        raise PkoError(
            f"link {link.name}: {link.source} is cluster {source.cluster_id} now, it was {before}: "
            "nothing is copied, for offsets mean other records there. Name the new cluster "
            "otherwise, or say: pko mirror resume FILE --new-source"
        )
