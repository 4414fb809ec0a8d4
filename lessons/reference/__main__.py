"""``python -m lessons.reference`` writes the generated parts of the appendix; ``--check`` tells which are not up to date."""

import sys

from lessons.reference.pages import APPENDIX, COMMAND, pages, written


def main(arguments: list[str]) -> int:
    """1 if a page is not as the code has it, and was only to be checked."""
    if arguments not in ([], ["--check"]):
        print(f"usage: {COMMAND} [--check]", file=sys.stderr)
        return 2
    stale = 0
    for name, page in pages().items():
        anew = written(page)
        if anew == page:
            continue
        stale += 1
        if arguments:
            print(f"lessons/appendix/{name} is not as the code has it", file=sys.stderr)
        else:
            (APPENDIX / name).write_text(anew, encoding="utf-8")
            print(f"lessons/appendix/{name} was written")
    if arguments and stale:
        print(f"write it anew: {COMMAND}", file=sys.stderr)
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
