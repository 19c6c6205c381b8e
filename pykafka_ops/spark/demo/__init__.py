"""A cluster with days of history, made in seconds, to show the reports on.

``run`` makes it and runs the reports; the story is in ``plan``.
"""
