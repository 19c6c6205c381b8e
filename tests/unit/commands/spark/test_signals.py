import logging
import os
import signal

import pytest

from pykafka_ops.commands.spark.signals import ended_by_signals


def test_an_end_that_a_failing_finally_hid_is_still_the_signals() -> None:
    handlers = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(SystemExit) as ended, ended_by_signals():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            raise KeyError("c")
    assert ended.value.code == 143
    with pytest.raises(KeyboardInterrupt), ended_by_signals():
        os.kill(os.getpid(), signal.SIGINT)
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_nothing_is_logged_from_the_signal_to_the_end(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(KeyboardInterrupt), ended_by_signals():
        try:
            os.kill(os.getpid(), signal.SIGINT)
        finally:
            logging.getLogger("py4j").error("cut short")
    logging.getLogger("py4j").error("heard again")
    assert caplog.messages == ["heard again"]


def test_a_program_may_take_an_interrupt_for_its_end_and_go_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with ended_by_signals(mute=False):
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            logging.getLogger("program").error("that is all")
    assert caplog.messages == ["that is all"]
