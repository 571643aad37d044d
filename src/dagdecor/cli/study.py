"""dagdecor study: many methods on many designs, rows, tables and figures out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dagdecor.cli.output import at
from dagdecor.errors import MissingPackage, OptionError

if TYPE_CHECKING:
    from dagdecor.study import Campaign


def study(
    name: Annotated[str, typer.Argument(help="Which study; --list names them.")] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="Three places of the axis, 2 draws, 10 s a fit.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="Name studies and methods.")] = False,
    draws: Annotated[int | None, typer.Option(help="Tables a design (10).")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the first draw.")] = 0,
    methods: Annotated[
        str, typer.Option(help="Names joined by commas; module:attribute for your own.")
    ] = "",
    at: Annotated[str, typer.Option(help="Places of the axis only, joined by semicolons.")] = "",
    limit: Annotated[float | None, typer.Option(help="Seconds a fit may take (120).")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder (study-NAME).")] = None,
    data: Annotated[Path, typer.Option(help="Folder of `dagdecor data`.")] = Path("data"),
    jobs: Annotated[int, typer.Option(help="Fits at a time; -1 for one a core.")] = -1,
    backend: Annotated[str, typer.Option(help="joblib or dask.")] = "joblib",
    scheduler: Annotated[str, typer.Option(help="Address of the Dask scheduler.")] = "",
    table: Annotated[str, typer.Option(help="Tidy rows as csv or parquet.")] = "csv",
) -> None:
    """Compare methods on the designs of a study; the same command goes on after a stop.

    Each fit is one row in a file that is only appended to. A method that fails or passes the
    limit has a row that says so.
    """
    if listed or not name:
        print(_list())
        return
    from dagdecor.study import Campaign, chosen, named_study
    from dagdecor.study.studies import QUICK_DRAWS, QUICK_LIMIT

    plan = named_study(name, data)
    plan = plan.quick() if quick else plan
    plan = plan.at(_places(at, plan.values)) if at else plan
    _check(backend, scheduler, table, jobs)
    usual = (QUICK_DRAWS, QUICK_LIMIT) if quick else (10, 120.0)
    campaign = Campaign(
        plan,
        out or Path(f"study-{name}{'-quick' if quick else ''}"),
        chosen([one.strip() for one in methods.split(",")] if methods else None),
        usual[0] if draws is None else draws,
        seed,
        usual[1] if limit is None else limit,
    )
    if not methods:
        _say_absent()
    with _cluster(scheduler) as cluster:
        _run(campaign, table, jobs, cluster)


def _list() -> str:
    from dagdecor.study.methods import known
    from dagdecor.study.studies import STUDIES

    width = max(map(len, STUDIES))
    lines = ["studies", *(f"  {key:<{width}}  {plan.summary}" for key, plan in STUDIES.items())]
    width = max(map(len, known()))
    lines += ["", "methods"]
    for method in known().values():
        needs = f" [not installed: {', '.join(method.missing)}]" if method.missing else ""
        lines.append(f"  {method.name:<{width}}  {method.summary}{needs}")
    return "\n".join(lines)


def _places(text: str, values: tuple[float | str, ...]) -> list[float | str]:
    """The axis places that a text names; an unknown one stays as it is and is refused later."""
    known = {f"{value:g}" if isinstance(value, int | float) else value: value for value in values}
    return [known.get(part.strip(), part.strip()) for part in text.split(";")]


def _check(backend: str, scheduler: str, table: str, jobs: int) -> None:
    if backend not in {"joblib", "dask"}:
        raise OptionError("backend", backend, "'joblib' or 'dask'")
    if (backend == "dask") != bool(scheduler):
        allowed = "--backend dask and --scheduler ADDRESS together"
        raise OptionError("scheduler", scheduler, allowed)
    if table not in {"csv", "parquet"}:
        raise OptionError("table", table, "'csv' or 'parquet'")
    if jobs != -1 and jobs < 1:
        raise OptionError("jobs", jobs, "-1 or a whole number >= 1")


def _say_absent() -> None:
    """One line an extra: what it would bring."""
    from dagdecor.study.methods import absent, known

    by_extra: dict[str, list[str]] = {}
    for name in absent():
        by_extra.setdefault(known()[name].extra, []).append(name)
    for extra, names in by_extra.items():
        typer.echo(f"left out: {', '.join(names)}: pip install 'dagdecor[{extra}]'", err=True)


@contextmanager
def _cluster(scheduler: str) -> Iterator[Any]:
    """A client of the scheduler, or None without one."""
    if not scheduler:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise MissingPackage("distributed", "--backend dask", "dask") from None
    try:
        client = Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise OptionError("scheduler", scheduler, f"the address of one ({error})") from None
    with client:
        yield client


def _run(campaign: Campaign, table: str, jobs: int, cluster: Any) -> None:
    from dagdecor.parallel import cores
    from dagdecor.study.progress import Display

    count = cores() if jobs == -1 else jobs
    places = sum(cluster.nthreads().values()) if cluster is not None else count
    display = Display(campaign.keys(), campaign.rows(), places)
    stopped = False
    try:
        with display:
            campaign.run(count, cluster=cluster, watch=display.saw)
    except KeyboardInterrupt:
        stopped = True
    _say(campaign, table)
    if stopped:
        typer.echo(f"stopped with {campaign.left()} fits left: the same command goes on", err=True)
        raise typer.Exit(130)


def _say(campaign: Campaign, table: str) -> None:
    """Write what is there, sum it up and name it; figures need matplotlib, the rest does not."""
    from dagdecor.study.report import write_report
    from dagdecor.study.tables import summary

    try:
        written = write_report(campaign, table)
    except MissingPackage as error:
        if "matplotlib" not in str(error):
            raise
        typer.echo(f"no figures: {error}", err=True)
        written = write_report(campaign, table, figures=False)
    rows = campaign.rows()
    if rows:
        print(f"{summary(campaign.all_rows())}\n")
    counted = ", ".join(
        f"{count} {end}" for end, count in Counter(r["status"] for r in rows).items()
    )
    pictures = sum(path.parent.name == "figures" for path in written)
    names = [path.name for path in written if path.parent.name != "figures"]
    print(at(f"fits: {counted or 'none'}; written to", campaign.folder))
    print(f"  {', '.join(names)}{f', figures/ ({pictures} pictures)' if pictures else ''}")
