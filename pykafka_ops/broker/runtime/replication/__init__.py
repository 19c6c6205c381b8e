"""Replication at run time: fetchers, changes of ISRs, the executor of the controller's orders."""
