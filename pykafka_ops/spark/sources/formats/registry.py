"""Avro schemas of a schema registry (Confluent's API), asked from where Spark reads."""

from __future__ import annotations

import base64
import json
import ssl
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from pykafka_ops.errors import ConnectError, DeserializeError, PkoError, UsageError
from pykafka_ops.payload.avro import ParsedSchema, parsed
from pykafka_ops.payload.registry_answers import field_of, references

_SECONDS: Final = 10.0
_MOST: Final = 4 << 20
_THERE_IS_NONE: Final = (404, 422)
"""Answers that stay the same; all others are of a registry in trouble, or of who asks."""


class Registry:
    """``login``: ``USER:PASSWORD``, or nothing; ``ca``: a file of certificates."""

    def __init__(self, url: str, login: str = "", ca: str = "") -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
            raise UsageError("option schema.registry.url: write http://HOST:PORT or https://HOST")
        self._url, self._login, self._ca = url.rstrip("/"), login, ca

    def newest(self, subject: str) -> ParsedSchema:
        """The newest schema of a subject; PkoError where there is none, ConnectError where the
        registry does not answer or lets nobody in."""
        return self._schema(f"/subjects/{quote(subject, safe='')}/versions/latest", subject)

    def written(self, number: int) -> ParsedSchema:
        """The schema of an id. DeserializeError where there is none; ConnectError where the
        registry does not answer or lets nobody in, which is no fault of a record."""
        try:
            return self._schema(f"/schemas/ids/{number}", f"schema {number}")
        except ConnectError:
            raise
        except PkoError as e:
            raise DeserializeError(str(e)) from None

    def _schema(self, path: str, what: str) -> ParsedSchema:
        body = self._ask(path)
        if body.get("schemaType", "AVRO") != "AVRO":
            raise PkoError(f"schema registry: {what} is {body['schemaType']}, not AVRO")
        try:
            named = [text for _, text in references(body, self._ask)]
            text = field_of(body, "schema")
        except DeserializeError as e:
            raise PkoError(f"schema registry: {what}: {e}") from None
        return parsed(text, what, named)

    def _ask(self, path: str) -> Any:
        host = urlsplit(self._url).netloc
        request = Request(self._url + path, headers={"Accept": "application/json"})
        if self._login:
            basic = base64.b64encode(self._login.encode()).decode()
            request.add_header("Authorization", f"Basic {basic}")
        try:
            context = ssl.create_default_context(cafile=self._ca or None)
            opener = build_opener(_NoRedirect, HTTPSHandler(context=context))
            with opener.open(request, timeout=_SECONDS) as answer:
                found = json.loads(answer.read(_MOST))
        except HTTPError as e:
            kind = PkoError if e.code in _THERE_IS_NONE else ConnectError
            raise kind(f"schema registry {host}: HTTP {e.code} for {path}") from None
        except URLError as e:
            raise ConnectError(f"schema registry {host}: {e.reason}") from None
        except (OSError, ValueError) as e:
            raise ConnectError(f"schema registry {host}: {e}") from None
        if not isinstance(found, dict):
            raise PkoError(f"schema registry {host}: no schema in the answer for {path}")
        return found


class _NoRedirect(HTTPRedirectHandler):
    """A login goes nowhere else."""

    def redirect_request(self, *args: Any) -> None:
        return None
