"""Every form of a message: as recorded, and with names that hold anything."""

from __future__ import annotations

import json
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.monitor.alerts.rules.incidents import Notice
from pykafka_ops.monitor.alerts.rules.model import Subject
from pykafka_ops.monitor.alerts.shapes.chat import slack, teams
from pykafka_ops.monitor.alerts.shapes.generic import generic
from pykafka_ops.monitor.alerts.shapes.mail import mail
from pykafka_ops.monitor.alerts.shapes.pagers import alertmanager, pagerduty
from pykafka_ops.monitor.alerts.shapes.words import clean, title
from tests.support.monitor.alert_world import AlertWorld, group, rule

GOLDEN = Path(__file__).resolve().parents[4] / "golden" / "alerts"
URL = "https://monitor.example.com"
SHAPES: dict[str, Any] = {
    "generic": generic,
    "slack": slack,
    "teams": teams,
    "pagerduty": lambda notice, url: pagerduty(notice, url, "KEY"),
    "alertmanager": alertmanager,
    "mail": lambda notice, url: mail(
        notice, url, "pko@example.com", ("ops@example.com", "b@example.com")
    ).as_string(),
}
HOSTILE = [
    "a\r\nBcc: evil@example.com\r\n\r\nx",
    "<script>alert(1)</script> & <!channel> <@U1|x> `code` *bold*",
    '"quotes" \'and\' \\back\\slashes\\ $(rm -rf /) `id`; {{x}} %s {0}',
    "\x1b[2J\x00\x07\u202eevil\u2028\ufeff",
    "\udc80\udcff lone surrogates",
    "x" * 32_000,
    "[click](javascript:alert(1)) ![](http://evil)",
]  # fmt: skip


def notices(name: str = "billing") -> list[Notice]:
    """Open, repeat and close of a group that is behind, with another in the same message."""
    late = rule(
        "late", "lag_seconds>300|status=STOP", repeat_ms=60_000, severity="critical",
        summary="the group is behind",
    )  # fmt: skip
    world = AlertWorld(late, heartbeats={"ops": 60_000})
    bad = [group(name, 8170, lag_seconds=1744.5, status="STOP", state="Stable"),
           group("orders", 12, lag_seconds=400.0, status="OK")]  # fmt: skip
    fine = [Subject(g.kind, g.name, {**g.facts, "lag_seconds": 1.0, "status": "OK"}) for g in bad]
    world.round(*bad)
    world.round(*bad, after=61)
    world.round(*fine, after=15)
    return [notice for _, notice in world.sent]


@pytest.mark.parametrize("shape", SHAPES)
def test_each_form_is_as_recorded(shape: str) -> None:
    found = [SHAPES[shape](notice, URL) for notice in notices()]
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    assert text == (GOLDEN / f"{shape}.json").read_text()


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_name_that_holds_anything_breaks_no_form(name: str) -> None:
    for notice in notices(name):
        for shape, make in SHAPES.items():
            found = make(notice, URL)
            text = json.dumps(found)
            text.encode()
            assert json.loads(text) == found, shape
            assert len(text) < 64_000, shape


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_name_is_no_header_no_mention_and_no_link(name: str) -> None:
    notice = notices(name)[0]
    sent = mail(notice, "", "pko@example.com", ("ops@example.com",)).as_bytes()
    read = message_from_bytes(sent)
    assert read.get_all("Bcc") is None
    assert read["To"] == "ops@example.com"
    message: Any = slack(notice, "")
    assert "<" not in message["text"]
    blocks = message["attachments"][0]["blocks"]
    assert {b["text"]["type"] for b in blocks} == {"plain_text"}
    assert all(len(b["text"]["text"]) <= 3000 for b in blocks)
    card: Any = teams(notice, "")["attachments"][0]["content"]  # type: ignore[index]
    assert {b["type"] for b in card["body"]} == {"RichTextBlock"}
    assert len(json.dumps(card)) < 28_000
    assert "\n" not in title(notice)
    assert not set(title(notice)) & set("\r\n\0\x1b\u202e\u2028\udc80")


def test_thousands_of_alerts_fit_into_every_form() -> None:
    world = AlertWorld(rule())
    (notice,) = world.round(*(group(f"g{i}" + "y" * 250, 20) for i in range(5000)))
    assert notice.total == 5000
    assert len(json.dumps(teams(notice, URL))) < 28_000
    assert len(json.dumps(slack(notice, URL))) < 40_000
    assert len(json.dumps(pagerduty(notice, URL, "K"))) < 512_000
    assert "4980 more" in json.dumps(slack(notice, URL))
    assert "4900 more" in mail(notice, URL, "a@b", ("c@d",)).get_content()


def test_the_dedup_key_and_the_thread_are_the_same_from_open_to_close() -> None:
    opened, again, closed = notices()
    events: list[Any] = [pagerduty(n, "", "K") for n in (opened, again, closed)]
    assert [e["event_action"] for e in events] == ["trigger", "trigger", "resolve"]
    assert len({e["dedup_key"] for e in events}) == 1
    mails = [mail(n, "", "a@b", ("c@d",)) for n in (opened, again, closed)]
    assert [m["References"] for m in mails] == [None, *[mails[0]["Message-ID"]] * 2]
    labels: list[Any] = [alertmanager(n, "")[0]["labels"] for n in (opened, again, closed)]
    assert labels[0] == labels[1] == labels[2]


def test_alertmanager_is_told_when_an_alert_ends_if_nobody_tells_again() -> None:
    opened, _, closed = notices()
    firing, over = alertmanager(opened, "")[0], alertmanager(closed, "")[0]
    assert firing["endsAt"] == "2025-11-21T21:24:00.000Z"
    assert over["endsAt"] == "2025-11-21T21:21:16.000Z"


def test_what_cannot_be_seen_is_shown_by_its_number() -> None:
    assert clean("a\nb\x1b\u202e\udc80é漢") == "a\\x0ab\\x1b\\u202e\\udc80é漢"
    assert clean("x" * 500, 10) == "xxxxxxx..."
