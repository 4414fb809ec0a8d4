"""What the search of the book reads: its sections, in a script, since a page opened as a file may load nothing else."""

import json
from collections.abc import Mapping
from pathlib import Path
from shutil import copyfile

from lessons.press.sections import sections
from lessons.reference.mentions import SUMMARY

ASSETS = Path(__file__).parent / "assets"
"""The scripts of the book: its own, and MiniSearch, which comes with its licence."""

FOLDER, DATA = "assets", "search-data.js"
"""Where the scripts of a book are, and that with the sections."""


def write_search(pages: Mapping[str, str], folder: Path) -> Path:
    """Write the scripts into a book's folder, and return the path of that with the data.

    ``pages`` are the titles of the pages by their addresses.
    """
    there = folder / FOLDER
    there.mkdir(parents=True, exist_ok=True)
    for script in sorted(ASSETS.glob("*.js")):
        copyfile(script, there / script.name)
    found = [
        (number, section.anchor, section.title, section.text)
        for number, address in enumerate(pages)
        for section in sections((folder / address).read_text(encoding="utf-8"))
        if section.title != SUMMARY
    ]
    known = [{"address": address, "title": title} for address, title in pages.items()]
    text = json.dumps({"pages": known, "sections": found}, ensure_ascii=False, separators=(",", ":"))
    path = there / DATA
    path.write_text(f"window.rhBook = {text};\n", encoding="utf-8")
    return path
