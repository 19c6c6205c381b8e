"""The whole configuration of alerts: ``[alerts]``, ``[[alert]]``, ``[notify.NAME]`` and
``[[silence]]``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.alerts.rules.incidents import WINDOW_MS
from pykafka_ops.monitor.alerts.rules.model import AlertRule, Silence
from pykafka_ops.monitor.alerts.settings.built_in import BUILT_IN
from pykafka_ops.monitor.alerts.settings.checked import (
    CheckedTable,
    Complaints,
    named_tables,
    tables,
)
from pykafka_ops.monitor.alerts.settings.receivers import Receiver, receiver, url_fault
from pykafka_ops.monitor.alerts.settings.rules import alert_rule, silence

ALERT_TABLES: Final = ("alerts", "alert", "notify", "silence")
"""The top-level keys of the configuration that this module reads."""
MOST_RECEIVERS: Final = 100
MOST_RULES: Final = 1_000


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """When to send what to whom. ``url``: the address of the monitor's page, for links ("" none);
    ``window_ms``: how long the first alert of a cause waits for others; ``lead``: the cluster whose
    group elects the leader ("": the monitors that share a file choose it); ``file``: the SQLite
    file, where it is not in the monitor's directory."""

    rules: tuple[AlertRule, ...]
    receivers: Mapping[str, Receiver]
    silences: tuple[Silence, ...] = ()
    window_ms: int = WINDOW_MS
    url: str = ""
    lead: str = ""
    file: str = ""

    @property
    def everybody(self) -> tuple[str, ...]:
        """The receivers of rules that name none."""
        return tuple(name for name, r in self.receivers.items() if r.default)

    @property
    def heartbeats(self) -> dict[str, int]:
        """Receivers that get open alerts again every so many ms."""
        return {n: r.heartbeat_ms for n, r in self.receivers.items() if r.heartbeat_ms}


def read_alert_settings(
    document: Mapping[str, object], where: str
) -> tuple[AlertSettings, list[str]]:
    """The settings in a configuration, and a line for each error in it.

    ``where``: the file's name, for the lines. Reads ``ALERT_TABLES`` only. The settings lack what
    has an error.
    """
    problems = Complaints()
    general = CheckedTable(f"{where}: [alerts]", problems.of(
        lambda: _table(document.get("alerts", {}), f"{where}: [alerts]")) or {})  # fmt: skip
    problems.of(lambda: general.only(("window", "built_in", "url", "lead", "file")))
    window = problems.of(lambda: general.span("window", WINDOW_MS))
    built_in = problems.of(lambda: general.flag("built_in", default=True))
    url = problems.of(lambda: _url(general)) or ""
    lead = problems.of(lambda: general.maybe("lead")) or ""
    file = problems.of(lambda: general.maybe("file")) or ""
    receivers = _receivers(document.get("notify", {}), where, problems)
    rules = _rules(document, where, receivers, problems, built_in is not False)
    quiet = problems.of(lambda: tables(document.get("silence", []), f"{where}: silence")) or []
    read = [
        problems.of(lambda n=n, t=t: silence(t, f"{where}: [[silence]] {n}"))  # type: ignore[misc]
        for n, t in enumerate(quiet, 1)
    ]
    silences = tuple(s for s in read if s is not None)
    window = WINDOW_MS if window is None else window
    made = AlertSettings(tuple(rules.values()), receivers, silences, window, url, lead, file)
    return made, problems.lines


def alert_settings(document: Mapping[str, object], where: str) -> AlertSettings:
    """As ``read_alert_settings``; UsageError with the first error."""
    found, problems = read_alert_settings(document, where)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise UsageError(problems[0] + more)
    return found


def _table(value: object, place: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise UsageError(f"{place}: write it as a table")
    return value


def _url(general: CheckedTable) -> str:
    url = general.maybe("url") or ""
    why = url_fault(url) if url else ""
    if why:
        raise general.wrong("url", f"{why}: write the address of the monitor's page")
    return url.rstrip("/")


def _receivers(value: object, where: str, problems: Complaints) -> dict[str, Receiver]:
    wanted = problems.of(lambda: named_tables(value, f"{where}: [notify]")) or {}
    if len(wanted) > MOST_RECEIVERS:
        problems.lines.append(f"{where}: [notify]: more than {MOST_RECEIVERS} receivers")
        return {}
    found = {}
    for name, table in wanted.items():
        made = problems.of(lambda n=name, t=table: receiver(n, t, where))  # type: ignore[misc]
        if made is not None:
            found[name] = made
    return found


def _rules(
    document: Mapping[str, object],
    where: str,
    receivers: Mapping[str, Receiver],
    problems: Complaints,
    built_in: bool,
) -> dict[str, AlertRule]:
    written = problems.of(lambda: tables(document.get("alert", []), f"{where}: alert")) or []
    if len(written) > MOST_RULES:
        problems.lines.append(f"{where}: [[alert]]: more than {MOST_RULES} rules")
        return {}
    wanted: dict[str, tuple[Mapping[str, object], str]] = {}
    if built_in:
        wanted = {n: ({"name": n, **t}, f"built-in alert {n}") for n, t in BUILT_IN.items()}
    known = _named(document)
    seen: set[str] = set()
    for number, table in enumerate(written, 1):
        name = table.get("name")
        place = f"{where}: [[alert]] {name if isinstance(name, str) and name else number}"
        if str(name) in seen:
            problems.lines.append(f"{place}: name: another alert has this name")
        seen.add(str(name))
        # a rule with the name of a built-in one changes the keys it gives
        wanted[str(name or number)] = ({**BUILT_IN.get(str(name), {}), **table}, place)
    found = {}
    for name, (table, place) in wanted.items():
        of_ours = name in BUILT_IN
        rule = problems.of(lambda t=table, p=place, o=of_ours: alert_rule(t, p, known, built_in=o))  # type: ignore[misc]
        if rule is not None:
            found[rule.name] = rule
    return found


def _named(document: Mapping[str, object]) -> list[str]:
    """The names of all receivers, wrong ones too: they have an error of their own already."""
    notify = document.get("notify", {})
    return list(notify) if isinstance(notify, dict) else []
