"""Quotas of clients: who has which, and how long those beyond it must wait."""
