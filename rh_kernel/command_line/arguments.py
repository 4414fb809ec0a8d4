"""The command-line parser, and the exit codes: 0 if no item failed, 1 if one did, 2 for a usage error."""

import argparse
import contextlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from rh_kernel.command_line.report import Report
    from rh_kernel.session.settings import Settings

FAILED = 1
MISUSED = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code. Never prints a Python traceback."""
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "lab":
        parser.error(f"unknown: {' '.join(rest)}")
    if options.command is None:
        parser.print_help(sys.stderr)
        return MISUSED
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    try:
        code = _perform(options, rest)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe; Python would report that again when it closes the stream.
        _close_output()
        return FAILED
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return INTERRUPTED
    except Exception as exception:
        sys.stdout.flush()
        from rh_kernel.display.fault import fault

        sys.stderr.write(fault(exception, _version()).text + "\n")
        return FAILED
    return code


def _perform(options: argparse.Namespace, rest: Sequence[str]) -> int:
    if options.command == "install":
        from rh_kernel.command_line.jupyter import install

        return install(user=options.user, prefix=options.prefix, preloaded=options.preloaded)
    if options.command == "lab":
        from rh_kernel.command_line.jupyter import lab

        return lab(rest)
    return _perform_on_file(options)


def _perform_on_file(options: argparse.Namespace) -> int:
    from rh_kernel.command_line.report import Report
    from rh_kernel.session.settings import Evaluator, Settings
    from rh_kernel.source.diagnostic import Failure

    report = Report(as_json=options.json)
    settings = Settings(options.strict, Evaluator(options.evaluator), precision=options.dtype, device=options.device)
    try:
        if options.command == "grade" and (len(options.file) > 1 or options.csv):
            from rh_kernel.command_line.grading_many import grade_all

            words = ["--strict"] if options.strict else []
            grade_all(options.file, report, main, words, options.jobs, options.timeout, as_csv=options.csv)
            return FAILED if report.failed else 0
        with report.alive():
            _dispatch(options, report, settings)
    except Failure as failure:
        report.failure(failure.diagnostics)
    return FAILED if report.failed else 0


def _dispatch(options: argparse.Namespace, report: "Report", settings: "Settings") -> None:
    """Run one of the commands on a file, importing only what it needs: running a program draws no diagrams."""
    match options.command:
        case "run":
            from rh_kernel.command_line.running import run
            from rh_kernel.session.settings import device_warning

            if warning := device_warning(settings):
                sys.stderr.write(warning + "\n")
            run(options.file, report, settings)
        case "check":
            from rh_kernel.command_line.running import check

            check(options.file, report, settings)
        case "grade":
            from rh_kernel.command_line.grading import grade

            grade(options.file[0], report, settings)
        case "trace":
            from rh_kernel.command_line.last_command import trace

            trace(options.file, report, settings, full=options.full)
        case "compile":
            from rh_kernel.command_line.last_command import compile_last

            shows = "passes" if options.passes else "profile" if options.profile else ""
            compile_last(options.file, report, settings, shows)
        case "diagram":
            from rh_kernel.command_line.diagrams import diagram
            from rh_kernel.session.rounds_shown import RoundsShown

            rounds = "folded" if options.folded else "unrolled" if options.unrolled else "once"
            diagram(options.file, report, settings, options.output, RoundsShown(rounds))
        case "export":
            from rh_kernel.command_line.exporting import export

            export(options.file, report, settings, options.output, options.net, options.target)
        case "import":
            from rh_kernel.command_line.importing import import_model

            import_model(options.file, options.output, options.result, overwrite=options.overwrite)
        case _:
            from rh_kernel.command_line.formatting import fmt

            fmt(options.file, report, only_check=options.check)


def _close_output() -> None:
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """Reports a usage error in two lines, the second pointing to ``--help``."""

    def error(self, message: str) -> NoReturn:
        """Exit with 2."""
        self.exit(MISUSED, f"{self.prog}: {message}\n`{self.prog} --help` tells more\n")


class _Version(argparse.Action):
    """Prints the version, which is looked up only on demand because that is slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Exit with 0."""
        sys.stdout.write(f"rh_kernel {_version()}\n")
        parser.exit()


def _version() -> str:
    from importlib.metadata import version

    return version("rh_kernel")


def _count(word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word)):
        raise argparse.ArgumentTypeError(f"a number from 1 is expected, not {word!r}")
    return int(word)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="rh", description="Programs with reverse handlers: typecheck, run, step, compile, train.")
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=_Parser)
    for name, text in (
        ("run", "run every item of a file"),
        ("check", "typecheck every item of a file, and run nothing"),
        ("grade", "tell which locked cells of a notebook pass, running none of its Python"),
        ("trace", "show every reduction step of the last command of a file"),
        ("compile", "show the straight-line program of the last command or training run of a file"),
        ("diagram", "show the string diagram of the last command of a file"),
        ("export", "run a file and write its last net, with its weights, for NumPy, JAX, PyTorch or ONNX"),
        ("fmt", "write a file in canonical layout"),
        ("import", "write the model in an .onnx file as a program"),
    ):
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        if name == "grade":
            command.add_argument("file", metavar="FILE", nargs="+", help="the notebook, or - for standard input, or several")
        else:
            command.add_argument("file", metavar="FILE", help="the file, or - for standard input")
        command.set_defaults(evaluator="compiled", device="cpu", dtype="float64")
        if name == "import":
            command.add_argument("-o", "--output", metavar="OUT", help="write it to OUT, and the weights beside it")
            command.add_argument("--result", action="append", default=[], metavar="NAME", help="a result that is wanted")
            command.add_argument("--overwrite", action="store_true", help="write it in the place of files of these names")
            command.set_defaults(json=False, strict=False)
        elif name == "fmt":
            command.add_argument("--check", action="store_true", help="write nothing; exit with 1 if it would change")
            command.set_defaults(json=False, strict=False)
        else:
            command.add_argument("--json", action="store_true", help="print one JSON object a line")
            command.add_argument("--strict", action="store_true", help="begin with %%strict on")
        if name == "grade":
            command.add_argument("--csv", action="store_true", help="print a table with a line for each notebook")
            command.add_argument("--jobs", type=_count, metavar="N", help="grade so many at a time, not one on each core")
            command.add_argument(
                "--timeout", type=float, default=600, metavar="SECONDS", help="for each of several; 600 if not given"
            )
        if name == "run":
            command.add_argument(
                "--evaluator", choices=("compiled", "stepped", "denoted"), help="begin with %%evaluator of that name"
            )
            command.add_argument("--device", choices=("cpu", "gpu"), help="begin with %%device of that name")
        if name == "export":
            command.add_argument("-o", "--output", metavar="OUT", required=True, help="the file to write: .py, .onnx or .pt2")
            command.add_argument("--net", metavar="NAME", help="the net to export, if not the last one")
            command.add_argument("--as", dest="target", metavar="TARGET", help="numpy, jax or torch, if not by the suffix")
        if name in {"run", "export"}:
            command.add_argument("--dtype", choices=("float64", "float32"), help="begin with %%dtype of that name")
        if name == "compile":
            shown = command.add_mutually_exclusive_group()
            shown.add_argument("--passes", action="store_true", help="show the program after each pass")
            shown.add_argument("--profile", action="store_true", help="show what each step takes, predicted and measured")
        if name == "trace":
            command.add_argument("--full", action="store_true", help="with --json: cut no term, however long it is")
        if name == "diagram":
            command.add_argument("-o", "--output", metavar="OUT", help="write it to OUT: .svg, .tex (TikZ) or .dot (Graphviz)")
            ways = command.add_mutually_exclusive_group()
            ways.add_argument("--folded", action="store_true", help="draw each clause, and all rounds of a loop, as one box")
            ways.add_argument("--unrolled", action="store_true", help="draw the first two rounds of a loop and the last one")
    command = commands.add_parser("install", help="register the kernel with Jupyter")
    place = command.add_mutually_exclusive_group()
    place.add_argument("--user", action="store_true", help="for you alone, wherever Jupyter is")
    place.add_argument("--prefix", metavar="FOLDER", help="beside the Python that is installed there")
    command.add_argument("--preloaded", action="store_true", help="start kernels sooner, forked from one process (Linux)")
    commands.add_parser("lab", help="open JupyterLab; what follows is passed on", add_help=False)
    return parser
