"""Tests that fail, named when they do: a suite of an hour tells all others at its end, or, when it
is stopped, never."""

from __future__ import annotations

import pytest


class AtOnce:
    """A plugin of the process that prints."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A line for each step of a test that fails, with the seconds it took."""
        printer = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and printer is not None:
            what = f"{report.nodeid} ({report.when}, {report.duration:.0f} s)"
            printer.write_line(f"\nfailed: {what}", red=True)  # behind the dots of a line
