"""Diagnostics about programs that leave for other array languages (RH39x)."""

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_kw_only


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
