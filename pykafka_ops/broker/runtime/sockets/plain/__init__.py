"""Sockets of clients that speak no TLS: waited for, read and written with no other layer between.

The loop is told of one descriptor, which stands for all of them (epoll): in one call it serves many
clients. Where the system has no epoll, and for TLS, the loop's own transports do the same.
"""

from __future__ import annotations

from pykafka_ops.compiled import use_library

use_library(f"{__name__}.transport")
