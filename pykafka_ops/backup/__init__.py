"""Topics, settings, groups and access rules of a cluster, kept in a directory or an object store.

A backup grows by runs: each adds segment files of what came since, and a manifest, written last,
that says what they hold. Files are Kafka's own (``.log``, ``.index``, ``.timeindex``,
``.txnindex``) in Kafka's own layout, so that everything that reads logs reads a backup; or Parquet.
"""
