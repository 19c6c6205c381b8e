"""The runs of reports that ``--history`` keeps: how their files are named, what is in them. Reads
without Spark."""
