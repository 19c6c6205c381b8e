"""kafka-jmx: values of MBeans, over HTTP instead of RMI (JmxTool of Kafka 4.3)."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable

from pykafka_ops.commands.broker.exposition import read_text
from pykafka_ops.commands.broker.metrics import fetch, samples_of
from pykafka_ops.commands.broker.object_names import ObjectPattern, parse_name
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.perf.dates import date_text
from pykafka_ops.errors import ConnectError, PkoError
from pykafka_ops.java_numbers import java_double

PATIENCE = 10.0
"""Seconds that are tried to connect, or waited for objects."""
AGAIN = 0.1
FORMATS = ("properties", "csv", "tsv")
_RMI = re.compile(r"service:jmx:rmi://.*?/jndi/rmi://([^/]*)/.*")


def jmx(run: Run) -> int:
    """A line of titles, then values each interval until Ctrl-C; once with ``--one-time``."""
    args = run.args
    source = _Source(args, run.silence)
    queries = [parse_name(text) for text in args.given("object-name")]
    values = source.first(queries, wait=args.has("wait"))
    wanted = source.chosen(values, queries)
    expected = _expected(wanted, queries, source.attributes)
    if not expected:
        shown = ", ".join(q.text for q in queries) if queries else "null"
        raise PkoError(f"No matched attributes for the queried objects [{shown}].")
    keys = ["time", *sorted(wanted)]
    form = (args.text("report-format") or "").lower()
    if form not in FORMATS and len(keys) == expected + 1:
        _say(",".join(f'"{key}"' for key in keys))
    interval = args.number("reporting-interval") or 0
    once = interval < 0 or args.has("one-time")
    while True:
        start = time.monotonic()
        if len(wanted) == expected:
            _report(form, keys, {"time": _now(args.text("date-format")), **wanted})
        if once:
            return 0
        time.sleep(max(0.0, interval / 1000 - (time.monotonic() - start)))
        wanted = source.chosen(source.values(), queries)


class _Source:
    """Where the values are."""

    def __init__(self, args: Args, silence: float) -> None:
        self.shown, self.silence = args.text("jmx-url") or "", silence
        remote = _RMI.fullmatch(self.shown)
        secure = (args.text("jmx-ssl-enable") or "").lower() == "true"
        if remote:
            host = remote[1] if not remote[1].startswith(":") else f"localhost{remote[1]}"
            self.url = f"{'https' if secure else 'http'}://{host}"
        else:
            self.url = self.shown
        self.login = args.text("jmx-auth-prop")
        given = args.given("attributes")
        self.attributes = {p for p in given[-1].split(",") if p} if given else None

    def values(self) -> dict[str, float]:
        """All values by ``bean:attribute``. ConnectError, UsageError."""
        body = fetch(self.url, self.silence, self.login)
        try:
            rows = samples_of(self.url, body)
        except ConnectError:
            found = read_text(body.decode(errors="replace"))
            if not found:
                raise
            return found
        return {f"{row['bean']}:{row['attribute']}": row["value"] for row in rows if row["bean"]}

    def first(self, queries: list[ObjectPattern], *, wait: bool) -> dict[str, float]:
        """The values, as soon as somebody answers, with all objects asked for if ``wait``."""
        sys.stderr.write(f"Trying to connect to JMX url: {self.shown}\n")
        values = _soon(self.values, f"Could not connect to JMX url {self.shown}")
        exact = [] if any(q.is_pattern for q in queries) else queries
        end = time.monotonic() + PATIENCE
        while wait and (missing := [q.text for q in exact if not _there(values, q)]):
            if time.monotonic() > end:
                raise PkoError(
                    f"Could not find all requested object names after {int(PATIENCE * 1000)} ms. "
                    f"Missing {','.join(missing)}"
                )
            sys.stderr.write("Could not find all object names, retrying\n")
            time.sleep(AGAIN)
            values = self.values()
        return values

    def chosen(self, values: dict[str, float], queries: list[ObjectPattern]) -> dict[str, str]:
        """Those that the command line means, as Java shows them."""
        found = {}
        for key, value in values.items():
            bean, _, attribute = key.rpartition(":")
            if self.attributes is not None and attribute not in self.attributes:
                continue
            if not queries or _any_means(queries, bean):
                found[key] = java_double(value) if isinstance(value, float) else str(value)
        return found


def _soon(ask: Callable[[], dict[str, float]], what: str) -> dict[str, float]:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return ask()
        except ConnectError:
            if time.monotonic() > end:
                raise ConnectError(f"{what} after {int(PATIENCE * 1000)} ms.") from None
            time.sleep(AGAIN)


def _any_means(queries: Iterable[ObjectPattern], bean: str) -> bool:
    name = parse_name(bean)
    return any(query.means(name) for query in queries)


def _there(values: dict[str, float], query: ObjectPattern) -> bool:
    return any(query.means(parse_name(key.rpartition(":")[0])) for key in values)


def _expected(
    wanted: dict[str, str], queries: list[ObjectPattern], attributes: set[str] | None
) -> int:
    """How many values a whole report has: of exact names all attributes that were asked for."""
    if attributes is None or not queries or any(q.is_pattern for q in queries):
        return len(wanted)
    beans = {key.rpartition(":")[0] for key in wanted}
    return len(beans) * len(attributes)


def _now(pattern: str | None) -> str:
    now = int(time.time() * 1000)
    return str(now) if pattern is None else date_text(pattern, now)


def _report(form: str, keys: list[str], values: dict[str, str]) -> None:
    if form == "properties":
        _say("\n".join(f"{key}={values.get(key)}" for key in keys))
    elif form == "csv":
        _say("\n".join(f'{key},"{values.get(key)}"' for key in keys))
    elif form == "tsv":
        _say("\n".join(f"{key}\t{values.get(key)}" for key in keys))
    else:
        _say(",".join(values[key] for key in keys if key in values))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
