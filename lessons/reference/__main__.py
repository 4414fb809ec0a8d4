"""``python -m lessons.reference`` writes what follows from the code: parts of the appendix, and files of the program.

With ``--check`` it only says what is out of date.
"""

import sys
from pathlib import Path

from lessons.reference.files import files
from lessons.reference.pages import APPENDIX, COMMAND, documents, filled, pages, written
from lessons.reference.running import ROOT


def main(arguments: list[str]) -> int:
    """1 if something is out of date, and was only to be checked."""
    if arguments not in ([], ["--check"]):
        print(f"usage: {COMMAND} [--check]", file=sys.stderr)
        return 2
    stale = {
        path: text for path, text in texts().items() if text != (path.read_text(encoding="utf-8") if path.exists() else "")
    }
    for path, text in stale.items():
        if arguments:
            print(f"{path.relative_to(ROOT)} is out of date", file=sys.stderr)
        elif text:
            path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(ROOT)} was written")
        else:
            path.unlink()
            print(f"{path.relative_to(ROOT)} was removed")
    if arguments and stale:
        print(f"regenerate it: {COMMAND}", file=sys.stderr)
    return 1 if arguments and stale else 0


def texts() -> dict[Path, str]:
    """What each file should be; one that should not be there has no text."""
    appendix = {APPENDIX / name: written(page) for name, page in pages().items()}
    return {**appendix, **{path: filled(page) for path, page in documents().items()}, **files()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
