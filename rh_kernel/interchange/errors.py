"""Diagnostics about models that are imported (RH37x), and programs that are exported (RH39x)."""

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_kw_only


@frozen_kw_only
class CannotImport(Diagnostic):
    """A convolution with stride 2"""

    code, title = "RH371", "Operation cannot be imported"
    label = "{operation} cannot be imported: {why} ({places})"
    operation: str
    why: str
    places: str


@frozen_kw_only
class BadModel(Diagnostic):
    """A truncated ``.onnx`` file, a graph with a cycle"""

    code, title = "RH372", "Model cannot be read"
    label = '"{name}" cannot be read as a model: {why}'
    hint: str = "see whether the library that it comes from can read and run it"
    name: str
    why: str


@frozen_kw_only
class NoSampleAxis(Diagnostic):
    """An example of shape (28, 28), or of 32 samples"""

    code, title = "RH373", "No axis of one sample"
    label = "{why}"
    why: str
    hint: str = (
        "give an example of one sample, whose first axis has the length 1; if the model takes a sample as such: batch=False"
    )


@frozen_kw_only
class CannotWriteModel(Diagnostic):
    """An imported model that is saved in a folder that is not there"""

    code, title = "RH374", "Imported model cannot be written"
    label = '"{name}" cannot be written'
    hint: str = "choose another name or folder"
    name: str


@frozen_kw_only
class NoTranslation(Diagnostic):
    """A symbol of a plug-in that says nothing about other array languages"""

    code, title = "RH391", "No translation"
    label = "`{symbol}` cannot be expressed in {language}"
    hint: str = "a function symbol needs a `translation` or a `decomposition`"
    symbol: str
    language: str = "another array language"


@frozen_kw_only
class GenericNet(Diagnostic):
    """``%export gru to "gru.py"``, where ``gru`` has a location as a parameter"""

    code, title = "RH392", "Net is generic"
    label = "`{name}` depends on {what}, which has to be given before it can be exported"
    hint: str = "declare a net that uses it with locations and sizes of yours, and export that one"
    name: str
    what: str


@frozen_kw_only
class NotInstalled(Diagnostic):
    """``%export predict to "predict.onnx"`` without the library ``onnx``"""

    code, title = "RH393", "Library not installed"
    label = "an export to {target} needs the library {missing}, which is not installed here"
    target: str
    missing: str
