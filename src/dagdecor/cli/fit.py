"""dagdecor fit: a table in, a mixed graph out."""

from __future__ import annotations

from typing import Annotated

import typer

from dagdecor.cli.interrupts import requested
from dagdecor.cli.options import AsJson, Data, Drop, Force, Known, Missing, Out, number_or_auto
from dagdecor.cli.output import check_folder, say_written, warnings_as_lines
from dagdecor.cli.progress import waiting

SEARCH = "How the graph is learned"
PAPER = "The paper's estimator: --no-search, and tables beyond 300 columns"


def fit(
    context: typer.Context,
    data: Data,
    out: Out = None,
    force: Force = False,
    drop: Drop = None,
    scaled: Annotated[
        bool,
        typer.Option(
            "--scaled", help="Columns of unit variance: where they have units of their own."
        ),
    ] = False,
    knowledge: Known = None,
    missing: Missing = "error",
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0,
    max_seconds: Annotated[
        float | None, typer.Option(help="Time budget; the best graph so far is taken.")
    ] = None,
    as_json: AsJson = False,
    search: Annotated[
        bool, typer.Option(help="Score search, or the paper's estimator.", rich_help_panel=SEARCH)
    ] = True,
    noise_model: Annotated[
        str, typer.Option(help="auto, latent or sparse.", rich_help_panel=SEARCH)
    ] = "auto",
    route: Annotated[
        str, typer.Option(help="Noise step: precision or covariance.", rich_help_panel=PAPER)
    ] = "precision",
    rounds: Annotated[
        int, typer.Option(help="Turns of graph step and noise step.", rich_help_panel=PAPER)
    ] = 5,
    lambda_directed: Annotated[
        str, typer.Option(help="Penalty of the edges.", rich_help_panel=PAPER)
    ] = "auto",
    lambda_noise: Annotated[
        str, typer.Option(help="Penalty of the noise pairs.", rich_help_panel=PAPER)
    ] = "auto",
    threshold_directed: Annotated[
        str, typer.Option(help="Smallest effect.", rich_help_panel=PAPER)
    ] = "auto",
    threshold_noise: Annotated[
        str, typer.Option(help="Smallest noise covariance.", rich_help_panel=PAPER)
    ] = "auto",
    bow: Annotated[
        str, typer.Option(help="reconcile, penalty or none.", rich_help_panel=PAPER)
    ] = "reconcile",
    noise_start: Annotated[
        str, typer.Option(help="scaled-identity or diagonal.", rich_help_panel=PAPER)
    ] = "scaled-identity",
    refit: Annotated[
        bool, typer.Option(help="Maximum likelihood on the graph.", rich_help_panel=PAPER)
    ] = True,
    device: Annotated[
        str, typer.Option(help="cpu, cuda or torch-cpu.", rich_help_panel=PAPER)
    ] = "cpu",
) -> None:
    """Learn a mixed graph from a table and print it; with --out, write it as files.

    Ctrl-C ends the search with the best graph so far.
    """
    from dagdecor.cli.reading import read_moments
    from dagdecor.course import attended
    from dagdecor.decor import Decor
    from dagdecor.estimator import with_alternatives
    from dagdecor.inference import errors_of
    from dagdecor.knowledge import read_knowledge
    from dagdecor.report import Finding, content, summary, write_result

    check_folder(out, force)
    known = None if knowledge is None else read_knowledge(knowledge)
    moments, seen = read_moments(data, missing, drop, scaled=scaled)
    model = Decor(
        route,
        search=search,
        noise_model=noise_model,
        random_state=seed,
        rounds=rounds,
        lambda_directed=number_or_auto(lambda_directed),
        lambda_noise=number_or_auto(lambda_noise),
        threshold_directed=number_or_auto(threshold_directed),
        threshold_noise=number_or_auto(threshold_noise),
        bow=bow,
        noise_start=noise_start,
        refit=refit,
        max_seconds=max_seconds,
        knowledge=known,
        missing=missing,
        device=device,
    )
    with (
        warnings_as_lines(),
        waiting("learning the graph", max_seconds) as watch,
        requested() as asked,
        attended(watch, asked.is_set),
    ):
        model.fit(moments)
    if model.fit_.shares is not None:
        _say_unused(context)
    result = model.fit_ if asked.is_set() else with_alternatives(model.fit_)
    written = []
    if out is not None:  # before the printing, which a closed pipe may end
        findings = [
            Finding("warning" if each.severity == "warning" else "note", str(each)) for each in seen
        ]
        title = "" if str(data) == "-" else data.name
        told = content(result, errors=errors_of(result), findings=findings, title=title)
        written = [path.name for path in write_result(told, out, force=force)]
    print(result.to_json() if as_json else summary(result))
    if out is not None and not as_json:
        say_written(out, written)
    if asked.is_set():
        raise typer.Exit(130)


def _say_unused(context: typer.Context) -> None:
    """Name the given options that a search has no use for."""
    unused = [
        option.opts[0]
        for option in context.command.params
        if getattr(option, "rich_help_panel", None) == PAPER
        and str(getattr(context.get_parameter_source(option.name or ""), "name", ""))
        == "COMMANDLINE"
    ]
    if unused:
        typer.echo(
            f"warning: {', '.join(unused)} not used: only with --no-search, or where the table is "
            "too large to search",
            err=True,
        )
