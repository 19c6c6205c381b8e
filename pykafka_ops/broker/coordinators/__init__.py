"""Drives the coordinators: loads their partitions, appends what they decide, keeps their time."""
