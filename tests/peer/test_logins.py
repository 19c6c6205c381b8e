"""Logins by SASL frame by frame, to our broker and to Apache Kafka: what each says, and whether and
when it hangs up."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.differential.logins.scripts import DEVIATIONS, SCRIPTS, LoginDeviation
from tests.support.differential.logins.sites import two_sites
from tests.support.differential.logins.talk import Script, Site, played
from tests.support.each import each

pytestmark = [pytest.mark.java, pytest.mark.slow]
AT_ONCE = 32
ROUNDS = 4
"""A machine that stands still makes one who hangs up at once seem late."""

Heard = tuple[list[str], list[str]]


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Site]]:
    with two_sites(Path(tmp_path_factory.mktemp("logins"))) as made:
        yield made


def heard(script: Script, sites: tuple[Site, Site]) -> Heard:
    """What each says, the first time that it is the same, or at last."""
    for _ in range(ROUNDS):
        ours, theirs = (played(script, site) for site in sites)
        if ours == theirs:
            break
    return ours, theirs


@pytest.fixture(scope="module")
def outcomes(sites: tuple[Site, Site]) -> Iterator[dict[str, Future[Heard]]]:
    """What the scripts hear; they are played beside each other."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {script.name: pool.submit(heard, script, sites) for script in SCRIPTS}


@each("script", SCRIPTS, lambda script: script.name)
def test_a_login_goes_as_with_kafka(script: Script, outcomes: dict[str, Future[Heard]]) -> None:
    ours, theirs = outcomes[script.name].result()
    assert theirs
    if ours != theirs:
        meant = any(reason.explains(script.name, ours, theirs) for reason in DEVIATIONS)
        assert meant, f"ours {ours}, theirs {theirs}"


@each("reason", DEVIATIONS)
def test_every_reason_is_one_for_a_difference(
    reason: LoginDeviation, outcomes: dict[str, Future[Heard]]
) -> None:
    assert any(reason.explains(name, *found.result()) for name, found in outcomes.items())


def test_scripts_are_many_and_have_names_of_their_own() -> None:
    names = {script.name for script in SCRIPTS}
    assert len(names) == len(SCRIPTS) > 500
