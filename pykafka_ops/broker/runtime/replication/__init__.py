"""Followers and leaders at work: fetchers, changes of ISRs, the controller's orders done."""
