"""Every way in which dagdecor refuses, one class a failure, each with the sentence a user needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def named(names: Iterable[str], limit: int = 8) -> str:
    """Column names as a person reads them: quoted, shortened, and no more than `limit`."""
    every = list(names)
    shown = ", ".join(
        repr(name if len(name) <= 60 else name[:57] + "...") for name in every[:limit]
    )
    return shown if len(every) <= limit else f"{shown} and {len(every) - limit} more"


def nearest(name: object, names: Iterable[str]) -> str:
    """A question after the name that was probably meant, nothing where none is near."""
    from difflib import get_close_matches

    found = get_close_matches(str(name)[:200], [str(other) for other in names][:5000], 1)
    return f": did you mean {named(found)}?" if found else ""


class DagdecorError(Exception):
    """The root of every failure that dagdecor raises on purpose."""


class DataError(DagdecorError, ValueError):
    """Something is wrong with the data, not with the call."""


class OptionError(DagdecorError, ValueError):
    """An option has a value that it cannot have."""

    def __init__(self, option: str, value: object, allowed: str) -> None:
        super().__init__(f"{option}={value!r} is not possible: use {allowed}")


class MissingPackage(DagdecorError, ImportError):
    """An optional package is needed and absent."""

    def __init__(self, package: str, purpose: str, extra: str) -> None:
        wanted = f"'dagdecor[{extra}]'" if extra else package
        super().__init__(
            f"{purpose} needs the package {package}: install it with pip install {wanted}"
        )


class NoDevice(DagdecorError, RuntimeError):
    """A device was asked for that torch does not find."""

    def __init__(self, device: str, version: str) -> None:
        super().__init__(
            f"device={device!r}: torch {version} finds no CUDA device here; use device='cpu', or "
            "install the driver and a torch that is built for it"
        )


class WorkerLost(DagdecorError, RuntimeError):
    """A process that computed for us ended without an answer."""

    def __init__(self) -> None:
        super().__init__(
            "a worker process ended without an answer, killed or out of memory: use fewer workers"
        )


class NotConverged(UserWarning):
    """A solver stopped before its certificate was met; the result says how far it got."""


# --- tables ------------------------------------------------------------------------------------


class UnreadableFile(DataError):
    """A file that is absent, binary, empty, ragged or of an unknown kind."""

    def __init__(self, path: object, cause: str) -> None:
        self.cause = cause
        super().__init__(f"cannot read {str(path)!r}: {cause}")


class BadShape(DataError):
    """A table that is not two-dimensional, or has no columns, or too many."""


class TooFewRows(DataError):
    """One row says nothing about how columns vary."""

    def __init__(self, rows: int, *, complete: bool = False) -> None:
        super().__init__(
            f"the table has {rows} {'complete ' if complete else ''}"
            f"sample{'' if rows == 1 else 's'} (n_samples={rows}): at least 2 rows are needed"
            f"{', or missing=' + repr('em') if complete else ''}"
        )


class TooManyColumns(DataError):
    """More columns than a dense covariance can hold."""

    def __init__(self, columns: int, limit: int) -> None:
        super().__init__(
            f"the table has {columns} columns, the limit is {limit}: select the columns of interest"
        )


class NotNumeric(DataError, TypeError):
    """A column holds text or objects."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(f"column {named([name])} is not numeric ({detail}): encode or drop it")


class DuplicateNames(DataError):
    """Two columns share a name."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(f"column names must be unique, these are not: {named(names)}")


class MissingValues(DataError):
    """Cells are empty."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        listed = ", ".join(f"{named([name])} {count}" for name, count in list(counts.items())[:8])
        rest = "" if len(counts) <= 8 else f" and {len(counts) - 8} more columns"
        super().__init__(
            f"missing values (NaN) per column: {listed}{rest}; "
            "pass missing='em' or missing='drop', or fill the cells"
        )


class EmptyColumn(DataError):
    """A column without a single value."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(f"column {named(names)} holds no value at all: drop it")


class NeverTogether(DataError):
    """Two columns that no row holds both of: their covariance is anybody's guess."""

    def __init__(self, first: str, second: str, pairs: int) -> None:
        more = "" if pairs == 1 else f" (nor {pairs - 1} more pair{'' if pairs == 2 else 's'})"
        super().__init__(
            f"no row holds both {named([first])} and {named([second])}{more}: nothing tells how "
            "they vary together, drop one of them"
        )


class TooFewForEM(DataError):
    """The likelihood of the cells that are there has no maximum."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(
            f"too few cells for missing='em': {rows} rows that hold a value do not determine "
            f"how {columns} columns vary together: drop columns, or fill the cells"
        )


class InfiniteValues(DataError):
    """Cells hold inf, or numbers too large to square."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(
            f"infinite values (inf, or beyond 1e150) in column {named(names)}: "
            "remove or replace them"
        )


class ConstantColumn(DataError):
    """A column that never varies."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(f"column {named(names)} is constant: drop it")


class TinyVariation(DataError):
    """A column that varies so little that its variance is lost in double precision."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(
            f"column {named(names)} varies by less than 1e-140, whose square vanishes: "
            "multiply it by a power of ten"
        )


class UnitsApart(DataError):
    """Two columns of units so far apart that no arithmetic in double precision holds both."""

    def __init__(self, small: str, large: str) -> None:
        super().__init__(
            f"column {named([large])} varies more than 1e30 times as much as column "
            f"{named([small])}: remove the outlier, or change the unit of one of them"
        )


class NoRemainder(DataError):
    """The graph step left a column no error variance."""

    def __init__(self, name: str, rows: int, columns: int) -> None:
        super().__init__(
            f"column {named([name])} is explained without remainder: {rows} rows are too few for "
            f"{columns} columns with this penalty, use more rows, fewer columns, or a larger "
            "lambda_directed"
        )


class CollinearColumns(DataError):
    """A column is an exact linear combination of others."""

    def __init__(self, name: str, others: Iterable[str]) -> None:
        super().__init__(
            f"column {named([name])} is an exact linear combination of {named(others)}: "
            "drop one of them"
        )


class BadCovariance(DataError):
    """A matrix that cannot be a covariance; `column` is the place of one that is at fault."""

    def __init__(self, cause: str, column: int | None = None) -> None:
        super().__init__(f"the covariance matrix {cause}")
        self.column = column


# --- graphs and files --------------------------------------------------------------------------


class GraphError(DagdecorError, ValueError):
    """A graph that cannot be: unknown names, self loops, cycles."""


class UnknownName(GraphError):
    """An edge names a column that is not there."""

    def __init__(self, name: object, names: Iterable[str]) -> None:
        every = list(names)
        meant = nearest(name, every) or ":"
        super().__init__(f"unknown column {name!r}{meant} the columns are {named(every)}")


class CyclicGraph(GraphError):
    """The directed edges run in a circle."""

    def __init__(self, cycle: Iterable[str]) -> None:
        nodes = list(cycle)
        middle = ["..."] if len(nodes) > 12 else []
        shown = [*nodes[:6], *middle, *nodes[-5:]] if middle else nodes
        super().__init__(f"the directed edges form a cycle: {' -> '.join(shown)}")
        self.cycle = tuple(nodes)


class BadKnowledge(DagdecorError, ValueError):
    """Prior knowledge that cannot be read: not a mark, not a name, an unknown field."""


class Contradiction(BadKnowledge):
    """Two rules of the prior knowledge that no graph obeys together."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"two rules contradict each other: {one} and {other}")


class UnreadableGraph(DagdecorError, ValueError):
    """Text or an object of another tool that is not one mixed graph."""

    def __init__(self, tool: str, cause: str) -> None:
        super().__init__(f"cannot read this {tool} graph: {cause}")


class BadDocument(DagdecorError, ValueError):
    """A JSON document that is not the graph or fit it should be."""

    def __init__(self, kind: str, cause: str) -> None:
        super().__init__(f"this is not a dagdecor {kind} document: {cause}")


class NoStandardErrors(DagdecorError, ValueError):
    """A fit that carries no information about its own precision."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"this fit has no standard errors: {cause}")


class NoDraws(DagdecorError, ValueError):
    """Not one resampled fit."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"no resampled table could be fitted: {cause}")


class OtherDraws(DagdecorError, ValueError):
    """A checkpoint that belongs to something else."""

    def __init__(self, path: object) -> None:
        super().__init__(
            f"{str(path)!r} holds draws of another table, method, seed or setting, or no draws: "
            "choose another checkpoint, or delete it"
        )


class OutputExists(DagdecorError, FileExistsError):
    """The place to write to is taken."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{str(path)!r} exists and is not empty: choose another, or pass --force")


# --- studies -----------------------------------------------------------------------------------


class DataAbsent(DagdecorError, FileNotFoundError):
    """A study needs data that are fetched, not bundled."""

    def __init__(self, what: str, folder: object, command: str, otherwise: str = "") -> None:
        way = f"dagdecor data {command} --out {folder}"
        super().__init__(
            f"{what} is not in {str(folder)!r}: fetch it with {way!r}"
            + (f", or {otherwise}" if otherwise else "")
        )


class NotFetched(DagdecorError, RuntimeError):
    """A download through pip failed, or brought something else."""

    def __init__(self, package: str, cause: str) -> None:
        super().__init__(
            f"cannot fetch {package}: {cause}. Elsewhere 'pip download --no-deps {package}' "
            "brings the wheel; pass it here with --wheel FILE"
        )


class BadRows(DagdecorError, ValueError):
    """A file of rows that was changed by something else."""

    def __init__(self, path: object, line: int) -> None:
        super().__init__(
            f"line {line} of {str(path)!r} is not a row of a study: remove that line, or choose "
            "another folder with --out"
        )


class FolderInUse(DagdecorError, RuntimeError):
    """Two runs would write into one file."""

    def __init__(self, folder: object) -> None:
        super().__init__(
            f"another run is writing into {str(folder)!r}: wait for it, or choose another --out"
        )


class SeatFailed(DagdecorError, RuntimeError):
    """A process that should fit could not even start."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"a process for the fits did not start: {cause}")
