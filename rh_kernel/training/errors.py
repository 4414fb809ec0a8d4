"""Diagnostics about data (RH3xx). ``data.load`` adds the span where the data is named."""

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_kw_only


@frozen_kw_only
class UnknownData(Diagnostic):
    """``data("digts")``"""

    code, title = "RH301", "Unknown data set"
    label = 'there is no data set "{name}"'
    name: str


@frozen_kw_only
class NoSuchFile(Diagnostic):
    """``data("nowhere.csv")``"""

    code, title = "RH302", "No such file"
    label = 'there is no file "{name}"'
    name: str


@frozen_kw_only
class UnreadableFile(Diagnostic):
    """A ``.npz`` that is no archive of arrays, a ``.csv`` that is not text"""

    code, title = "RH303", "File cannot be read"
    label = '"{name}" cannot be read as {kind}'
    name: str
    kind: str


@frozen_kw_only
class NotNumbers(Diagnostic):
    """An array of words, of complex numbers, of Python objects"""

    code, title = "RH304", "Not an array of real numbers"
    label = "`{array}` is not an array of real numbers"
    array: str


@frozen_kw_only
class NotANumber(Diagnostic):
    """``0.5,red``"""

    code, title = "RH305", "Not a number"
    label = "line {line} of the file has no number in column `{column}`"
    line: int
    column: str


@frozen_kw_only
class NotFinite(Diagnostic):
    """``nan`` or ``inf`` among the data"""

    code, title = "RH306", "Missing or infinite number"
    label = "{place} is {found}"
    place: str


@frozen_kw_only
class BatchInPieces(Diagnostic):
    """``train … with adam(0.01, t) … pieces 4``, where ``adam`` performs ``BatchMean``"""

    code, title = "RH313", "Batch cannot be split"
    label = "the samples of a batch meet in `BatchMean`, so the batch cannot be computed in pieces"
    hint: str = "leave out `pieces`; a smaller `batch` needs less memory"


@frozen_kw_only
class LengthsDiffer(Diagnostic):
    """Three samples of ``x`` and four of ``t``"""

    code, title = "RH307", "Different numbers of samples"
    label = "the arrays of the data do not have the same number of samples"


@frozen_kw_only
class NoSamples(Diagnostic):
    """Data without arrays, or arrays of length 0"""

    code, title = "RH308", "No samples"
    label = "there are no samples in {what}"
    what: str


@frozen_kw_only
class BadColumns(Diagnostic):
    """``x0,x2,t``"""

    code, title = "RH309", "Columns do not form an array"
    label = "{why}"
    why: str


@frozen_kw_only
class RaggedRow(Diagnostic):
    """A row that is shorter or longer than the header"""

    code, title = "RH310", "Row of the wrong length"
    label = "line {line} of the file does not have as many entries as the first line"
    line: int


@frozen_kw_only
class MissingLibrary(Diagnostic):
    """``data("digits")`` without scikit-learn, ``data("points.h5")`` without h5py"""

    code, title = "RH311", "Library not installed"
    label = '"{name}" needs {library}, which is not installed'
    name: str
    library: str


@frozen_kw_only
class NoSuchArray(Diagnostic):
    """A sample names an array that the data does not have, or has with another type"""

    code, title = "RH312", "Sample does not fit"
    label = 'a sample of "{name}" has no `{array}` of the required type'
    name: str
    array: str


@frozen_kw_only
class NotExact(Diagnostic):
    """An integer of 64 bits that is no float64 number"""

    code, title = "RH320", "Integer out of range"
    label = "{place} is too large to be kept exactly"
    place: str


@frozen_kw_only
class NoRoom(Diagnostic):
    """A ``.parquet`` file of 100 GB, on a disk with 10 GB left"""

    code, title = "RH321", "No room for converted data"
    label = '"{name}" is larger than the memory allows, and there is no room to convert it to a file that can be read by rows'
    name: str


@frozen_kw_only
class FilesDiffer(Diagnostic):
    """``for (x, t) in data("x.npy")``"""

    code, title = "RH322", "Files and names do not match"
    label = "{why}"
    why: str
