"""``[[probe]]``: what it means, and what is said of a wrong one."""

from __future__ import annotations

import tomllib

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.probes.settings import ProbeSettings, probe_settings


def read(text: str, *clusters: str) -> tuple[ProbeSettings, ...]:
    return probe_settings(tomllib.loads(text), "m", clusters or ("prod",))


def test_a_probe_needs_a_name_and_no_more_where_one_cluster_is_watched() -> None:
    assert read('[[probe]]\nname = "p"') == (ProbeSettings("p", "prod"),)
    assert read("") == ()


def test_all_that_may_be_said() -> None:
    (found,) = read(
        '[[probe]]\nname = "p"\ncluster = "b"\nevery = "10s"\ntimeout = "5s"\ntopic = "orders"\n'
        'read-only = true\nbrokers = 3\nreplication-factor = 2\nsteps = ["consume"]',
        "a", "b",
    )  # fmt: skip
    assert found == ProbeSettings(
        "p", "b", 10_000, 5_000, frozenset({"metadata", "create", "produce", "consume", "delete"}),
        "orders", True, 3, 2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[probe]\nname = 'p'", "m: [[probe]]: write it as [[...]] tables"),
        ("[[probe]]", "m: [[probe]]: name: is missing"),
        (
            "[[probe]]\nname='p'\ncluster='x'",
            "p: cluster: there is no [cluster.x]; there are: prod",
        ),
        ("[[probe]]\nname='p'\nevery='1s'", "p: every: '1s': must be 5s to 366d"),
        ("[[probe]]\nname='p'\ntimeout='1h'", "p: timeout: at most 5m"),
        ("[[probe]]\nname='p'\nsteps=['prodcue']", "p: steps: 'prodcue': choose from metadata,"),
        ("[[probe]]\nname='p'\nbrokers=0", "p: brokers: 0 is not a number from 1"),
        ("[[probe]]\nname='p'\nevry='1m'", "p: unknown key 'evry' (did you mean every?)"),
        ("[[probe]]\nname='p'\n[[probe]]\nname='p'", "p: there are two of this name"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as heard:
        read(text)
    assert complaint in str(heard.value)
    assert "\n" not in str(heard.value)


def test_of_several_clusters_one_has_to_be_named() -> None:
    with pytest.raises(UsageError, match="cluster: is missing"):
        read("[[probe]]\nname='p'", "a", "b")
