"""``rh fmt``: rewrite a file in canonical layout, or with ``--check`` test whether it has it."""

import sys

from rh_kernel.command_line.files import STANDARD_INPUT, read, write
from rh_kernel.command_line.report import Report
from rh_kernel.syntax.parsing.formatting import format_source


def fmt(file: str, report: Report, *, only_check: bool) -> None:
    """Rewrite the file; standard input is formatted to standard output. Raises ``Rejected`` if it does not parse."""
    source = read(file)
    text = format_source(source)
    if only_check:
        if text != source.text:
            report.failed = True
            sys.stderr.write(f"{source.name} would be reformatted\n")
    elif file == STANDARD_INPUT:
        sys.stdout.write(text)
    elif text != source.text:
        write(file, text)
        sys.stderr.write(f"{file} was reformatted\n")
