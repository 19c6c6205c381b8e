"""A cluster with a past, made in seconds: what the reports are shown on.

``run`` makes it and runs the reports; the story is in ``plan``.
"""
