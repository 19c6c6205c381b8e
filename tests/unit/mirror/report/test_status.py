"""/status and /metrics: what is known, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from pykafka_ops.metrics.text import write
from pykafka_ops.mirror.control.state import ControlState, MirrorPause, pause_entry
from pykafka_ops.mirror.copy.tasks import CopyProgress, CopyTask
from pykafka_ops.mirror.report.metrics import (
    LINK,
    PARTITION,
    PARTITION_COUNTERS,
    PREFIX,
    families,
)
from pykafka_ops.mirror.report.status import status_document
from pykafka_ops.mirror.run.meter import Rates
from pykafka_ops.mirror.run.outlook import LinkOutlook
from pykafka_ops.mirror.run.view import LinkView
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.mirror.sync.plan import SyncPlan
from pykafka_ops.mirror.work.seat import Seat, Seated

NOW = 10_000
P = ("orders", 0)


def view() -> LinkView:
    control = ControlState()
    control.take([pause_entry(MirrorPause("x.*"), 1, by="me")])
    return LinkView(
        LinkSettings("a", "b"),
        state="copying",
        seated=Seated(Seat("g", "m", 3, 1), (("a.orders", 0),), True, 2),
        outlook=LinkOutlook(4_000, SyncPlan(notes=["hm"]), control, {}, {"topic t": "denied"}),
        tasks={P: CopyTask(("a.orders", 0), -2)},
        progress={P: CopyProgress(90, 100, 55, 9, 900, 5, 800, 1500, 0, 0, "too large", None)},
        rates={P: Rates(5.0, 0.0, 50.0)},
        rounds=7,
    )


def test_a_link_at_work_says_how_far_it_is() -> None:
    (link,) = status_document([view()], NOW)["links"]
    assert (link["link"], link["leads"], link["slot"], link["processes"]) == ("a->b", True, 1, 2)
    assert link["looked_seconds"] == 6 and link["notes"] == ["hm"]
    assert link["pauses"] == ["topics x.*"] and link["troubles"] == {"topic t": "denied"}
    (row,) = link["partitions"]
    assert (row["lag"], row["lag_bytes"], row["lag_seconds"], row["eta_seconds"]) == (
        10,
        800,
        1.5,
        2,
    )
    assert row["trouble"] == "too large"
    assert json.loads(json.dumps(link)) == link


def test_what_is_not_known_is_null() -> None:
    started = LinkView(LinkSettings("a", "b"), tasks={P: CopyTask(("a.orders", 0), -2)})
    (link,) = status_document([started], NOW)["links"]
    assert link["generation"] is None and link["looked_seconds"] is None
    (row,) = link["partitions"]
    assert row["lag"] is None and row["position"] is None
    started.progress = {P: CopyProgress(-1, 5, -1, 0, 0, -1, -1, -1, 0, 0, None, None)}
    (row,) = status_document([started], NOW)["links"][0]["partitions"]
    assert row["lag"] is None and row["lag_seconds"] is None and row["source_end"] == 5


def test_metrics_say_the_same() -> None:
    text = "".join(write(families([view()], NOW)))
    labels = '{source="a",target="b"}'
    of = '{source="a",target="b",topic="orders",partition="0"}'
    for line in (
        f"pko_mirror_up{labels} 1",
        f"pko_mirror_leader{labels} 1",
        f"pko_mirror_rounds_total{labels} 7",
        f"pko_mirror_look_age_seconds{labels} 6.0",
        f"pko_mirror_lag_records{of} 10",
        f"pko_mirror_lag_seconds{of} 1.5",
        f"pko_mirror_partition_stopped{of} 1",
        f"pko_mirror_partition_records_total{of} 9",
    ):
        assert line in text.splitlines()


def test_metrics_leave_out_what_is_not_known() -> None:
    started = LinkView(LinkSettings("a", "b"), tasks={P: CopyTask(("a.orders", 0), -2)})
    text = "".join(write(families([started], NOW)))
    assert "pko_mirror_up" in text
    assert "lag" not in text and "look_age" not in text and "last_round" not in text


def test_every_metric_has_a_name_of_its_own() -> None:
    names = [row[0] for row in (*LINK, *PARTITION, *PARTITION_COUNTERS)]
    assert len(set(names)) == len(names)
    page = (Path(__file__).resolve().parents[4] / "docs" / "mirror.md").read_text()
    assert [name for name in names if f"`{PREFIX}{name}`" not in page] == []
