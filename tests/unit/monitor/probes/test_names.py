"""What runs make for a moment is not remembered."""

from __future__ import annotations

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.smoke.names import name_of
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.metrics.lines import Scope
from pykafka_ops.monitor.metrics.settings import MetricsSettings
from pykafka_ops.monitor.probes.names import without_probes
from pykafka_ops.monitor.series import values
from tests.support.monitor.rounds import answers


def test_groups_of_runs_are_neither_in_the_history_nor_in_metrics() -> None:
    watched = WatchedCluster("local")
    view = watched.take(answers(1, 100, commits=[Commit(1, 60)], group=name_of(1)))
    assert view.groups
    assert {key.kind for key in values(view)} >= {"group"}
    kept = without_probes(view)
    assert kept.groups == {}
    assert kept.topics == view.topics
    assert {key.name for key in values(kept) if key.kind == "group"} == set()
    assert Scope(watched, view, MetricsSettings(), {}).groups == {}


def test_a_view_without_any_stays_as_it_is() -> None:
    view = WatchedCluster("local").take(answers(1, 100, commits=[Commit(1, 60)]))
    assert without_probes(view) is view
