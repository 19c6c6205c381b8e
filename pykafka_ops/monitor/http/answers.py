"""JSON answers, and errors in the form of our own API."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from starlette.responses import Response

NO_STORE = {"Cache-Control": "no-store"}


def json_answer(body: Any, status: int = 200, **headers: str) -> Response:
    """A body as JSON. NaN and infinity are no JSON: ValueError."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Response(
        text.encode("utf-8", "replace"),
        status,
        {**NO_STORE, **headers},
        media_type="application/json",
    )


def refused(status: int, code: str, message: str, hint: str = "") -> Response:
    """``{"error": {"code", "message", "hint"}}``."""
    error = {"code": code, "message": message, "hint": hint or None}
    return json_answer({"error": error}, status)


def no_cluster(name: str, watched: Iterable[str]) -> Response:
    """A cluster of that name is not watched."""
    hint = f"watched: {', '.join(watched)}"
    return refused(404, "UNKNOWN_CLUSTER", f"no cluster {name}", hint)
