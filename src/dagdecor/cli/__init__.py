"""The command `dagdecor`: flags in, the library's answers out, exit code 2 on a refusal.

A command is a file of this room with a function of the same name; typer reads its signature, users
read its docstring, and what is slow to import is imported inside it.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from dagdecor import __version__
from dagdecor.errors import DagdecorError

COMMANDS = (  # in the order of the help
    "check",
    "fit",
    "effects",
    "confidence",
    "alternatives",
    "path",
    "identify",
    "simulate",
    "compare",
    "plot",
    "convert",
    "study",
    "data",
    "demo",
)

app = typer.Typer(
    name="dagdecor",
    help="Causal graphs from a table when hidden common causes are feared.",
    epilog="Exit codes: 0 done, 2 refused with one sentence (data, option, file), "
    "130 stopped by Ctrl-C, 141 the reader of a pipe went away, 1 anything else.",
    no_args_is_help=True,
    rich_markup_mode="markdown",  # paragraphs of a docstring flow
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)
    ] = False,
) -> None:
    """Causal graphs from a table when hidden common causes are feared."""
    if version:
        typer.echo(f"dagdecor {__version__}")
        raise typer.Exit


class Stopped(BaseException):
    """Ctrl-C inside a command, under a name that typer does not turn into exit code 1."""


def stoppable(command: Callable[..., None]) -> Callable[..., None]:
    """The same command, but Ctrl-C reaches `main`."""

    @functools.wraps(command)
    def run(*given: Any, **options: Any) -> None:
        try:
            command(*given, **options)
        except KeyboardInterrupt:
            raise Stopped from None

    return run


for name in COMMANDS:
    app.command()(stoppable(getattr(importlib.import_module(f"dagdecor.cli.{name}"), name)))


def main() -> None:
    """Run the command line; a failure on purpose is one sentence and exit code 2."""
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # here, where a closed pipe is understood
    except DagdecorError as error:
        sys.stderr.write(f"dagdecor: {error}\n")
        sys.exit(2)
    except BrokenPipeError:
        # What is still in the buffer would fail once more, aloud, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except (KeyboardInterrupt, Stopped):
        sys.stderr.write("dagdecor: stopped\n")
        sys.exit(130)
    except OSError as error:
        place = error.filename or "a file"
        sys.stderr.write(f"dagdecor: cannot write or read {place}: {error.strerror or error}\n")
        sys.exit(2)
