"""Prints a client's first token of GSSAPI for ``kafka@localhost``, as hexadecimal digits.

A process of its own may have another clock (``faketime``) and another ``krb5.conf``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

SERVICE = "kafka@localhost"


def token(cache: Path, env: Mapping[str, str]) -> bytes:
    """One by the tickets in a cache."""
    argv = [sys.executable, "-m", "tests.support.process.kerberos_token"]
    whole = {**os.environ, **env, "KRB5CCNAME": f"FILE:{cache}"}
    done = subprocess.run(argv, capture_output=True, text=True, env=whole, timeout=300)
    assert done.returncode == 0, done.stderr
    return bytes.fromhex(done.stdout)


def main() -> None:
    import gssapi

    name = gssapi.Name(SERVICE, gssapi.NameType.hostbased_service)
    flags = gssapi.RequirementFlag.mutual_authentication | gssapi.RequirementFlag.integrity
    context = gssapi.SecurityContext(
        name=name, flags=flags, mech=gssapi.MechType.kerberos, usage="initiate"
    )
    print(context.step().hex())


if __name__ == "__main__":
    main()
