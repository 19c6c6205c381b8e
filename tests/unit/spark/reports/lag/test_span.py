"""Which moments a lag report looks at."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.reports.lag.span import ReportSpan

HOUR = 3_600_000
NOW = 1_800_000_000_000


def test_without_words_it_is_a_day_in_hours_and_the_last_ten_minutes() -> None:
    span = ReportSpan.of(NOW, None, None, None)
    assert (len(span.times), span.times[0], span.times[-1]) == (25, NOW - 24 * HOUR, NOW)
    assert span.samples == tuple(NOW - m * 100_000 for m in (6, 5, 4, 3, 2, 1))
    assert NOW not in span.asked


def test_a_window_is_the_bucket_and_what_rates_look_back_on() -> None:
    span = ReportSpan.of(NOW, NOW - 5 * HOUR, None, 2 * HOUR)
    assert span.times == (NOW - 6 * HOUR, NOW - 4 * HOUR, NOW - 2 * HOUR, NOW)
    assert span.samples[0] == NOW - 2 * HOUR


def test_the_windows_begin_is_a_border_one_ms_before_it() -> None:
    span = ReportSpan.of(NOW, None, None, None)
    assert span.borders[span.begin - 1] == NOW - 600_001
    assert set(span.times) < set(span.borders)


def test_the_history_ends_where_it_was_told_to() -> None:
    span = ReportSpan.of(NOW, NOW - 4 * HOUR, NOW - 2 * HOUR, HOUR)
    assert span.times == (NOW - 4 * HOUR, NOW - 3 * HOUR, NOW - 2 * HOUR)
    assert ReportSpan.of(NOW, None, NOW + HOUR, None).times[-1] == NOW


def test_a_span_of_no_length_has_one_bucket() -> None:
    assert len(ReportSpan.of(NOW, NOW, None, None).times) == 2


def test_too_many_windows_are_refused() -> None:
    with pytest.raises(UsageError, match="1m makes 1,440 buckets"):
        ReportSpan.of(NOW, NOW - 24 * HOUR, None, 60_000)
