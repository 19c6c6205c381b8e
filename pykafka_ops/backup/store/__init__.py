"""Where a backup lies: a directory, or what PyArrow reaches (s3, gs, abfs, hdfs).

Names are paths with ``/`` between their parts, none of them ``.`` or ``..``.
"""
