"""``python -m rh_kernel`` and the script ``rh``: the command line (LANGUAGE §8)."""

from rh_kernel.command_line.arguments import main

__all__ = ["main"]

if __name__ == "__main__":
    raise SystemExit(main())
