"""What probes, and runs of ``pko smoke``, make for a moment: nobody wants it remembered."""

from __future__ import annotations

from dataclasses import replace

from pykafka_ops.client.smoke.names import PREFIX
from pykafka_ops.monitor.cluster.view import ClusterView


def is_passing(name: str) -> bool:
    """Whether a topic or a group is one that a run makes and removes."""
    return name.startswith(PREFIX)


def without_probes(view: ClusterView) -> ClusterView:
    """The view without the topics and groups of runs: the history and the timeline would hold a new
    one for each, and alerts report what is gone in a second."""
    passing = [name for name in (*(view.topics or ()), *(view.groups or ())) if is_passing(name)]
    if not passing:
        return view
    topics, groups = view.topics, view.groups
    if topics is not None:
        topics = {name: topic for name, topic in topics.items() if not is_passing(name)}
    if groups is not None:
        groups = {name: group for name, group in groups.items() if not is_passing(name)}
    return replace(view, topics=topics, groups=groups)
