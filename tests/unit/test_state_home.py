"""Where state is kept on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.state_home import state_folder


@pytest.mark.parametrize(
    ("env", "wanted"),
    [
        ({"XDG_STATE_HOME": "/state", "HOME": "/home/me"}, "/state/pko/seek"),
        ({"XDG_STATE_HOME": "", "HOME": "/home/me"}, "/home/me/.local/state/pko/seek"),
        ({"HOME": "/home/me"}, "/home/me/.local/state/pko/seek"),
    ],
)
def test_state_is_where_the_environment_says(env: dict[str, str], wanted: str) -> None:
    assert state_folder(env, "seek") == Path(wanted)


def test_without_a_home_it_is_the_users_own() -> None:
    assert state_folder({}, "seek") == Path("~/.local/state/pko/seek").expanduser()
