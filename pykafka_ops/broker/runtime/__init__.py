"""A running broker: what has a socket, a timer or a task, and what builds and stops it all.

Begin with ``broker`` (the order of a start and a stop) and ``parts`` (what a broker consists of, by
name); ``process`` makes a process of it. A request comes in by ``sockets`` and is an ``Exchange``
from its arrival to its end. ``cluster`` is this broker among others, ``controller`` the broker that
decides for them, ``replication`` what it decides, done here: lead, follow, copy. ``logs`` keeps
house on disk, ``settings`` says what counts and follows changes.
"""
