"""A follower names everything once, then only what changed (``FetchSessionHandler``)."""

from __future__ import annotations

from pykafka_ops.broker.state.replication.follower_session import FollowerSession, PartitionFetch
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID

T, U = b"t" * 16, b"u" * 16
A, B = ("t", 0), ("u", 1)


def want(offset: int = 0, topic_id: bytes = T) -> PartitionFetch:
    return PartitionFetch(topic_id, offset, 0, 3, 2)


def opened(*keys: tuple[str, int]) -> FollowerSession:
    session = FollowerSession()
    session.start({key: want() for key in keys})
    assert session.answered(0, 77, keys)
    return session


def test_the_first_request_names_all_and_the_next_what_changed() -> None:
    session = FollowerSession()
    first = session.start({A: want(), B: want()})
    assert (first.session_id, first.session_epoch, set(first.send)) == (0, 0, {A, B})
    assert session.answered(0, 77, [A, B])
    second = session.go_on({A: want(5), B: want()})
    assert second is not None
    assert (second.session_id, second.session_epoch, second.send) == (77, 1, {A: want(5)})
    assert session.answered(0, 77, [A])
    third = session.go_on({})
    assert third is not None
    assert (third.session_epoch, third.send, third.forget) == (2, {}, [])


def test_what_is_not_wanted_is_forgotten_once() -> None:
    session = opened(A, B)
    ask = session.go_on({A: None, ("x", 9): None})
    assert ask is not None
    assert (ask.forget, ask.send, set(session.sent)) == ([(A, T)], {}, {B})
    again = session.go_on({A: None})
    assert again is not None
    assert again.forget == []


def test_a_topic_with_another_id_replaces_the_old_one() -> None:
    session = opened(A)
    ask = session.go_on({A: want(0, U)})
    assert ask is not None
    assert (ask.forget, ask.send) == ([(A, T)], {A: want(0, U)})


def test_one_topic_without_an_id_has_all_named() -> None:
    session = opened(A)
    assert session.go_on({B: want(0, ZERO_UUID)}) is None
    assert session.is_full
    ask = session.start({A: want(), B: want(0, ZERO_UUID)})
    assert (ask.by_id, ask.session_id) == (False, 77)  # which ends the one there was
    assert session.answered(0, 78, [A, B])
    assert session.go_on({B: None}) is None
    assert session.start({A: want()}).by_id


def test_errors_begin_a_new_session() -> None:
    session = opened(A)
    assert not session.answered(ErrorCode.INVALID_FETCH_SESSION_EPOCH, 0, [])
    again = session.start({A: want()})
    assert (again.session_id, again.session_epoch) == (77, 0)
    assert not session.answered(ErrorCode.FETCH_SESSION_ID_NOT_FOUND, 0, [])
    assert session.start({A: want()}).session_id == 0


def test_answers_that_name_others_are_not_used() -> None:
    session = FollowerSession()
    session.start({A: want()})
    assert not session.answered(0, 77, [B])
    session.start({A: want()})
    assert not session.answered(0, 77, [])
    session.start({A: want()})
    assert session.answered(0, 77, [A])
    assert not session.answered(0, 77, [B])
    assert session.is_full


def test_a_leader_without_sessions_is_asked_for_everything_each_time() -> None:
    session = FollowerSession()
    for _ in range(2):
        assert session.start({A: want()}).session_epoch == 0
        assert session.answered(0, 0, [A])
        assert session.is_full


def test_a_session_that_the_leader_ends_is_over() -> None:
    session = opened(A)
    assert session.answered(0, 0, [])
    assert session.start({A: want()}).session_id == 0


def test_epochs_wrap() -> None:
    session = opened(A)
    session._epoch = 2**31 - 1
    assert session.answered(0, 77, [])
    ask = session.go_on({})
    assert ask is not None
    assert ask.session_epoch == 1
