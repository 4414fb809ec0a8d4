"""``.tsv``: a table as in ``.csv``, with tabs between the columns."""

from rh_kernel.training.reading.format import Format
from rh_kernel.training.reading.table import open_csv

TSV = Format("tsv", (".tsv",), "a table in UTF-8 with tabs", open_csv)
