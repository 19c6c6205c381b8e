"""How fast partitions are copied, and when they have caught up."""

from __future__ import annotations

from pykafka_ops.mirror.run.meter import CopyMeter, Rates, Sample, eta_seconds

P = ("t", 0)


def test_rates_are_means_over_the_samples() -> None:
    meter = CopyMeter()
    for second in range(5):
        meter.note(second * 1000, {P: Sample(100 * second, 1000 + 10 * second, 500 * second)})
    assert meter.rates() == {P: Rates(100, 10, 500)}


def test_samples_that_come_too_soon_are_left_out() -> None:
    meter = CopyMeter()
    meter.note(0, {P: Sample(0, 0, 0)})
    meter.note(10, {P: Sample(5, 5, 5)})
    assert meter.rates() == {}


def test_old_samples_are_forgotten() -> None:
    meter = CopyMeter()
    for second in range(100):
        meter.note(second * 1000, {P: Sample(0 if second < 50 else 7, 0, 0)})
    assert meter.rates()[P].copied == 0


def test_a_partition_that_just_came_has_no_rate_yet() -> None:
    meter = CopyMeter()
    meter.note(0, {})
    meter.note(1000, {P: Sample(1, 1, 1)})
    assert meter.rates() == {}


def test_a_position_that_went_back_is_no_negative_rate() -> None:
    meter = CopyMeter()
    meter.note(0, {P: Sample(9, 9, 9)})
    meter.note(1000, {P: Sample(0, 0, 0)})
    assert meter.rates() == {P: Rates(0, 0, 0)}


def test_the_time_to_catch_up() -> None:
    assert eta_seconds(0, None) == 0
    assert eta_seconds(100, Rates(30, 10, 0)) == 5
    assert eta_seconds(100, None) is None
    assert eta_seconds(-1, Rates(30, 10, 0)) is None
    assert eta_seconds(100, Rates(10, 10, 0)) is None
