"""Typesetting of documents by pdfLaTeX, if it is installed."""

import shutil
import subprocess
from pathlib import Path


def has_tex(*files: str) -> bool:
    """Whether pdfLaTeX and these files are installed."""
    finder = shutil.which("kpsewhich")
    if finder is None or shutil.which("pdflatex") is None:
        return False
    return all(subprocess.run([finder, file], capture_output=True, check=False).returncode == 0 for file in files)


def typeset(file: Path, text: str) -> None:
    """Typeset a document and assert that there is no error."""
    file.write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", file.name]
    done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    assert file.with_suffix(".pdf").exists()
