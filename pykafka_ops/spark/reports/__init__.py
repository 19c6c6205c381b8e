"""The reports: each takes ``Inputs`` and ``Options`` and gives a ``Report``."""
