"""The tables about alerts in the configuration: what they mean, and what is said of wrong ones."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.alerts.rules.facts import FACTS
from pykafka_ops.monitor.alerts.rules.model import AlertKey
from pykafka_ops.monitor.alerts.settings.built_in import BUILT_IN
from pykafka_ops.monitor.alerts.settings.receivers import RECEIVER_KEYS, SHAPES
from pykafka_ops.monitor.alerts.settings.rules import ALERT_KEYS, SILENCE_KEYS
from pykafka_ops.monitor.alerts.settings.tables import (
    ALERT_TABLES,
    AlertSettings,
    alert_settings,
    read_alert_settings,
)
from tests.support.each import each

WHOLE = """
listen = "127.0.0.1:8000"
[alerts]
window = "1m"
url = "https://monitor.example.com/"
[notify.ops]
kind = "http"
shape = "slack"
url_env = "SLACK_URL"
[notify.am]
shape = "alertmanager"
url = "http://am:9093"
default = false
headers = {"X-Scope-OrgID" = "kafka"}
username = "u"
password_file = "/run/secrets/am"
[notify.mail]
to = "ops@example.com"
from = "pko@example.com"
host = "mail"
[notify.tell]
command = ["/usr/bin/tell", "--now"]
timeout = 30
[[alert]]
name = "late"
when = "lag_seconds>300|status=STOP"
groups = "billing|orders-.*"
for = "2m"
notify = ["ops", "am"]
repeat = "1h"
severity = "critical"
[[alert]]
name = "under-replicated"
for = "1h"
[[alert]]
name = "disk-runway"
enabled = false
[[silence]]
until = 2026-11-21T08:00:00Z
cluster = "test-.*"
why = "moved"
who = "ann"
"""


def read(text: str) -> AlertSettings:
    return alert_settings(tomllib.loads(text), "monitor.toml")


def test_everything_that_can_be_written_means_what_it_says() -> None:
    found = read(WHOLE)
    rules = {rule.name: rule for rule in found.rules}
    late = rules["late"]
    assert (late.kind, late.for_ms, late.repeat_ms, late.notify) == (
        "group", 120_000, 3_600_000, ("ops", "am"),
    )  # fmt: skip
    assert late.covers("prod", "group", "orders-1")
    assert not late.covers("prod", "group", "billing-2")
    assert rules["under-replicated"].for_ms == 3_600_000
    assert rules["under-replicated"].text == "under_replicated>0"
    assert "disk-runway" not in rules
    assert set(BUILT_IN) - {"disk-runway"} <= set(rules)
    assert found.everybody == ("ops", "mail", "tell")
    assert found.heartbeats == {"am": 60_000}
    assert (found.window_ms, found.url) == (60_000, "https://monitor.example.com")
    assert (found.receivers["mail"].port, found.receivers["mail"].tls) == (587, "starttls")
    assert found.receivers["tell"].command == ("/usr/bin/tell", "--now")
    assert found.receivers["tell"].timeout_ms == 30_000
    (silence,) = found.silences
    assert silence.covers(AlertKey("r", "test-1", "group", "g"), "info", silence.until - 1)
    assert not silence.covers(AlertKey("r", "prod", "group", "g"), "info", silence.until - 1)


def test_nothing_written_means_the_built_in_rules() -> None:
    found = read("")
    assert [rule.name for rule in found.rules] == list(BUILT_IN)
    assert all(rule.built_in for rule in found.rules)
    assert read("[alerts]\nbuilt_in = false").rules == ()


def test_built_in_rules_ask_for_facts_that_there_are() -> None:
    for rule in read("").rules:
        assert set(rule.when.fields) <= set(FACTS[rule.kind])
        assert rule.summary


def test_no_secret_shows_in_what_is_printed() -> None:
    found = read('[notify.a]\nurl="https://hooks/T0PSECRET"\nheaders={Authorization="T0PSECRET"}')
    assert "T0PSECRET" not in repr(found)


WRONG = {
    '[[alert]]\nname="x"\nwhen="lag>1"\nsevrity="x"':
        "[[alert]] x: unknown key sevrity'? (did you mean severity?)",
    '[[alert]]\nname="x"': "[[alert]] x: when: is missing",
    '[[alert]]\nwhen="lag>1"': "[[alert]] 1: name: is missing",
    '[[alert]]\nname="x"\nwhen="lagg>1"\ngroups="a"':
        "a group has no fact lagg (did you mean lag?)",
    '[[alert]]\nname="x"\nwhen="lag_secnds>1"': "a group has no fact lag_secnds",
    '[[alert]]\nname="x"\nwhen="under_replicated>1"':
        'of: is missing: write of = "topic" or "cluster"',
    '[[alert]]\nname="x"\nwhen="lag>1"\nfor="2 minutes"': "for: '2 minutes' is not a length of",
    '[[alert]]\nname="x"\nwhen="lag>1"\nfor=-1': "for: '-1' is not a length of time",
    '[[alert]]\nname="x"\nwhen="lag>1"\nseverity="critcal"':
        "choose one of info, warning, critical (did you mean critical?)",
    '[[alert]]\nname="x"\nwhen="lag>1"\nnotify=["osp"]\n[notify.ops]\nurl="http://a"':
        "there is no [notify.osp] (did you mean ops?)",
    '[[alert]]\nname="x"\nwhen="lag>1"\ngroups="("': "groups: '(' is not a regular expression",
    '[[alert]]\nname="x"\nwhen="status=GOOD"\ngroups="."': "choose one of OK",
    '[[alert]]\nname="x"\nwhen="lag>1"\ngroups="a"\ntopics="b"': "a rule is about one kind",
    '[[alert]]\nname="x"\nwhen="lag>1"\n[[alert]]\nname="x"\nwhen="lag>1"': "another alert has",
    '[alert]\nname="x"': "alert: write it as [[...]] tables",
    '[notify.a]\nkind="htpp"': "choose one of http, email, command (did you mean http?)",
    '[notify.a]\nkind="http"': "[notify.a]: url: is missing: write url, url_env or url_file",
    '[notify.a]\nurl="ftp://x/T0PSECRET"': "url: it is not an http or https URL",
    '[notify.a]\nurl="http://[x/T0PSECRET"': "url: it is not an http or https URL",
    '[notify.a]\nurl="http://u:T0PSECRET@x"': "url: it contains a user",
    '[notify.a]\nurl="http://x"\nurl_env="X"': "write one of them",
    '[notify.a]\nshape="pagerduty"': "routing_key_env: is missing",
    '[notify.a]\nurl="http://x"\nusername="u"': "password_env: is missing",
    '[notify.a]\nurl="http://x"\npassword="T0PSECRET"': "unknown key 'password' (did you mean",
    '[notify.a]\nurl="http://x"\nheaders={"a b"="c"}': "'a b' is not a valid header",
    '[notify.a]\nto=["x"]\nfrom="a@b"': "'x' is not an e-mail address",
    '[notify.a]\nto=["x@y\\nBcc: z@y"]\nfrom="a@b"': "is not an e-mail address",
    '[notify.a]\ncommand="tell ops"': "write it as a list of words",
    '[notify]\na = 1': "write it as [notify.NAME]",
    '[[silence]]\nwhy="x"\ncluster="a"': "until: is missing",
    '[[silence]]\nwhy="x"\nuntil=2026-11-21': "say what it covers",
    '[[silence]]\ncluster="x"\nuntil=2026-11-21': "why: is missing",
    '[[silence]]\ncluster="x"\nuntil="tomorrow"\nwhy="x"': "'tomorrow' is not a time",
    '[[silence]]\ncluster="x"\nuntil="2h"\nwhy="x"': "'2h' is not a time",
    '[alerts]\nwindw="1m"': "[alerts]: unknown key 'windw' (did you mean window?)",
    '[alerts]\nurl="javascript:x"': "[alerts]: url: it is not an http",
}  # fmt: skip


@each("text, said", list(WRONG.items()), name=lambda case: repr(case[0]))
def test_what_is_wrong_is_told_in_one_line_that_says_where_and_what_to_do(
    text: str, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        read(text)
    line = str(caught.value)
    assert line.startswith("monitor.toml: ")
    assert "\n" not in line
    assert "T0PSECRET" not in line
    assert said.replace("sevrity'?", "'sevrity'") in line, line


def test_all_that_is_wrong_is_told_and_the_rest_holds() -> None:
    text = '[[alert]]\nname="a"\n[[alert]]\nname="b"\nwhen="lag>1"\n[notify.x]\nkind="y"'
    found, problems = read_alert_settings(tomllib.loads(text), "m.toml")
    assert len(problems) == 2
    assert "b" in {rule.name for rule in found.rules}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_can_be_asked_for(shape: str) -> None:
    more = 'routing_key_env="K"' if shape == "pagerduty" else 'url="http://x"'
    assert read(f'[notify.a]\nshape="{shape}"\n{more}').receivers["a"].shape == shape


def test_the_page_about_alerts_names_every_fact_key_and_built_in_rule() -> None:
    page = (Path(__file__).resolve().parents[5] / "docs" / "alerts.md").read_text()
    names = {*ALERT_KEYS, *SILENCE_KEYS, *SHAPES, *BUILT_IN, *ALERT_TABLES}
    names |= {key for keys in RECEIVER_KEYS.values() for key in keys if key != "kind"}
    names |= {name for kind, facts in FACTS.items() if kind != "cluster" for name in facts}
    assert [n for n in sorted(names) if not re.search(rf"\b{re.escape(n)}\b", page)] == []
    for rule in BUILT_IN.values():
        assert str(rule["when"]).replace("|", "\\|") in page
