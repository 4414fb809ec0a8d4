"""``python -m lessons.browser OUT``: the lessons as a site of JupyterLite, for any web server that serves files."""

import argparse
import sys
from pathlib import Path

from lessons.browser.distribution import Unbuildable, Unobtainable
from lessons.browser.site import build


def main() -> int:
    """Build the site and say where it is; 1 if a part of it is not available."""
    parser = argparse.ArgumentParser(prog="python -m lessons.browser", description=__doc__)
    parser.add_argument("out", type=Path, help="the folder of the site; what is there is replaced")
    parser.add_argument("--cache", type=Path, default=Path("build/.lite"), help="what has been fetched (default: %(default)s)")
    parser.add_argument("--pyodide", type=Path, metavar="FOLDER", help="an unpacked release of Pyodide; nothing is fetched")
    parser.add_argument("--notebooks", type=Path, metavar="FOLDER", help="a folder of notebooks, in the place of the lessons")
    arguments = parser.parse_args()
    try:
        build(arguments.out, arguments.cache, given=arguments.pyodide, notebooks=arguments.notebooks)
    except (Unbuildable, Unobtainable) as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"The site is in {arguments.out}; to look at it:")
    print(f"  {sys.executable} -m http.server --bind 127.0.0.1 --directory {arguments.out}")
    return 0


sys.exit(main())
