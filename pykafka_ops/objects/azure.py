"""Azure's stores with the keys that Azure's own tools take; ``pyarrow.fs`` reads none in a URI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

KEY: Final = "AZURE_STORAGE_KEY"
SAS: Final = "AZURE_STORAGE_SAS_TOKEN"
_DOMAINS: Final = (".blob.core.windows.net", ".dfs.core.windows.net")
_KINDS: Final = ("credential_kind", "tenant_id", "client_id", "client_secret")
"""Parameters that say by themselves how to get in."""


class AzureLogin(NamedTuple):
    """An account, where it is (authorities are "" for Azure's own), and the secret to get in."""

    account: str
    blobs: str
    lake: str
    scheme: str
    key: str | None
    sas: str | None

    def filesystem(self) -> FileSystem:
        """The account's file system."""
        from pyarrow.fs import AzureFileSystem

        return AzureFileSystem(
            self.account,
            account_key=self.key,
            sas_token=self.sas,
            blob_storage_authority=self.blobs or None,
            dfs_storage_authority=self.lake or None,
            blob_storage_scheme=self.scheme,
            dfs_storage_scheme=self.scheme,
        )


def login_of(uri: str, env: Mapping[str, str]) -> AzureLogin | None:
    """The login of a URI that has a key as its password, or by the variables of Azure's command
    line; None where a token has to be asked for. Forms of URIs are those of ``pyarrow.fs``:
    ``CONTAINER@ACCOUNT.dfs.core.windows.net/PATH``, ``ACCOUNT.blob.core.windows.net/CONTAINER``,
    ``ACCOUNT[:KEY]@CONTAINER/PATH``, ``ACCOUNT[:KEY]@HOST:PORT/CONTAINER``."""
    parts = urlsplit(uri)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    key = unquote(parts.password) if parts.password else None
    sas = None
    if key is None and not any(name in query for name in _KINDS):
        sas = env.get(SAS)
        key = None if sas else env.get(KEY)
    if not key and not sas:
        return None
    host = parts.netloc.rpartition("@")[2]
    domain = next((end for end in _DOMAINS if host.endswith(end)), "")
    elsewhere = host if not domain and ("." in host or ":" in host) else ""
    return AzureLogin(
        account=host.removesuffix(domain) if domain else unquote(parts.username or ""),
        blobs=query.get("blob_storage_authority", elsewhere),
        lake=query.get("dfs_storage_authority", elsewhere),
        scheme="http" if query.get("enable_tls") == "false" else "https",
        key=key or None,
        sas=sas or None,
    )
