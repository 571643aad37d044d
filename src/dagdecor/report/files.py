"""A result as files: what they hold, and writing them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor import document
from dagdecor.errors import OutputExists
from dagdecor.fit import Fit
from dagdecor.graph.mixed import VERSION as GRAPH_VERSION
from dagdecor.report.cells import cell, guarded
from dagdecor.report.content import Content, content
from dagdecor.report.folder import encoded, write_folder
from dagdecor.report.html import html

Array = npt.NDArray[np.float64]


def result_files(told: Fit | Content) -> dict[str, str]:
    """The text of every file that a fit is written as, by file name."""
    known = content(told) if isinstance(told, Fit) else told
    fit = known.fit
    names = fit.graph.names
    return {
        "report.html": html(known),
        "graph.json": _graph(fit) + "\n",
        "graph.dot": fit.graph.to_dot(fit.weights, fit.noise_covariance),
        "edges.csv": guarded(known.frame(), ("from", "to")),
        "weights.csv": _csv(fit.weights, names),
        "noise_covariance.csv": _csv(fit.noise_covariance, names),
        "fit.json": fit.to_json() + "\n",
    }


def _graph(fit: Fit) -> str:
    """The graph's document; `fits_as_well` lists the marks that the data do not tell apart."""
    body: dict[str, Any] = {**fit.graph.to_dict()}
    if fit.alternatives is not None:
        marks = [(a, "->", b) for a, b in fit.graph.directed]
        marks += [(a, "<->", b) for a, b in fit.graph.bidirected]
        also = {f"{a} {mark} {b}": list(fit.rivals(a, b, mark)) for a, mark, b in marks}
        body["fits_as_well"] = {edge: rivals for edge, rivals in also.items() if rivals}
    return document.write("graph", GRAPH_VERSION, body)


def write_result(told: Fit | Content, folder: Path, *, force: bool = False) -> list[Path]:
    """Write a fit's files; refuses a folder that holds something unless `force`."""
    return write_folder(result_files(told), folder, force=force)


def write_report(told: Fit | Content, path: Path, *, force: bool = False) -> Path:
    """Write the interactive report alone; refuses a file that is there unless `force`."""
    if path.exists() and not force:
        raise OutputExists(path)
    write_file(html(content(told) if isinstance(told, Fit) else told), path)
    return path


def write_file(text: str, path: Path) -> None:
    """Write one file through a temporary one beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "wb", dir=path.parent, prefix=f".{path.name}-", delete=False
    ) as file:
        place = Path(file.name)
        try:
            file.write(encoded(text))
            file.close()
            place.chmod(0o644)
            place.replace(path)
        except BaseException:
            place.unlink(missing_ok=True)
            raise


def _csv(matrix: Array, names: tuple[str, ...]) -> str:
    import pandas as pd

    cells = pd.Index(
        [cell(name) for name in names], dtype=object
    )  # any text, Arrow knows UTF-8 only
    return str(pd.DataFrame(matrix, index=cells, columns=cells).to_csv())
