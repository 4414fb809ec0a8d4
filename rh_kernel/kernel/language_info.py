"""The ``language_info`` in the reply to ``kernel_info`` and in notebooks."""

from importlib.metadata import version
from typing import Any

VERSION = version("rh_kernel")

LANGUAGE_INFO: dict[str, Any] = {
    "name": "rh",
    "version": VERSION,
    "mimetype": "text/x-rh",
    "file_extension": ".rh",
    # An editor without a mode for the language falls back to this MIME type, where `#` begins a comment as well.
    "codemirror_mode": {"name": "rh", "mime": "text/x-julia"},
    "pygments_lexer": "rh",
    "nbconvert_exporter": "script",
}
