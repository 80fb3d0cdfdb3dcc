"""Tables in and out: CSV, TSV, JSONL and Parquet, each also packed with gzip; `-` is standard input or output.

This is the only place that opens data files. Reading goes upwards through four steps, each in its own file: `source`
(a path becomes a stream of bytes in a known format), `raw` (bytes become blocks of whole records, checked), `batches`
(blocks become frames) and `columns` (frames become arrays). Memory stays near the size of what was asked for. What is
wrong with a file is said in one line that names the row, counted from 1 after the header, and the column.
"""

from ordain.tables.batches import read_batches
from ordain.tables.columns import Category, Columns, read_columns
from ordain.tables.features import feature_batches, read_features
from ordain.tables.labels import grades, labels
from ordain.tables.writing import check_writable, write_frames, write_table

__all__ = [
    "Category",
    "Columns",
    "check_writable",
    "feature_batches",
    "grades",
    "labels",
    "read_batches",
    "read_columns",
    "read_features",
    "write_frames",
    "write_table",
]
