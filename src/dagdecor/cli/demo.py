"""dagdecor demo: the whole way once, from a drawn table to a report folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dagdecor import __version__
from dagdecor.cli.options import Force
from dagdecor.cli.output import check_folder, picture_or_note, say_written, warnings_as_lines
from dagdecor.cli.progress import waiting


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("dagdecor-demo"),
    force: Force = False,
    seed: Annotated[int, typer.Option(help="Seed of the drawn table.")] = 0,
) -> None:
    """Draw a confounded table, fit it, compare with the truth, and write the report folder."""
    from dagdecor.course import attended
    from dagdecor.decor import Decor
    from dagdecor.metrics import compare as score
    from dagdecor.plot import picture
    from dagdecor.report import content, scores, summary
    from dagdecor.report.files import result_files
    from dagdecor.report.folder import write_folder
    from dagdecor.simulate import draw

    check_folder(out, force)
    drawn = draw("local", seed=seed)
    print(f"dagdecor {__version__}: a table of {drawn.X.shape[0]} rows, {drawn.X.shape[1]} columns")
    print(f"true graph: {len(drawn.graph.directed)} ->, {len(drawn.graph.bidirected)} <->\n")
    with warnings_as_lines(), waiting("learning the graph") as watch, attended(watch):
        model = Decor().fit(drawn.X)
    print(summary(model.fit_))
    comparison = score(drawn.graph, model.graph_).to_dict()
    print("\nagainst the true graph\n" + scores(comparison))
    files: dict[str, str | bytes] = {
        "data.csv": drawn.X.to_csv(index=False),
        "truth.json": drawn.graph.to_json() + "\n",
        **result_files(content(model.fit_, title=f"dagdecor demo, seed {seed}")),
        "summary.txt": summary(model.fit_) + "\n\n" + scores(comparison) + "\n",
        **picture_or_note("graph.svg", lambda: picture(model.fit_, "svg")),
    }
    write_folder(files, out, force=force)
    say_written(out, list(files))
