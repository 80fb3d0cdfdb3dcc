"""Tables in and out: CSV, TSV, JSONL and Parquet, each also packed with gzip, and workbooks; `-` is standard input.

One array of JSON objects (`documents`) and ballots of PrefLib (`preflib`) are read, and frames of pandas and polars are
tables too (`frames`). This is the only place that opens data files. Reading goes upwards in steps, each in its own
file: `source` (a path becomes a stream of bytes in a known format), `raw` (bytes become blocks of whole records),
`fields` (records are checked), `batches` (blocks become frames), `columns` or `features` (frames become arrays, or
typed frames); `loosely` makes text of all cells, for who looks for words. `forms`, `numbers` and `moments` know how
people write things, and :class:`Reading` carries what was asked and what was found. Memory stays near the size of what
was asked for. What is wrong with a file is said in one line that names the row, counted from 1 after the header, and
the column.
"""

from ordain.tables.columns import Category, Columns, read_columns
from ordain.tables.features import feature_batches, read_features
from ordain.tables.forms import Forms, typed
from ordain.tables.frames import Table, frame_of, reading_of
from ordain.tables.labels import Meaning, grades, label_notices, labels, meaning
from ordain.tables.numbers import Form
from ordain.tables.reading import Reading
from ordain.tables.writing import check_writable, write_frames, write_table

__all__ = [
    "Category",
    "Columns",
    "Form",
    "Forms",
    "Meaning",
    "Reading",
    "Table",
    "check_writable",
    "feature_batches",
    "frame_of",
    "grades",
    "label_notices",
    "labels",
    "meaning",
    "read_columns",
    "read_features",
    "reading_of",
    "typed",
    "write_frames",
    "write_table",
]
