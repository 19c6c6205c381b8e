"""Asks by HTTP and follows no redirect: secrets go where they were meant to go, nowhere else."""

from __future__ import annotations

import ssl
from urllib.request import HTTPRedirectHandler, HTTPSHandler, OpenerDirector, build_opener


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *args: object, **more: object) -> None:
        """An answer that redirects is an HTTPError, as any other that is not 2xx."""


def no_redirect_opener(context: ssl.SSLContext | None = None) -> OpenerDirector:
    """``context`` says how servers are checked; None: as Python does."""
    return build_opener(_NoRedirect, HTTPSHandler(context=context))
