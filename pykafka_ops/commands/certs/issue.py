"""``pko certs ca`` and ``issue``: files that brokers and clients of both kinds take."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.secret import is_given, password
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.security import jks_writing

if TYPE_CHECKING:
    from types import ModuleType

COLUMNS: Final = (Column("file"), Column("holds"))
CA: Final = "ca"
AUTHORITY: Final = "pko test authority"
_PUBLIC: Final = ("ca.pem", "ca.p12", "ca.jks")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


class CertificateFileError(PkoError):
    """A file cannot be written."""


def authority(run: Run) -> Table:
    """``ca.pem``, ``ca.key``, and ``ca.p12`` where a password is given."""
    made = _made()
    secret = password(run, "the trust store") if is_given(run) else ""
    identity = made.new_authority(run.args.text("name") or AUTHORITY, _days(run))
    files: dict[str, tuple[bytes, str]] = {
        "ca.key": (identity.key_pem(), "the authority's private key"),
        "ca.pem": (identity.certificate_pem(), "what to trust: ssl.truststore.location"),
    }
    if secret:
        store = made.trust_store(identity, secret)
        files["ca.p12"] = store, "the same for Java: ssl.truststore.location"
    if run.args.has("jks"):
        store = jks_writing.trust_store(CA, identity.certificate_der(), _needed(secret))
        files["ca.jks"] = store, "the same as JKS"
    return _written(run, files)


def issue(run: Run) -> Table:
    """``NAME.pem``, and ``NAME.p12`` where a password is given."""
    made = _made()
    name = run.args.text("name") or ""
    if not _NAME.fullmatch(name) or name == CA:
        raise UsageError(f"{name}: write letters, digits, . _ @ and -, and not {CA}")
    key, certificate = (_read(os.path.join(_dir(run), file)) for file in ("ca.key", "ca.pem"))
    try:
        signer = made.read_identity(key, certificate)
    except ValueError:
        raise UsageError(f"{_dir(run)}: ca.key and ca.pem are not those of pko certs ca") from None
    secret = password(run, f"the key store of {name}") if is_given(run) else ""
    identity = made.new_identity(signer, name, run.args.names("host"), _days(run))
    whole = identity.key_pem() + identity.certificate_pem() + signer.certificate_pem()
    what = "private key and certificates: ssl.keystore.location"
    files = {f"{name}.pem": (whole, what)}
    if secret:
        store = made.key_store(identity, signer, name, secret)
        files[f"{name}.p12"] = store, "the same for Java: ssl.keystore.location"
    if run.args.has("jks"):
        chain = [identity.certificate_der(), signer.certificate_der()]
        store = jks_writing.key_store(name, identity.key_der(), chain, _needed(secret))
        files[f"{name}.jks"] = store, "the same as JKS"
    return _written(run, files)


def _needed(secret: str) -> str:
    if not secret:
        raise UsageError("--jks: such a store has a password: --password-file or --password-env")
    return secret


def _made() -> ModuleType:
    try:
        from pykafka_ops.security import issuing as made
    except ImportError:
        raise UsageError("certificates are made with: pip install 'pykafka-ops[certs]'") from None
    return made


def _dir(run: Run) -> str:
    return os.path.expanduser(run.args.text("dir") or ".")


def _days(run: Run) -> int:
    return -1 if run.args.has("ended") else run.args.number("days") or 0


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(1 << 20)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; pko certs ca makes an authority") from None


def _written(run: Run, files: dict[str, tuple[bytes, str]]) -> Table:
    """Write new files, which nobody else may read where a private key is in them; none is written
    over another."""
    there = [name for name in files if os.path.lexists(os.path.join(_dir(run), name))]
    if there:
        raise UsageError(f"{os.path.join(_dir(run), there[0])} is there already: remove it first")
    rows = []
    for name, (data, what) in files.items():
        path = os.path.join(_dir(run), name)
        try:
            os.makedirs(_dir(run), exist_ok=True)
            mode = 0o644 if name in _PUBLIC else 0o600
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(fd, "wb") as file:
                file.write(data)
        except OSError as error:
            raise CertificateFileError(f"{path}: {error.strerror}") from None
        rows.append({"file": path, "holds": what})
    return Table("certificate-files", COLUMNS, rows)
