"""The session kept for a broker's next life."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from pykafka_ops.broker.metadata.zookeeper import session as zookeeper_session
from pykafka_ops.broker.metadata.zookeeper.session import FormerSession
from pykafka_ops.zookeeper.client import NOBODY
from tests.support.waiting import free_port


def session_file(directory: Path) -> FormerSession:
    return FormerSession(directory / "session", f"127.0.0.1:{free_port()}", 100, NOBODY)


def test_the_next_life_knows_what_the_former_kept(tmp_path: Path) -> None:
    session_file(tmp_path).keep((7, b"\x00secret"))
    assert session_file(tmp_path)._former == (7, b"\x00secret")
    assert (tmp_path / "session").stat().st_mode & 0o777 == 0o600


def test_a_copied_directory_knows_no_session(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    session_file(tmp_path / "a").keep((7, b"secret"))
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    assert session_file(tmp_path / "b")._former is None


def test_after_a_start_of_the_machine_no_session_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boot = tmp_path / "boot_id"
    boot.write_text("first\n")
    monkeypatch.setattr(zookeeper_session, "BOOT", boot)
    session_file(tmp_path).keep((7, b"secret"))
    assert session_file(tmp_path)._former is not None
    boot.write_text("second\n")
    assert session_file(tmp_path)._former is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"id":1}', '{"id":"x","password":"","place":""}'])
def test_a_damaged_file_is_no_session(tmp_path: Path, text: str) -> None:
    (tmp_path / "session").write_text(text)
    assert session_file(tmp_path)._former is None


def test_a_forgotten_session_is_not_known_again(tmp_path: Path) -> None:
    kept = session_file(tmp_path)
    kept.keep((7, b"secret"))
    kept.forget()
    kept.forget()
    assert session_file(tmp_path)._former is None


def test_sessions_of_others_are_left_alone(tmp_path: Path) -> None:
    session_file(tmp_path).keep((7, b"secret"))
    assert asyncio.run(session_file(tmp_path).end(8)) is False


def test_without_a_server_nothing_is_ended(tmp_path: Path) -> None:
    session_file(tmp_path).keep((7, b"secret"))
    assert asyncio.run(session_file(tmp_path).end(7)) is False
