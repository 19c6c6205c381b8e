"""``pko features`` and kafka-features on fake brokers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.commands.features.listing import NO_FEATURES
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import api_versions as av
from pykafka_ops.wire.messages import update_features as uf
from tests.support.golden.transcripts import Said, run
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]
Fakes = tuple[FakeBroker, ...]
TOOL = "kafka-features"


def telling(
    fake: FakeBroker, supported: dict[str, tuple[int, int]], levels: dict[str, int]
) -> None:
    """Let a broker say so."""

    def answer(request: Any) -> av.ApiVersionsResponse:
        said = fake.versions()
        said.supported_features = [
            av.SupportedFeatureKey(name=n, min_version=a, max_version=b)
            for n, (a, b) in supported.items()
        ]
        said.finalized_features_epoch = 77
        said.finalized_features = [
            av.FinalizedFeatureKey(name=n, max_version_level=v, min_version_level=v)
            for n, v in levels.items()
        ]
        return said

    fake.on("ApiVersions", answer)


@pytest.fixture
def kraft(fakes: Fakes) -> Fakes:
    for fake, newest in zip(fakes, (30, 29), strict=True):
        fake.in_kraft(leader=100)
        telling(
            fake,
            {"metadata.version": (7, newest), "kraft.version": (0, 1)},
            {"metadata.version": 29},
        )
    return fakes


def test_the_list_says_what_could_be_upgraded_and_where_nodes_differ(
    kraft: Fakes, pko: Pko
) -> None:
    said = pko("features list -o json")
    assert json.loads(said.stdout)["items"] == [
        {"feature": "kraft.version", "level": 0, "release": None, "lowest": 0, "highest": 1,
         "upgrade_to": 1, "nodes": ["0: 0-1", "1: 0-1"]},
        {"feature": "metadata.version", "level": 29, "release": "4.2-IV1", "lowest": 7,
         "highest": 29, "upgrade_to": None, "nodes": ["0: 7-30", "1: 7-29"]},
    ]  # fmt: skip
    assert said.stderr.splitlines() == [
        "pko: kraft.version is at 0, the software allows 1",
        "pko: metadata.version: the nodes differ: 0: 7-30, 1: 7-29",
    ]


def test_a_feature_that_a_node_does_not_know_has_no_common_level(kraft: Fakes, pko: Pko) -> None:
    telling(kraft[1], {"kraft.version": (0, 1)}, {"kraft.version": 1})
    items = json.loads(pko("features list -o json").stdout)["items"]
    assert [(i["feature"], i["highest"]) for i in items] == [
        ("kraft.version", 1), ("metadata.version", None),
    ]  # fmt: skip


def test_on_zookeeper_one_line_says_so(fakes: Fakes, pko: Pko) -> None:
    said = pko("features list")
    assert (said.stdout, said.stderr, said.code) == ("", f"pko: {NO_FEATURES}\n", 1)
    assert run(TOOL, "--bootstrap-server", fakes[0].bootstrap, "describe") == Said("", "", 0)


def test_more_features_than_can_be_are_refused(kraft: Fakes, pko: Pko) -> None:
    for fake in kraft:
        telling(fake, {f"f{n}": (0, 1) for n in range(1001)}, {})
    said = pko("features list")
    assert (said.code, len(said.stderr.splitlines())) == (1, 1), said.stderr


def test_the_tool_describes_as_kafkas(kraft: Fakes) -> None:
    said = run(TOOL, "--bootstrap-server", kraft[0].bootstrap, "describe", "--node-id", "1")
    assert said.stdout.splitlines()[1] == (
        "Feature: metadata.version                          SupportedMinVersion: 3.3-IV3          "
        "SupportedMaxVersion: 4.2-IV1          FinalizedVersionLevel: 4.2-IV1          Epoch: 77"
    )


class Controller:
    """The controllers' side: keeps requests and answers with ``error``."""

    def __init__(self, fakes: Fakes, error: str = "") -> None:
        self.seen: list[Any] = []
        code = ErrorCode.INVALID_UPDATE_VERSION if error else ErrorCode.NONE

        def answer(request: Any) -> uf.UpdateFeaturesResponse:
            self.seen.append(request)
            return uf.UpdateFeaturesResponse(error_code=code, error_message=error or None)

        for fake in fakes:
            fake.on("UpdateFeatures", answer)

    @property
    def said(self) -> list[tuple[dict[str, int], set[int], bool]]:
        return [
            ({u.feature: u.max_version_level for u in r.feature_updates},
             {u.upgrade_type for u in r.feature_updates}, r.validate_only)
            for r in self.seen
        ]  # fmt: skip


def test_levels_are_sent_by_their_kind(kraft: Fakes, pko: Pko) -> None:
    controller = Controller(kraft)
    assert pko("features upgrade kraft.version=1").code == 2  # nobody there to ask
    assert (
        pko("features upgrade kraft.version=1 --yes").stdout == "kraft.version was upgraded to 1.\n"
    )
    assert pko("features downgrade share.version=0 --dry-run").code == 0
    assert pko("features disable share.version --unsafe --yes").code == 0
    assert controller.said == [
        ({"kraft.version": 1}, {1}, False), ({"share.version": 0}, {2}, True),
        ({"share.version": 0}, {3}, False),
    ]  # fmt: skip


def test_a_release_upgrades_all_but_what_stays_off(kraft: Fakes, pko: Pko) -> None:
    controller = Controller(kraft)
    assert pko("features upgrade --release-version 4.0 --yes").code == 0
    ((levels, _, _),) = controller.said
    assert levels == {
        "metadata.version": 25, "kraft.version": 1, "transaction.version": 2, "group.version": 1,
    }  # fmt: skip


def test_a_refusal_is_told_of_each_feature(kraft: Fakes) -> None:
    Controller(kraft, "No.")
    said = run(TOOL, "--bootstrap-server", kraft[0].bootstrap, "upgrade", "--dry-run",
               "--feature", "b=1", "--feature", "a=2")  # fmt: skip
    assert said == Said(
        "Can not upgrade a to 2. No.\nCan not upgrade b to 1. No.\n",
        "2 out of 2 operation(s) failed.\n", 1,
    )  # fmt: skip


def test_before_kafka_4_there_is_an_outcome_for_each(kraft: Fakes, pko: Pko) -> None:
    for fake in kraft:
        fake.ranges[57] = (0, 1)
        fake.on("UpdateFeatures", lambda r: uf.UpdateFeaturesResponse(results=[
            uf.UpdatableFeatureResult(feature="a", error_code=ErrorCode.INVALID_REQUEST,
                                      error_message="no a"),
            uf.UpdatableFeatureResult(feature="b"),
        ]))  # fmt: skip
    said = pko("features upgrade a=1 b=1 c=1 --yes")
    assert said.stdout.splitlines() == [
        "Could not upgrade a to 1. no a",
        "b was upgraded to 1.",
        "Could not upgrade c to 1. The controller response did not contain a result for feature c",
    ]


WRONG = [
    ("", "Command line error: too few arguments. Type --help for help."),
    ("describe", "Command line error: You must specify either --bootstrap-controller or "
     "--bootstrap-server.. Type --help for help."),
    ("--bootstrap-controller a:1 --bootstrap-server b:1 describe", "Command line error: argument "
     "--bootstrap-server: not allowed with argument --bootstrap-controller. "
     "Type --help for help."),
    ("feature-dependencies", "Command line error: argument --feature is required. "
     "Type --help for help."),
    ("feature-dependencies --feature x", "Can't parse feature=level string x: equals sign not "
     "found.\n"),
    ("feature-dependencies --feature share.version=9", "No feature:share.version with feature "
     "level 9\n"),
    ("feature-dependencies --feature nope=1", "Unknown feature: nope\n"),
    ("feature-dependencies --feature metadata.version=5", "Unknown metadata.version 5\n"),
    ("--bootstrap-server a:1 upgrade", "You must specify at least one feature to upgrade\n"),
    ("--bootstrap-server a:1 upgrade --feature x=99999", "Can't parse feature=level string "
     "x=99999: unable to parse 99999 as a short.\n"),
    ("--bootstrap-server a:1 upgrade --feature x=0", "The upgradeType flag should be set to "
     "SAFE_DOWNGRADE or UNSAFE_DOWNGRADE when the provided maxVersionLevel:0 is < 1.\n"),
    ("--bootstrap-server a:1 upgrade --feature x=-1", "Cannot specify a negative version level.\n"),
    ("--bootstrap-server a:1 upgrade --release-version 4.3 --feature x=1", "Can not specify "
     "`release-version` with other feature flags.\n"),
    ("--bootstrap-server a:1 disable --feature x --feature x", "Feature x was specified more than "
     "once.\n"),
    ("--bootstrap-server a:1 describe --node-id=-3", "Invalid node id -3: must be non-negative.\n"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "complaint"), WRONG)
def test_wrong_words_are_told_in_kafkas(
    words: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PKO_BOOTSTRAP_SERVER", raising=False)
    assert run(TOOL, *words.split()) == Said("", complaint, 1)


def test_levels_of_releases_and_what_they_need_are_told_without_a_cluster() -> None:
    said = run(TOOL, "version-mapping", "--release-version", "4.0")
    assert said.stdout.splitlines()[:3] == [
        "metadata.version=25 (4.0)", "kraft.version=1", "transaction.version=2",
    ]  # fmt: skip
    said = run(TOOL, "feature-dependencies", "--feature", "eligible.leader.replicas.version=1",
               "--feature", "metadata.version=25")  # fmt: skip
    assert said.stdout == (
        "eligible.leader.replicas.version=1 requires:\n    metadata.version=23 (4.0-IV1)\n"
        "metadata.version=25 (4.0-IV3) has no dependencies.\n"
    )
