"""Clusters used as their clients use them, on a schedule: the steps of ``pko smoke``."""
