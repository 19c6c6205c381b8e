"""What the options of Krb5LoginModule mean, and what is missing."""

from __future__ import annotations

import sys
from unittest import mock

import pytest

from pykafka_ops.errors import SettingError
from pykafka_ops.security import kerberos
from pykafka_ops.security.kerberos_login import (
    KerberosLogin,
    acceptor_of,
    login_of,
    service_name,
)

KEYS = {"useKeyTab": "true", "keyTab": "file:/k", "principal": "a/h@R"}


@pytest.mark.parametrize(
    ("options", "login"),
    [
        (KEYS, KerberosLogin("a/h@R", "/k", None)),
        ({"useTicketCache": "TRUE"}, KerberosLogin(None, None, "")),
        ({"useTicketCache": "true", "ticketCache": "/c"}, KerberosLogin(None, None, "/c")),
        ({**KEYS, "useTicketCache": "true"}, KerberosLogin("a/h@R", "/k", "")),
    ],
)
def test_a_keytab_or_a_ticket_cache_is_taken(options: dict[str, str], login: KerberosLogin) -> None:
    assert login_of(options) == login


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "has no keys"),
        ({"keyTab": "/k", "principal": "a"}, "has no keys"),
        ({"useKeyTab": "true", "principal": "a"}, "needs keyTab and principal"),
        ({"useKeyTab": "true", "keyTab": "/k"}, "needs keyTab and principal"),
    ],
)
def test_without_keys_nobody_logs_in(options: dict[str, str], words: str) -> None:
    with pytest.raises(SettingError, match=words):
        login_of(options)


def test_a_broker_has_a_keytab_and_a_host() -> None:
    assert acceptor_of(KEYS).principal == "a/h@R"
    for wrong in (
        {"useTicketCache": "true"},
        {**KEYS, "principal": "a@R"},
        {**KEYS, "principal": "a@b@c"},
    ):
        with pytest.raises(SettingError):
            acceptor_of(wrong)


def test_the_service_is_named_once() -> None:
    assert service_name("kafka", {}) == service_name(None, {"serviceName": "kafka"}) == "kafka"
    assert service_name("kafka", {"serviceName": "kafka"}) == "kafka"
    with pytest.raises(SettingError, match="Conflicting serviceName values"):
        service_name("kafka", {"serviceName": "other"})
    with pytest.raises(SettingError, match="No serviceName defined in either JAAS or Kafka config"):
        service_name(None, {})


def test_without_the_package_the_line_names_the_extra() -> None:
    with (
        mock.patch.dict(sys.modules, {"gssapi": None}),
        pytest.raises(SettingError, match=r"pip install 'pykafka-ops\[kerberos\]'"),
    ):
        kerberos.library()
