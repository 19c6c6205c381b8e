"""Servers of Spark Connect: what their URLs may be, and what is shown of them."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.spark import remote


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("sc://host", "sc://host"),
        ("sc://host:15002", "sc://host:15002"),
        ("sc://host:15002/;token=hush;use_ssl=true", "sc://host:15002"),
        ("host/;token=hush", "host"),
    ],
)
def test_parameters_of_a_url_are_shown_nowhere(url: str, wanted: str) -> None:
    assert remote.shown(url) == wanted


def test_a_url_that_is_none_is_refused_without_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "need_pyspark", lambda: None)
    monkeypatch.setattr(remote, "need_client", lambda: None)
    with pytest.raises(UsageError, match=r"^--remote http://host: write sc://HOST:PORT$"):
        remote.connect("http://host/;token=hush", {})
